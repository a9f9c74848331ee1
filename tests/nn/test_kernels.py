"""The kernels for GPUs; on other machines triton's interpreter has to be asked for."""

from __future__ import annotations

import copy
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import multicut as mc
from multicut.nn import (
    ContractionNetwork,
    GraphBatch,
    MulticutNetwork,
    NetworkConfig,
    padded_norm,
    partition,
)
from multicut.nn.edge_classifier import pair_sums
from multicut.nn.padding import Padding
from multicut.nn.scale_free_features import scale_free_features
from multicut.nn.search import cycle_pool, packing_rounds
from multicut.nn.search.joins import Scoring
from multicut.nn.search.packing_bound import PackingBound
from multicut.nn.search.packing_rounds import Rules
from multicut.nn.search.short_cycles import Sweeps
from multicut.nn.symmetric_matrix import SymmetricMatrix
from tests.networks import small_contraction_network
from tests.problems import optimum, random_problem

pytest.importorskip("triton")
needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU is at hand")


@needs_gpu
@pytest.mark.parametrize("width", [1, 2, 16, 100, 128, 200])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("plus_identity", [False, True])
def test_products_of_rows(width, dtype, plus_identity):
    from multicut.nn.kernels.rows import multiply_rows

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    rows = batch.adjacency
    matrix = SymmetricMatrix(rows, batch.edges, batch.costs)
    nodes = torch.randn(60, width, device="cuda").to(dtype)
    product = multiply_rows(
        rows.row_pointers, rows.columns, matrix.entries(torch.float32), nodes, plus_identity
    )
    dense = torch.zeros(60, 60, device="cuda")
    dense[batch.edges[0], batch.edges[1]] = batch.costs
    expected = (dense + dense.T) @ nodes.float() + (nodes.float() if plus_identity else 0)
    torch.testing.assert_close(product, expected.to(dtype))


@needs_gpu
@pytest.mark.parametrize("width", [8, 100, 256, 300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_sums_of_pairs(width, dtype):
    from multicut.nn.kernels.pairs import add_pairs

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    first, second = torch.randn(2, 60, width, device="cuda").to(dtype)
    expected = pair_sums(first, second, None, batch.edges).relu()
    torch.testing.assert_close(add_pairs(first, second, batch.edges), expected)


@needs_gpu
@pytest.mark.parametrize("width", [8, 100, 256, 300])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_gradients_of_sums_of_pairs(width, dtype):
    from multicut.nn.kernels.pairs import add_pairs, sum_pair_gradients

    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")
    first, second = torch.randn(2, 60, width, device="cuda").to(dtype)
    first.requires_grad_()
    second.requires_grad_()
    expected = pair_sums(first, second, None, batch.edges).relu()
    gradient = torch.randn_like(expected)
    expected.backward(gradient)
    rows = batch.adjacency
    sums = add_pairs(first.detach(), second.detach(), batch.edges)
    found = sum_pair_gradients(rows.row_pointers, rows.edge_of_entry, batch.edges, sums, gradient)
    tolerance = {} if dtype == torch.float32 else {"atol": 0.2, "rtol": 0.05}
    torch.testing.assert_close(found[0], first.grad, **tolerance)
    torch.testing.assert_close(found[1], second.grad, **tolerance)


@needs_gpu
def test_a_network_has_the_same_gradients_without_kernels(monkeypatch):
    torch.manual_seed(0)
    network = MulticutNetwork(NetworkConfig("gcn_w", width=32, depth=3)).cuda()
    batch = GraphBatch.from_problems(random_problem(60, 0.3, seed=0), device="cuda")

    def gradients():
        network.zero_grad()
        network(batch).square().sum().backward()
        return [parameter.grad.clone() for parameter in network.parameters()]

    fused = gradients()
    monkeypatch.setattr("multicut.nn.edge_classifier.has_triton", lambda: False)
    for found, expected in zip(fused, gradients(), strict=True):
        torch.testing.assert_close(found, expected, atol=1e-3, rtol=1e-3)


# All rows, real ones and channels: stretches that are full, cut off or empty; tiles, too.
NORMS = [(70, 50, 8), (300, 261, 128), (140, 2, 20), (1000, 999, 130), (260, 128, 16)]


def assert_norm_of_real_rows(rows, num_real, width, offset, device):
    """Compare with torch on the real rows alone, in double precision."""
    generator = torch.Generator().manual_seed(0)

    def draw(*shape):
        return torch.randn(*shape, generator=generator)

    states = draw(rows, width) * (0.1 + draw(width).abs()) + offset * draw(width)
    bias, gradient = draw(width), draw(rows, width)
    norm = torch.nn.BatchNorm1d(width)
    with torch.no_grad():
        norm.weight.copy_(draw(width))
        norm.bias.copy_(draw(width))
    exact = copy.deepcopy(norm).double()
    norm = norm.to(device)

    of_real = states[:num_real].double().requires_grad_()
    normal = exact(of_real + bias.double())
    # On which side of zero these are is a matter of rounding.
    gradient[:num_real][normal.abs() < 1e-3 * (1 + offset)] = 0
    expected = normal.relu()
    expected.backward(gradient[:num_real].double())
    # Whatever is in the other rows, nobody looks at it.
    states[num_real:] = gradient[num_real:] = torch.nan
    states = states.to(device).requires_grad_()
    counts = torch.tensor([num_real, 1], device=device)
    padding = Padding.of(counts[0], counts[1], (rows, 1), torch.float32)
    found = padded_norm.padded_norm_relu(states, bias.to(device), norm, padding.nodes)
    found.backward(gradient.to(device))

    assert not found[num_real:].any()
    assert not states.grad[num_real:].any()
    # A column that is far from zero has lost digits before anything is computed.
    tolerance = {"rtol": 1e-4, "atol": 1e-4 * (1 + offset)}
    pairs = {
        "result": (found[:num_real], expected),
        "states": (states.grad[:num_real], of_real.grad),
        "scale": (norm.weight.grad / num_real**0.5, exact.weight.grad / num_real**0.5),
        "shift": (norm.bias.grad / num_real**0.5, exact.bias.grad / num_real**0.5),
        "running mean": (norm.running_mean, exact.running_mean),
        "running variance": (norm.running_var, exact.running_var),
        "updates": (norm.num_batches_tracked, exact.num_batches_tracked),
    }
    for name, (one, other) in pairs.items():
        torch.testing.assert_close(
            one.detach().cpu().double(), other.detach().double(), **tolerance, msg=name
        )


@needs_gpu
@pytest.mark.parametrize("offset", [0.0, 10.0])
@pytest.mark.parametrize(("rows", "num_real", "width"), [*NORMS, (37760, 36011, 128)])
def test_norms_of_real_rows(rows, num_real, width, offset):
    assert padded_norm._can_fuse(torch.ones(1, device="cuda"))
    assert_norm_of_real_rows(rows, num_real, width, offset, "cuda")


@needs_gpu
def test_norms_are_no_number_where_states_are_none():
    norm = torch.nn.BatchNorm1d(16).cuda()
    states = torch.randn(100, 16, device="cuda")
    states[3, 5] = torch.nan
    counts = torch.tensor([80, 1], device="cuda")
    padding = Padding.of(counts[0], counts[1], (100, 1), torch.float32)
    result = padded_norm.padded_norm_relu(
        states, torch.zeros(16, device="cuda"), norm, padding.nodes
    )
    assert result[:80, 5].isnan().all()
    assert result.isnan().sum() == 80


def gated_network(width: int, device: str = "cuda") -> ContractionNetwork:
    return small_contraction_network(width, depth=2).to(device)


def awkward_batch(device: str = "cuda") -> GraphBatch:
    """Isolated nodes, a node with many neighbours, an empty graph."""
    star = mc.Problem([[0, i] for i in range(1, 40)], [(-1.0) ** i * i for i in range(1, 40)])
    problems = [random_problem(60, 0.1, seed=0), mc.Problem([], [], num_nodes=2), star]
    return GraphBatch.from_problems(problems, device=device)


@needs_gpu
def test_statistics_of_nodes(monkeypatch):
    batch = awkward_batch()
    with torch.no_grad():
        fused = scale_free_features(batch)
        monkeypatch.setattr("multicut.nn.scale_free_features.has_triton", lambda: False)
        for found, expected in zip(fused, scale_free_features(batch), strict=True):
            torch.testing.assert_close(found, expected)


@needs_gpu
@pytest.mark.parametrize("width", [4, 20, 32, 64, 128])
@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_a_contraction_network_says_the_same_without_kernels(width, precision, monkeypatch):
    network, batch = gated_network(width), awkward_batch()
    with (
        torch.inference_mode(),
        torch.autocast("cuda", torch.bfloat16, enabled=precision == "bfloat16"),
    ):
        fused = network(batch)
        monkeypatch.setattr("multicut.nn.contraction_network.has_triton", lambda: False)
        monkeypatch.setattr("multicut.nn.scale_free_features.has_triton", lambda: False)
        expected = network(batch)
    tolerance = {"atol": 1e-4, "rtol": 1e-4} if precision == "float32" else {"atol": 0.1, "rtol": 0}
    torch.testing.assert_close(fused, expected, **tolerance)


@needs_gpu
def test_fused_predictions_repeat_to_the_bit():
    network, batch = gated_network(32), awkward_batch()
    with torch.inference_mode():
        assert torch.equal(network(batch), network(batch))


def rounds_of(batch, rules, has_kernels, forbidden=None):
    """Return where each round of contraction takes the nodes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing_rounds, "_can_fuse", lambda _: has_kernels)
        states = packing_rounds.packing_rounds(batch, rules, forbidden=forbidden)
        return [state.node_of_input for state in states]


def assert_same_rounds(batch, rules, forbidden=None):
    expected = rounds_of(batch, rules, False, forbidden)
    found = rounds_of(batch, rules, True, forbidden)
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert torch.equal(one, other)


PACKED = [
    Rules(),
    Rules(strictness=0.0),
    Rules(Sweeps(1, 0), strictness=1.0),
    Rules(Sweeps(0, 2), Scoring(0.3, 0.0)),
]


@needs_gpu
@pytest.mark.parametrize("rules", PACKED)
@pytest.mark.parametrize("few_cycles", [16, 2**14])
def test_rounds_of_packing_and_contraction(rules, few_cycles, monkeypatch):
    """To the last bit what they are without kernels, also where more cycles are found than fit."""
    monkeypatch.setattr(packing_rounds, "_FEW_CYCLES", few_cycles)
    problems = [random_problem(n, 0.6, seed=n, integers=n % 2 == 0) for n in (3, 20, 45, 90)]
    batch = GraphBatch.from_problems(problems, device="cuda")
    assert_same_rounds(batch, rules)
    assert_same_rounds(GraphBatch.from_problems(mc.datasets.randommp(2000), device="cuda"), rules)
    forbidden = batch.costs < -1
    assert_same_rounds(batch, rules, forbidden)


@needs_gpu
def test_rounds_repeat_on_large_graphs():
    batch = GraphBatch.from_problems(mc.datasets.randommp(30_000), device="cuda")
    labels = [partition(batch, proposals=1) for _ in range(3)]
    assert torch.equal(labels[0], labels[1])
    assert torch.equal(labels[0], labels[2])


def run_interpreted(code: str) -> None:
    """Run kernels where triton is installed, but no GPU; with one, they have run above."""
    if torch.cuda.is_available():
        pytest.skip("a GPU is at hand, and interpreters of some versions fail with a new numpy")
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], env=environment, cwd=root, check=True)


def test_the_norm_kernels_are_right_under_the_interpreter():
    run_interpreted("""
from multicut.nn import padded_norm
from tests.nn.test_kernels import NORMS, assert_norm_of_real_rows

padded_norm._can_fuse = lambda _states: True
for case in NORMS:
    for offset in (0.0, 10.0):
        assert_norm_of_real_rows(*case, offset, "cpu")
""")


def test_the_gated_kernels_are_right_under_the_interpreter():
    run_interpreted("""
import torch
from multicut.nn import contraction_network, scale_free_features
from multicut.nn.kernels.gated import node_statistics
from tests.nn.test_kernels import awkward_batch, gated_network

batch = awkward_batch("cpu")
rows = batch.adjacency
expected = torch.stack(scale_free_features._statistics(batch)[:4], dim=1)
found = node_statistics(rows.row_pointers, rows.edge_of_entry, batch.costs)
torch.testing.assert_close(found, expected)
for width in (8, 20, 32):
    network = gated_network(width, "cpu")
    with torch.inference_mode():
        expected = network(batch)
        contraction_network._can_fuse = lambda _edges: True
        torch.testing.assert_close(network(batch), expected, atol=1e-5, rtol=1e-5)
        contraction_network._can_fuse = lambda _edges: False
""")


def test_the_packing_kernels_are_right_under_the_interpreter():
    run_interpreted("""
from multicut.nn import GraphBatch
from multicut.nn.search import cycle_pool, packing_rounds
from tests.nn.test_kernels import PACKED, assert_same_rounds
from tests.problems import random_problem

packing_rounds._FEW_CYCLES = 16
problems = [random_problem(n, 0.7, seed=n, integers=n == 9) for n in (3, 9, 16)]
batch = GraphBatch.from_problems(problems)
for rules in PACKED:
    assert_same_rounds(batch, rules)
assert_same_rounds(batch, PACKED[0], batch.costs < -1)
""")


def packed_totals(problem: mc.Problem, device: str, fuse: bool) -> list[int]:
    """Return the total of each packing of a bound, with kernels or without."""
    before, cycle_pool._can_fuse = cycle_pool._can_fuse, lambda _tensor: fuse
    try:
        edges = torch.from_numpy(problem.edges.T.copy()).to(device)
        costs = torch.from_numpy(problem.costs.copy()).to(device)
        bound = PackingBound(edges, costs, problem.num_nodes)
        return [bound._total for _ in itertools.islice(bound.improve(), 150)]
    finally:
        cycle_pool._can_fuse = before


@needs_gpu
def test_bounds_with_kernels_are_those_without():
    for problem in (random_problem(40, 0.3, seed=3), mc.datasets.randommp(2000)):
        found = packed_totals(problem, "cuda", True)
        # Prices may be rounded otherwise.
        assert found == pytest.approx(packed_totals(problem, "cuda", False), rel=1e-3)
        assert found == packed_totals(problem, "cuda", True)


@needs_gpu
def test_bounds_on_a_gpu_hold():
    for seed in range(20):
        problem = random_problem(7, 0.7, seed=seed, integers=seed % 2 == 0)
        bound = mc.lower_bound(problem, device="cuda")
        assert mc.lower_bound(problem, 0) <= bound <= optimum(problem) + 1e-9
    problem = mc.datasets.randommp(200, seed=0)
    result = mc.solve(problem, "learned", bound=True, device="cuda")
    proven = mc.solve(problem, "ilp").objective
    assert result.lower_bound <= proven * (1 - 1e-12)
    assert result.gap < 0.02


def test_the_kernels_of_bounds_are_right_under_the_interpreter():
    run_interpreted("""
import multicut as mc
from tests.nn.test_kernels import packed_totals
from tests.problems import random_problem

for problem in (random_problem(12, 0.6, seed=3), mc.datasets.randommp(40, seed=0)):
    assert packed_totals(problem, "cpu", True) == packed_totals(problem, "cpu", False)
""")


@needs_gpu
@pytest.mark.parametrize("width", [3, 8, 12, 128])
def test_sums_over_cycles_of_any_length(width):
    """Kernels read the first edges of a cycle without a loop, and the others with one."""
    generator = torch.Generator("cuda").manual_seed(width)
    edges = torch.randint(0, 500, (width, 1000), generator=generator, device="cuda")
    values = torch.randint(-9, 9, (1000,), generator=generator, device="cuda")
    sums = torch.randint(0, 2**40, (501,), generator=generator, device="cuda")
    weights = torch.rand(1000, generator=generator, device="cuda")
    prices = torch.rand(501, generator=generator, device="cuda") / width
    found = []
    for fuse in (True, False):
        before, cycle_pool._can_fuse = cycle_pool._can_fuse, lambda _tensor, fuse=fuse: fuse
        try:
            group = cycle_pool.Cycles(
                edges.to(torch.int32) if fuse else edges,
                weights.clone(),
                torch.full_like(weights, 0.1),
            )
            total = sums.clone()
            cycle_pool._add_to_edges(group, values, total)
            least = cycle_pool._least_of_edges(group, sums)
            pool = cycle_pool.CyclePool(torch.full((500,), 2**34, device="cuda"))
            pool.groups, pool.prices = {width: group}, prices.clone()
            list(pool.redistribute(3))
        finally:
            cycle_pool._can_fuse = before
        found.append((total, least, group.weights, pool.prices))
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)
