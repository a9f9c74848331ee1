"""The ablation, the effect of depth, losses with and without edge weights, and finetuning."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import EASIER, column_title
from paper.line_plots import scalable
from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.section import Section
from paper.settings import PaperSettings
from paper.studies import finetuning, state_growth, table3
from paper.studies.ablation_figures import DEPTH_SETS, draw_depths, draw_losses
from paper.studies.variants import Variant, find_variants, plain_runs

TITLE = "Ablation, depth, losses and finetuning"
PART = "studies"
_EXPLANATION = """\
Settings and curves of runs are in `benchmarks/results/training`, configurations in
`configs/table3`, `configs/ablations` and `configs/finetuning`. Columns marked *stand-in* are of
other graphs than the published ones and do not compare with them; except for finetuning, they are
those of Table 1. Our IrisMP, on which most of these networks were trained, is marked *easier*: it
is easier than the published one ([measurements](#datasets)), so a value above the published one in
that column may come from the graphs."""
#: By family: plain, with edge weights, and with batch normalisation as well.
LOSSES: dict[str, tuple[Variant, ...]] = {
    "GCN": (("gcn", False), ("gcn_w", False), ("gcn_w", True)),
    "SGCN": (("sgcn", False), ("sgcn_w", False), ("sgcn_w", True)),
    "GIN0": (("gin0", False), ("gin0_w", False), ("gin0_w", True)),
}


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    variants = find_variants(settings)
    curves = {
        family: [variants.get(each, [None])[0] for each in wanted]
        for family, wanted in LOSSES.items()
    }
    if any(run is not None for family in curves.values() for run in family):
        draw_losses(curves, settings.curves, settings.picture("losses"))
    if depths := find_depths(read_runs(settings.curves)):
        draw_depths(depths, settings.picture("depth"))
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
        f"**Depth** of GCN_W_BN, trained on {trained_on} without CCL{length}, one run each:"
    )
    _write_depths(section, depths)
    section.show(scalable(settings.picture("depth")), "Objective ratio by depth")
    section.write(
        "**Losses** with and without edge weights and batch normalisation: the least cross entropy "
        f"on validation graphs of {trained_on}. The figure shows training above and validation "
        "below, as panels (a) to (f) of the paper's figure do, on easier graphs. A cell names the "
        "number of instances where a run was shorter than others; its training losses are not "
        "recorded:"
    )
    _write_losses(section, variants)
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


def _write_losses(section: Section, variants: Mapping[Variant, Sequence[Run]]) -> None:
    texts, records = [], []
    runs = {
        each: next(iter(variants.get(each, ())), None)
        for wanted in LOSSES.values()
        for each in wanted
    }
    longest = max((run.planned_instances for run in runs.values() if run is not None), default=0)
    for family, wanted in LOSSES.items():
        values = []
        for architecture, batch_norm in wanted:
            run = runs[architecture, batch_norm]
            losses = [] if run is None else [row["bce"] for row in run.rows]
            # A network for which signed degrees are no degrees may have no loss at all.
            least = min(filter(math.isfinite, losses), default=None)
            values.append(_shown(run, least, longest))
            records.append(
                {
                    "family": family,
                    "architecture": architecture,
                    "batch_norm": batch_norm,
                    "validated_on": "IrisMP",
                    "is_easier": "IrisMP" in EASIER,
                    "run": None if run is None else run.name,
                    "instances": None if run is None else run.planned_instances,
                    "least_bce": least,
                }
            )
        texts.append([family, *values])
    columns = ["least loss", "plain", "edge weights", "and batch norm."]
    section.tabulate("losses", records, columns, texts)


def _shown(run: Run | None, least: float | None, longest: int) -> str:
    """Return the least loss, and how many instances a run had that was shorter than others."""
    if run is None or run.planned_instances >= longest:
        return ratio(least)
    return f"{ratio(least)} after {run.planned_instances:,}"
