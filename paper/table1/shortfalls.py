"""Networks below their published values: the list, and what was measured to explain it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import MISSING, ratio
from multicut.models import ModelRecord
from paper.evaluation_sets import COMPARABLE, EASIER, column_title
from paper.runs.curves import note_on_precision
from paper.section import Record, Section, listed, wrapped
from paper.settings import PaperSettings
from paper.table1.batch_statistics import PART as STATISTICS
from paper.table1.batch_statistics import adapted_key
from paper.table1.entries import Row, phases_of
from paper.table1.reasons import (
    PART,
    is_below,
    other_runs,
    published_ratio,
    remedies_key,
    runs_of,
    unscaled_key,
)
from paper.table1.targets import TARGETS

_EXPLANATION = """\
**Cells below published.** The table lists other networks whose ratio on RandomMP or on the
easier IrisMP is below the published one. It is so with normalised costs, as they ship, or with
costs as they are, as published. *Instances* is the length of the run; the paper has 3,150,000.
These measurements look for the reasons
([discussion](training.md#networks-below-their-published-values)):

- *costs as they are*: the same weights without the normalisation of costs.
- *own bias*: the one number added to all logits that is best on 300 validation graphs of the own
  training set. Cross entropy does not choose it well.
- *bias and scale for the test set*: those that are best on 300 validation graphs of the test set's
  family. The scale is the normalisation, or a factor that costs are multiplied with. So it is no
  fair result, but says whether a network orders edges well and only takes costs, or the sums of
  costs at nodes, for too large or too small there.
- *statistics of the test set's family*: batch normalisation has the means and deviations of states
  on these 300 graphs, in place of those of training (table below).
- *recorded runs*: the least and the greatest value of runs in `configs/published` that train the
  same network, with costs as they are.
- *their last networks*: the same for the networks that these runs ended with.

The last column says with what the published value is reached; a bias of 0 does not count as one."""

# What was measured beside the ratio, and how the text says that it reaches the published value.
_REMEDIES = {
    "own": "with its own bias",
    "there": "with a bias and a scale for the test set",
    "adapted": "with batch statistics of the test set's family",
}


def write_shortfalls(section: Section, settings: PaperSettings, rows: Sequence[Row]) -> None:
    """List where other networks are below what was published, on the sets that compare."""
    cells = settings.open_cache(PART).cells
    statistics = settings.open_cache(STATISTICS).cells
    texts, records = [], []
    for row in rows:
        for name in COMPARABLE:
            cell = row.cells.get(name)
            if row.record is None or (row.name, name) in TARGETS or cell is None:
                continue
            unscaled = cells.get(unscaled_key(settings, row.record, name))
            if not is_below(row.name, name, cell, unscaled):
                continue
            remedies = cells.get(remedies_key(settings, row.record, name))
            if remedies is not None:
                adapted = statistics.get(adapted_key(settings, row.record, name))
                remedies = {**remedies, "adapted": adapted}
            runs = other_runs(settings, row.name, name)
            texts.append(_texts(row, name, cell, unscaled, remedies, runs))
            records.append(
                {
                    "model": row.name,
                    "num_instances": row.num_instances,
                    "selected_on": list(row.selected_on),
                    "test_set": name,
                    "is_easier": name in EASIER,
                    "ratio": cell["ratio"],
                    "standard_error": cell["standard_error"],
                    "published_ratio": published_ratio(row.name, name),
                    "ratio_with_costs_as_they_are": None if unscaled is None else unscaled["ratio"],
                    "remedies": remedies,
                    "ratios_of_runs": runs,
                    "runs_of_other_seeds": _other_seeds(settings, row.record),
                    "reached_with": _reached_with(row.name, name, cell, unscaled, remedies, runs),
                }
            )
    if not records:
        section.write("No other network is below its published values on these two sets.")
        return
    section.write(_EXPLANATION)
    columns = [
        "model",
        "instances",
        "selected on",
        "test set",
        "published",
        "ours ± standard error",
    ]
    columns += ["costs as they are", "own bias", "bias and scale for the test set"]
    columns += ["statistics of the test set's family", "recorded runs"]
    columns += ["their last networks", "reached"]
    section.tabulate("shortfalls", records, columns, texts, 4)
    precision = note_on_precision(
        run
        for model in dict.fromkeys(str(each["model"]) for each in records)
        for run in runs_of(settings, model).values()
    )
    section.write(wrapped(f"{precision}{_conclusion(records)}"))


def _other_seeds(settings: PaperSettings, record: ModelRecord) -> list[str]:
    """Name the recorded runs of a network whose seed is another than that of its weights."""
    own = {phase.get("seed") for phase in phases_of(record)}
    runs = runs_of(settings, record.name)
    return [name for name, run in runs.items() if run.settings["seed"] not in own]


def _conclusion(records: Sequence[Record]) -> str:
    """Say which published values are reached, how, and which are not."""
    not_reached = [each for each in records if not each["reached_with"]]
    fitted = [each for each in records if each["reached_with"] == [_REMEDIES["there"]]]
    texts = []
    if not_reached:
        texts.append(f"Not reached by any of these: {_named(not_reached)}.")
        seeds = {f"`{run}`": None for each in not_reached for run in each["runs_of_other_seeds"]}
        runs = "No runs of these networks with other seeds are recorded."
        if seeds:
            runs = f"Of runs of these networks with other seeds, {listed(list(seeds))} alone "
            runs += "is recorded." if len(seeds) == 1 else "are recorded."
        texts.append(runs)
    else:
        texts.append("Each of these published values is reached by one of these measurements.")
    if fitted:
        texts.append(
            f"{len(fitted)} of {len(records)} are reached only with a bias and a scale that were "
            f"fitted to solutions of the test set's family: {_named(fitted)}."
        )
    return " ".join(texts)


def _named(records: Sequence[Record]) -> str:
    return listed(
        [f"`{each['model']}` on {column_title(str(each['test_set']))}" for each in records]
    )


def _texts(
    row: Row,
    name: str,
    cell: Cell,
    unscaled: Cell | None,
    remedies: Cell | None,
    runs: Mapping[str, Sequence[float]],
) -> list[str]:
    return [
        f"`{row.name}`",
        MISSING if row.num_instances is None else f"{row.num_instances:,}",
        row.selection,
        column_title(name),
        ratio(published_ratio(row.name, name)),
        f"{ratio(cell['ratio'])} ± {ratio(cell['standard_error'])}",
        MISSING if unscaled is None else ratio(unscaled["ratio"]),
        *(_remedy_text(remedies, which) for which in _REMEDIES),
        _range(runs["best"]),
        _range(runs["last"]),
        listed(_reached_with(row.name, name, cell, unscaled, remedies, runs), "–"),  # noqa: RUF001
    ]


def _remedy_text(remedies: Cell | None, which: str) -> str:
    found = None if remedies is None else remedies[which]
    if found is None:
        return MISSING
    changes = [f"{found['bias']:+g}"] if "bias" in found else []
    if found.get("factor") is not None:
        changes.append(
            "as they are" if found["factor"] == 1 else f"costs times {found['factor']:g}"
        )
    return f"{ratio(found['ratio'])} ({', '.join(changes)})" if changes else ratio(found["ratio"])


def _reached_with(
    model: str,
    name: str,
    cell: Cell,
    unscaled: Cell | None,
    remedies: Cell | None,
    runs: Mapping[str, Sequence[float]],
) -> list[str]:
    """Name the measurements that are as good as published, or close to it."""
    published = published_ratio(model, name)
    assert published is not None
    values = {
        "with normalised costs": cell["ratio"],
        "with costs as they are": None if unscaled is None else unscaled["ratio"],
        **{text: _remedied_ratio(remedies, which) for which, text in _REMEDIES.items()},
        "by another run": max(runs["best"], default=None),
        "by the last network of a run": max(runs["last"], default=None),
    }
    found = [what for what, value in values.items() if value is not None and value >= published]
    is_noise = published - cell["standard_error"] <= cell["ratio"] < published
    return [*["within one standard error"] * is_noise, *found]


def _remedied_ratio(remedies: Cell | None, which: str) -> float | None:
    """Return what a remedy reaches; None if it changes nothing, as in other columns."""
    found = None if remedies is None else remedies[which]
    if found is None or (found.get("bias") == 0 and found["factor"] in (None, 1.0)):
        return None
    return float(found["ratio"])


def _range(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    low, high = ratio(min(values)), ratio(max(values))
    return low if len(values) == 1 else f"{low} to {high}"
