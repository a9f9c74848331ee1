"""The ablation, the effect of depth, losses with and without edge weights, and finetuning."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.line_plots import scalable
from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.section import Record, Section, listed, wrapped
from paper.settings import PaperSettings
from paper.studies import finetuning, state_growth, table3
from paper.studies.ablation_figures import DEPTH_SETS, draw_depths, draw_losses
from paper.studies.losses import LOSSES, write_losses
from paper.studies.variants import find_variants, name_of, plain_runs

TITLE = "Ablation, depth, losses and finetuning"
PART = "studies"
_EXPLANATION = """\
Settings and curves of runs are in `benchmarks/results/training`. Tables name the configuration of a
run in `configs`; those of depth are in `configs/earlier`, those of finetuning in
`configs/finetuning`. Columns marked *stand-in* are of other graphs than the published ones and do
not compare with them. Except for finetuning, they are those of Table 1. Our IrisMP, on which most
of these networks were trained, is marked *easier*: it is easier than the published one
([measurements](#datasets)). So a value above the published one in that column may come from the
graphs."""

# What runs of other depths and longer ones with CCL may differ in until CCL begins.
_NOT_SHARED = ("depth", "seed", "cycles", "instances", "validation", "num_validation")
_SEEDS = """\
{count} seeds of the published recipe have {depths} layers and no CCL until then. Their objective
ratios on validation graphs of {graphs} have a standard deviation of {last:.4f} at {instances:,}
instances. At the best validation until then it is {best:.4f}."""


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    variants = find_variants(settings)
    trained_on = column_title("IrisMP")
    families = {
        family: {name_of(each): variants.get(each, [None])[0] for each in wanted}
        for family, wanted in LOSSES.items()
    }
    if any(run is not None for networks in families.values() for run in networks.values()):
        draw_losses(families, trained_on, settings.curves, settings.picture("losses"))
    if depths := find_depths(read_runs(settings.curves)):
        draw_depths(depths, trained_on, settings.picture("depth"))
    store = settings.open_cache(PART)
    settings.report("states of new networks")
    store.get(state_growth.KEY, state_growth.measure_growth)
    number = settings.num_graphs
    store.get(table3.cutting_key(number), partial(table3.measure_cutting_all, number))


def find_depths(runs: Mapping[str, Run]) -> dict[int, Run]:
    """Find runs of the proposed network that differ in the depth alone."""
    proposed = [run for run in plain_runs(runs) if run.is_proposed]
    groups = differing_in(proposed, "depth")
    found = {int(run.network["depth"]): run for run in groups[0]} if groups else {}
    return dict(sorted(found.items())) if len(found) > 1 else {}


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    runs = read_runs(settings.curves)
    variants = find_variants(settings)
    section = Section()
    section.write(_EXPLANATION)
    cells = settings.open_cache(PART).cells
    table3.write_table(section, variants, cells.get(table3.cutting_key(settings.num_graphs)))
    depths = find_depths(runs)
    length = table3.length(list(depths.values()))
    trained_on = column_title("IrisMP")
    section.write(
        wrapped(
            f"**Depth** of GCN_W_BN, trained on {trained_on} without CCL{length}, one run each:"
        )
    )
    _write_depths(section, depths)
    _write_seeds(section, depth_seeds(depths, read_runs(settings.curves / "published").values()))
    section.show(scalable(settings.picture("depth")), "Objective ratio by depth")
    write_losses(section, variants, settings.curves)
    section.show(scalable(settings.picture("losses")), "Training and validation losses")
    if state_growth.KEY in cells:
        state_growth.write_growth(section, cells[state_growth.KEY])
    finetuning.write_table(section, runs)
    return section


def _write_depths(section: Section, depths: Mapping[int, Run]) -> None:
    if not depths:
        section.write("Not trained: there are no runs that differ in the depth alone.")
        return
    texts = [
        [str(depth), *(ratio(run.tested.get(name)) for name in DEPTH_SETS)]
        for depth, run in depths.items()
    ]
    records = [
        {
            "depth": depth,
            "run": run.name,
            "instances": run.planned_instances,
            "seed": run.settings["seed"],
            "test_set": name,
            "is_stand_in": name in run.stand_ins,
            "is_easier": name in EASIER,
            "ratio": run.tested.get(name),
        }
        for depth, run in depths.items()
        for name in DEPTH_SETS
    ]
    titles = table3.titles_of(DEPTH_SETS, list(depths.values()))
    section.tabulate("depth", records, ["layers", *titles], texts, 0)


def depth_seeds(depths: Mapping[int, Run], runs: Iterable[Run]) -> list[Record]:
    """Return where seeds of longer runs are when those of the depths end, one record for each."""
    shared = {run.recipe(without=_NOT_SHARED): run.planned_instances for run in depths.values()}
    found: dict[int, Record] = {}
    for run in sorted(runs, key=lambda run: run.name):
        end = shared.get(run.recipe(without=_NOT_SHARED), 0)
        rows = [row["objective_ratio"] for row in run.rows if row["instances"] <= end]
        if rows and end <= min(run.cycles_from, run.last["instances"]):
            record = {"run": run.name, "seed": run.settings["seed"], "instances": end}
            record |= {"depth": run.network["depth"], "is_easier": "IrisMP" in EASIER}
            record |= {"last_objective_ratio": rows[-1], "best_objective_ratio": max(rows)}
            found.setdefault(run.settings["seed"], record)
    return list(found.values())


def _write_seeds(section: Section, records: Sequence[Record]) -> None:
    """Say how much seeds differ, since there is one run for each depth."""
    if len(records) < 2:
        return
    section.keep("depth_seeds", records)
    last, best = (
        statistics.stdev(each[f"{when}_objective_ratio"] for each in records)
        for when in ("last", "best")
    )
    text = _SEEDS.format(
        count=len(records),
        depths=listed(sorted({str(each["depth"]) for each in records})),
        graphs=column_title("IrisMP"),
        instances=records[0]["instances"],
        last=last,
        best=best,
    )
    section.write(wrapped(text))
