"""Write the seeds of all targets: tiny files of every format, as the package itself writes them.

Run as ``python -m fuzz.seeds`` after a format has changed. Findings of fuzzers, whose names begin
with ``found-``, stay where they are.
"""

from __future__ import annotations

import gzip
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import multicut as mc
from fuzz.readers import IMAGE_SUFFIXES, TARGETS
from multicut.io import list_formats

CORPUS = Path(__file__).parent / "corpus"
NATIVE = ("edge_text", "exact", "lifted", "number_text", "simplify", "solvers", "volumes")

_TRIANGLE = mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1])
_COSTS = mc.Problem([[0, 1], [0, 2], [1, 2], [2, 4]], [1.5, -np.inf, 1e-300, np.inf], num_nodes=5)
_NAMES = mc.Problem([[0, 1], [1, 2]], [1.5, -2.0], 3, node_ids=["a", "b c", 'd"'])
_LIFTED = mc.Problem([[0, 1], [1, 2]], [1, -2], lifted_edges=[[0, 2]], lifted_costs=[0.5])


def main() -> None:
    """Write all seeds."""
    for target in (*TARGETS, *NATIVE):
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("seed-*"):
            old.unlink()
        for i, content in enumerate(seeds_of(target)):
            (folder / f"seed-{i}").write_bytes(content)


def seeds_of(target: str) -> Iterator[bytes]:
    """Yield the seeds of a target."""
    formats = [record.name for record in list_formats()]
    if target in formats:
        yield from _files(target)
    elif target == "any":
        for name in formats:
            yield from list(_files(name))[:1]
        yield gzip.compress(b"0 1 1\n", mtime=0)
    else:
        yield from globals()[f"_{target}"]()


def _files(name: str) -> Iterator[bytes]:
    for problem in (_TRIANGLE, _COSTS, _NAMES, _LIFTED):
        stream = io.BytesIO()
        try:
            mc.write(problem, stream, format=name)
        except ValueError:
            continue  # a format that does not hold such a problem
        yield stream.getvalue()
    if name == "edges":
        yield b"source;target;weight\n10;20;1.5\n20;700;-2\n"
        yield b"u,v,cost,lifted\n0,1,1.5,0\n0,2,-2,1\n"
        yield b'# multicut num_nodes 10\n"a b"\t"c"\t-1e-3\r\n'
    if name == "npz":
        stream = io.BytesIO()
        np.savez_compressed(stream, edges=_TRIANGLE.edges, costs=_TRIANGLE.costs)
        yield stream.getvalue()


def _image() -> Iterator[bytes]:
    labels = np.arange(12, dtype=np.uint8).reshape(3, 4)
    with tempfile.TemporaryDirectory() as folder:
        for i, suffix in enumerate(IMAGE_SUFFIXES):
            path = Path(folder) / f"image{suffix}"
            mc.vision.write_image(path, labels)
            yield bytes([i]) + path.read_bytes()
        mc.vision.write_labels(Path(folder) / "labels.png", labels)
        yield bytes([2]) + (Path(folder) / "labels.png").read_bytes()


def _chunked() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        for mark, suffix, file in ((b"z", "zarr", ".zarray"), (b"n", "n5", "attributes.json")):
            path = Path(folder) / f"volume.{suffix}"
            mc.vision.write_image(path, np.arange(6, dtype=np.uint8).reshape(2, 3))
            yield mark + (path / "labels" / file).read_bytes()


def _config() -> Iterator[bytes]:
    for path in sorted((CORPUS.parents[1] / "configs").glob("[a-l]*/*.toml"))[::9]:
        yield path.read_bytes()


def _corpus() -> Iterator[bytes]:
    yield next(_files("npz"))


def _corrections() -> Iterator[bytes]:
    proof = mc.Proofreader(_TRIANGLE)
    proof.join(0, 1)
    proof.set_cost((1, 2), -2.0)
    proof.separate(0, 2)
    with tempfile.TemporaryDirectory() as folder:
        proof.save(Path(folder) / "corrections.jsonl")
        yield (Path(folder) / "corrections.jsonl").read_bytes()


def _dataset() -> Iterator[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dataset"
        problems = [mc.datasets.randommp(6, seed=seed) for seed in range(2)]
        mc.datasets.Dataset.from_problems(problems, name="fuzz").save(path)
        for i, file in enumerate(sorted(path.iterdir())):
            yield bytes([i]) + file.read_bytes()


def _initial() -> Iterator[bytes]:
    stream = io.BytesIO()
    np.save(stream, np.array([0, 0, 1]))
    yield b"\0" + stream.getvalue()
    yield b"\1node,label\n0,0\n1,0\n2,1\n"
    yield b"\2" + json.dumps({"node_ids": [0, 1, 2], "labels": [0, 0, 1]}).encode()


def _model() -> Iterator[bytes]:
    path = mc.list_models("lr*")[0].path
    card = json.loads(path.with_suffix(".json").read_text())
    kept = {key: card[key] for key in ("format", "network", "description") if key in card}
    yield b"c" + json.dumps(kept).encode()
    yield b"w" + path.read_bytes()


def _policy() -> Iterator[bytes]:
    yield json.dumps({"constants": {"share": 0.2, "cost_weight": 0.1}}).encode()


def _edge_text() -> Iterator[bytes]:
    for flags, columns, text in (
        (0, 0, "0 1 1.5\n1 2 -2e-3\n# multicut num_nodes 9\n"),
        (1, 0, "0,1,inf\r\n7, 8 ,-inf\r9,1,1e300\n"),
        (1 + 4, 0, 'a,"b, ""c""",-1\n# multicut node_ids a "b, ""c"""\n'),
        (2 + 8 + 64, 1, "u\tv\tcost\tlifted\n0\t1\t1\t0\n0\t2\t1\t1\n"),
        (16 + 32, 0, "c a comment\n1 2\n2 3\n"),
    ):
        yield bytes([flags, columns]) + text.encode()


def _number_text() -> Iterator[bytes]:
    yield b"\x00# multicut node_ids 3 1 4\n3\n1.5 -2 1e-320\n7\n"
    for text in (b"-2.2250738585072014e-308", b"123456789012345678901234567890e-7", b"inf", b"nan"):
        yield b"\x01" + text


def _simplify() -> Iterator[bytes]:
    yield bytes([0, 0, 1, 120, 1, 2, 90, 0, 2, 200])
    yield bytes([1, 9, 0, 1, 120, 1, 0, 90, 2, 2, 201])
    yield bytes([0, 251]) + (2**63 - 1).to_bytes(8, "little") + bytes([3, 130])


def _solvers() -> Iterator[bytes]:
    # Of 6 nodes, all pairs: u + 6 v in one byte, then a cost.
    pairs = [u + 6 * v for u in range(6) for v in range(u)]
    for seed in range(4):
        costs = np.random.default_rng(seed).integers(0, 200 + 13 * seed, len(pairs))
        edges = [byte for pair in zip(pairs, costs, strict=True) for byte in pair]
        yield bytes([seed, 5, len(pairs), *map(int, edges)])


_exact = _solvers


def _lifted() -> Iterator[bytes]:
    rng = np.random.default_rng(0)
    for seed in range(4):
        chain = [b for u in range(4) for b in (u + 5 * (u + 1), int(rng.integers(60, 210)))]
        far = [b for u in range(3) for b in (u + 5 * (u + 2), int(rng.integers(0, 210)))]
        yield bytes([seed, 3, 4, *chain, 3, *far])


def _volumes() -> Iterator[bytes]:
    rng = np.random.default_rng(0)
    for kind in (0, 1 + 8, 2 + 4, 128, 129):
        yield bytes([kind, 1, 3, 3, *rng.integers(0, 250, 150).tolist()])


if __name__ == "__main__":
    main()
