"""Whether clipped gradients avoid the collapse at the published alpha."""

from __future__ import annotations

from collections.abc import Mapping

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.runs.curves import MEASURES, Run
from paper.section import Section

_KINDS = {"from-shipped-0.01": "no", "from-shipped-clip-0.01": "norm of at most 1"}
_EXPLANATION = """\
**Clipped gradients.** These runs finetune the shipped network of each training set: alpha rises
from 0 to 0.01 over 30,000 instances and is held for 30,000, at the published learning rate. They
differ in clipping alone. Objectives are ratios on the 1,000 validation graphs; *alpha at the best*
is how far alpha had risen at the best validation."""


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
                    f"{run.alpha_at(best['instances']):.2g}",
                    ratio(best["objective_ratio"]),
                    *(ratio(last[each]) for each in reversed(MEASURES)),
                ]
            )
            record = {"train": name, "is_easier": title in EASIER, "run": run.name}
            record |= {"clip": run.settings["clip"], "best": best["objective_ratio"]}
            records.append({**record, **{each: last[each] for each in MEASURES}})
    if not records:
        return
    section.write(_EXPLANATION)
    columns = ["trained on", "clipped", "alpha at the best", "objective, best"]
    columns += ["objective, last", "optimal, last", "feasible, last"]
    section.tabulate("clipping", records, columns, texts, 2)
