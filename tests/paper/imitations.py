"""Small files in the place and under the names of the published graphs."""

from __future__ import annotations

from pathlib import Path

import multicut as mc

#: Which files OpenGM and CREMI have: how many in each folder, the number of the first, its name.
FOLDERS = {
    "bsds300": {"image-seg": (100, 3096, "{}.bmp.h5")},
    "knott": {
        "knott-3d-150": (8, 32, "gm_knott_3d_{:03}.h5"),
        "knott-3d-300": (8, 72, "gm_knott_3d_{:03}.h5"),
        "knott-3d-450": (8, 96, "gm_knott_3d_{:03}.h5"),
    },
    "cremi": {"cremi": (3, 0, "sample-{}.h5")},
}


def write_published(data: Path, corpus: str, seed: int = 0) -> list[Path]:
    """Write a corpus as OpenGM files; return them in the order in which they are read."""
    files = []
    for folder, (count, first, name) in FOLDERS[corpus].items():
        (data / folder).mkdir(parents=True, exist_ok=True)
        files += [data / folder / name.format(number) for number in range(first, first + count)]
    for place, file in enumerate(files):
        mc.write(problem(seed + place), file, format="opengm")
    return files


def problem(seed: int) -> mc.Problem:
    """Return a triangle that differs for different seeds."""
    return mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0 + seed, 2.0, -4.0])


def write_stand_ins(data: Path, corpus: str, count: int = 10) -> None:
    """Write the stand-in of a corpus for finetuning, parts of the same size."""
    packed = {str(seed): problem(1_000 + seed) for seed in range(count)}
    if corpus == "bsds300":
        files = ["bsds/bsds_ucm_a"]
    else:
        pieces = {"cremi": ("CREMI-C",), "knott": list(FOLDERS["knott"])}[corpus]
        files = [
            f"opengm_subgraphs/{piece}_{part}" for piece in pieces for part in ("train", "valid")
        ]
    for file in files:
        path = data / f"{file}.npz"
        path.parent.mkdir(parents=True, exist_ok=True)
        mc.io.write_all(packed, path)
