"""Batches filled up to a fixed size train a network as they would without their padding."""

from __future__ import annotations

import copy
import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch

from multicut.nn import GraphBatch, MulticutNetwork, list_architectures
from multicut.nn.cycles import CycleSet
from multicut.nn.losses import binary_cross_entropy, cycle_consistency
from multicut.training.batches import TrainingBatch
from multicut.training.recorded import cuda_graph
from multicut.training.recorded.capacity import Capacity
from multicut.training.recorded.cuda_graph import _without_garbage
from multicut.training.recorded.fixed_size_batch import FixedSizeBatch
from multicut.training.recorded.steps import PaddedStep, RecordedSteps
from tests.networks import small_config
from tests.problems import random_problem

ROOM = Capacity(nodes=70, edges=300, cycles=(400, 2000))
PADDED = [record.name for record in list_architectures(solver="gnn")]


def make_batch(seed: int, *, with_cycles: bool = True) -> TrainingBatch:
    rng = np.random.default_rng(seed)
    sizes = (12, 1, 9, int(rng.integers(14, 20)))
    problems = [random_problem(n, 0.3, seed=seed + i) for i, n in enumerate(sizes)]
    cuts = [rng.random(problem.num_edges) < 0.5 for problem in problems]
    graphs = GraphBatch.from_problems(problems, dtype=torch.float64, cuts=cuts)
    cycles = CycleSet.of(graphs, 8) if with_cycles else None
    return TrainingBatch(graphs, cycles, graphs.num_edges, len(problems))


def make_network(architecture: str = "gcn_w", **settings: Any) -> MulticutNetwork:
    torch.manual_seed(0)
    return MulticutNetwork(small_config(architecture, **settings)).double()


class Trained:
    """A network, its optimizer and the losses of its steps."""

    def __init__(self, network: MulticutNetwork, clip: float = 0.0) -> None:
        self.network = copy.deepcopy(network)
        self.clip = clip
        trained = [p for p in self.network.parameters() if p.requires_grad]
        self.optimizer = torch.optim.Adam(trained, lr=1e-3, weight_decay=5e-4)
        self.sums = torch.zeros(1, dtype=torch.float64)

    def losses(self, batch: TrainingBatch, weight: Any) -> tuple[torch.Tensor, tuple[str, ...]]:
        logits = self.network(batch.graphs)
        loss = binary_cross_entropy(logits, batch.graphs, reduction="sum") / batch.num_edges
        if batch.cycles is not None:
            probabilities = torch.sigmoid(logits)
            total = cycle_consistency(probabilities, batch.graphs, batch.cycles, reduction="sum")
            loss = loss + weight * total / batch.num_graphs
        self.sums += loss.detach()
        return loss, ("loss",)

    def eager_step(self, batch: TrainingBatch, weight: float) -> torch.Tensor:
        loss, _ = self.losses(batch, weight)
        self.optimizer.zero_grad()
        loss.backward()
        if self.clip:
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.clip)
        self.optimizer.step()
        return loss.detach()

    def state(self) -> dict[str, torch.Tensor]:
        moments = self.optimizer.state_dict()["state"]
        flat = {f"{i}.{name}": v for i, state in moments.items() for name, v in state.items()}
        return {**self.network.state_dict(), **flat, "sums": self.sums}

    def recorded_steps(
        self, capacities: Any = lambda _: ROOM, *, required: bool = False
    ) -> RecordedSteps:
        return RecordedSteps(
            self.losses,
            self.network,
            self.optimizer,
            self.sums,
            capacities,
            8,
            clip=self.clip,
            required=required,
        )


def assert_same_state(one: Trained, other: Trained) -> None:
    first, second = one.state(), other.state()
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(second[name], tensor, rtol=1e-9, atol=1e-12, msg=name)


@pytest.fixture
def _no_capture(monkeypatch: pytest.MonkeyPatch) -> None:
    """A recording that computes each step, so that all but the GPU's part is tested."""
    monkeypatch.setattr(cuda_graph, "capture", lambda step, *_: step)


@pytest.mark.parametrize("batch_norm", [True, False])
@pytest.mark.parametrize("architecture", PADDED)
def test_padding_changes_neither_losses_nor_updates(architecture: str, batch_norm: bool) -> None:
    if architecture in ("lr", "mlp"):
        if batch_norm:
            pytest.skip("has none")
        network = make_network(architecture)
    else:
        network = make_network(architecture, batch_norm=batch_norm)
    plain, padded = Trained(network), Trained(network)
    static = FixedSizeBatch(ROOM, make_batch(0))
    step = PaddedStep(padded.losses, padded.network, padded.optimizer, static, clip=0.0)
    # A larger batch first, so that what it leaves behind must not matter to the smaller ones.
    for seed in sorted(range(5), key=lambda seed: -make_batch(seed).graphs.num_edges):
        batch = make_batch(seed)
        assert ROOM.holds(batch.graphs, batch.cycles)
        static.fill(batch, 0.1 * seed)
        expected = plain.eager_step(batch, 0.1 * seed)
        torch.testing.assert_close(step(), expected, rtol=1e-11, atol=1e-12)
    assert_same_state(plain, padded)


@pytest.mark.usefixtures("_no_capture")
def test_gradients_are_clipped_as_in_plain_steps() -> None:
    network = make_network()
    plain, clipped, free = Trained(network, 1e-3), Trained(network, 1e-3), Trained(network)
    steps = clipped.recorded_steps()
    for seed in range(3):
        assert steps.step(make_batch(seed), 0.1) == ("loss",)
        plain.eager_step(make_batch(seed), 0.1)
        free.eager_step(make_batch(seed), 0.1)
    assert_same_state(plain, clipped)
    moments = [
        each.optimizer.state_dict()["state"][0]["exp_avg_sq"].sum() for each in (clipped, free)
    ]
    assert moments[0] < moments[1]


@pytest.mark.parametrize("architecture", ["gcn_w", "gt", "mpnn", "rggcn_he"])
def test_gradients_and_statistics_of_a_single_step(architecture: str) -> None:
    network = make_network(architecture)
    plain, padded = copy.deepcopy(network), copy.deepcopy(network)
    batch = make_batch(3, with_cycles=False)
    static = FixedSizeBatch(ROOM, batch)
    static.fill(batch, 0.0)
    filled, _ = static.padded()
    assert filled.graphs.num_nodes == 70
    assert filled.graphs.num_edges == 300
    for model, graphs in ((plain, batch.graphs), (padded, filled.graphs)):
        binary_cross_entropy(model(graphs), graphs).backward()
    for name, parameter in plain.named_parameters():
        found = padded.get_parameter(name).grad
        torch.testing.assert_close(found, parameter.grad, rtol=1e-10, atol=1e-13, msg=name)
    buffers = dict(padded.named_buffers())
    for name, buffer in plain.named_buffers():
        torch.testing.assert_close(buffers[name], buffer, rtol=1e-12, atol=1e-14, msg=name)
    tracked = [value for name, value in buffers.items() if name.endswith("num_batches_tracked")]
    assert tracked
    assert all(value == 1 for value in tracked)
    logits = padded.eval()(filled.graphs)
    expected = plain.eval()(batch.graphs)
    torch.testing.assert_close(logits[: batch.graphs.num_edges], expected)


def test_parts_that_are_frozen_stay_as_they_are() -> None:
    network = make_network()
    network.requires_grad_(False)
    network.edge_classifier.requires_grad_(True)
    network.eval()
    network.edge_classifier.train()
    plain, padded = Trained(network), Trained(network)
    static = FixedSizeBatch(ROOM, make_batch(0))
    step = PaddedStep(padded.losses, padded.network, padded.optimizer, static, clip=0.0)
    for seed in range(3):
        static.fill(make_batch(seed), 0.1)
        torch.testing.assert_close(step(), plain.eager_step(make_batch(seed), 0.1))
    assert_same_state(plain, padded)


def test_padding_edges_are_spread_over_padding_nodes() -> None:
    batch = make_batch(1)
    static = FixedSizeBatch(ROOM, batch)
    static.fill(batch, 0.5)
    filled, weight = static.padded()
    graphs = filled.graphs
    assert weight == 0.5
    assert filled.num_edges == batch.num_edges
    assert torch.equal(graphs.edges[:, : batch.graphs.num_edges], batch.graphs.edges)
    loops = graphs.edges[:, batch.graphs.num_edges :]
    assert torch.equal(loops[0], loops[1])
    counts = torch.bincount(loops[0], minlength=70)
    assert counts[: batch.graphs.num_nodes].sum() == 0
    assert counts[batch.graphs.num_nodes :].max() - counts[batch.graphs.num_nodes :].min() <= 1
    assert not graphs.costs[batch.graphs.num_edges :].any()
    assert filled.cycles is not None
    for rows, part in zip(filled.cycles.rows, batch.cycles.rows, strict=True):
        assert torch.equal((rows < 300).sum(1)[len(part) :], torch.zeros(len(rows) - len(part)))
        assert torch.equal(rows[: len(part)].clamp(max=batch.graphs.num_edges), part)


@pytest.mark.usefixtures("_no_capture")
def test_recorded_steps_with_and_without_cycles_and_batches_that_are_too_large() -> None:
    network = make_network()
    plain, replaying = Trained(network), Trained(network)
    steps = replaying.recorded_steps(lambda length: ROOM if length == 8 else Capacity(39, 300))
    left = 0
    for seed in range(8):
        batch = make_batch(seed, with_cycles=seed >= 4)
        result = steps.step(batch, 0.1)
        if result is None:
            left += 1
            assert batch.graphs.num_nodes >= 39
            assert seed < 4
            replaying.eager_step(batch, 0.1)
        else:
            assert result == ("loss",)
        plain.eager_step(batch, 0.1)
        torch.testing.assert_close(replaying.sums, plain.sums)
    assert 0 < left < 4
    assert (steps.num_replayed, steps.num_left) == (8 - left, left)
    assert_same_state(plain, replaying)


def test_what_cannot_be_recorded_is_left_to_the_caller(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def capture(step: Any, *_: Any) -> Any:
        step()
        raise RuntimeError("operation not permitted when stream is capturing\nmore lines")

    monkeypatch.setattr(cuda_graph, "capture", capture)
    network = make_network()
    plain, replaying = Trained(network), Trained(network)
    steps = replaying.recorded_steps()
    for seed in range(3):
        assert steps.step(make_batch(seed), 0.1) is None
        replaying.eager_step(make_batch(seed), 0.1)
        plain.eager_step(make_batch(seed), 0.1)
    assert steps.num_left == 3
    assert_same_state(plain, replaying)
    assert len(caplog.records) == 1
    assert caplog.messages[0].endswith(
        "recording one as a CUDA graph failed with RuntimeError: operation not permitted when "
        "stream is capturing"
    )


def test_what_cannot_be_recorded_is_an_error_where_it_is_required(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def capture(*_: Any) -> Any:
        raise RuntimeError("operation not permitted when stream is capturing\nmore lines")

    monkeypatch.setattr(cuda_graph, "capture", capture)
    steps = Trained(make_network()).recorded_steps(required=True)
    with pytest.raises(RuntimeError) as caught:
        steps.step(make_batch(0), 0.1)
    assert str(caught.value) == (
        "cuda_graph is 'on', but recording a step failed with RuntimeError: operation not "
        "permitted when stream is capturing; set it to 'auto' to train without it"
    )
    assert not caplog.records


def test_a_recording_that_does_something_else_is_refused(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    network = make_network()
    plain, replaying = Trained(network), Trained(network)

    def capture(step: Any, *_: Any) -> Any:
        def replay() -> torch.Tensor:
            loss = step()
            with torch.no_grad():
                replaying.network.edge_classifier.layers[1].weight.mul_(1.1)
            return loss

        return replay

    monkeypatch.setattr(cuda_graph, "capture", capture)
    assert replaying.recorded_steps().step(make_batch(0), 0.1) is None
    assert "the recorded step gives a loss of" in caplog.messages[0]
    replaying.eager_step(make_batch(0), 0.1)
    plain.eager_step(make_batch(0), 0.1)
    assert_same_state(plain, replaying)


def test_room_for_nearly_all_batches() -> None:
    rng = np.random.default_rng(0)
    nodes = rng.normal(180, 30, 1000).round().astype(np.int64)
    edges = 4 * nodes
    cycles = rng.poisson(20 * nodes)
    alike = np.full(1000, 0.001)
    room = Capacity.of_batches(200, alike, nodes, edges, [cycles, 0 * nodes])
    batches = [rng.choice(1000, 200, replace=False) for _ in range(300)]
    assert max(nodes[chosen].sum() for chosen in batches) < room.nodes <= 1.06 * 200 * nodes.mean()
    assert max(edges[chosen].sum() for chosen in batches) <= room.edges <= 1.06 * 200 * edges.mean()
    assert max(cycles[chosen].sum() for chosen in batches) <= room.cycles[0]
    assert room.edges % 128 == 0
    assert room.cycles[1] == 128
    # Graphs of one size need no room but for rounding, and for a node that padding is at.
    same = np.full(10, 30)
    tenths = np.full(10, 0.1)
    assert Capacity.of_batches(4, tenths, same, same) == Capacity(nodes=256, edges=128)


def test_room_for_mixtures_is_room_for_what_is_drawn() -> None:
    sizes = np.repeat([1000, 5000], [90, 10])
    often_small = np.repeat([0.98 / 90, 0.02 / 10], [90, 10])
    often_large = np.repeat([0.02 / 90, 0.98 / 10], [90, 10])
    rng = np.random.default_rng(0)
    for chances in (often_small, often_large):
        room = Capacity.of_batches(100, chances, sizes, sizes)
        drawn = rng.choice(sizes, (1000, 100), p=chances).sum(1)
        assert (drawn <= room.edges).mean() > 0.995
        assert room.edges < 1.3 * drawn.mean()


def test_no_room_for_what_hardly_ever_comes() -> None:
    # One graph in a hundred is as large as all others together; padding for it would cost all.
    sizes = np.repeat([1000, 99_000], [99, 1])
    room = Capacity.of_batches(4, np.full(100, 0.01), sizes, sizes)
    mean = 4 * float(sizes.mean())
    assert mean < room.edges <= 1.5 * mean + 128


def test_no_garbage_is_collected_while_a_step_is_recorded() -> None:
    """Else an older recording that is garbage may be released then, which ends the new one."""
    released = []
    weakref.finalize(_Holder([]), released.append, True)
    with _without_garbage():
        assert released
        assert not gc.isenabled()
    assert gc.isenabled()


class _Holder:
    """Holds a list that holds it: only the collector releases both."""

    def __init__(self, garbage: list[object]) -> None:
        self.garbage = garbage
        garbage.append(self)
