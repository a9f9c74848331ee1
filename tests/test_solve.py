"""What every registered solver promises."""

from __future__ import annotations

import itertools
import signal
import sys
import threading
import time
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

import multicut as mc
from multicut import _core
from multicut.models import registry as models
from multicut.partition import labels_of_cut
from multicut.solvers import get_solver
from multicut.solvers.protocol import Outcome
from tests.networks import save_small_model, small_contraction_network
from tests.problems import optimum, random_problem, small_problems

SOLVERS = [record.name for record in mc.list_solvers()]
# Exact solvers get problems that they solve at once.
EXACT = ["lp", "ilp", "auto"]
# These minimise no objective: their complete runs may cost more than a trivial partition.
AGGLOMERATION = [record.name for record in mc.list_solvers() if not record.minimises]
every_solver = pytest.mark.parametrize("solver", SOLVERS)


@pytest.fixture(scope="module", autouse=True)
def _default_model(tmp_path_factory):
    """Learned solvers find a small network under the name of their default model, and use it."""
    folder = tmp_path_factory.mktemp("weights")
    save_small_model(folder, models.DEFAULT_MODEL)
    mc.save_model(small_contraction_network(), folder / models.UNIVERSAL_MODEL, {})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "WEIGHTS", folder)
        patch.setattr("multicut.solvers.learned.place._is_gpu", lambda _device: True)
        patch.setattr("multicut.solvers.learned.place._FEW_EDGES_FOR_GPU", 0)
        yield


def size_for(solver: str, num_nodes: int) -> int:
    return 12 if solver in EXACT else num_nodes


def check_contract(problem: mc.Problem, result: mc.Result) -> None:
    """A valid partition, no worse than a trivial one, and a record that tells the truth of it."""
    assert result.labels.shape == (problem.num_nodes,)
    assert result.cut.shape == (problem.num_edges,)
    u, v = problem.edges.T
    assert np.array_equal(result.cut, result.labels[u] != result.labels[v])
    assert mc.is_feasible(problem, result.cut)
    assert np.array_equal(labels_of_cut(problem, result.cut), result.labels)
    assert result.num_clusters == len(set(result.labels.tolist()))
    assert result.objective == mc.objective(problem, result.labels)
    finite = problem.costs[result.cut & np.isfinite(problem.costs)]
    scale = np.abs(finite).sum() if len(finite) else 1.0
    assert result.objective == pytest.approx(finite.sum(), abs=1e-9 * scale)
    total = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    if result.solver not in AGGLOMERATION or result.stopped_by != "converged":
        assert result.objective <= trivial_objective(problem) + 1e-12 * total
    assert np.all(np.diff(result.trace[:, 1]) < 0)
    assert np.all(np.diff(result.trace[:, 0]) >= 0)


def trivial_objective(problem: mc.Problem) -> float:
    """The least that single nodes cost, or joining all that is connected, if that is allowed."""
    apart = labels_of_cut(problem, problem.costs != np.inf)
    together = labels_of_cut(problem, np.zeros(problem.num_edges, dtype=bool))
    return min(mc.objective(problem, apart), mc.objective(problem, together))


def attractive_problem(links: str, num_nodes: int = 2_000) -> mc.Problem:
    """A problem in which single nodes cost far more than one cluster does."""
    problem = mc.datasets.randommp(num_nodes)
    costs = np.where(problem.costs < -5, problem.costs, np.abs(problem.costs))
    if links in ("must", "both"):
        costs[::10] = np.inf
    groups = labels_of_cut(problem, costs != np.inf)
    first, second = problem.edges.T
    if links in ("cannot", "both"):
        costs[(np.arange(len(costs)) % 500 == 1) & (groups[first] != groups[second])] = -np.inf
    return mc.Problem(problem.edges, costs, num_nodes=num_nodes)


every_kind_of_links = pytest.mark.parametrize("links", ["none", "must", "cannot", "both"])


@every_solver
@every_kind_of_links
@pytest.mark.parametrize("time_limit", [0, 1e-6, 1e-4, 1e-3, 1e-2])
def test_a_short_time_gives_nothing_worse_than_a_trivial_partition(solver, links, time_limit):
    problem = attractive_problem(links)
    check_contract(problem, mc.solve(problem, solver, time_limit))
    for result in mc.solve_batch([problem] * 2, solver, time_limit, num_workers=2):
        check_contract(problem, result)


@every_solver
@every_kind_of_links
@pytest.mark.parametrize("patience", [0, 1, 3])
def test_a_callback_that_stops_soon_leaves_nothing_worse_than_that(solver, links, patience):
    problem = attractive_problem(links, 300)
    heard = []

    def hear(progress):
        heard.append(progress)
        return len(heard) > patience

    check_contract(problem, mc.solve(problem, solver, callback=hear))


def grid_problem(side: int, mean: float, links: str = "none") -> mc.Problem:
    """A grid whose attractive edges make components that cost less than nodes or one cluster."""
    nodes = np.arange(side * side).reshape(side, side)
    across = np.stack([nodes[:, :-1].ravel(), nodes[:, 1:].ravel()], axis=1)
    down = np.stack([nodes[:-1].ravel(), nodes[1:].ravel()], axis=1)
    edges = np.concatenate([across, down])
    costs = np.random.default_rng(0).normal(mean, 1.0, len(edges))
    if links == "must":
        costs[::50] = np.inf
    return mc.Problem(edges, costs, num_nodes=side * side)


@every_solver
@pytest.mark.parametrize("links", ["none", "must"])
@pytest.mark.parametrize("mean", [0.03, -0.03])
def test_no_time_limit_is_worse_than_none_at_all(solver, links, mean):
    """Each is stopped somewhere else, wherever the machine has come by then."""
    problem = grid_problem(200, mean, links)
    worst = mc.solve(problem, solver, 0.0).objective
    attractive = labels_of_cut(problem, problem.costs <= 0)
    assert worst == pytest.approx(mc.objective(problem, attractive))
    for time_limit in (0.005, 0.01, 0.02, 0.04, 0.08):
        result = mc.solve(problem, solver, time_limit)
        check_contract(problem, result)
        is_own = solver in AGGLOMERATION and result.stopped_by == "converged"
        assert is_own or result.objective <= worst + 1e-9


@pytest.mark.parametrize(
    "solver",
    ["gaec", "greedy-fixation", "gasp", "mutex-watershed", "klj", "fusion", "lp", "ilp", "auto"],
)
def test_a_callback_that_stops_at_once_gives_nothing_worse_than_no_time(solver):
    problem = grid_problem(400, 0.03)
    worst = mc.solve(problem, solver, 0.0).objective
    result = mc.solve(problem, solver, callback=lambda _: True)
    assert result.stopped_by == "callback"
    assert result.objective <= worst + 1e-9


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("solver", ["lp", "ilp", "auto"])
def test_reduced_problems_end_no_worse_than_no_time_either(solver, seed):
    problem = random_problem(30, 0.15, seed)
    worst = mc.solve(problem, solver, 0.0).objective
    for patience in range(3):
        calls = itertools.count()
        result = mc.solve(problem, solver, callback=lambda _: next(calls) >= patience)  # noqa: B023
        assert result.objective <= worst + 1e-9


def test_greedy_fixation_does_not_end_worse_than_it_could_have_begun():
    """The first edge forbids what all others together would have."""
    ends = [[0, 1], *([i, 2 + k] for k in range(3) for i in (0, 1))]
    problem = mc.Problem(ends, [-5.0] + [4.9] * 6)
    result = mc.solve(problem, "greedy-fixation")
    assert result.stopped_by == "converged"
    assert result.objective == 0.0
    assert result.trace[-1, 1] == 0.0


@pytest.mark.parametrize("solver", ["klj", "fusion"])
def test_labels_to_start_from_that_are_worse_than_trivial_are_not_kept(solver):
    problem = attractive_problem("none", 300)
    apart = np.arange(problem.num_nodes)
    assert mc.objective(problem, apart) > 0
    result = mc.solve(problem, solver, 0, initial=apart)
    assert result.objective <= 0
    check_contract(problem, result)


def test_an_outcome_that_is_worse_than_trivial_is_replaced(monkeypatch):
    """Whatever a solver outside the native core returns."""
    problem = attractive_problem("none", 300)
    apart = Outcome.of_labels(
        problem, np.arange(300), trace=np.array([[0.0, 1e6]]), stopped_by="time_limit"
    )
    record = replace(get_solver("ilp"), run=lambda *_: apart)
    monkeypatch.setattr(sys.modules["multicut.solve"], "get_solver", lambda _: record)
    result = mc.solve(problem, "ilp")
    assert apart.objective > 0
    assert result.stopped_by == "time_limit"
    check_contract(problem, result)
    assert result.trace[-1, 1] == result.objective


def test_what_replaces_an_outcome_is_certified_anew(monkeypatch):
    problem = mc.Problem([[0, 1], [1, 2]], [1.0, 1.0])
    apart = Outcome.of_labels(
        problem, np.arange(3), trace=np.zeros((0, 2)), stopped_by="time_limit", lower_bound=-0.5
    )
    record = replace(get_solver("ilp"), run=lambda *_: apart)
    monkeypatch.setattr(sys.modules["multicut.solve"], "get_solver", lambda _: record)
    result = mc.solve(problem, "ilp")
    assert result.objective == 0.0
    assert result.lower_bound == 0.0  # costs are integers
    assert result.optimal


@every_solver
@settings(max_examples=150, deadline=None)
@given(problem=small_problems(constrained=True))
def test_awkward_small_problems(solver, problem):
    result = mc.solve(problem, solver)
    check_contract(problem, result)
    total = np.abs(problem.costs[np.isfinite(problem.costs)]).sum()
    assert result.objective >= optimum(problem) - 1e-9 * total


@every_solver
@pytest.mark.parametrize("density", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("integers", [False, True])
def test_medium_problems(solver, density, integers):
    for seed in range(5):
        problem = random_problem(size_for(solver, 50), density, seed, integers)
        result = mc.solve(problem, solver)
        check_contract(problem, result)
        assert result.trace[-1, 1] == pytest.approx(result.objective, abs=1e-9 * problem.num_edges)


@pytest.mark.parametrize(
    ("solver", "least"),
    [
        ("gaec", 60),
        ("greedy-fixation", 60),
        ("klj", 80),
        ("fusion", 97),
        ("learned", 97),
        ("ilp", 100),
    ],
)
def test_how_many_of_a_hundred_small_problems_are_solved_to_optimality(solver, least):
    count = 0
    for seed in range(100):
        problem = random_problem(5 + seed % 5, 0.7, seed)
        count += mc.solve(problem, solver).objective <= optimum(problem) + 1e-9
    assert count >= least


@every_solver
@pytest.mark.parametrize("num_nodes", [0, 1, 5])
def test_no_edges(solver, num_nodes):
    problem = mc.Problem([], [], num_nodes=num_nodes)
    result = mc.solve(problem, solver)
    check_contract(problem, result)
    assert result.labels.tolist() == list(range(num_nodes))
    assert result.objective == 0


@every_solver
def test_disconnected_graphs_are_solved_component_by_component(solver):
    a, b = random_problem(7, 0.6, seed=1), random_problem(8, 0.6, seed=2)
    both = mc.Problem(np.concatenate([a.edges, b.edges + 7]),
                      np.concatenate([a.costs, b.costs]), num_nodes=15)  # fmt: skip
    result = mc.solve(both, solver)
    check_contract(both, result)
    assert not set(result.labels[:7]) & set(result.labels[7:])


@every_solver
def test_all_attractive_is_one_cluster_and_all_repulsive_none(solver):
    complete = random_problem(20, 1.0, seed=0)
    attractive = mc.Problem(complete.edges, np.abs(complete.costs) + 0.1)
    assert mc.solve(attractive, solver).num_clusters == 1
    repulsive = mc.Problem(complete.edges, -np.abs(complete.costs) - 0.1)
    assert mc.solve(repulsive, solver).num_clusters == 20


@every_solver
def test_constraints_hold_on_a_larger_graph(solver):
    problem = random_problem(size_for(solver, 40), 0.4, seed=5)
    costs = problem.costs.copy()
    costs[::9] = -np.inf
    costs[4::27] = np.inf
    constrained = mc.Problem(problem.edges, costs, num_nodes=problem.num_nodes)
    result = mc.solve(constrained, solver)
    check_contract(constrained, result)
    assert np.isfinite(result.objective)
    assert result.cut[::9].all()
    assert not result.cut[4::27].any()


@every_solver
@pytest.mark.parametrize("scale", [2.0**-900, 2.0**-20, 2.0**20, 2.0**900])
def test_the_scale_of_costs_does_not_matter(solver, scale):
    problem = random_problem(size_for(solver, 40), 0.3, seed=11)
    scaled = mc.Problem(problem.edges, problem.costs * scale, num_nodes=problem.num_nodes)
    plain, other = mc.solve(problem, solver), mc.solve(scaled, solver)
    assert np.array_equal(plain.labels, other.labels)
    assert other.objective == pytest.approx(plain.objective * scale, rel=1e-12)
    assert other.trace[-1, 1] == pytest.approx(plain.trace[-1, 1] * scale, rel=1e-12)


@every_solver
def test_same_seed_same_labels(solver):
    problem = random_problem(size_for(solver, 60), 0.2, seed=4)
    first = mc.solve(problem, solver, seed=9)
    assert np.array_equal(first.labels, mc.solve(problem, solver, seed=9).labels)
    batch = mc.solve_batch([problem] * 4, solver, seed=9, num_workers=3)
    again = mc.solve_batch([problem] * 4, solver, seed=9, num_workers=2)
    assert all(map(np.array_equal, (r.labels for r in batch), (r.labels for r in again)))
    # On a GPU a search draws its noise for all problems of a pass together.
    if not str(batch[0].details.get("device", "")).startswith("cuda"):
        assert all(np.array_equal(first.labels, result.labels) for result in batch)


@every_solver
@pytest.mark.parametrize("time_limit", [0, 1e-6, 0.01])
def test_a_time_limit_gives_a_feasible_solution(solver, time_limit):
    problem = mc.datasets.randommp(20_000)
    result = mc.solve(problem, solver, time_limit=time_limit)
    check_contract(problem, result)
    # A fast machine may be done in 10 ms.
    assert result.stopped_by == "time_limit" or time_limit == 0.01


@every_solver
def test_a_callback_hears_of_progress_and_may_stop(solver):
    problem = random_problem(size_for(solver, 60), 0.3, seed=6)
    heard = []
    result = mc.solve(problem, solver, callback=heard.append)
    assert result.stopped_by == "converged"
    times = [progress.elapsed for progress in heard]
    assert times == sorted(times)
    assert min(progress.objective for progress in heard) == pytest.approx(result.objective)

    stopped = mc.solve(problem, solver, callback=lambda _progress: True)
    assert stopped.stopped_by == "callback"
    check_contract(problem, stopped)


@every_solver
def test_a_bound_comes_with_any_solver(solver):
    problem = random_problem(size_for(solver, 40), 0.3, seed=6)
    heard = []
    result = mc.solve(problem, solver, callback=heard.append, bound=True)
    check_contract(problem, result)
    best = mc.solve(problem, "ilp")
    assert best.optimal
    assert result.lower_bound <= best.objective <= result.objective
    # How good an untrained network is, nobody knows.
    assert solver == "gnn" or solver in AGGLOMERATION or result.gap < 0.2
    bounds = [progress.lower_bound for progress in heard if progress.lower_bound is not None]
    assert bounds == sorted(bounds)
    assert bounds[-1] == pytest.approx(result.lower_bound)


@every_solver
def test_a_bound_comes_with_a_solver_that_was_stopped(solver):
    problem = random_problem(size_for(solver, 40), 0.3, seed=6)
    result = mc.solve(problem, solver, callback=lambda _progress: True, bound=True)
    assert result.stopped_by == "callback"
    assert result.lower_bound <= mc.solve(problem, "ilp").objective


@every_solver
def test_a_time_limit_holds_for_solver_and_bound_together(solver):
    problem = mc.datasets.randommp(size_for(solver, 20_000))
    result = mc.solve(problem, solver, time_limit=0.05, bound=True)
    check_contract(problem, result)
    assert result.lower_bound <= result.objective
    assert result.runtime < 5


@every_solver
def test_an_error_in_a_callback_is_raised(solver):
    def fail(_progress):
        raise RuntimeError("from the callback")

    with pytest.raises(RuntimeError, match="from the callback"):
        mc.solve(random_problem(20, 0.5, seed=0), solver, callback=fail)


def test_ctrl_c_returns_the_best_so_far():
    problem = mc.datasets.randommp(50_000)
    timer = threading.Timer(0.25, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        result = mc.solve(problem, "fusion", patience=10**6, max_proposals=10**6)
    finally:
        timer.cancel()
    assert result.stopped_by == "interrupt"
    check_contract(problem, result)


@every_solver
def test_ctrl_c_during_a_callback_returns_the_best_so_far(solver):
    problem = random_problem(size_for(solver, 60), 0.3, seed=6)
    result = mc.solve(problem, solver, callback=lambda _: signal.raise_signal(signal.SIGINT))
    assert result.stopped_by == "interrupt"
    check_contract(problem, result)


def test_the_interpreter_stays_free_while_a_solver_runs():
    problem = mc.datasets.randommp(100_000)
    thread = threading.Thread(target=mc.solve, args=(problem, "klj"))
    ticks = 0
    thread.start()
    while thread.is_alive():
        time.sleep(0.001)
        ticks += 1
    assert ticks > 20


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"solver": "gaek"}, ValueError, "did you mean 'gaec'.*choose from: auto, gaec"),
        (
            {"solver": "gaec", "patience": 3},
            TypeError,
            "'gaec' has no option 'patience'; its options are: initial",
        ),
        ({"solver": "klj", "rounds": 3}, TypeError, "its options are: initial, max_rounds"),
        ({"solver": ["gaec"]}, ValueError, "unknown solver"),
        ({"solver": "klj", "patience": 0}, ValueError, "patience must be at least 1 .* got 0"),
        ({"solver": "klj", "max_rounds": 2**40}, ValueError, "below 2.31, got 1099511627776"),
        ({"solver": "klj", "patience": True}, TypeError, "patience must be an integer, got True"),
        ({"time_limit": True}, TypeError, "time_limit must be seconds or None, got True"),
        ({"solver": "klj", "patience": 1.5}, TypeError, "patience must be an integer, got 1.5"),
        ({"solver": "klj", "initial": [0]}, ValueError, "initial must contain one label per node"),
        ({"solver": "fusion", "noise": "x"}, TypeError, "noise must be a number, got 'x'"),
        (
            {"solver": "fusion", "noise": -1},
            ValueError,
            "noise must be finite and at least 0, got -1",
        ),
        ({"time_limit": -1}, ValueError, "time_limit must be at least 0 seconds, got -1"),
        ({"time_limit": float("nan")}, ValueError, "time_limit must be at least 0"),
        ({"time_limit": "2s"}, TypeError, "time_limit must be seconds or None, got '2s'"),
        ({"seed": -1}, ValueError, "seed must be at least 0"),
        ({"seed": 0.5}, TypeError, "seed must be an integer, got 0.5"),
        ({"callback": 3}, TypeError, "callback must be callable, got 3"),
    ],
)
def test_bad_arguments_give_one_clear_line(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        mc.solve(random_problem(5, 0.5, seed=0), **arguments)
    assert "\n" not in str(caught.value)


def test_the_problem_must_be_a_problem():
    with pytest.raises(TypeError, match=r"must be a multicut.Problem, got list"):
        mc.solve([[0, 1]])


def test_batch_checks_its_arguments():
    with pytest.raises(ValueError, match=r"num_workers must be at least 1 .* got 0"):
        mc.solve_batch([], num_workers=0)
    with pytest.raises(TypeError, match="takes no callback"):
        mc.solve_batch([], callback=print)
    with pytest.raises(TypeError, match=r"must be a multicut.Problem, got str"):
        mc.solve_batch(["problem"])
    assert mc.solve_batch([]) == mc.solve_batch([], "gaec") == []


def test_batch_passes_everything_on():
    problem = mc.datasets.randommp(20_000)
    (limited,) = mc.solve_batch([problem], "fusion", time_limit=0)
    assert limited.stopped_by == "time_limit"
    (warm,) = mc.solve_batch([problem], "klj", initial=np.zeros(20_000, dtype=int), max_rounds=0)
    assert warm.num_clusters == 1
    assert warm.objective == 0


def test_ctrl_c_in_a_batch_returns_the_best_so_far():
    problems = [mc.datasets.randommp(20_000, seed=seed) for seed in range(4)]
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        # If Ctrl-C were not heard, that would show.
        results = mc.solve_batch(problems, "fusion", 60, patience=10**6, max_proposals=10**6)
    finally:
        timer.cancel()
    for problem, result in zip(problems, results, strict=True):
        assert result.stopped_by == "interrupt"
        check_contract(problem, result)


def test_ctrl_c_ends_a_batch_before_all_problems_are_begun():
    problems = [mc.datasets.randommp(20_000, seed=seed) for seed in range(6)]
    endless = {"patience": 10**6, "max_proposals": 10**6, "num_workers": 1, "time_limit": 60}
    timer = threading.Timer(1.0, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        results = mc.solve_batch(problems, "fusion", **endless)
    finally:
        timer.cancel()
    assert [result.stopped_by for result in results] == ["interrupt"] * 6
    assert results[0].objective < 0
    not_begun = mc.solve(problems[-1], "fusion", 0)
    assert np.array_equal(results[-1].labels, not_begun.labels)
    for problem, result in zip(problems, results, strict=True):
        check_contract(problem, result)


@pytest.mark.parametrize("moment", ["task", "of_native"])
def test_ctrl_c_between_native_calls_of_a_batch_loses_nothing(moment, monkeypatch):
    """It used to be raised wherever Python happened to be."""
    problems = [random_problem(30, 0.3, seed) for seed in range(10)]
    calls = iter(range(100))
    task, native = _core.gaec, Outcome.of_native

    def pressed(result):
        if next(calls) == 3:
            signal.raise_signal(signal.SIGINT)
        return result

    if moment == "task":
        monkeypatch.setattr(_core, "gaec", lambda *given, **own: pressed(task(*given, **own)))
    else:
        monkeypatch.setattr(Outcome, "of_native", lambda given: pressed(native(given)))
    results = mc.solve_batch(problems, "gaec")
    assert "interrupt" in {result.stopped_by for result in results}
    for problem, result in zip(problems, results, strict=True):
        check_contract(problem, result)


def test_ctrl_c_while_some_are_solved_and_others_made_loses_nothing():
    def problems():
        for seed in range(6):
            if seed == 3:
                signal.raise_signal(signal.SIGINT)
            yield random_problem(12, 0.5, seed)

    results = mc.solve_batch(problems(), "auto")
    assert len(results) == 6
    assert results[-1].stopped_by == "interrupt"


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="Windows lacks the signal")
def test_a_signal_handler_that_raises_ends_a_batch():
    def refuse(_number, _frame):
        raise RuntimeError("the caller's own")

    problems = [mc.datasets.randommp(20_000)] * 2
    before = signal.signal(signal.SIGUSR1, refuse)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGUSR1])
    start = time.perf_counter()
    timer.start()
    try:
        with pytest.raises(RuntimeError, match="the caller's own"):
            mc.solve_batch(problems, "fusion", 60, patience=10**6, max_proposals=10**6)
    finally:
        timer.cancel()
        signal.signal(signal.SIGUSR1, before)
    assert time.perf_counter() - start < 30  # nobody waited for the time limit


def test_a_batch_gives_each_problem_its_own_time():
    problems = [mc.datasets.randommp(20_000, seed=seed) for seed in range(3)]
    options = {"patience": 10**6, "max_proposals": 10**6}
    results = mc.solve_batch(problems, "fusion", time_limit=0.3, num_workers=1, **options)
    for result in results:
        assert result.stopped_by == "time_limit"
        assert result.runtime >= 0.25  # some of it is kept for what comes after the search
        assert result.trace[-1, 0] <= result.runtime


def test_numbers_of_numpy_are_numbers():
    problem = random_problem(20, 0.5, seed=0)
    limit, seed = np.float32(1), np.int64(3)
    result = mc.solve(problem, "klj", limit, seed, patience=np.int64(5), largest_loss=np.float32(2))
    assert result.seed == 3


class TestTensors:
    """Graphs on a device go in, and labels stay there; the processor takes its place here."""

    @staticmethod
    def batch(*problems):
        pytest.importorskip("torch_geometric")
        return mc.nn.GraphBatch.from_problems(problems)

    @pytest.mark.parametrize("effort", ["fastest", "fast", "balanced"])
    def test_a_graph_on_a_device(self, effort):
        problem = mc.datasets.randommp(seed=3)
        result = mc.solve(self.batch(problem), "learned", effort=effort)
        labels = result.labels.numpy()
        assert result.objective == pytest.approx(mc.objective(problem, labels), rel=1e-6)
        assert np.array_equal(result.cut.numpy(), mc.partition.cut_of_labels(problem, labels))
        assert result.num_clusters == labels.max() + 1
        assert result.objective < 0.998 * mc.solve(problem, "klj").objective < 0
        assert (result.solver, result.stopped_by) == ("learned", "converged")
        assert "learned: 1 graphs on cpu" in repr(result)

    def test_many_graphs_have_one_result(self):
        problems = [mc.datasets.randommp(seed=seed) for seed in range(5)]
        batch = self.batch(*problems)
        together = mc.solve_batch(batch, "learned", effort="fastest")
        for number, problem in enumerate(problems):
            labels = together.labels[batch.node_offsets[number] : batch.node_offsets[number + 1]]
            alone = mc.solve(self.batch(problem), "learned", effort="fastest")
            assert np.array_equal(labels - labels.min(), alone.labels)
            assert float(together.objectives[number]) == pytest.approx(alone.objective)

    def test_no_time_gives_a_partition(self):
        problem = mc.datasets.randommp(seed=3)
        result = mc.solve(self.batch(problem), "learned", time_limit=0)
        assert result.stopped_by == "time_limit"
        assert result.objective <= 0

    def test_arrays_of_other_packages_are_taken(self):
        torch = pytest.importorskip("torch")

        class Foreign:
            def __init__(self, tensor):
                self._tensor = tensor

            def __dlpack__(self, **options):
                return self._tensor.__dlpack__(**options)

            def __dlpack_device__(self):
                return self._tensor.__dlpack_device__()

        edges = Foreign(torch.tensor([[0, 1, 0], [1, 2, 2]]))
        batch = mc.nn.GraphBatch.from_edges(edges, Foreign(torch.tensor([1.0, 2.0, -4.0])), 3)
        assert mc.solve(batch, "learned").labels.tolist() == [0, 1, 1]

    @pytest.mark.parametrize(
        ("arguments", "error", "message"),
        [
            ({"solver": "klj"}, TypeError, "takes a Problem, got a GraphBatch; use auto, learned"),
            ({"initial": [0, 0, 0]}, TypeError, "initial does not apply to a GraphBatch"),
            ({"callback": print}, TypeError, "callback does not apply to a GraphBatch"),
            ({"use_network": True, "solver": "learned"}, TypeError, r"nn.partition\(batch, model"),
            ({"device": "cuda"}, ValueError, "device must be that of the batch, 'cpu'"),
        ],
    )
    def test_bad_arguments_give_one_clear_line(self, arguments, error, message):
        batch = self.batch(mc.Problem([[0, 1], [1, 2]], [1.0, -1.0]))
        with pytest.raises(error, match=message) as caught:
            mc.solve(batch, **arguments)
        assert "\n" not in str(caught.value)

    def test_several_graphs_are_not_one(self):
        problem = mc.Problem([[0, 1]], [1.0])
        with pytest.raises(ValueError, match=r"got a batch of 2; use mc\.solve_batch"):
            mc.solve(self.batch(problem, problem))
