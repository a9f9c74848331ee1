"""Table 1, on the processor: all solvers on all test sets."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.ratios import objective_ratios, optima_of
from multicut.models import DEFAULT_MODEL, ModelRecord, list_models
from multicut.solve import solve
from paper.evaluation_sets import EvaluationSet, find_sets, stored_name
from paper.published import TABLE_1
from paper.settings import PaperSettings
from paper.table1.batch_statistics import measure as measure_batch_statistics
from paper.table1.reasons import measure as measure_reasons
from paper.table2.processor import weights_of

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem
    from multicut.result import Result

PART = "table1"
CLASSICAL = ("ilp", "lp", "fusion", "klj", "gaec")
BOUNDED = "gaec-time-bounded"
BOUNDED_BY_GPU = "gaec-bounded-by-gpu"


def measure(settings: PaperSettings) -> None:
    """Fill the cache."""
    store = settings.open_cache(PART)
    sets = find_sets(settings.data)
    for chosen in sets:
        measure_set(settings, store, chosen)
    measure_reasons(
        settings,
        [
            (record, chosen.name, store.cells[cell_key(settings, record, chosen)])
            for record in list_models()
            for chosen in sets
        ],
    )
    measure_batch_statistics(
        settings, [record for record in list_models() if record.name in TABLE_1]
    )


def measure_set(settings: PaperSettings, store: Cache, chosen: EvaluationSet) -> None:
    """Fill the cells of one test set."""

    @cache
    def problems() -> list[LabelledProblem]:
        return list(chosen.load()[: settings.num_graphs])

    @cache
    def optima() -> list[float]:
        stored = _optima_cell(store, settings, chosen, problems)["objectives"]
        if stored is not None:
            return list(stored)
        return optima_of(problems())

    def classical(solver: str, time_limit: float) -> Cell:
        results = [_solve(problem, solver, time_limit) for problem in problems()]
        return _timed(results, optima(), time_limit)

    _optima_cell(store, settings, chosen, problems)
    for name in CLASSICAL:
        settings.report(f"{name} on {chosen.name}")
        store.get(cell_key(settings, name, chosen), partial(classical, name, settings.time_limit))
    for record in list_models():
        settings.report(f"{record.name} on {chosen.name}")
        store.get(
            cell_key(settings, record, chosen),
            partial(_learned, record, problems, optima),
        )
        if record.name == DEFAULT_MODEL:
            settings.report(f"time-bounded gaec on {chosen.name}")
            network = store.cells[cell_key(settings, record, chosen)]
            budget = network["seconds"] / network["num_graphs"]
            store.get(cell_key(settings, BOUNDED, chosen), partial(classical, "gaec", budget))
            budget = _gpu_seconds(settings, record, chosen)
            if budget is not None:
                key = cell_key(settings, BOUNDED_BY_GPU, chosen)
                store.get(key, partial(classical, "gaec", budget))


def _gpu_seconds(
    settings: PaperSettings, record: ModelRecord, chosen: EvaluationSet
) -> float | None:
    """Return the time per graph that a network took on a GPU, where that was measured."""
    cells = Cache(settings.cache / f"{PART}-cuda.json").cells
    start = f"{record.name} {record.card['sha256'][:8]}, {chosen.name}, "
    found = [cell for key, cell in cells.items() if key.startswith(start)]
    return float(found[0]["seconds"]) / found[0]["num_graphs"] if found else None


def cell_key(settings: PaperSettings, who: str | ModelRecord, chosen: EvaluationSet) -> str:
    """Name the cell of a solver or a model on a test set."""
    place = f", at most {settings.time_limit:g} s"
    if isinstance(who, ModelRecord):
        # Other weights are another model, even under the same name.
        who, place = f"{who.name} {who.card['sha256'][:8]}", ", cpu"
    elif who in (BOUNDED, BOUNDED_BY_GPU):
        who = f"{who} of {weights_of(DEFAULT_MODEL)}"  # whose time is the budget
    name = stored_name(chosen.name, chosen.is_stand_in)
    return f"{who}, {name}, {settings.num_graphs} graphs{place}"


def _optima_cell(
    store: Cache,
    settings: PaperSettings,
    chosen: EvaluationSet,
    problems: Callable[[], list[LabelledProblem]],
) -> Cell:
    """Return the best known objectives that `ilp` finds; None where the set has proven ones."""

    def find() -> Cell:
        settings.report(f"optima of {chosen.name}")
        count = len(problems())
        if all(problem.optimal for problem in problems()):
            return {"num_graphs": count, "num_proven": count, "objectives": None}
        results = [_solve(problem, "ilp", settings.time_limit) for problem in problems()]
        objectives = [result.objective for result in results]
        # These runs are the row of `ilp` as well.
        ilp = _timed(results, objectives, settings.time_limit)
        store.get(cell_key(settings, "ilp", chosen), lambda: ilp)
        return {
            "num_graphs": count,
            "num_proven": sum(bool(result.optimal) for result in results),
            "objectives": objectives,
        }

    return store.get(cell_key(settings, "optima", chosen), find)


def _solve(problem: LabelledProblem, solver: str, time_limit: float) -> Result:
    result = solve(problem, solver, time_limit)
    if result.stopped_by == "interrupt":
        raise KeyboardInterrupt
    return result


def _timed(results: Sequence[Result], optima: Sequence[float], time_limit: float) -> Cell:
    return summarise([result.objective for result in results], optima) | {
        "seconds": sum(result.runtime for result in results),
        "forward_seconds": None,
        "num_out_of_time": sum(result.stopped_by == "time_limit" for result in results),
        "time_limit": time_limit,
    }


def _learned(
    record: ModelRecord,
    problems: Callable[[], list[LabelledProblem]],
    optima: Callable[[], list[float]],
) -> Cell:
    from multicut.models import load_model
    from paper.inference import predict

    found = predict(load_model(record.name, "cpu"), problems())
    return summarise(found.objectives, optima()) | {
        "seconds": found.total_seconds,
        "forward_seconds": found.forward_seconds,
        "num_out_of_time": 0,
    }


def summarise(objectives: Sequence[float], optima: Sequence[float]) -> Cell:
    """Return the mean of max(0, c(y) / c(optimal y)), its standard error, and how many are 1."""
    ratios = objective_ratios(objectives, optima)
    error = float(ratios.std(ddof=1) / math.sqrt(len(ratios))) if len(ratios) > 1 else None
    return {
        "num_graphs": len(ratios),
        "ratio": float(ratios.mean()),
        "standard_error": error,
        "num_optimal": int((ratios >= 1 - 1e-6).sum()),
        "measured": time.strftime("%Y-%m-%d"),
    }


def harmonic_mean(values: Sequence[float]) -> float:
    """Return the harmonic mean, 0 if a value is 0."""
    return len(values) / sum(1 / v for v in values) if all(v > 0 for v in values) else 0.0
