"""The ablation, the effect of depth, losses with and without edge weights, and finetuning."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.line_plots import scalable
from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.section import Section, wrapped
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
