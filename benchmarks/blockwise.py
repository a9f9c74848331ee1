"""Block-wise segmentation of volumes: how good, how fast, and how well estimated.

Volumes are synthetic (benchmarks/synthetic_volume.py) and written to ``--folder``, chunk by chunk.
Each part writes its key of ``results/blockwise.json``:

- ``quality``: objective and gap of block-wise solving beside the same solver on the whole region
  graph, and scores near the faces between blocks beside those elsewhere
- ``engines``: scikit-image and bioimage-cpp on the same box
- ``speed``: each stage of one volume, from disk to disk, with memory per process
- ``workers``: the stages about voxels with one worker process and with two, in turn
- ``model``: estimates of ``--dry-run`` beside what was measured
- ``picture``: draws docs/images/volumes.png
- ``kills``: the program and its workers killed in every stage; the same bytes in the end
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from benchmarks.synthetic_volume import Cells, write_volume
from multicut._dask import open_client
from multicut._target import write_whole
from multicut.benchmark.report import describe_environment
from multicut.distributed.volume.estimate import estimate
from multicut.distributed.volume.planning import plan_job
from multicut.distributed.volume.source import open_source

RESULTS = Path(__file__).parent / "results" / "blockwise.json"
# Voxels this close to a face between blocks count as near.
NEAR = 6
STAGES_TO_KILL_IN = (
    "fragments",
    "numbers",
    "contacts",
    "region graph",
    "costs",
    "sort edges by block",
    "gather edges",
    "solve level 0",
    "bound level 0 in 2 rounds",
    "number clusters",
    "label nodes",
    "evaluate",
    "labels",
    "table",
)


def main() -> None:
    """Run the parts that are asked for."""
    arguments = parse_arguments()
    arguments.folder.mkdir(exist_ok=True)
    for part in arguments.parts:
        found = PARTS[part](arguments)
        document = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
        document["environment"] = describe_environment("python -m benchmarks.blockwise")
        when = {"date": document["environment"]["date"], "load": os.getloadavg()[0]}
        document.setdefault("measured", {})[part] = when
        if isinstance(found, dict) and isinstance(document.get(part), dict):
            found = {**document[part], **found}
        document[part] = found
        write_whole(RESULTS, json.dumps(document, indent=1) + "\n")
        print(part, json.dumps(found, indent=1), flush=True)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="+", choices=PARTS)
    parser.add_argument("--folder", type=Path, required=True, help="for volumes and labels")
    parser.add_argument("--length", type=int, default=256, help="of each axis of the volume")
    parser.add_argument("--workers", type=int, default=2)
    return parser.parse_args()


def volume(folder: Path, length: int) -> Path:
    """Return a volume on disk, written now if it is not there."""
    path = folder / f"blockwise-{length}.zarr"
    if not path.exists():
        part = folder / f"blockwise-{length}.part.zarr"
        write_volume(part, (length,) * 3)
        part.rename(path)
    return path


def run(source: Path, target: Path, **arguments: Any) -> Any:
    """Segment a volume anew."""
    remove(target)
    return mc.vision.segment_blockwise(source, target, **arguments)


def remove(target: Path) -> None:
    """Remove all results of a run."""
    for path in target.parent.glob(f"{target.stem}.*"):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def quality(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare block-wise solutions with those of the whole region graph, by size of blocks."""
    import pyarrow.parquet

    length = arguments.length
    source, target = volume(arguments.folder, length), arguments.folder / "quality.zarr"
    truth = Cells().truth((length,) * 3)
    rows = []
    reference = None
    for size, halo in ((length, 24), (length // 2, 24), (length // 4, 24), (length // 4, 12)):
        report = run(source, target, block_shape=size, halo=halo, num_workers=arguments.workers)
        labels = mc.vision.read_image(target)
        reference = labels if reference is None else reference
        table = pyarrow.parquet.read_table(target.with_name("quality.regions.parquet"))
        columns = table.to_pydict()
        ends = np.stack([columns["u"], columns["v"]], axis=1).astype(np.int64)
        problem = mc.Problem(ends, columns["cost"])
        whole = mc.solve(problem, "klj")
        bound = mc.lower_bound(problem)
        bound = float(getattr(bound, "lower_bound", bound))
        near = near_faces((length,) * 3, length // 4)
        rows.append(
            {
                "block": size,
                "halo": halo,
                "levels": int(np.log2(length // size)) + 1,
                "num_regions": report.num_regions,
                "num_segments": report.num_segments,
                "objective": report.objective,
                "whole_objective": whole.objective,
                "ratio": report.objective / whole.objective,
                "gap": (report.objective - bound) / abs(report.objective),
                "certified_gap": report.gap,
                "top_nodes": report.top_nodes,
                "rand_error_near": rand_error(labels, truth, near),
                "rand_error_elsewhere": rand_error(labels, truth, ~near),
                "vi_to_one_block": mc.vision.evaluate(labels, reference).variation_of_information,
            }
        )
        print(rows[-1], flush=True)
    remove(target)
    return rows


def near_faces(shape: tuple[int, ...], size: int) -> np.ndarray:
    """Flag voxels that are close to a face between blocks of some size."""
    near = np.zeros(shape, dtype=bool)
    for axis, length in enumerate(shape):
        places = np.arange(length)
        distance = np.minimum(places % size, size - 1 - places % size)
        inner = (places >= size // 2) & (places < length - size // 2)
        close = (distance < NEAR) & inner
        near |= close.reshape([-1 if i == axis else 1 for i in range(len(shape))])
    return near


def rand_error(labels: np.ndarray, truth: np.ndarray, where: np.ndarray) -> float:
    """Return the adapted Rand error of some voxels."""
    return mc.vision.evaluate(
        labels[where][None, None], truth[where][None, None]
    ).adapted_rand_error


def engines(arguments: argparse.Namespace) -> dict[str, Any]:
    """Measure the steps of a watershed by both packages, on the same box in the same run."""
    from bioimage_cpp.distance import distance_transform
    from bioimage_cpp.segmentation import watershed as fast_watershed
    from scipy import ndimage
    from skimage.segmentation import watershed

    source = open_source(str(volume(arguments.folder, arguments.length)))
    from multicut.distributed.volume.blocks import Box
    from multicut.distributed.volume.watershed import boundary_map

    box = Box((0, 0, 0), (128, 128, 128))
    boundaries = boundary_map(source.read(box, with_channels=True), None)
    inside = boundaries < 0.5
    distances = distance_transform(inside).astype(np.float32)
    maxima = ndimage.maximum_filter(ndimage.gaussian_filter(distances, 2), 3)
    peaks = ndimage.gaussian_filter(distances, 2) == maxima
    seeds = ndimage.label(peaks & inside, np.ones((3, 3, 3)))[0].astype(np.uint32)
    relief = (0.8 * boundaries + 0.2 * (1 - distances / 8)).astype(np.float32)
    speeds: dict[str, list[float]] = {}
    found = {}
    steps = {
        "watershed, scikit-image": lambda: watershed(relief, seeds.astype(np.int32)),
        "watershed, bioimage-cpp": lambda: fast_watershed(relief, seeds),
        "distances, scipy": lambda: ndimage.distance_transform_edt(inside),
        "distances, bioimage-cpp": lambda: distance_transform(inside),
        "superpixels, scikit-image": lambda: mc.vision.BoundaryWatershed().flood(boundaries),
        "superpixels, bioimage-cpp": lambda: mc.vision.BoundaryWatershed(
            engine="bioimage-cpp"
        ).flood(boundaries),
    }
    for _ in range(3):
        for name, step in steps.items():
            start = time.process_time()
            found[name] = step()
            speeds.setdefault(name, []).append(box.size / (time.process_time() - start))
    same = found["watershed, scikit-image"] == found["watershed, bioimage-cpp"]
    return {
        "voxels_per_processor_second": {name: max(values) for name, values in speeds.items()},
        "same_basins": float(np.mean(same)),
    }


def speed(arguments: argparse.Namespace) -> dict[str, Any]:
    """Segment one volume from disk to disk; goes on where an earlier call was stopped."""
    source = volume(arguments.folder, arguments.length)
    target = arguments.folder / f"speed-{arguments.length}.zarr"
    start = time.perf_counter()
    report = mc.vision.segment_blockwise(
        source,
        target,
        num_workers=arguments.workers,
        report=lambda stage, done, total: print(stage, done, total, flush=True),
    )
    seconds = time.perf_counter() - start
    return {
        str(arguments.length): {
            "seconds_of_this_call": seconds,
            "load": os.getloadavg(),
            "workers": arguments.workers,
            "halo": report.job["halo"],
            "report": {
                key: value
                for key, value in report.to_dict().items()
                if key not in ("job", "target", "table")
            },
            "voxels_per_processor_second": {
                name: stage.voxels_per_second
                for name, stage in report.stages.items()
                if stage.voxels
            },
        }
    }


def workers(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure the stages about voxels with one worker process and with two, in turn.

    Workers have done a small volume before, so that they have loaded all modules.
    """
    source, small = (volume(arguments.folder, length) for length in (arguments.length, 128))
    target = arguments.folder / "workers.zarr"
    rows = []
    for _ in range(2):
        for number in (1, 2):
            begun: dict[str, float] = {}
            ended: dict[str, float] = {}

            def note(
                stage: str,
                done: int,
                total: int,
                begun: dict[str, float] = begun,
                ended: dict[str, float] = ended,
            ) -> None:
                begun.setdefault(stage, time.perf_counter())
                if done == total:
                    ended[stage] = time.perf_counter()

            options = {**DEFAULTS, "block_shape": arguments.length // 2}
            with open_client(None, number, keeps_memory=True) as client:
                remove(target)
                plan_job(small, target, **{**options, "block_shape": 64}).run(client, None)
                remove(target)
                report = plan_job(source, target, **options).run(client, note)
            stages = ("fragments", "contacts", "labels")
            rows.append(
                {
                    "workers": number,
                    "load": os.getloadavg()[0],
                    "seconds": {stage: ended[stage] - begun[stage] for stage in stages},
                    "processor_seconds": {
                        stage: report.stages[stage].processor_seconds for stage in stages
                    },
                    "peak_memory": max(stage.peak_memory for stage in report.stages.values()),
                }
            )
            print(rows[-1], flush=True)
    remove(target)
    return rows


def model(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Compare estimates with the runs that ``speed`` has measured."""
    measured = json.loads(RESULTS.read_text())["speed"]
    rows = []
    for length, found in measured.items():
        source = volume(arguments.folder, int(length))
        plan = plan_job(
            source, arguments.folder / "none.zarr", **{**DEFAULTS, "halo": found["halo"]}
        )
        guess = estimate(plan.job, plan.source, found["workers"])
        report = found["report"]
        stages = report["stages"]
        rows.append(
            {
                "length": int(length),
                "regions": [guess.num_regions, report["num_regions"]],
                "edges": [guess.num_edges, report["num_edges"]],
                "top_nodes": [guess.top_nodes, report["top_nodes"]],
                "peak_memory": [
                    guess.peak_memory,
                    max(stage["peak_memory"] for stage in stages.values()),
                ],
                "processor_seconds": [
                    guess.processor_seconds,
                    sum(stage["processor_seconds"] for stage in stages.values()),
                ],
            }
        )
    return rows


DEFAULTS: dict[str, Any] = {
    "superpixels": None,
    "offsets": None,
    "mask": None,
    "axes": None,
    "costs": None,
    "bias": 0.5,
    "connectivity": 1,
    "block_shape": None,
    "halo": None,
    "histogram": False,
    "pyramid": 0,
    "solver": "klj",
    "time_limit": None,
    "seed": 0,
    "options": {},
}

_PROGRAM = """
import os, signal, sys
import multicut as mc

def kill(stage, done, total):
    if stage == sys.argv[3] and 0 < done < total:
        if sys.argv[4] == "program":
            os.kill(os.getpid(), signal.SIGKILL)
        elif not killed:
            from distributed import default_client
            import psutil
            child = psutil.Process().children(recursive=True)
            workers = [c for c in child if "spawn" in " ".join(c.cmdline())]
            workers[0].kill()
            killed.append(stage)

killed = []
if __name__ == "__main__":
    mc.vision.segment_blockwise(
        sys.argv[1], sys.argv[2], block_shape=64, num_workers=2, report=kill
    )
"""


def kills(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Kill the program in every stage, then a worker in every stage; compare bytes in the end."""
    source = volume(arguments.folder, 128)
    once, target = arguments.folder / "once.zarr", arguments.folder / "killed.zarr"
    run(source, once, block_shape=64)
    program = arguments.folder / "kill.py"
    program.write_text(_PROGRAM)
    rows = []
    for victim in ("program", "worker"):
        remove(target)
        for stage in (*STAGES_TO_KILL_IN, "none"):
            done = subprocess.run(
                [sys.executable, program, source, target, stage, victim],
                capture_output=True,
                check=False,
            )
            rows.append({"victim": victim, "stage": stage, "status": done.returncode})
            if victim == "worker" or stage == "none":
                rows[-1]["same_bytes"] = digest(target) == digest(once)
                remove(target)
            else:
                assert done.returncode == -signal.SIGKILL, done.stderr.decode()[-2000:]
            print(rows[-1], flush=True)
    remove(once)
    return rows


def picture(arguments: argparse.Namespace) -> dict[str, Any]:
    """Draw a slice across faces between blocks: evidence, block-wise segments, and those of one."""
    from multicut.distributed.volume.blocks import Box

    path = volume(arguments.folder, 128)
    target = arguments.folder / "picture.zarr"
    z, scale = 70, 3
    panels = []
    evidence = open_source(str(path)).read(Box((z, 0, 0), (z + 1, 128, 128)))[0]
    panels.append(np.repeat(255 - evidence[..., None], 3, axis=2))
    for size in (64, 128):
        run(path, target, block_shape=size)
        panels.append(mc.vision.label_colours(mc.vision.read_image(target)[z]))
    large = [panel.repeat(scale, axis=0).repeat(scale, axis=1) for panel in panels]
    face = scale * 64
    large[1][face - 1 : face + 1], large[1][:, face - 1 : face + 1] = 255, 255
    place = RESULTS.parents[2] / "docs" / "images" / "volumes.png"
    mc.vision.write_image(place, mc.vision.side_by_side(large))
    remove(target)
    return {"drawn": str(place.relative_to(RESULTS.parents[2]))}


def digest(target: Path) -> str:
    """Return a checksum of labels and table."""
    total = hashlib.sha256()
    for folder in (target, target.with_name(f"{target.stem}.regions.parquet")):
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                total.update(str(file.relative_to(folder)).encode())
                total.update(file.read_bytes())
    return total.hexdigest()


PARTS = {
    "quality": quality,
    "engines": engines,
    "speed": speed,
    "workers": workers,
    "model": model,
    "kills": kills,
    "picture": picture,
}

if __name__ == "__main__":
    main()
