"""Training on scarce data: from scratch, and finetuning of more or fewer layers."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import column_title
from paper.published import FINETUNING
from paper.runs.curves import Run
from paper.section import Record, Section, listed

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
Knott in the paper. The paper gives one number for each set, and says that iii worked best overall;
they are shown there. The network that finetuning starts from is no candidate for the best. Networks
were finetuned with {rates}, one run each; the one with the best validation is shown. The
stand-ins are those that `benchmarks/finetuning_data.py` makes: a part of the region graphs of Table
1 (BSDS300), the pieces of Table 1 (Knott), and connected pieces of CREMI graphs, where Table 1 has
a whole one."""


def write_table(section: Section, runs: Mapping[str, Run]) -> None:
    """Write the table."""
    all_tuned = [run for run in runs.values() if _is_tuned(run)]
    starts = sorted({f"`{run.started_from}`" for run in all_tuned})
    section.write(_EXPLANATION.format(start=listed(starts), rates=_rates(all_tuned)))
    texts, records = [], []
    titles = {}
    kinds = (*_FIRST, *MODES.values())
    for name, published in FINETUNING.items():
        scratch = _best_on(runs, name, None)
        tuned = {freeze: _best_on(runs, name, freeze) for freeze in MODES}
        before = next((run.ratio_before for run in tuned.values() if run is not None), None)
        values = [before, *map(_best, (scratch, *tuned.values()))]
        theirs = [*published[:2], *(published[2] if f == _PUBLISHED else None for f in MODES)]
        found = [run for run in (scratch, *tuned.values()) if run is not None]
        is_stand_in = any(name in run.stand_ins for run in found)
        titles[name] = column_title(name, is_stand_in)
        texts.append([titles[name], *map(ratio, values)])
        texts.append(["  published", *("" if v is None else ratio(v) for v in theirs)])
        for kind, run, value, their in zip(
            kinds, (None, scratch, *tuned.values()), values, theirs, strict=True
        ):
            record: Record = {"test_set": name, "is_stand_in": is_stand_in, "network": kind}
            record["learning_rate"] = None if run is None else run.settings["learning_rate"]
            records.append({**record, "ratio": value, "published_ratio": their})
    section.tabulate("finetuning", records, ["set", *kinds], texts)
    tuned = {name: _best_on(runs, name, _PUBLISHED) for name in FINETUNING}
    known = {name: run for name, run in tuned.items() if run is not None}
    if verdict := _verdict(known, titles):
        section.write(verdict)


def _verdict(tuned: Mapping[str, Run], titles: Mapping[str, str]) -> str:
    """Say on which sets the setting with published numbers helps; nothing without runs."""
    if not tuned:
        return ""
    ours = [titles[name] for name, run in tuned.items() if gains(run)]
    theirs = [name for name, (start, _, best) in FINETUNING.items() if best > start]
    differ = any(titles[name] != name for name in theirs)
    return (
        f"Setting iii improves on its start on {listed(ours)} of "
        f"{listed([titles[name] for name in tuned])}. It counts "
        "as better where the mean of\nthe second half of its validations is above the start by "
        f"more than their standard deviation. In the paper it improves\non {listed(theirs)}"
        + (", which are other graphs there." if differ else ".")
    )


def gains(run: Run) -> bool:
    """Whether validations of the second half exceed the start by more than they vary."""
    later = [row["objective_ratio"] for row in run.rows[len(run.rows) // 2 :]]
    noise = statistics.stdev(later) if len(later) > 1 else 0.0
    return run.ratio_before is not None and statistics.fmean(later) - run.ratio_before > noise


def _rates(tuned: Sequence[Run]) -> str:
    """Name the learning rates, and the sets on which all settings or some had them."""
    texts = []
    for rate in sorted({run.settings["learning_rate"] for run in tuned}, reverse=True):
        names = []
        for name in FINETUNING:
            own = [run for run in tuned if PurePosixPath(run.train).name == name.lower()]
            modes = {r.settings["freeze"] for r in own if r.settings["learning_rate"] == rate}
            if modes:
                names.append(name if len(modes) == len(MODES) else f"{name} (in part)")
        texts.append(f"the learning rate {rate:g} on {listed(names)}")
    return listed(texts)


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
