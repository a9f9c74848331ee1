"""Whether clipped gradients avoid the collapse at the published alpha."""

from __future__ import annotations

from collections.abc import Mapping

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.runs.curves import MEASURES, Run
from paper.section import Section, listed

_KINDS = {"from-shipped-0.01": "no", "from-shipped-clip-0.01": "norm of at most 1"}
_EXPLANATION = """\
**Clipped gradients.** These runs finetune the shipped network of each training set. Alpha rises
from 0 to 0.01 over 30,000 instances and is held for 30,000, at the published learning rate. They
differ in clipping alone. Objectives are ratios on the 1,000 validation graphs. The *start* is that
of the shipped network. It is no candidate for the best, so the best may be below it. The column
*alpha at the best* tells how far alpha had risen at the best validation."""
_ALONE = " The run without clipping is not recorded on {sets}."


def write_table(section: Section, runs: Mapping[str, Run], sets: Mapping[str, str]) -> None:
    """Add the table, if there are such runs.

    Parameters
    ----------
    section
        Where it goes.
    runs
        The recorded readings by name.
    sets
        The training sets: how names of runs call them, and how the page does.
    """
    texts, records = [], []
    for name, title in sets.items():
        for kind, clipped in _KINDS.items():
            run = runs.get(f"{name}-{kind}")
            if run is None:
                continue
            best, last = run.best, run.last
            texts.append(
                [
                    column_title(title),
                    clipped,
                    ratio(run.ratio_before),
                    f"{run.alpha_at(best['instances']):.2g}",
                    ratio(best["objective_ratio"]),
                    *(ratio(last[each]) for each in reversed(MEASURES)),
                ]
            )
            record = {"train": name, "is_easier": title in EASIER, "run": run.name}
            record |= {"clip": run.settings["clip"], "start": run.ratio_before}
            record |= {"best": best["objective_ratio"]}
            records.append({**record, **{each: last[each] for each in MEASURES}})
    if not records:
        return
    alone = [title for name, title in sets.items() if not _has_control(runs, name)]
    section.write(_EXPLANATION + (_ALONE.format(sets=listed(alone)) if alone else ""))
    columns = ["trained on", "clipped", "objective, start", "alpha at the best"]
    columns += ["objective, best", "objective, last", "optimal, last", "feasible, last"]
    section.tabulate("clipping", records, columns, texts, 2)


def _has_control(runs: Mapping[str, Run], name: str) -> bool:
    control, *clipped = (f"{name}-{kind}" in runs for kind in _KINDS)
    return control or not any(clipped)
