"""The solver ``learned`` beyond the contract of all solvers."""

from __future__ import annotations

import math
import signal
import threading
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut import _core
from multicut.models import registry
from multicut.nn import Model
from multicut.nn.search.contraction_rounds import contraction_rounds
from multicut.solvers import fusion
from multicut.solvers.gnn.inference import Stopped
from multicut.solvers.learned import attempt, place, stages
from multicut.solvers.learned import solver as learned
from multicut.stop import Stop
from multicut.watch import Watch
from tests.networks import save_small_model, small_contraction_network
from tests.problems import random_problem, small_problems
from tests.test_solve import check_contract

GENERATORS = [record.name for record in mc.datasets.list_generators(lifted=False)]


@pytest.fixture(scope="module")
def universal():
    return mc.load_model("universal")


@pytest.fixture(scope="module")
def untrained():
    return Model(small_contraction_network(), name="untrained")


@settings(max_examples=100, deadline=None)
@given(problem=small_problems(constrained=True), effort=st.sampled_from(learned.EFFORTS))
def test_it_is_never_worse_than_gaec_on_awkward_problems(untrained, problem, effort):
    result = mc.solve(problem, "learned", model=untrained, effort=effort)
    check_contract(problem, result)
    assert result.objective <= mc.solve(problem, "gaec").objective


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize("name", ["universal", "untrained"])
def test_it_is_never_worse_than_gaec_on_any_family(generator, name, request):
    model = request.getfixturevalue(name)
    options = {"num_nodes": 2000} if generator == "scaling" else {}
    problems = list(mc.datasets.generate(generator, 4, split="valid", **options))
    problems = [getattr(each, "problem", each) for each in problems]
    floor = mc.solve_batch(problems, "gaec")
    for effort in ("fast", "balanced"):
        results = mc.solve_batch(problems, "learned", model=model, effort=effort)
        for problem, least, result in zip(problems, floor, results, strict=True):
            check_contract(problem, result)
            assert result.details["network"] == "used"
            assert result.objective <= least.objective


def test_the_floor_holds_if_everything_else_is_bad(untrained, monkeypatch):
    """Even if local search made things worse."""
    monkeypatch.setattr(stages.LearnedSolve, "_improve", lambda _self: None)
    monkeypatch.setattr(stages.LearnedAttempt, "reduce", lambda _self: None)
    for seed in range(20):
        problem = random_problem(30, 0.3, seed)

        def spoil(attempt, _labels, problem=problem):
            attempt.labels = np.arange(problem.num_nodes)

        monkeypatch.setattr(stages.LearnedAttempt, "propose", spoil)
        result = mc.solve(problem, "learned", model=untrained)
        # Regions of the floor that singletons are better in may still be taken over.
        assert result.objective <= mc.solve(problem, "gaec").objective


def test_each_stage_tells_what_it_found(universal):
    problem = mc.datasets.randommp(seed=3)
    result = mc.solve(problem, "learned", model=universal, effort="best")
    found = result.details["objectives"]
    assert list(found) == [
        "gaec",
        "dual_greedy",
        "network",
        "regions",
        "klj",
        "greedy_klj",
        "fusion",
    ]
    assert found["gaec"] == mc.solve(problem, "gaec").objective
    assert found["regions"] <= found["network"] + 1e-9
    assert found["fusion"] <= found["greedy_klj"] <= found["klj"] <= found["regions"]
    assert result.objective == pytest.approx(found["fusion"])
    assert set(result.details["seconds"]) == {*found, "reduce", "core_gaec"} - {"regions"}
    assert all(seconds >= 0 for seconds in result.details["seconds"].values())
    assert result.details["rounds"] >= 2
    assert result.details["model"] == "universal"
    # On a CPU; GPUs that have shorter numbers use them.
    assert result.details["precision"] == "float32"
    short = mc.solve(problem, "learned", model=universal, precision="bfloat16")
    assert short.details["precision"] == "bfloat16"
    fast = mc.solve(problem, "learned", model=universal, effort="fast")
    assert "fusion" not in fast.details["objectives"]
    assert "balanced" in learned.LearnedOptions().effort
    assert result.to_dict()["details"]["rounds"] == result.details["rounds"]


def test_the_shipped_network_is_better_than_gaec_by_itself(universal):
    """On validation graphs: a test of the weights, not of a guarantee."""
    graphs = mc.datasets.generate("randommp", 20, split="valid")
    problems = [getattr(each, "problem", each) for each in graphs]
    results = mc.solve_batch(problems, "learned", model=universal, effort="fast")
    network = np.array([result.details["objectives"]["network"] for result in results])
    greedy = np.array([result.details["objectives"]["gaec"] for result in results])
    assert (network / greedy).mean() > 1.005
    local = np.array([mc.solve(problem, "klj").objective for problem in problems])
    assert (np.array([result.objective for result in results]) / local).mean() > 1.0


def test_a_batch_gives_what_single_solves_give(universal, monkeypatch):
    problems = [random_problem(n, 0.3, seed=n) for n in (5, 0, 1, 12, 30, 25)]
    singles = [mc.solve(problem, "learned", model=universal) for problem in problems]
    for edges_per_pass in (learned.EDGES_PER_PASS, 20):
        monkeypatch.setattr(learned, "EDGES_PER_PASS", edges_per_pass)
        batch = mc.solve_batch(problems, "learned", model=universal)
        for problem, single, result in zip(problems, singles, batch, strict=True):
            check_contract(problem, result)
            assert np.array_equal(single.labels, result.labels)
    assert mc.solve_batch([], "learned", model=universal) == []


def test_many_graphs_share_the_rounds(universal, monkeypatch):
    calls = []
    monkeypatch.setattr(
        "multicut.solvers.learned.network_search.contraction_rounds",
        lambda *args, **kw: calls.append(1) or contraction_rounds(*args, **kw),
    )
    mc.solve_batch([random_problem(10, 0.5, s) for s in range(30)], "learned", model=universal)
    assert len(calls) == 1


def test_threads_do_not_change_the_result(universal):
    problem = mc.datasets.randommp(1000)
    one, four = (
        mc.solve(problem, "learned", model=universal, num_threads=n, seed=5) for n in (1, 4)
    )
    assert np.array_equal(one.labels, four.labels)


def test_constraints_are_kept(universal):
    problems = []
    for seed in range(10):
        problem = random_problem(30, 0.3, seed)
        costs = problem.costs.copy()
        costs[::7] = -np.inf
        costs[3::90] = np.inf
        problems.append(mc.Problem(problem.edges, costs, num_nodes=30))
    for problem, result in zip(
        problems, mc.solve_batch(problems, "learned", model=universal), strict=True
    ):
        check_contract(problem, result)
        assert math.isfinite(result.objective)
        assert math.isfinite(result.details["objectives"]["network"])
        assert result.objective <= mc.solve(problem, "gaec").objective


def test_a_bad_network_does_not_spoil_local_search(untrained):
    for seed in range(10):
        # With so many ties nothing is reduced.
        problem = random_problem(40, 1.0, seed, integers=True)
        result = mc.solve(problem, "learned", model=untrained, effort="fast")
        if "reduced_nodes" not in result.details:
            # With labels to start from, the stages are the same without a network.
            greedy = mc.solve(problem, "gaec").labels
            without = mc.solve(problem, "learned", initial=greedy, effort="fast", device="cpu")
            assert result.objective <= without.objective + 1e-9


@pytest.mark.parametrize(
    ("effort", "solver", "options"),
    [
        ("fastest", "klj", {"max_rounds": 0}),
        ("fast", "klj", {}),
        ("balanced", "fusion", {"max_proposals": 26, "patience": 26}),
        ("best", "fusion", {"max_proposals": 1000, "patience": 40}),
    ],
)
def test_without_a_network_a_classical_solver_does_all_of_the_work(effort, solver, options):
    dense = random_problem(40, 1.0, seed=1, integers=True)
    problems = [mc.datasets.randommp(seed=1), dense, mc.datasets.randommp(1_000)]
    local = [mc.solve(problem, solver, seed=3, **options) for problem in problems]
    together = mc.solve_batch(problems, "learned", seed=3, effort=effort, device="cpu")
    for problem, expected, of_batch in zip(problems, local, together, strict=True):
        for how in ({"num_threads": 1}, {"num_threads": 2}, {"time_limit": 100}):
            result = mc.solve(problem, "learned", seed=3, effort=effort, device="cpu", **how)
            assert np.array_equal(result.labels, expected.labels)
            assert result.details["found_by"] == ("dual-greedy" if effort == "fastest" else solver)
            assert list(result.details["objectives"].values()) == [expected.objective]
        assert np.array_equal(of_batch.labels, expected.labels)


@settings(max_examples=100, deadline=None)
@given(problem=small_problems(constrained=True), effort=st.sampled_from(learned.EFFORTS))
def test_without_a_network_it_is_never_worse_than_gaec(problem, effort):
    result = mc.solve(problem, "learned", use_network=False, effort=effort)
    check_contract(problem, result)
    greedy = mc.solve(problem, "gaec")
    assert result.objective <= greedy.objective
    again = mc.solve(problem, "learned", initial=greedy.labels[::-1], effort=effort, device="cpu")
    check_contract(problem, again)
    assert again.objective <= greedy.objective


def test_ctrl_c_without_a_network_returns_the_best_so_far(monkeypatch):
    problems = [mc.datasets.randommp(1_000, seed=seed) for seed in range(3)]
    task = fusion.task

    def pressed(problem, options, seconds, seed):
        if problem is problems[1]:
            signal.raise_signal(signal.SIGINT)
        return task(problem, options, seconds, seed)

    monkeypatch.setattr(fusion, "task", pressed)
    results = mc.solve_batch(problems, "learned", effort="best", device="cpu")
    assert results[-1].stopped_by == "interrupt"
    for problem, result in zip(problems, results, strict=True):
        check_contract(problem, result)


def test_a_network_of_nonsense_does_no_harm():
    network = small_contraction_network()
    network.readout[2].bias.data.fill_(torch.nan)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", model=Model(network), effort="fast")
    check_contract(problem, result)
    assert result.details["rounds"] == 0
    assert result.objective <= mc.solve(problem, "gaec").objective


def test_too_little_memory_does_no_harm(universal, monkeypatch):
    def fail(*_args, **_options):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr("multicut.solvers.learned.network_search.contraction_rounds", fail)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", model=universal)
    check_contract(problem, result)
    assert result.details["network"] == "not used: cpu has too little memory"


def test_a_deadline_keeps_the_rounds_so_far(universal, monkeypatch):
    steps = []

    def rounds(network, batch, *, after_step, **options):
        def count():
            steps.append(1)
            # The first round has one step per layer, and one for the classifier.
            if len(steps) == network.config.depth + 2:
                monkeypatch.setattr(Watch, "seconds_left", 0.0)
            after_step()

        return contraction_rounds(network, batch, after_step=count, **options)

    monkeypatch.setattr("multicut.solvers.learned.network_search.contraction_rounds", rounds)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", time_limit=100, model=universal)
    assert result.stopped_by == "time_limit"
    assert result.details["rounds"] == 1
    assert list(result.details["objectives"]) == ["gaec", "dual_greedy", "network", "regions"]
    check_contract(problem, result)


def test_ctrl_c_during_the_network_returns_the_best_so_far(universal, monkeypatch):
    def rounds(*_args, **_options):
        signal.raise_signal(signal.SIGINT)
        yield from ()

    monkeypatch.setattr(learned, "EDGES_PER_PASS", 100)
    monkeypatch.setattr("multicut.solvers.learned.network_search.contraction_rounds", rounds)
    problems = [random_problem(20, 0.5, seed) for seed in range(4)]
    for problem, result in zip(
        problems, mc.solve_batch(problems, "learned", model=universal), strict=True
    ):
        assert result.stopped_by == "interrupt"
        check_contract(problem, result)
        assert np.isfinite(result.objective)


def test_ctrl_c_is_heard_while_there_is_no_partition_yet():
    """The first stage on a large graph; its callback hears of partitions alone."""
    problem = mc.datasets.randommp(100_000)
    heard = []
    task = _core.gaec(problem.graph, problem.costs)
    solution = task.run(callback=lambda *given: heard.append(given), is_interrupted=lambda: True)
    assert solution.stopped_by == "interrupt"
    assert heard == []
    reduced = _core.reduce(problem.graph, problem.costs, is_interrupted=lambda: True)
    assert reduced.stopped_by == "interrupt"


def test_ctrl_c_ends_the_network_between_operations(universal, monkeypatch):
    """A layer takes seconds on a large graph, and nobody looks at the clock meanwhile."""
    went_on = []

    def rounds(*_args, **_options):
        signal.raise_signal(signal.SIGINT)
        went_on.append(True)
        yield from ()

    monkeypatch.setattr("multicut.solvers.learned.network_search.contraction_rounds", rounds)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", model=universal)
    assert result.stopped_by == "interrupt"
    assert went_on == []
    assert result.details["network"] == "used until it was stopped"
    check_contract(problem, result)


def test_it_says_why_the_network_is_not_asked(monkeypatch, tmp_path):
    small, large = mc.datasets.randommp(), mc.datasets.randommp(30_000)
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    assert "solved faster without it" in mc.solve(small, "learned").details["network"]
    large_one = mc.solve(large, "learned", effort="fastest")
    assert "on a CPU" in large_one.details["network"]
    large_one = mc.solve(large, "learned", effort="fastest", device="cpu")
    assert "on a CPU" in large_one.details["network"]
    assert mc.solve(small, "learned", use_network=False).details["network"] == "not used, as told"
    assert mc.solve(small, "learned", use_network=True).details["network"] == "used"
    monkeypatch.setattr(registry, "WEIGHTS", tmp_path)
    with pytest.raises(ValueError, match="no model is given, and 'universal' is not part"):
        mc.solve(small, "learned", use_network=True, device="cpu")


@pytest.mark.parametrize(
    "stage", ["take_floor", "take_reduction", "take_start", "propose", "take", "finish"]
)
@pytest.mark.parametrize(("num_problems", "num_workers"), [(1, 1), (6, 1), (6, 2)])
def test_ctrl_c_in_any_stage_returns_the_best_so_far(
    stage, num_problems, num_workers, untrained, monkeypatch
):
    problems = [mc.datasets.randommp(seed=seed) for seed in range(num_problems)]
    work = getattr(stages.LearnedAttempt, stage)
    calls = iter(range(100))

    def pressed(attempt, *given, **named):
        if next(calls) == num_problems // 2:
            signal.raise_signal(signal.SIGINT)
        return work(attempt, *given, **named)

    monkeypatch.setattr(stages.LearnedAttempt, stage, pressed)
    if stage in ("take_floor", "take_start", "take"):  # looked up in the class they come from
        monkeypatch.setattr(stages.Attempt, stage, pressed)
    options = {"model": untrained, "effort": "balanced", "num_workers": num_workers}
    results = mc.solve_batch(problems, "learned", **options)
    assert results[-1].stopped_by == "interrupt"
    for problem, result in zip(problems, results, strict=True):
        check_contract(problem, result)
        assert result.objective <= mc.solve(problem, "gaec").objective


@pytest.mark.parametrize("effort", ["fastest", "fast", "balanced"])
def test_ctrl_c_in_one_pass_is_heard_in_the_next(effort, untrained, monkeypatch):
    monkeypatch.setattr(learned, "EDGES_PER_PASS", 100)
    problems = [random_problem(30, 0.3, seed) for seed in range(4)]
    finish = stages.LearnedAttempt.finish
    calls = iter(range(100))

    def pressed(attempt, **named):
        if next(calls) == 0:
            signal.raise_signal(signal.SIGINT)
        return finish(attempt, **named)

    monkeypatch.setattr(stages.LearnedAttempt, "finish", pressed)
    results = mc.solve_batch(problems, "learned", model=untrained, effort=effort)
    assert [result.stopped_by for result in results] == ["interrupt"] * 4
    for problem, result in zip(problems, results, strict=True):
        check_contract(problem, result)


def test_a_deadline_that_passes_when_all_is_done_has_stopped_nothing():
    attempt = stages.LearnedAttempt(random_problem(20, 0.5, seed=0), Stop(1.0), threading.Event())
    attempt.lay_floor()
    time.sleep(1.0)
    assert attempt.finish().stopped_by == "converged"


def test_the_trace_tells_no_less_if_nobody_listens(untrained):
    problem = mc.datasets.randommp(1_000, seed=1)
    options = {"effort": "best", "model": untrained, "num_threads": 1}
    heard = []
    quiet = mc.solve(problem, "learned", **options)
    loud = mc.solve(problem, "learned", callback=heard.append, **options)
    assert len(heard) >= len(loud.trace) > 3
    for objective in loud.trace[:, 1]:
        assert np.abs(quiet.trace[:, 1] - objective).min() < 1e-9
    assert np.all(np.diff(quiet.trace[:, 0]) >= 0)
    assert np.all(np.diff(quiet.trace[:, 1]) < 0)


def test_problems_of_a_batch_do_not_report_on_their_way(untrained):
    problem = mc.datasets.randommp(seed=1)
    options = {"effort": "best", "model": untrained}
    alone = mc.solve(problem, "learned", **options)
    _, together = mc.solve_batch([problem] * 2, "learned", **options)
    assert together.objective == alone.objective
    assert 2 <= len(together.trace) < len(alone.trace)
    assert together.trace[-1][1] == pytest.approx(together.objective)


def test_a_batch_tells_of_each_problem_what_a_single_run_tells(untrained):
    plain = mc.datasets.randommp(seed=1)
    costs = plain.costs.copy()
    costs[:3] = np.inf, -np.inf, np.inf
    constrained = mc.Problem(plain.edges, costs, num_nodes=plain.num_nodes)
    tree = mc.Problem([[0, 1], [1, 2]], [1.0, -1.0])
    problems = [constrained, plain, tree, constrained, plain]
    options = {"effort": "balanced", "model": untrained}
    for problem, together in zip(
        problems, mc.solve_batch(problems, "learned", **options), strict=True
    ):
        alone = mc.solve(problem, "learned", **options)
        assert np.array_equal(together.labels, alone.labels)
        assert set(together.details) == set(alone.details)
        assert set(together.details["seconds"]) == set(alone.details["seconds"])
        assert together.details["objectives"] == alone.details["objectives"]
        assert ("reduce" in alone.details["seconds"]) == (problem is not constrained)
        check_contract(problem, together)


def test_the_network_computes_in_what_the_device_is_fast_with(universal, monkeypatch):
    used = []

    def rounds(*given, precision, **options):
        used.append(precision)
        return contraction_rounds(*given, precision=precision, **options)

    monkeypatch.setattr("multicut.solvers.learned.network_search.contraction_rounds", rounds)
    monkeypatch.setattr("multicut.nn.search.contraction_rounds.contraction_rounds", rounds)
    monkeypatch.setattr("multicut.nn.precision.fast_precision", lambda _: "bfloat16")
    monkeypatch.setattr("multicut.nn.search.partitioning.fast_precision", lambda _: "bfloat16")
    problem = mc.datasets.randommp(seed=3)
    result = mc.solve(problem, "learned", model=universal)
    assert result.details["precision"] == "bfloat16"
    mc.nn.partition(mc.nn.GraphBatch.from_problems(problem), universal)
    mc.solve(problem, "learned", model=universal, precision="float32")
    assert used == ["bfloat16", "bfloat16", "float32"]


def test_models_of_the_other_kind_are_refused(tmp_path):
    path = save_small_model(tmp_path)
    with pytest.raises(ValueError, match=r"must have a contraction network, got 'small' .*'gnn'"):
        mc.solve(mc.datasets.randommp(), "learned", model=path)


def test_the_solver_gnn_takes_contraction_networks_as_well(universal):
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "gnn", model=universal)
    check_contract(problem, result)
    assert "fallback" not in result.details


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"effort": "most"},
            ValueError,
            "effort must be one of fastest, fast, balanced, best, got",
        ),
        ({"precision": "half"}, ValueError, "precision must be one of float32, bfloat16 or None"),
        ({"use_network": 1}, TypeError, "use_network must be True, False or None, got 1"),
        ({"num_threads": 0}, ValueError, r"num_threads must be at least 1 .* got 0"),
        ({"model": "nowhere/x"}, FileNotFoundError, "no model at nowhere/x"),
        ({"device": "gpu"}, ValueError, "device must be 'cpu' or 'cuda', got 'gpu'"),
        ({"device": 1.5}, ValueError, "device must be 'cpu' or 'cuda', got 1.5"),
        ({"rounds": 3}, TypeError, "its options are: model, device, effort, use_network"),
    ],
)
def test_bad_options_give_one_clear_line(options, error, message):
    with pytest.raises(error, match=message) as caught:
        mc.solve(random_problem(5, 0.5, seed=0), "learned", **options)
    assert "\n" not in str(caught.value)


def test_on_a_gpu_the_search_goes_on_there(monkeypatch):
    """What a GPU would do, on the processor."""
    graphs = mc.datasets.RandomMP("valid")[:8]
    options = {"use_network": True, "effort": "fastest", "device": "cpu"}
    before = mc.solve_batch(graphs, "learned", **options)
    monkeypatch.setattr("multicut.solvers.learned.network_search.searches_on", lambda _: True)
    monkeypatch.setitem(stages.PROPOSALS_ON_GPU, "fastest", 4)
    after = mc.solve_batch(graphs, "learned", **options)
    assert sum(r.objective for r in after) < sum(r.objective for r in before)
    for result, graph in zip(after, graphs, strict=True):
        assert result.objective <= mc.solve(graph, "gaec").objective + 1e-9
        assert "klj" not in result.details["objectives"]


def test_constraints_hold_where_the_search_is_on_a_gpu(monkeypatch):
    monkeypatch.setattr("multicut.solvers.learned.network_search.searches_on", lambda _: True)
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [5.0, 4.0, -np.inf])
    result = mc.solve(problem, "learned", use_network=True, device="cpu")
    assert result.labels.tolist() == [0, 0, 1]


@pytest.fixture
def gpu(monkeypatch):
    """What a GPU would do, on the processor, for graphs of any size."""
    monkeypatch.setattr(place, "_FEW_EDGES_FOR_GPU", 0)
    monkeypatch.setattr(place, "_is_gpu", lambda _: True)
    return {"device": "cpu"}


def test_on_a_gpu_a_packing_takes_the_place_of_the_network(gpu):
    graphs = mc.datasets.RandomMP("valid")[:8]
    results = mc.solve_batch(graphs, "learned", effort="fastest", **gpu)
    for result, graph in zip(results, graphs, strict=True):
        check_contract(graph.problem if hasattr(graph, "problem") else graph, result)
        assert "on a GPU a packing" in result.details["network"]
        assert list(result.details["objectives"]) == ["packing"]
        assert result.details["found_by"] == "packing"
    ratios = [r.objective / graph.objective for r, graph in zip(results, graphs, strict=True)]
    assert np.mean(ratios) > 0.998
    improved = mc.solve_batch(graphs, "learned", **gpu)
    assert sum(r.objective for r in improved) <= sum(r.objective for r in results) + 1e-9
    for result, graph in zip(improved, graphs, strict=True):
        assert result.objective <= mc.solve(graph, "gaec").objective


@pytest.mark.parametrize("effort", ["fast", "balanced", "best"])
def test_a_large_graph_is_left_to_the_gpu_unless_gaec_is_better(gpu, monkeypatch, effort):
    monkeypatch.setattr(attempt, "_MANY_EDGES_FOR_KLJ", 0)
    monkeypatch.setattr(stages.fusion, "MANY_EDGES", 0)
    problem = mc.datasets.randommp(seed=1)
    result = mc.solve(problem, "learned", effort=effort, **gpu)
    check_contract(problem, result)
    assert list(result.details["objectives"]) == ["gaec", "packing"]
    assert result.details["found_by"] == "packing"
    worse = np.zeros(problem.num_nodes, dtype=np.int64)
    monkeypatch.setattr(
        "multicut.solvers.learned.packing_search.search", lambda *_args, **_options: [worse]
    )
    result = mc.solve(problem, "learned", effort=effort, **gpu)
    check_contract(problem, result)
    assert "klj" in result.details["objectives"]
    assert result.objective < mc.solve(problem, "gaec").objective


def test_initial_labels_count_where_a_gpu_searches(gpu):
    problem = mc.datasets.randommp(seed=2)
    best = mc.solve(problem, "fusion")
    for effort in ("fastest", "fast"):
        result = mc.solve(problem, "learned", initial=best.labels, effort=effort, **gpu)
        assert result.objective <= best.objective


def test_a_gpu_is_no_worse_than_one_cluster(gpu):
    """Contraction alone would keep clusters apart that cost something."""
    pairs = [[i, j] for i in range(40) for j in range(i)]
    costs = np.where(np.random.default_rng(0).random(len(pairs)) < 0.6, 1.0, -1.0)
    problem = mc.Problem(pairs, costs)
    assert mc.solve(problem, "learned", effort="fastest", **gpu).objective <= 0.0


def test_constraints_hold_where_a_packing_is_used_on_a_gpu(gpu):
    for seed in range(10):
        problem = random_problem(30, 0.3, seed)
        costs = problem.costs.copy()
        costs[::7] = -np.inf
        costs[3::90] = np.inf
        problem = mc.Problem(problem.edges, costs, num_nodes=30)
        result = mc.solve(problem, "learned", **gpu)
        check_contract(problem, result)
        assert math.isfinite(result.details["objectives"]["packing"])
        assert result.objective <= mc.solve(problem, "gaec").objective


def test_a_deadline_keeps_the_rounds_of_a_packing(gpu, monkeypatch):
    calls = []

    def check_of(*_arguments):
        def check():
            calls.append(1)
            if len(calls) > 3:
                raise Stopped

        return check

    monkeypatch.setattr("multicut.solvers.gnn.inference.stop_check", check_of)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", effort="fastest", **gpu)
    finished = mc.solve(problem, "learned", effort="fastest", device="cpu").objective
    assert finished < result.details["objectives"]["packing"] < problem.costs.sum()
    calls += [1, 1, 1]
    result = mc.solve(problem, "learned", effort="fastest", **gpu)
    assert "packing" not in result.details["objectives"]
    check_contract(problem, result)


def test_too_little_memory_of_a_gpu_does_no_harm(gpu, monkeypatch):
    def fail(*_args, **_options):
        raise torch.OutOfMemoryError("CUDA out of memory.")

    monkeypatch.setattr("multicut.solvers.learned.packing_search.search", fail)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", **gpu)
    check_contract(problem, result)
    assert result.details["network"] == "not used: cpu has too little memory"
    assert "dual_greedy" in result.details["objectives"]


def test_a_network_that_does_not_fit_the_time_leaves_it_to_others(universal, monkeypatch):
    monkeypatch.setattr("multicut.nn.ContractionNetwork.seconds_per_number", 1.0)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", time_limit=100, model=universal)
    assert result.details["network"] == "not used: there is too little time"
    assert list(result.details["objectives"]) == ["gaec", "dual_greedy", "klj", "fusion"]
    assert result.stopped_by == "converged"
    check_contract(problem, result)


def test_a_first_round_that_is_not_completed_proposes_nothing(universal, monkeypatch):
    def check_of(*_arguments):
        def check():
            raise Stopped

        return check

    monkeypatch.setattr("multicut.solvers.gnn.inference.stop_check", check_of)
    problem = mc.datasets.randommp()
    result = mc.solve(problem, "learned", time_limit=100, model=universal)
    assert result.details["network"] == "used until it was stopped"
    assert list(result.details["objectives"]) == ["gaec", "dual_greedy", "klj", "fusion"]
    check_contract(problem, result)


def test_groups_are_spread_over_all_gpus_and_give_the_same_labels(gpu, monkeypatch):
    monkeypatch.setattr("multicut.solvers.learned.solver.EDGES_PER_PASS", 1500)
    problems = [mc.datasets.randommp(seed=seed) for seed in range(7)]
    alone = mc.solve_batch(problems, "learned", **gpu)
    used = []
    solve = stages.LearnedSolve.run
    monkeypatch.setattr(
        stages.LearnedSolve, "run", lambda self: used.append(threading.get_ident()) or solve(self)
    )
    monkeypatch.setattr("multicut.solvers.learned.solver.all_gpus", lambda _: ["cpu", "cpu"])
    spread = mc.solve_batch(problems, "learned", **gpu)
    assert len(set(used)) == 2
    assert [r.labels.tolist() for r in spread] == [r.labels.tolist() for r in alone]
