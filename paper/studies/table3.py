"""Table 3: the ablation of GCN, as means over seeds."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import MISSING
from paper.evaluation_sets import column_title
from paper.published import TABLE_3, TEST_SETS
from paper.runs.curves import Run
from paper.section import Section
from paper.studies.variants import VARIED, Variant

_NO_RUN = "not trained"


def write_table(section: Section, variants: Mapping[Variant, Sequence[Run]]) -> None:
    """Write the table: each variant without batch normalisation, and the published row."""
    ablated = [run for name in TABLE_3 for run in variants.get((name, False), ())]
    section.write(
        f"**Table 3, the ablation of GCN**, trained on IrisMP without CCL{length(ablated)}; where "
        f"there are several seeds, mean ± standard deviation:"
    )
    usual = _usual(ablated)
    texts, records = [], []
    for name, (title, published) in TABLE_3.items():
        runs = list(variants.get((name, False), ()))
        first = f"`{runs[0].name}`" if runs else f"`{name}-irismp`"
        values = [_mean(_tested(runs, test_set)) for test_set in TEST_SETS]
        texts.append([title, first, str(len(runs) or ""), _remark(runs, usual), *values])
        theirs = published or (None,) * len(TEST_SETS)
        others = ["not applicable" if value is None else f"{value:.2f}" for value in theirs]
        texts.append(["  published", "", "", "", *others])
        for test_set, value in zip(TEST_SETS, theirs, strict=True):
            found = _tested(runs, test_set)
            records.append(
                {
                    "architecture": name,
                    "runs": [run.name for run in runs],
                    "test_set": test_set,
                    "is_stand_in": any(test_set in run.stand_ins for run in runs),
                    "ratio": statistics.fmean(found) if found else None,
                    "deviation": statistics.stdev(found) if len(found) > 1 else None,
                    "published_ratio": value,
                }
            )
    titles = titles_of(TEST_SETS, ablated)
    columns = ["variant", "first run", "seeds", "", *titles]
    section.tabulate("table3", records, columns, texts, 4)


def _usual(runs: Sequence[Run]) -> str:
    return statistics.mode(_recipe(run) for run in runs) if runs else ""


def _recipe(run: Run) -> str:
    return run.recipe(without=(*VARIED, "seed"))


def _tested(runs: Sequence[Run], test_set: str) -> list[float]:
    return [run.tested[test_set] for run in runs if test_set in run.tested]


def _mean(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    mean = f"{statistics.fmean(values):.2f}"
    return mean if len(values) == 1 else f"{mean} ± {statistics.stdev(values):.2f}"


def _remark(runs: Sequence[Run], usual: str) -> str:
    """Say what a reader has to know of runs before comparing them with the others."""
    if not runs:
        return _NO_RUN
    run = runs[0]
    if _recipe(run) != usual:
        return f"other settings, {run.planned_instances:,} instances"
    seen = min(int(each.settings["instances"]) for each in runs)
    return "" if seen >= run.planned_instances else f"stopped after {seen:,} instances"


def length(runs: Sequence[Run]) -> str:
    """Say how long runs were; tables tell of exceptions."""
    if not runs:
        return ""
    usual = statistics.mode(run.planned_instances for run in runs)
    return f" for {usual:,} instances each"


def titles_of(names: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Return titles of columns; one is of a stand-in if any run was tested on it."""
    stand_ins = {name for run in runs for name in run.stand_ins}
    return [column_title(name, name in stand_ins) for name in names]
