"""From files to files: formats, metadata, interruptions, clusters, mistakes."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import multicut as mc
from multicut.distributed.volume import fragments, region_tables, writing
from tests.distributed.volume.volumes import bytes_of, cells, write_zarr

h5py = pytest.importorskip("h5py")
parquet = pytest.importorskip("pyarrow.parquet")
tensorstore = pytest.importorskip("tensorstore")

SHAPE = (40, 36, 28)
ARGUMENTS = {"block_shape": (24, 24, 32), "halo": 12}


@pytest.fixture(scope="module")
def volume():
    return cells(SHAPE, num_cells=8)


@pytest.fixture
def source(tmp_path, volume):
    return write_zarr(tmp_path / "in.zarr", volume[0], [8, 8, 8])


def read(path, driver="zarr"):
    kvstore = {"driver": "file", "path": str(path)}
    return tensorstore.open({"driver": driver, "kvstore": kvstore}).result()


def test_labels_are_those_of_the_whole_volume(tmp_path, source, volume):
    values, truth = volume
    report = mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    labels = mc.vision.read_image(tmp_path / "out.zarr")
    assert labels.dtype == np.uint64
    assert set(np.unique(labels)) == set(range(1, report.num_segments + 1))
    whole = mc.vision.segment(values, boundaries=values, volume=True, solver="klj")
    assert report.num_segments == whole.num_segments
    assert mc.vision.evaluate(labels, whole.labels).variation_of_information < 0.02
    assert mc.vision.evaluate(labels, truth).adapted_rand_error < 0.05
    assert not (tmp_path / "out.zarr.partial").exists()
    assert f"{report.num_segments:,}" in report.summary()
    assert json.loads((tmp_path / "out.report.json").read_text())["objective"] == report.objective


def test_the_report_tells_what_each_stage_took(tmp_path, source):
    start = time.perf_counter()
    report = mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    passed = time.perf_counter() - start
    bounds = [name for name in report.stages if name.startswith("bound level")]
    assert len(bounds) == 2
    assert {"fragments", "gather edges", "solve level 1", "evaluate", "table"} < set(report.stages)
    assert 0 < sum(stage.seconds for stage in report.stages.values()) < passed
    for stage in report.stages.values():
        assert stage.processor_seconds > 0
        assert stage.peak_memory > 2**20


def test_table_tells_which_edges_are_cut(tmp_path, source):
    report = mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    table = parquet.read_table(tmp_path / "out.regions.parquet").to_pydict()
    assert len(table["u"]) == report.num_edges
    cut = np.array(table["segment_u"]) != np.array(table["segment_v"])
    costs = np.array(table["cost"])
    assert np.isclose(costs[cut].sum(), report.objective)
    assert report.lower_bound <= report.objective
    assert 0 <= report.gap < 0.1
    assert any(table["one_basin"])
    # The objective is that of a partition of these edges.
    problem = mc.Problem(np.stack([table["u"], table["v"]], axis=1).astype(np.int64), costs)
    assert mc.solve(problem, "klj").objective <= report.objective + 1e-9
    assert np.isclose(mc.solve(problem, "klj").objective, report.objective, rtol=0.02)


OFFSETS = [[-1, 0, 0], [0, -1, 0], [0, 0, -1], [-8, 0, 0], [0, 6, 6]]


@pytest.fixture
def affinities(tmp_path, volume):
    """Write affinities of neighbours, noisy ones that are far, and given superpixels."""
    values, truth = volume
    rng = np.random.default_rng(0)
    near = [np.clip(1 - values + rng.normal(0, 0.1, SHAPE), 0, 1) for _ in range(3)]
    far = [
        np.clip((truth == np.roll(truth, np.negative(step), (0, 1, 2))) * 0.5 + 0.25, 0, 1)
        for step in OFFSETS[3:]
    ]
    array = np.stack([*near, *far]).astype(np.float32)
    write_zarr(tmp_path / "affinities.zarr", array, [1, 8, 8, 8])
    _, given = cells(SHAPE, num_cells=90, seed=4)
    write_zarr(tmp_path / "given.zarr", given, [8, 8, 8])
    return array, given


def lifted_problem(tmp_path):
    """Return the problem in the table of regions, and the segments of its nodes."""
    table = parquet.read_table(tmp_path / "out.regions.parquet").to_pydict()
    ends = np.stack([table["u"], table["v"]], axis=1).astype(np.int64)
    is_lifted, costs = np.array(table["lifted"]), np.array(table["cost"])
    problem = mc.Problem(
        ends[~is_lifted],
        costs[~is_lifted],
        lifted_edges=ends[is_lifted],
        lifted_costs=costs[is_lifted],
    )
    segments = dict(zip(table["u"], table["segment_u"], strict=True))
    segments |= dict(zip(table["v"], table["segment_v"], strict=True))
    return problem, np.array([segments[node] for node in problem.node_ids.tolist()])


@pytest.mark.usefixtures("affinities")
@pytest.mark.parametrize("is_given", [False, True])
def test_lifted_edges_from_affinities(tmp_path, is_given):
    given = {"superpixels": tmp_path / "given.zarr"} if is_given else {}
    report = mc.vision.segment_blockwise(
        tmp_path / "affinities.zarr",
        tmp_path / "out.zarr",
        offsets=OFFSETS,
        lifted=True,
        **given,
        **ARGUMENTS,
    )
    problem, segments = lifted_problem(tmp_path)
    assert (problem.num_edges, len(problem.lifted_edges)) == (
        report.num_edges,
        report.num_lifted_edges,
    )
    assert report.objective == pytest.approx(mc.objective(problem, segments), rel=1e-9)
    whole = mc.solve(problem, "ilp")
    assert whole.optimal
    assert report.lower_bound <= whole.objective <= report.objective + 1e-9
    assert report.objective <= 0.98 * whole.objective
    assert "lifted edges" in report.summary()


def test_lifted_edges_of_one_block_are_those_of_the_whole(tmp_path, affinities):
    array, given = affinities
    mc.vision.segment_blockwise(
        tmp_path / "affinities.zarr",
        tmp_path / "out.zarr",
        offsets=OFFSETS,
        lifted=True,
        superpixels=tmp_path / "given.zarr",
        block_shape=64,
    )
    whole = mc.vision.segment(
        given, given, affinities=array, offsets=OFFSETS, lifted=True, volume=True, solver="klj"
    )
    labels = mc.vision.read_image(tmp_path / "out.zarr")
    assert mc.vision.evaluate(labels, whole.labels).variation_of_information < 1e-9


def test_given_superpixels_and_mask(tmp_path, source, volume):
    values, truth = volume
    write_zarr(tmp_path / "given.zarr", truth.astype(np.uint16), [8, 8, 8])
    mask = np.ones(SHAPE, np.uint8)
    mask[:5] = 0
    write_zarr(tmp_path / "mask.zarr", mask, [8, 8, 8])
    report = mc.vision.segment_blockwise(
        source,
        tmp_path / "out.zarr",
        superpixels=tmp_path / "given.zarr",
        mask=tmp_path / "mask.zarr",
        bias=0.99,
        **ARGUMENTS,
    )
    labels = mc.vision.read_image(tmp_path / "out.zarr")
    assert (labels[:5] == 0).all()
    # With this bias all superpixels stay apart.
    assert report.num_segments == report.num_regions == len(np.unique(truth[5:]))
    assert mc.vision.evaluate(labels[5:], truth[5:]).variation_of_information < 1e-9
    assert values.shape == labels.shape


def ome_zarr(folder, values):
    """Write an image of OME-Zarr 0.4 with time, channel and two resolutions."""
    folder.mkdir()
    (folder / ".zgroup").write_text('{"zarr_format": 2}')
    axes = [
        {"name": "t", "type": "time"},
        {"name": "c", "type": "channel"},
        *({"name": n, "type": "space", "unit": "nanometer"} for n in "zyx"),
    ]
    datasets = [
        {
            "path": f"s{level}",
            "coordinateTransformations": [
                {"type": "scale", "scale": [1, 1, 40.0 * 2**level, 4.0, 4.0]}
            ],
        }
        for level in range(2)
    ]
    document = {"multiscales": [{"version": "0.4", "axes": axes, "datasets": datasets}]}
    (folder / ".zattrs").write_text(json.dumps(document))
    for level in range(2):
        write_zarr(folder / f"s{level}", values[None, None, :: 2**level], [1, 1, 16, 8, 8])


def test_ome_zarr_with_a_pyramid(tmp_path, volume):
    ome_zarr(tmp_path / "in.ome.zarr", volume[0])
    target = tmp_path / "out.ome.zarr"
    mc.vision.segment_blockwise(
        tmp_path / "in.ome.zarr", target, block_shape=(32, 24, 32), halo=8, pyramid=2
    )
    finest = read(target / "0")
    assert finest.shape == SHAPE
    assert finest.chunk_layout.write_chunk.shape == (16, 8, 8)
    image = json.loads((target / ".zattrs").read_text())["multiscales"][0]
    assert [axis["name"] for axis in image["axes"]] == ["z", "y", "x"]
    assert image["axes"][0]["unit"] == "nanometer"
    scales = [each["coordinateTransformations"][0]["scale"] for each in image["datasets"]]
    assert scales == [[40, 4, 4], [80, 8, 8], [160, 16, 16]]
    labels = finest.read().result()
    for level in (1, 2):
        step = (slice(None, None, 2**level),) * 3
        np.testing.assert_array_equal(read(target / str(level)).read().result(), labels[step])


@pytest.mark.parametrize("kind", ["zarr3", "sharded", "n5", "hdf5"])
def test_formats(tmp_path, volume, kind):
    values = volume[0]
    if kind == "hdf5":
        path, target = tmp_path / "in.h5:walls", tmp_path / "out.h5:segments"
        with h5py.File(tmp_path / "in.h5", "w") as file:
            file.create_dataset("walls", data=values, chunks=(8, 8, 8))
            file["other"] = 1
    elif kind == "n5":
        path, target = tmp_path / "in.n5:walls", tmp_path / "out.n5"
        mc.vision.write_image(path, values)
        metadata = tmp_path / "in.n5/walls/attributes.json"
        document = json.loads(metadata.read_text()) | {"resolution": [4, 4, 40]}
        metadata.write_text(json.dumps(document))
    else:
        path, target = tmp_path / "in.zarr", tmp_path / "out.zarr"
        if kind == "zarr3":
            write_zarr(path, values, [8, 8, 8], "zarr3")
        else:
            inner = {"name": "sharding_indexed", "configuration": {"chunk_shape": [4, 8, 8]}}
            metadata = {
                "data_type": "float32",
                "shape": SHAPE,
                "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [8, 8, 16]}},
                "codecs": [inner],
                "dimension_names": ["z", "y", "x"],
            }
            kvstore = {"driver": "file", "path": str(path)}
            spec = {"driver": "zarr3", "kvstore": kvstore, "metadata": metadata}
            tensorstore.open(spec, create=True).result().write(values).result()
    block_shape = 64 if kind == "n5" else (24, 24, 32)
    report = mc.vision.segment_blockwise(path, target, block_shape=block_shape, halo=8)
    if kind == "hdf5":  # the source is closed again, so that it can be written
        h5py.File(tmp_path / "in.h5", "r+").close()
    labels = mc.vision.read_image(target)
    assert labels.shape == SHAPE
    assert labels.max() == report.num_segments
    if kind == "n5":
        written = json.loads((tmp_path / "out.n5/labels/attributes.json").read_text())
        assert written["resolution"] == [4, 4, 40]
        assert written["blockSize"] == [28, 36, 40]
    if kind == "sharded":
        layout = read(tmp_path / "out.zarr/labels", "zarr3").chunk_layout
        assert layout.write_chunk.shape == (8, 8, 16)
        assert layout.read_chunk.shape == (4, 8, 8)


def test_the_same_call_does_nothing_twice(tmp_path, source, monkeypatch):
    first = mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    monkeypatch.setattr(fragments, "divide_block", None)
    assert mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS) == first
    with pytest.raises(FileExistsError, match="exists already"):
        mc.vision.segment_blockwise(source, tmp_path / "out.zarr", bias=0.3, **ARGUMENTS)


STOPS = [
    (fragments, "divide_block", 2),
    (region_tables, "region_graph_part", 3),
    (region_tables, "merge_tables", 1),
    (writing, "NodeValues", 2),
]


def test_goes_on_after_failures_in_every_stage(tmp_path, source, monkeypatch):
    mc.vision.segment_blockwise(source, tmp_path / "once.zarr", **ARGUMENTS)
    for module, name, calls in STOPS:
        left, real = [calls], getattr(module, name)

        def failing(*arguments, _left=left, _real=real, **named):
            _left[0] -= 1
            if _left[0] < 0:
                raise OSError(28, "No space left on device")
            return _real(*arguments, **named)

        with monkeypatch.context() as patch:
            patch.setattr(module, name, failing)
            with pytest.raises(OSError, match="No space left"):
                mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
        assert not (tmp_path / "out.zarr").exists()
    with pytest.raises(ValueError, match="was begun with another halo 12, not 8"):
        mc.vision.segment_blockwise(source, tmp_path / "out.zarr", block_shape=(24, 24, 32), halo=8)
    mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    assert bytes_of(tmp_path / "out.zarr") == bytes_of(tmp_path / "once.zarr")
    assert bytes_of(tmp_path / "out.regions.parquet") == bytes_of(tmp_path / "once.regions.parquet")


PROGRAM = """
import os, signal, sys
import multicut as mc

def killer(stage, done, total):
    if stage == sys.argv[3] and done > 0:
        os.kill(os.getpid(), signal.SIGKILL)

if __name__ == "__main__":
    mc.vision.segment_blockwise(
        sys.argv[1], sys.argv[2], block_shape=(24, 24, 32), halo=12, num_workers=2, report=killer
    )
"""


def test_worker_processes_and_kills(tmp_path, source):
    """Two worker processes, and the program killed in two stages: the same bytes in the end."""
    pytest.importorskip("distributed")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    mc.vision.segment_blockwise(source, tmp_path / "once.zarr", **ARGUMENTS)
    for stage in ("fragments", "never"):
        done = subprocess.run(
            [sys.executable, program, source, tmp_path / "out.zarr", stage],
            capture_output=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            check=False,
        )
        expected = 0 if stage == "never" else -signal.SIGKILL
        assert done.returncode == expected, done.stderr.decode()
    assert bytes_of(tmp_path / "out.zarr") == bytes_of(tmp_path / "once.zarr")


def test_mistakes_are_one_line(tmp_path, source, volume):
    def fails(error, match, path=source, target=tmp_path / "out.zarr", **arguments):
        with pytest.raises(error, match=match) as caught:
            mc.vision.segment_blockwise(path, target, **arguments)
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "out.zarr").exists()

    fails(FileNotFoundError, "no such folder", tmp_path / "missing.zarr")
    fails(ValueError, "is an array itself; leave out the dataset 'walls'", f"{source}:walls")
    fails(ValueError, "only .zarr, .n5 and .h5 can be read", tmp_path / "in.png")
    fails(ValueError, "labels of blocks go to", target=tmp_path / "out.png")
    fails(FileNotFoundError, "there is no folder", target=tmp_path / "none" / "out.zarr")
    fails(ValueError, "axes 'zyxc' name 4", axes="zyxc")
    fails(ValueError, "has 40 points in time", axes="tyx")
    fails(ValueError, "has 40 channels .* need offsets", axes="cyx")
    fails(ValueError, "1 channels .* 3 offsets", axes="zyx", offsets=np.eye(3, dtype=int))
    fails(ValueError, r"multiple of the chunks \(8, 8, 8\).*use \(24, 24, 24\)", block_shape=20)
    fails(ValueError, "bias must be", bias=1.5)
    fails(ValueError, "lifted=True needs affinities", lifted=True)
    near = {"lifted": True, "offsets": [[1, 0, 0]], "axes": "zyx"}
    fails(ValueError, "needs offsets longer than 1", **near)
    fails(ValueError, "needs offsets of length 1", **(near | {"offsets": [[2, 0, 0]]}))
    fails(ValueError, "gnn", **(near | {"solver": "gnn"}))
    fails(ValueError, "only .zarr can hold a pyramid", target=tmp_path / "out.h5", pyramid=1)
    write_zarr(tmp_path / "other.zarr", volume[1][:20], [8, 8, 8])
    fails(ValueError, "must have the source's shape", superpixels=tmp_path / "other.zarr")
    write_zarr(tmp_path / "large.zarr", volume[0] * 300, [8, 8, 8])
    fails(ValueError, "boundaries must lie between 0 and 1", tmp_path / "large.zarr")


def test_a_corrupt_chunk_is_named_and_nothing_is_lost(tmp_path, source):
    chunk = source / "4.4.2"
    whole = chunk.read_bytes()
    chunk.write_bytes(b"damaged")
    arguments = {"block_shape": (24, 24, 32), "halo": 4}
    with pytest.raises(ValueError, match=r"in.zarr: cannot be read at .*\(.*4\.4\.2") as caught:
        mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **arguments)
    assert "\n" not in str(caught.value)
    assert any((tmp_path / "out.zarr.partial" / "fragments").glob("*.json"))  # is kept
    chunk.write_bytes(whole)
    mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **arguments)
    mc.vision.segment_blockwise(source, tmp_path / "once.zarr", **arguments)
    assert bytes_of(tmp_path / "out.zarr") == bytes_of(tmp_path / "once.zarr")


def test_a_source_that_is_replaced_is_noticed(tmp_path, source, volume):
    def stop(stage, *_):
        if stage == "contacts":
            raise KeyboardInterrupt

    target = tmp_path / "out.zarr"
    mc.vision.segment_blockwise(source, tmp_path / "former.zarr", **ARGUMENTS)
    with pytest.raises(KeyboardInterrupt):
        mc.vision.segment_blockwise(source, target, report=stop, **ARGUMENTS)
    shutil.rmtree(source)
    write_zarr(source, volume[0][:, :, ::-1], [8, 8, 8])
    with pytest.raises(ValueError, match="was begun with another input_version; continue"):
        mc.vision.segment_blockwise(source, target, **ARGUMENTS)
    with pytest.raises(FileExistsError, match="exists already"):
        mc.vision.segment_blockwise(source, tmp_path / "former.zarr", **ARGUMENTS)
    shutil.rmtree(tmp_path / "out.zarr.partial")
    shutil.rmtree(source)
    write_zarr(source, volume[0][:20], [8, 8, 8])
    assert mc.vision.segment_blockwise(source, target, **ARGUMENTS).shape == (20, *SHAPE[1:])


def test_a_folder_with_other_files_is_not_used(tmp_path, source):
    (tmp_path / "out.zarr.partial").mkdir()
    (tmp_path / "out.zarr.partial" / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="holds other files; move these away"):
        mc.vision.segment_blockwise(source, tmp_path / "out.zarr", **ARGUMENTS)
    assert (tmp_path / "out.zarr.partial" / "notes.txt").read_text() == "mine"


def test_an_image_of_two_axes(tmp_path):
    values, truth = cells((70, 90), num_cells=10)
    write_zarr(tmp_path / "in.zarr", values, [16, 16])
    mc.vision.segment_blockwise(
        tmp_path / "in.zarr", tmp_path / "out.zarr", block_shape=32, halo=16
    )
    labels = mc.vision.read_image(tmp_path / "out.zarr")
    assert mc.vision.evaluate(labels, truth).adapted_rand_error < 0.1
    shutil.rmtree(tmp_path / "out.zarr")
