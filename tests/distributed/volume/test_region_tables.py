"""The region graph that blocks add up to is that of the whole volume, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import multicut as mc
from multicut.distributed.volume.blocks import Box
from multicut.distributed.volume.edge_costs import edge_table
from multicut.distributed.volume.fragments import Fragments
from multicut.distributed.volume.job import LIFTED, ORDINARY
from multicut.distributed.volume.planning import plan_job
from multicut.distributed.volume.region_tables import _add_sums, whole_graph
from multicut.distributed.volume.run import Run
from tests.distributed.volume.volumes import cells, write_zarr

pytest.importorskip("tensorstore")
DEFAULTS = {
    "superpixels": None,
    "offsets": None,
    "mask": None,
    "axes": None,
    "costs": None,
    "bias": 0.5,
    "connectivity": 1,
    "block_shape": None,
    "halo": 4,
    "histogram": True,
    "pyramid": 0,
    "solver": "klj",
    "time_limit": None,
    "seed": 0,
    "options": {},
}


def build(tmp_path, source, **arguments):
    """Run all stages up to the costs; return the run and the region graph."""
    plan = plan_job(source, tmp_path / "labels.zarr", **{**DEFAULTS, **arguments})
    with plan.job.working_in(tmp_path / "work") as folder:
        run = Run(plan.job, plan.source, plan.target, folder, None, None)
        run.divide()
        run.build_graph()
    return run, whole_graph(folder, len(plan.job.grid))


def assert_same(found, expected):
    assert len(expected.edges) > 10
    for name in ("counts", "edges", "sizes", "num_samples", "mean", "variance", "minimum"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    for name in ("maximum", "histogram"):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name), name)
    np.testing.assert_array_equal(found.features(), expected.features())


CASES = [
    ((26, 20, 24), (16, 16, 16), 1, np.float32),
    ((26, 20, 24), (32, 8, 16), 3, np.uint8),
    ((21, 19, 17), (8, 24, 16), 2, np.float64),
    ((50, 70), (32, 24), 1, np.float32),
    ((50, 70), (8, 80), 2, np.uint8),
]


@pytest.mark.parametrize(("shape", "block_shape", "connectivity", "dtype"), CASES)
def test_fragments_of_blocks(tmp_path, shape, block_shape, connectivity, dtype):
    values, _ = cells(shape)
    values = np.rint(values * 255).astype(dtype) if dtype is np.uint8 else values.astype(dtype)
    source = write_zarr(tmp_path / "in.zarr", values, [8] * len(shape))
    halo = 0 if dtype is np.uint8 else 5
    arguments = {"block_shape": block_shape, "connectivity": connectivity, "halo": halo}
    run, found = build(tmp_path, source, **arguments)
    nodes = Fragments(run.folder, run.job).read(Box((0,) * len(shape), shape))
    assert_same(found, mc.vision.region_graph(nodes, values, connectivity=connectivity))


@pytest.mark.parametrize(("shape", "block_shape", "connectivity", "dtype"), CASES)
def test_superpixels_that_cross_blocks(tmp_path, shape, block_shape, connectivity, dtype):
    values, regions = cells(shape, num_cells=60)
    values = np.rint(values * 255).astype(dtype) if dtype is np.uint8 else values.astype(dtype)
    # Names of 64 bits in no order, as some pipelines make them.
    names = np.random.default_rng(3).integers(0, 2**63, 60, dtype=np.uint64)[regions]
    source = write_zarr(tmp_path / "in.zarr", values, [8] * len(shape))
    given = write_zarr(tmp_path / "given.zarr", names, [8] * len(shape))
    run, found = build(
        tmp_path, source, superpixels=given, block_shape=block_shape, connectivity=connectivity
    )
    assert_same(*both_by_name(run, found, names, values, connectivity))


def both_by_name(run, found, names, values, connectivity):
    """Return a graph with its nodes ordered by name, and that of the whole volume."""
    fragments = Fragments(run.folder, run.job)
    of_nodes = fragments.labels_of(np.arange(found.num_regions))
    ranks = np.argsort(np.argsort(of_nodes))
    edges = np.sort(ranks[found.edges], axis=1)
    order = np.lexsort((edges[:, 1], edges[:, 0]))
    fields = {
        name: getattr(found, name)[order]
        for name in ("sizes", "num_samples", "mean", "variance", "minimum", "maximum", "histogram")
    }
    counts = np.empty_like(found.counts)
    counts[ranks] = found.counts
    expected = mc.vision.region_graph(names, values, connectivity=connectivity)
    np.testing.assert_array_equal(np.sort(of_nodes), expected.region_ids)
    return mc.vision.RegionGraph(expected.region_ids, counts, edges[order], **fields), expected


@pytest.mark.parametrize("offsets", [[[-1, 0, 0], [0, -1, 0], [0, 0, -1]], [[1, 0, 0], [0, 3, -4]]])
def test_affinities(tmp_path, offsets):
    shape = (20, 15, 20)
    values, _ = cells(shape, num_cells=20)
    rng = np.random.default_rng(1)
    affinities = np.clip(1 - values + rng.normal(0, 0.1, (len(offsets), *shape)), 0, 1)
    affinities = affinities.astype(np.float32)
    source = write_zarr(tmp_path / "in.zarr", affinities, [1, 8, 8, 8])
    run, found = build(tmp_path, source, offsets=offsets, block_shape=(16, 16, 8))
    nodes = Fragments(run.folder, run.job).read(Box((0, 0, 0), shape))
    assert_same(found, mc.vision.region_graph(nodes, affinities=affinities, offsets=offsets))


def test_lifted_edges(tmp_path):
    shape, offsets = (20, 15, 20), [[-1, 0, 0], [0, 1, 0], [0, 0, -1], [0, 5, -4], [-7, 0, 0]]
    values, _ = cells(shape, num_cells=20)
    rng = np.random.default_rng(1)
    affinities = np.clip(1 - values + rng.normal(0, 0.1, (len(offsets), *shape)), 0, 1)
    affinities = affinities.astype(np.float32)
    source = write_zarr(tmp_path / "in.zarr", affinities, [1, 8, 8, 8])
    run, found = build(tmp_path, source, offsets=offsets, lifted=True, block_shape=(16, 8, 8))
    nodes = Fragments(run.folder, run.job).read(Box((0, 0, 0), shape))
    costs = mc.vision.BoundaryCosts()
    for kind, chosen in ((ORDINARY, slice(0, 3)), (LIFTED, slice(3, 5))):
        found = whole_graph(run.folder, len(run.job.grid), kind)
        steps = offsets[chosen]
        whole = mc.vision.region_graph(nodes, affinities=affinities[chosen], offsets=steps)
        assert_same(found, whole)
        if kind == LIFTED:
            table = edge_table(run.folder, run.job, kind)
            parts = [table.read(chunk)[2] for chunk in range(table.num_chunks)]
            np.testing.assert_array_equal(
                np.concatenate(parts), costs.costs(None, None, whole, 0.5)
            )


def test_mask(tmp_path):
    values, _ = cells((24, 24, 24))
    mask = np.zeros((24, 24, 24), np.uint8)
    mask[3:21, :, 5:24] = 1
    source = write_zarr(tmp_path / "in.zarr", values, [8, 8, 8])
    write_zarr(tmp_path / "mask.zarr", mask, [8, 8, 8])
    run, found = build(tmp_path, source, mask=tmp_path / "mask.zarr", block_shape=16)
    nodes = Fragments(run.folder, run.job).read(Box((0, 0, 0), (24, 24, 24)))
    np.testing.assert_array_equal(nodes >= 0, mask != 0)
    assert_same(found, mc.vision.region_graph(nodes, values, ignore=-1))


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_costs_are_those_of_the_whole_graph(tmp_path, statistic):
    shape = (24, 24, 24)
    values, regions = cells(shape, num_cells=60)
    source = write_zarr(tmp_path / "in.zarr", values, [8] * 3)
    given = write_zarr(tmp_path / "given.zarr", regions, [8] * 3)
    costs = mc.vision.BoundaryCosts(statistic=statistic)
    run, found = build(
        tmp_path, source, superpixels=given, block_shape=16, costs=costs, bias=0.4, histogram=False
    )
    table = edge_table(run.folder, run.job)
    u, v, cost = (
        np.concatenate(parts)
        for parts in zip(*map(table.read, range(table.num_chunks)), strict=True)
    )
    np.testing.assert_array_equal(np.stack([u, v], axis=1), found.edges)
    whole = mc.vision.region_graph(regions, values)
    expected = costs.costs(None, None, whole, 0.4)
    names = Fragments(run.folder, run.job).labels_of(np.arange(found.num_regions))
    pairs = np.sort(names[found.edges].astype(np.int64), axis=1)
    order = np.lexsort((pairs[:, 1], pairs[:, 0]))
    np.testing.assert_array_equal(pairs[order], whole.region_ids[whole.edges])
    np.testing.assert_array_equal(cost[order], expected)


@given(st.lists(st.tuples(st.integers(0, 2**32), st.integers(0, 2**64 - 1)), min_size=1))
def test_sums_of_128_bits_lose_nothing(parts):
    sums = np.array(parts, dtype=np.uint64).reshape(-1, 2)
    (high, low), *_ = _add_sums(sums, np.array([0])).tolist()
    assert (high << 64) + low == sum((h << 64) + low_part for h, low_part in parts)
