"""From which runs networks come, on which graphs they were selected, and how they are scaled."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import ratio
from multicut.models import ModelRecord
from paper.evaluation_sets import COMPARABLE, column_title
from paper.runs.curves import Run, read_runs
from paper.section import listed
from paper.settings import PaperSettings
from paper.table1.entries import Row, phases_of, undecided_families
from paper.table1.reasons import PART, unscaled_key

_PROPOSED = "gcn_w_bn-randommp"
_RATE = 0.001
_INSTANCES = 3_150_000
_BEFORE_CYCLES = 3_000_000
# A run is unstable if its validation falls by more than half, without CCL.
_LEAST_SHARE = 0.5
# Smaller changes of a ratio are not named.
_NAMED_CHANGE = 0.02
_UNDECIDED = """\
`{name}` was trained in two phases, the first of which was validated on {families}. The second
phase started from the best network of the first, which is also its last one. That validation
therefore decided nothing, and the column leaves it out."""
_CANDIDATES = """\
**Candidates.** `{name}` is the best, by validation, of the runs of the published schedule, which
has a constant learning rate. Runs with a decaying rate ({count}) were no candidates. Their
validation on RandomMP is slightly better: {theirs} on {their_graphs} graphs, where that of the
network is {ours} on {our_graphs}. With costs as they are, they reach {random} on the test graphs
of RandomMP, the network {our_random}. On {iris_title} they reach {iris}, the network {our_iris}.
These and other schedules are in the section of [the published
recipe](#the-published-recipe-to-its-end)."""
_SCHEDULES = """\
**Schedules.** {names} come from the published schedule: learning rate 0.001 throughout, costs as
they are, 3,150,000 instances. Alpha may differ. {early}Other networks have shorter or other
schedules. {reasons} Their cards and
[Training](training.md#networks-below-their-published-values) say more."""
_SCALE = """\
**Scale of costs.** All networks are evaluated as they ship, with normalised costs. {count} of
{total} were trained on costs as they are, like the published ones. {changes}"""
_UNSTABLE = """\
For {{names}}, no run of the published schedule is recorded to its end. One of {instances:,}
instances with its learning rate{costs} was unstable: before CCL, validation fell from {best} to
{least}."""
_UNFINISHED = "For {names}, no run of the published schedule is recorded to its end."
_NO_BETTER = "For {names}, the published schedule has no better validation."
_BETTER = "For {names}, the published schedule has a better validation, but does not ship."


def selection_bullets(settings: PaperSettings, rows: Sequence[Row]) -> list[str]:
    """Return what a reader has to know of how networks were chosen and are evaluated."""
    by_name = {row.name: row for row in rows if row.record is not None}
    cells = settings.open_cache(PART).cells
    published = read_runs(settings.curves / "published")
    texts = [
        _selection(by_name),
        _candidates(settings, by_name, cells),
        _schedules(by_name, published, read_runs(settings.curves)),
        _scale(settings, by_name, cells),
    ]
    return [text for text in texts if text]


def _selection(rows: Mapping[str, Row]) -> str:
    texts = [
        "**Selection.** Each network was selected on validation graphs of its own training set, "
        "unless the column *selected on* names others as well."
    ]
    for name, row in rows.items():
        if row.record is not None and (families := undecided_families(row.record)):
            texts.append(_UNDECIDED.format(name=name, families=listed(families)))
    return " ".join(texts)


def _candidates(settings: PaperSettings, rows: Mapping[str, Row], cells: Mapping[str, Cell]) -> str:
    """Name the runs with another schedule that have a better validation than the proposed one."""
    record = rows[_PROPOSED].record if _PROPOSED in rows else None
    phases = [] if record is None else phases_of(record)
    others = [run for run in read_runs(settings.curves).values() if _is_other(run)]
    if record is None or not phases or not others:
        return ""
    unscaled = {
        name: cells.get(unscaled_key(settings, record, name), {}).get("ratio")
        for name in COMPARABLE
    }
    validation = record.card["validation"]
    bests = [run.best["objective_ratio"] for run in others]
    if max(bests) <= validation["objective_ratio"] or None in unscaled.values():
        return ""
    return _CANDIDATES.format(
        name=record.name,
        count=len(others),
        theirs=_range(bests),
        their_graphs=listed(sorted({f"{run.settings['num_validation']:,}" for run in others})),
        ours=ratio(validation["objective_ratio"]),
        our_graphs=f"{validation['num_graphs']:,}",
        random=_range([run.tested["RandomMP"] for run in others]),
        our_random=ratio(unscaled["RandomMP"]),
        iris_title=column_title("IrisMP"),
        iris=_range([run.tested["IrisMP"] for run in others]),
        our_iris=ratio(unscaled["IrisMP"]),
    )


def _is_other(run: Run) -> bool:
    """Whether a run is as the published one, but with a decaying rate."""
    return (
        run.is_proposed
        and run.train == "randommp"
        and list(run.validation_weights) == ["randommp"]
        and not run.started_from
        and run.rate != "constant"
        and run.planned_instances >= _INSTANCES
        and run.has_cycle_phase
        and set(COMPARABLE) <= set(run.tested)
    )


def _schedules(rows: Mapping[str, Row], runs: Mapping[str, Run], earlier: Mapping[str, Run]) -> str:
    """Say which networks have the published schedule, and why others have not."""
    records = [row.record for row in rows.values() if row.record and not row.saw_others]
    known = [record for record in records if phases_of(record)]
    if not known:
        return ""
    same = [record.name for record in known if has_published_schedule(record)]
    others: dict[str, list[str]] = {}
    for record in known:
        if record.name not in same:
            others.setdefault(_why_not(record, runs, earlier), []).append(f"`{record.name}`")
    reasons = [why.format(names=listed(names)) for why, names in others.items()]
    return _SCHEDULES.format(
        names=listed([f"`{name}`" for name in same]),
        early=_taken_early([record for record in known if record.name in same]),
        reasons=" ".join(reasons),
    )


def _taken_early(records: Sequence[ModelRecord]) -> str:
    """Say after how many instances validation took networks from before CCL; empty if none."""
    early = {record.name: int(phases_of(record)[-1]["instances"]) for record in records}
    texts = [
        f"`{name}` after {instances:,}"
        for name, instances in early.items()
        if instances < _BEFORE_CYCLES
    ]
    return f"Validation took {listed(texts)} of these instances. " if texts else ""


def has_published_schedule(record: ModelRecord) -> bool:
    """Whether a network was trained with the paper's learning rate, costs and length."""
    seen = 0
    for phase in phases_of(record):
        if (
            phase["learning_rate"] != _RATE
            or phase["scale_free"]
            or phase.get("decay", "none") != "none"
            or phase.get("warm_up", 0)
            or phase.get("clip", 0)
            or (phase["alpha"] > 0 and seen + phase["alpha_start"] < _BEFORE_CYCLES)
        ):
            return False
        seen += phase["instances_of_the_run"]
    return seen >= _INSTANCES


def _why_not(record: ModelRecord, runs: Mapping[str, Run], earlier: Mapping[str, Run]) -> str:
    """Return what became of the published schedule for a network that has another one."""
    whole = [
        run.best["objective_ratio"]
        for name, run in runs.items()
        if name.startswith(f"{record.name}-")
        and run.rate == "constant"
        and run.settings["learning_rate"] == _RATE
        and run.last["instances"] >= _INSTANCES
    ]
    if not whole:
        return _unstable(earlier.get(record.name)) or _UNFINISHED
    if max(whole) <= record.card["validation"]["objective_ratio"]:
        return _NO_BETTER
    return _BETTER


def _unstable(run: Run | None) -> str:
    """Describe a run with the published learning rate that failed; empty if there is none."""
    if run is None or run.rate != "constant" or run.settings["learning_rate"] != _RATE:
        return ""
    rows = [row for row in run.rows if row["instances"] <= run.cycles_from]
    best = max(rows, key=lambda row: row["objective_ratio"], default=None)
    if best is None:
        return ""
    later = [row["objective_ratio"] for row in rows if row["instances"] >= best["instances"]]
    if min(later) >= _LEAST_SHARE * best["objective_ratio"]:
        return ""
    return _UNSTABLE.format(
        instances=int(run.last["instances"]),
        costs=", but normalised costs," if run.settings["scale_free"] else "",
        best=ratio(best["objective_ratio"]),
        least=ratio(min(later)),
    )


def _scale(settings: PaperSettings, rows: Mapping[str, Row], cells: Mapping[str, Cell]) -> str:
    """Say how much the normalisation changes ratios of networks that were trained without."""
    records = {name: row.record for name, row in rows.items() if row.record is not None}
    trained_without = [
        name
        for name, record in records.items()
        if (phases := phases_of(record)) and not any(_is_scaled(phase) for phase in phases)
    ]
    changes: list[tuple[float, str]] = []
    for name in trained_without:
        for test_set in COMPARABLE:
            scaled = rows[name].cells.get(test_set)
            other = cells.get(unscaled_key(settings, records[name], test_set))
            if scaled is not None and other is not None:
                text = (
                    f"`{name}` goes from {other['ratio']:.3f} to {scaled['ratio']:.3f} on "
                    f"{column_title(test_set)}."
                )
                changes.append((abs(scaled["ratio"] - other["ratio"]), text))
    if not changes:
        return ""
    changes.sort(reverse=True)
    large = [text for size, text in changes if size > _NAMED_CHANGE]
    rest = max((size for size, _ in changes if size <= _NAMED_CHANGE), default=0.0)
    sets = listed([column_title(name) for name in COMPARABLE])
    said = f"Normalisation alone changes ratios on {sets}. {' '.join(large)} " if large else ""
    said += f"{'Other ratios change' if large else 'It changes ratios'} by at most {rest:.3f}."
    return _SCALE.format(count=len(trained_without), total=len(records), changes=said)


def _is_scaled(phase: Mapping[str, Any]) -> bool:
    return bool(phase["scale_free"])


def _range(values: Sequence[float]) -> str:
    low, high = ratio(min(values)), ratio(max(values))
    return low if low == high else f"{low} to {high}"
