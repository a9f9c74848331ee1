"""Table 3: the ablation of GCN, as means over seeds."""

from __future__ import annotations

import json
import statistics
from collections.abc import Mapping, Sequence

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import MISSING
from multicut.benchmark.ratios import objective_ratios, optima_of
from multicut.datasets import open_dataset
from paper.evaluation_sets import COMPARABLE, EASIER, column_title
from paper.published import TABLE_3, TEST_SETS
from paper.runs.curves import Run
from paper.section import Record, Section, listed, wrapped
from paper.studies.variants import VARIED, Variant, configuration_of

_NO_RUN = "not trained"
_EXPLANATION = """\
**Table 3, the ablation of GCN**, trained on {graphs} without CCL{length} unless a row says
otherwise. A value is the mean ± standard deviation over seeds, or that of one run. The first run is
named by its configuration in `configs`."""
_CUTTING = "Cutting every edge reaches {values}."
_CUTTERS = """\
On {iris}, {names} are within {as_much} of this, so networks of this kind cut nearly every edge
there."""
# A network whose ratio differs by less from that of cutting every edge does nearly that.
_AS_MUCH = 0.005


def cutting_key(num_graphs: int) -> str:
    """Return the key of what cutting every edge of so many graphs of each set has."""
    return f"cutting every edge, {num_graphs} graphs"


def measure_cutting_all(num_graphs: int) -> Cell:
    """Return the mean ratio of the partition that cuts every edge, by test set."""
    found = {}
    for name in COMPARABLE:
        graphs = list(open_dataset(name.lower(), "test")[:num_graphs])
        objectives = [float(graph.costs.sum()) for graph in graphs]
        found[name] = float(objective_ratios(objectives, optima_of(graphs)).mean())
    return found


def write_table(
    section: Section, variants: Mapping[Variant, Sequence[Run]], cutting_all: Cell | None
) -> None:
    """Write the table: each variant without batch normalisation, and the published row."""
    ablated = [run for name in TABLE_3 for run in variants.get((name, False), ())]
    text = _EXPLANATION.format(graphs=column_title("IrisMP"), length=length(ablated))
    section.write(wrapped(text))
    usual = _usual(ablated)
    texts: list[list[str]] = []
    records: list[Record] = []
    for name, (title, published) in TABLE_3.items():
        runs = list(variants.get((name, False), ()))
        first = f"`{configuration_of(runs[0])}`" if runs else ""
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
                    "configurations": [configuration_of(run) for run in runs],
                    "test_set": test_set,
                    "is_stand_in": any(test_set in run.stand_ins for run in runs),
                    "is_easier": test_set in EASIER,
                    "ratio": statistics.fmean(found) if found else None,
                    "deviation": statistics.stdev(found) if len(found) > 1 else None,
                    "published_ratio": value,
                }
            )
    titles = titles_of(TEST_SETS, ablated)
    columns = ["variant", "first run", "seeds", "", *titles]
    section.tabulate("table3", records, columns, texts, 4)
    _write_below(section, records, cutting_all)


def _write_below(section: Section, records: Sequence[Record], cutting_all: Cell | None) -> None:
    """Name the cells below published, and what explains them."""
    sentences = []
    for test_set in COMPARABLE:
        below = [
            f'"{TABLE_3[each["architecture"]][0]}" ({each["ratio"]:.2f}, published '
            f"{each['published_ratio']:.2f})"
            for each in records
            if each["test_set"] == test_set
            and each["ratio"] is not None
            and each["published_ratio"] is not None
            and round(each["ratio"], 2) < each["published_ratio"]
        ]
        if below:
            title = column_title(test_set)
            sentences.append(f"Below the published values on {title} are {listed(below)}.")
    if not sentences:
        return
    if cutting_all is not None:
        values = listed([f"{cutting_all[n]:.3f} on {column_title(n)}" for n in COMPARABLE])
        sentences += [_CUTTING.format(values=values), _cutters(records, cutting_all)]
    sentences.append("The paper gives one number for each variant and set.")
    section.write(wrapped(" ".join(sentences)))


def _cutters(records: Sequence[Record], cutting_all: Cell) -> str:
    """Name the variants that cut nearly every edge of the graphs that they were trained on."""
    names = [
        f'"{TABLE_3[each["architecture"]][0]}"'
        for each in records
        if each["test_set"] == "IrisMP"
        and each["ratio"] is not None
        and abs(each["ratio"] - cutting_all["IrisMP"]) < _AS_MUCH
    ]
    if not names:
        return ""
    iris = column_title("IrisMP")
    return _CUTTERS.format(iris=iris, names=listed(names), as_much=_AS_MUCH)


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
        return _differences(run, usual)
    seen = min(int(each.settings["instances"]) for each in runs)
    return "" if seen >= run.planned_instances else f"stopped after {seen:,} instances"


def _differences(run: Run, usual: str) -> str:
    """Say what is unusual about a run: how long it was and how it was validated, or more."""
    own, others = json.loads(_recipe(run)), json.loads(usual)
    texts = [f"{run.planned_instances:,} instances"]
    if own["num_validation"] != others["num_validation"]:
        texts.append(f"validated on {own['num_validation'] or 'all'} graphs")
    changed = {name for name, value in own.items() if value != others[name]}
    if changed - {"instances", "num_validation"}:
        texts.append("other settings")
    return ", ".join(texts)


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
