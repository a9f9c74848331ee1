"""The learned solver beyond the contract of all solvers."""

from __future__ import annotations

import itertools
import signal
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.models import ready, registry
from multicut.nn import GraphBatch, MulticutNetwork, round_scores
from multicut.solvers.gnn import inference
from multicut.solvers.gnn import solver as gnn
from multicut.solvers.gnn.plain_problem import PlainProblem
from tests.networks import save_small_model, small_config, small_network
from tests.problems import random_problem
from tests.test_solve import check_contract


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A network that has learned a little: it cuts what repels."""
    torch.manual_seed(0)
    network = MulticutNetwork(small_config())
    problems = [random_problem(20, 0.3, seed) for seed in range(30)]
    batch = GraphBatch.from_problems(problems)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    target = (batch.costs < 0).float()
    for _ in range(60):
        loss = torch.nn.functional.binary_cross_entropy_with_logits(network(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    folder = tmp_path_factory.mktemp("models")
    return mc.save_model(network, folder / "learned", {"cost_scale": 0.8})


def test_the_partition_is_the_rounded_prediction(path):
    model = mc.load_model(path)
    for seed in range(20):
        problem = random_problem(20, 0.2, seed)
        result = mc.solve(problem, "gnn", model=path)
        if "fallback" in result.details:
            continue
        with torch.no_grad():
            batch = model.batch(problem)
            rounded = round_scores(batch, model(batch))
        assert np.array_equal(result.labels, rounded.labels.numpy())
        assert result.details["infeasible_edges"] == rounded.num_infeasible.item()
        assert result.details["model"] == "learned"
        assert len(result.trace) == 2
        return
    pytest.fail("the network never found a partition better than a trivial one")


def test_what_the_network_finds_is_often_kept(path):
    problems = [random_problem(20, 0.15, seed) for seed in range(20)]
    results = mc.solve_batch(problems, "gnn", model=path)
    assert sum("fallback" not in result.details for result in results) >= 10


def test_a_batch_gives_what_single_solves_give(path, monkeypatch):
    problems = [random_problem(n, 0.3, seed=n) for n in (5, 0, 1, 12, 30, 25)]
    singles = [mc.solve(problem, "gnn", model=path) for problem in problems]
    for edges_per_pass in (gnn.EDGES_PER_PASS, 20):
        monkeypatch.setattr(gnn, "EDGES_PER_PASS", edges_per_pass)
        batch = mc.solve_batch(problems, "gnn", model=path)
        for problem, single, result in zip(problems, singles, batch, strict=True):
            check_contract(problem, result)
            assert np.array_equal(single.labels, result.labels)
    assert mc.solve_batch([], "gnn", model=path) == []


def test_many_graphs_take_one_pass(path, monkeypatch):
    passes = []
    predict = inference.predict
    monkeypatch.setattr(
        inference, "predict", lambda *args, **kw: passes.append(1) or predict(*args, **kw)
    )
    mc.solve_batch([random_problem(10, 0.5, seed) for seed in range(50)], "gnn", model=path)
    assert len(passes) == 1


def test_constraints_are_kept_in_batches(path):
    problems = []
    for seed in range(10):
        problem = random_problem(30, 0.3, seed)
        costs = problem.costs.copy()
        costs[::7] = -np.inf
        costs[3::90] = np.inf
        problems.append(mc.Problem(problem.edges, costs, num_nodes=30))
    for problem, result in zip(problems, mc.solve_batch(problems, "gnn", model=path), strict=True):
        check_contract(problem, result)
        assert np.isfinite(result.objective)


def test_clusters_with_a_cannot_link_inside_are_split():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [3, 4]], [3.0, 1.0, -np.inf, 1.0])
    plain = PlainProblem.of(problem, True)
    assert plain.costs.tolist() == [0.75, 0.25, -0.75, 0.25]
    logits = np.array([-5.0, -1.0, np.inf, -2.0])
    labels, count = plain.repaired(np.array([0, 0, 0, 1, 1]), logits)
    # The surest edge is contracted; then the cannot-link keeps node 2 apart.
    assert labels.tolist() == [0, 0, 1, 2, 2]
    assert count == 1


def test_must_links_are_contracted_before_the_network_sees_them():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2], [2, 3]], [np.inf, 1.0, 2.0, -np.inf])
    plain = PlainProblem.of(problem, False)
    assert plain.problem.num_nodes == 3
    assert plain.problem.edges.tolist() == [[0, 1], [1, 2]]
    assert plain.costs.tolist() == [3.0, -3.0]
    assert plain.lift(np.array([0, 1, 2])).tolist() == [0, 0, 1, 2]


@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-10, 2.0**900])
def test_a_model_free_of_scale_decides_the_same_in_any_unit(path, scale):
    for seed in range(5):
        problem = random_problem(25, 0.2, seed)
        scaled = mc.Problem(problem.edges, problem.costs * scale, num_nodes=problem.num_nodes)
        one, other = (mc.solve(each, "gnn", model=path) for each in (problem, scaled))
        assert np.array_equal(one.labels, other.labels)
        assert one.details == other.details


def test_a_model_without_a_scale_sees_costs_as_they_are(tmp_path, monkeypatch):
    seen = []
    forward = MulticutNetwork.represent
    monkeypatch.setattr(
        MulticutNetwork,
        "represent",
        lambda self, batch, **kw: seen.append(batch.costs.cpu()) or forward(self, batch, **kw),
    )
    path = mc.save_model(small_network(), tmp_path / "raw", {})
    problem = random_problem(20, 0.3, seed=0)
    mc.solve(problem, "gnn", model=path)
    assert np.allclose(seen[0], problem.costs)
    mc.solve(mc.Problem(problem.edges, problem.costs * 1e200), "gnn", model=path)
    assert seen[1].isfinite().all()


def test_half_precision_is_close():
    # Of a trained network: one with random weights has many edges at the threshold.
    problem = mc.datasets.randommp(500)
    exact = mc.solve(problem, "gnn", device="cpu")
    fast = mc.solve(problem, "gnn", device="cpu", precision="bfloat16")
    assert fast.objective == pytest.approx(exact.objective, rel=0.05)


def test_a_loaded_model_keeps_its_mode_and_place(path):
    model = mc.load_model(path).train()
    mc.solve(random_problem(10, 0.5, seed=0), "gnn", model=model, device="cpu")
    assert model.training
    assert model.network.training


def test_a_model_in_training_is_not_changed(path):
    model = mc.load_model(path).train()
    model.network.convolutions[0].eval()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    problem = random_problem(30, 0.3, seed=0)
    expected = mc.solve(problem, "gnn", model=path, device="cpu").labels

    def solve_often(_):
        return [mc.solve(problem, "gnn", model=model).labels for _ in range(10)]

    with ThreadPoolExecutor(4) as pool:
        for labels in itertools.chain(*pool.map(solve_often, range(4))):
            assert np.array_equal(labels, expected)
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert not model.network.convolutions[0].training
    assert model.network.convolutions[1].training


def test_a_changed_file_is_read_again(tmp_path):
    path = save_small_model(tmp_path)
    first = ready.ready_model(path, "cpu")
    assert ready.ready_model(path, "cpu") is first
    save_small_model(tmp_path, seed=1)
    assert ready.ready_model(path, "cpu") is not first


def test_ctrl_c_during_the_pass_gives_trivial_partitions(path, monkeypatch):
    monkeypatch.setattr(gnn, "EDGES_PER_PASS", 100)
    monkeypatch.setattr(
        inference, "predict", lambda *_args, **_kw: signal.raise_signal(signal.SIGINT)
    )
    problems = [random_problem(20, 0.5, seed) for seed in range(4)]
    for problem, result in zip(problems, mc.solve_batch(problems, "gnn", model=path), strict=True):
        assert result.stopped_by == "interrupt"
        check_contract(problem, result)


def test_a_deadline_ends_the_pass(path, monkeypatch):
    layers = []
    forward = MulticutNetwork.represent

    def slow(self, batch, after_layer):
        def note():
            layers.append(1)
            monkeypatch.setattr(inference.Watch, "seconds_left", 0.0)
            after_layer()

        return forward(self, batch, after_layer=note)

    monkeypatch.setattr(MulticutNetwork, "represent", slow)
    problem = random_problem(20, 0.5, seed=0)
    result = mc.solve(problem, "gnn", time_limit=100, model=path)
    assert result.stopped_by == "time_limit"
    assert len(layers) == 1
    check_contract(problem, result)


def test_large_graphs_are_classified_in_pieces(path, monkeypatch):
    sizes = []
    monkeypatch.setattr("multicut.nn.network._CHUNK_ON_CPU", 1000)
    from multicut.nn import edge_classifier

    clipped = edge_classifier._clipped_pair_sums
    monkeypatch.setattr(
        edge_classifier,
        "_clipped_pair_sums",
        lambda *args: sizes.append(args[3].shape[1]) or clipped(*args),
    )
    problem = mc.datasets.randommp(1000)
    mc.solve(problem, "gnn", model=path, device="cpu")
    assert max(sizes) == 1000
    assert sum(sizes) == problem.num_edges


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"precision": "half"}, ValueError, "precision must be one of float32, bfloat16, got"),
        ({"device": "gpu"}, ValueError, "device must be 'cpu' or 'cuda'.*got 'gpu'"),
        ({"device": 1.5}, ValueError, "device must be 'cpu' or 'cuda'.*got 1.5"),
        ({"model": 3}, TypeError, "model must be a name, a path or what load_model .* got int"),
        ({"model": small_network()}, TypeError, "load_model returns, got MulticutNetwork"),
        ({"model": ""}, ValueError, "model must be a name or a path of a file, got ''"),
        ({"model": "nowhere/x"}, FileNotFoundError, "no model at nowhere/x"),
        ({"weights": "x"}, TypeError, "its options are: model, device, precision"),
    ],
)
def test_bad_options_give_one_clear_line(path, options, error, message):
    with pytest.raises(error, match=message) as caught:
        mc.solve(random_problem(5, 0.5, seed=0), "gnn", **{"model": path, **options})
    assert "\n" not in str(caught.value)


def test_too_large_a_graph_gives_one_clear_line(path, monkeypatch):
    def fail(*_args, **_options):
        raise torch.OutOfMemoryError("CUDA out of memory.\nTried to allocate 99 GiB.")

    monkeypatch.setattr(inference, "predict", fail)
    with pytest.raises(MemoryError, match="edges do not fit the memory of cpu") as caught:
        mc.solve(random_problem(5, 0.5, seed=0), "gnn", model=path, device="cpu")
    assert "\n" not in str(caught.value)


def test_without_a_model_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    assert not mc.list_solvers("gnn")[0].is_ready()
    with pytest.raises(ValueError, match="no model is given, and 'gcn_w_bn-general' is not"):
        mc.solve(random_problem(5, 0.5, seed=0), "gnn")
    save_small_model(tmp_path, registry.DEFAULT_MODEL)
    assert mc.list_solvers("gnn")[0].is_ready()
    result = mc.solve(random_problem(5, 0.5, seed=0), "gnn")
    assert result.details["model"] == registry.DEFAULT_MODEL


def test_a_pass_that_cannot_end_in_time_is_not_begun(path, monkeypatch):
    """A single layer may take seconds on a CPU, and cannot be stopped."""
    begun = []
    forward = MulticutNetwork.represent

    def note(self, batch, after_layer):
        begun.append(batch.num_edges)
        return forward(self, batch, after_layer=after_layer)

    monkeypatch.setattr(MulticutNetwork, "represent", note)
    monkeypatch.setattr("multicut.nn.MulticutNetwork.seconds_per_number", 1.0)
    problem = random_problem(20, 0.5, seed=0)
    result = mc.solve(problem, "gnn", time_limit=100, model=path, device="cpu")
    assert result.stopped_by == "time_limit"
    assert not begun
    check_contract(problem, result)
    # Without a deadline it is.
    assert mc.solve(problem, "gnn", model=path, device="cpu").stopped_by == "converged"
    assert begun == [problem.num_edges]


def test_a_step_that_would_end_too_late_is_not_begun(path, monkeypatch):
    clock = iter([0.0, 3.0, 5.0, 9.0])
    monkeypatch.setattr(inference, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    left = iter([10.0, 4.0, 3.5])
    model = mc.load_model(path, "cpu")
    check = inference.stop_check(model.device, True, lambda: False, lambda: next(left))
    check()  # took 3 s, and 10 s are left
    check()  # 2 s, and 4
    with pytest.raises(inference.Stopped):
        check()  # 4 s, and 3.5


def test_must_links_are_not_contracted_where_that_would_take_too_long(path, monkeypatch):
    monkeypatch.setattr("multicut.solvers.gnn.plain_problem._SECONDS_TO_CONTRACT", 1e6)
    problem = mc.Problem([[0, 1], [1, 2]], [np.inf, -1.0])
    result = mc.solve(problem, "gnn", 100.0, model=path)
    assert result.stopped_by == "time_limit"
    assert result.details["found_by"] == "trivial partition"
    free = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0])
    assert mc.solve(free, "gnn", 100.0, model=path).stopped_by == "converged"
    assert mc.solve(problem, "gnn", model=path).stopped_by == "converged"
