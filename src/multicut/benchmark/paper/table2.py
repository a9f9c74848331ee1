"""Table 2: runtime and objective on growing random graphs."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, milliseconds, table
from multicut.benchmark.paper.published import TABLE_2
from multicut.benchmark.paper.settings import PaperSettings
from multicut.models import DEFAULT_MODEL, list_models
from multicut.solve import solve

if TYPE_CHECKING:
    from multicut.problem import Problem

TITLE = "Table 2: growing graphs"
PART = "table2"
_CLASSICAL = ("gaec", "klj", "fusion", "lp", "ilp")
_NETWORK = "gnn"
_REPEATS = 3
_EXPLANATION = """\
Milliseconds / objective on one RandomMP graph of each size; the published graphs were others of
the same kind, and the published network ran on a GPU. `out of time` means stopped after {limit}
(published: 24 h), with the best objective until then."""
# Below this, the best of several repetitions is taken.
_SHORT_SECONDS = 1.0


def _devices(settings: PaperSettings) -> list[str]:
    return list(dict.fromkeys(["cpu", settings.device]))


def _key(size: int, solver: str, settings: PaperSettings, device: str = "") -> str:
    if solver == _NETWORK:
        record = next((r for r in list_models() if r.name == DEFAULT_MODEL), None)
        digest = record.card["sha256"][:8] if record is not None else "missing"
        return f"{DEFAULT_MODEL} {digest}, {size} nodes, {device}"
    return f"{solver}, {size} nodes, at most {settings.time_limit:g} s"


def measure(settings: PaperSettings) -> None:
    """Fill the cache."""
    store = settings.open_cache(PART)
    for size in settings.sizes:
        _measure_size(settings, store, size)


def _measure_size(settings: PaperSettings, store: Cache, size: int) -> None:
    from multicut.datasets import randommp

    @cache
    def problem() -> Problem:
        return randommp(size, seed=0)

    for solver in _CLASSICAL:
        settings.report(f"{solver} on {size:,} nodes")
        key = _key(size, solver, settings)
        store.get(key, partial(_classical, problem, solver, settings.time_limit))
    if any(record.name == DEFAULT_MODEL for record in list_models()):
        for device in _devices(settings):
            settings.report(f"{_NETWORK} on {size:,} nodes, {device}")
            store.get(_key(size, _NETWORK, settings, device), partial(_learned, problem, device))


def _classical(make: Callable[[], Problem], solver: str, time_limit: float) -> Cell:
    problem = make()
    best = None
    for _ in range(_REPEATS):
        result = solve(problem, solver, time_limit)
        if result.stopped_by == "interrupt":
            raise KeyboardInterrupt
        best = result if best is None or result.runtime < best.runtime else best
        if result.runtime > _SHORT_SECONDS:
            break
    assert best is not None
    return {
        "num_edges": problem.num_edges,
        "seconds": best.runtime,
        "objective": best.objective,
        "out_of_time": best.stopped_by == "time_limit",
    }


def _learned(make: Callable[[], Problem], device: str) -> Cell:
    from multicut.benchmark.paper.inference import predict
    from multicut.models import load_model

    problem = make()
    model = load_model(DEFAULT_MODEL, device)
    runs = [predict(model, [problem])]
    while len(runs) < _REPEATS and runs[-1].total_seconds < _SHORT_SECONDS:
        runs.append(predict(model, [problem]))
    best = min(runs, key=lambda run: run.total_seconds)
    return {
        "num_edges": problem.num_edges,
        "seconds": best.total_seconds,
        "forward_seconds": best.forward_seconds,
        "objective": best.objectives[0],
        "out_of_time": False,
    }


def render(settings: PaperSettings) -> list[str]:
    """Return the section of the page."""
    store = settings.open_cache(PART)
    columns = [(solver, "") for solver in _CLASSICAL]
    columns += [(_NETWORK, device) for device in _devices(settings)]
    titles = [f"{solver} ({device})" if device else solver for solver, device in columns]
    rows = []
    for size in settings.sizes:
        cells = [store.cells.get(_key(size, *_arguments(c, settings))) for c in columns]
        rows.append([f"{size:,}", *(_text(cell) for cell in cells)])
        published = TABLE_2.get(size)
        if published is not None:
            rows.append(["  published", *(_published(published, c[0], c[1]) for c in columns)])
    return [
        _EXPLANATION.format(limit=f"{settings.time_limit:g} s"),
        "",
        *table(["nodes", *titles], rows),
    ]


def _arguments(column: tuple[str, str], settings: PaperSettings) -> tuple[str, PaperSettings, str]:
    solver, device = column
    return solver, settings, device


def _text(cell: Cell | None) -> str:
    if cell is None:
        return MISSING
    time = "out of time" if cell["out_of_time"] else milliseconds(cell["seconds"])
    return f"{time} / {cell['objective']:,.0f}"


def _published(row: dict[str, tuple[float, float] | None], solver: str, device: str) -> str:
    # The published times of the network are those of a GPU.
    if solver not in row or (solver == _NETWORK and device not in ("cuda", "cpu")):
        return ""
    value = row[solver]
    if value is None:
        return "out of time"
    return f"{value[0]:,.0f} / {value[1]:,.0f}"
