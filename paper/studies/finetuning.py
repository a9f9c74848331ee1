"""Training on scarce data: from scratch, and finetuning of more or fewer layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import column_title
from paper.published import FINETUNING
from paper.runs.curves import Run
from paper.section import Record, Section

#: What is trained, as the paper numbers it, by what is frozen.
MODES = {
    "nothing": "i) all",
    "convolutions": "ii) edge classifier",
    "all-but-last-layer": "iii) its last layer",
}
_PUBLISHED = "all-but-last-layer"
_FIRST = ("trained on RandomMP", "from scratch")
_EXPLANATION = """\
**Finetuning**, objective ratio on the evaluation part of each set: GCN_W_BN as trained on RandomMP
({start}), trained from scratch on the set, and finetuned there in the paper's three settings. The
best network is chosen on the graphs that it is reported on, as there is no other part of CREMI and
Knott in the paper. The paper gives numbers for the setting that worked best there, iii. The
stand-ins are those that `benchmarks/finetuning_data.py` makes: region graphs of other Berkeley
images, and connected pieces of the CREMI and Knott graphs, not the whole graphs of Table 1."""


def write_table(section: Section, runs: Mapping[str, Run]) -> None:
    """Write the table."""
    starts = sorted({run.started_from for run in runs.values() if _is_tuned(run)})
    section.write(_EXPLANATION.format(start=", ".join(f"`{name}`" for name in starts) or "none"))
    texts, records = [], []
    ours: dict[str, list[float | None]] = {}
    published_values: dict[str, list[float | None]] = {}
    kinds = (*_FIRST, *MODES.values())
    for name, published in FINETUNING.items():
        scratch = _best_on(runs, name, None)
        tuned = {freeze: _best_on(runs, name, freeze) for freeze in MODES}
        before = next((run.ratio_before for run in tuned.values() if run is not None), None)
        values = [before, *map(_best, (scratch, *tuned.values()))]
        theirs = [*published[:2], *(published[2] if f == _PUBLISHED else None for f in MODES)]
        ours[name], published_values[name] = values, theirs
        found = [run for run in (scratch, *tuned.values()) if run is not None]
        is_stand_in = any(name in run.stand_ins for run in found)
        texts.append([column_title(name, is_stand_in), *map(ratio, values)])
        texts.append(["  published", *("" if v is None else ratio(v) for v in theirs)])
        for kind, value, their in zip(kinds, values, theirs, strict=True):
            record: Record = {"test_set": name, "is_stand_in": is_stand_in, "network": kind}
            records.append({**record, "ratio": value, "published_ratio": their})
    section.tabulate("finetuning", records, ["set", *kinds], texts)
    section.write(
        "A finetuned network is better than the one that it starts from "
        f"{_success(ours)} (published: {_success(published_values)})."
    )


def _success(values: Mapping[str, Sequence[float | None]]) -> str:
    """Say on which sets finetuning helps; values are the start, from scratch, and finetuned."""
    sets: dict[bool, list[str]] = {True: [], False: []}
    for name, (start, _, *finetuned) in values.items():
        known = [value for value in finetuned if value is not None]
        if start is not None and known:
            sets[max(known) > start].append(name)
    helped, failed = (" and ".join(names) for names in sets.values())
    return f"on {helped or 'no set'}" + (f", but not on {failed}" if failed else "")


def _is_tuned(run: Run) -> bool:
    sets = {name.lower() for name in FINETUNING}
    return bool(run.started_from) and PurePosixPath(run.train).name in sets


def _best(run: Run | None) -> float | None:
    return None if run is None else run.best["objective_ratio"]


def _best_on(runs: Mapping[str, Run], name: str, freeze: str | None) -> Run | None:
    """Return the run on a set whose best validation is the best; None is from scratch."""
    found = [
        run
        for run in runs.values()
        if PurePosixPath(run.train).name == name.lower()
        and (run.settings["freeze"] == freeze if run.started_from else freeze is None)
    ]
    return max(found, key=lambda run: run.best["objective_ratio"], default=None)
