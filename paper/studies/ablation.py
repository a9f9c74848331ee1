"""Studies of the network: ablation, depth, losses, finetuning; from the records of their runs."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from multicut.benchmark.markdown import ratio
from paper.evaluation_sets import column_title
from paper.line_plots import scalable
from paper.published import FINETUNING, TABLE_3, TEST_SETS
from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.section import Record, Section
from paper.settings import PaperSettings
from paper.studies import state_growth
from paper.studies.ablation_figures import DEPTH_SETS, draw_depths, draw_losses

TITLE = "Ablation, depth, losses and finetuning"
PART = "studies"
_NO_RUN = "not trained"
_EXPLANATION = """\
Each run was made once; settings and curves are in `benchmarks/results/training`, configurations in
`configs/ablations` and `configs/finetuning`. Columns marked *stand-in* are of other graphs than the
published ones, the same as in Table 1, and do not compare with them. Our IrisMP is easier than the
published one (see Datasets)."""
_TRAINED = "trained on IrisMP without CCL"
_VARIED = ("architecture", "batch_norm")
#: An architecture, and whether it has batch normalisation.
Variant = tuple[str, bool]
#: By family: plain, with edge weights, and with batch normalisation as well.
LOSSES: dict[str, tuple[Variant, ...]] = {
    "GCN": (("gcn", False), ("gcn_w", False), ("gcn_w", True)),
    "SGCN": (("sgcn", False), ("sgcn_w", False), ("sgcn_w", True)),
    "GIN0": (("gin0", False), ("gin0_w", False), ("gin0_w", True)),
}


def measure(settings: PaperSettings) -> None:
    """Draw the figures."""
    runs = read_runs(settings.curves)
    variants = find_variants(runs)
    curves = {family: [variants.get(each) for each in wanted] for family, wanted in LOSSES.items()}
    if any(run is not None for family in curves.values() for run in family):
        draw_losses(curves, settings.picture("losses"))
    if depths := find_depths(runs):
        draw_depths(depths, settings.picture("depth"))
    settings.report("states of new networks")
    settings.open_cache(PART).get(state_growth.KEY, state_growth.measure_growth)


def _plain_runs(runs: Mapping[str, Run]) -> list[Run]:
    """Return the runs on IrisMP from scratch and without CCL."""
    return [
        run
        for run in runs.values()
        if run.train == "irismp" and not run.started_from and not run.has_cycle_phase
    ]


def find_variants(runs: Mapping[str, Run]) -> dict[Variant, Run]:
    """Find a run of each variant; as far as possible such that they differ in nothing else."""
    found: dict[Variant, Run] = {}
    for group in differing_in(_plain_runs(runs), *_VARIED):
        for run in group:
            network = run.network
            found.setdefault((network["architecture"], network["batch_norm"]), run)
    return found


def find_depths(runs: Mapping[str, Run]) -> dict[int, Run]:
    """Find runs of the proposed network that differ in the depth alone."""
    proposed = [run for run in _plain_runs(runs) if run.is_proposed]
    groups = differing_in(proposed, "depth")
    found = {int(run.network["depth"]): run for run in groups[0]} if groups else {}
    return dict(sorted(found.items())) if len(found) > 1 else {}


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    runs = read_runs(settings.curves)
    variants = find_variants(runs)
    section = Section()
    section.write(_EXPLANATION)
    ablated = [variants[name, False] for name in TABLE_3 if (name, False) in variants]
    section.write(f"**Table 3, the ablation of GCN**, {_TRAINED}{_length(ablated)}:")
    _write_ablation(section, variants, ablated)
    depths = find_depths(runs)
    section.write(f"**Depth** of GCN_W_BN, {_TRAINED}{_length(list(depths.values()))}:")
    _write_depths(section, depths)
    section.show(scalable(settings.picture("depth")), "Objective ratio by depth")
    section.write(
        "**Losses** with and without edge weights and batch normalisation, the least cross entropy "
        "on validation graphs of IrisMP:"
    )
    _write_losses(section, variants)
    section.show(scalable(settings.picture("losses")), "Validation losses")
    cells = settings.open_cache(PART).cells
    if state_growth.KEY in cells:
        state_growth.write_growth(section, cells[state_growth.KEY])
    section.write(
        "**Finetuning**, objective ratio on the evaluation part of each set: GCN_W_BN as trained "
        "on RandomMP, trained from scratch on the set, and finetuned there (best validation):"
    )
    _write_finetuning(section, runs)
    return section


def _length(runs: Sequence[Run]) -> str:
    """Say how long runs were; the table tells of exceptions."""
    if not runs:
        return ""
    usual = statistics.mode(run.planned_instances for run in runs)
    return f" for {usual:,} instances each"


def _write_ablation(
    section: Section, variants: Mapping[Variant, Run], ablated: Sequence[Run]
) -> None:
    texts, records = [], []
    usual = statistics.mode(run.recipe(without=_VARIED) for run in ablated) if ablated else ""
    for name, (title, published) in TABLE_3.items():
        run = variants.get((name, False))
        tested = {} if run is None else run.tested
        config = f"`{name}-irismp`" if run is None else f"`{run.name}`"
        values = [ratio(tested.get(test_set), 2) for test_set in TEST_SETS]
        texts.append([title, config, _remark(run, usual), *values])
        theirs = published or (None,) * len(TEST_SETS)
        others = ["not applicable" if value is None else f"{value:.2f}" for value in theirs]
        texts.append(["  published", "", "", *others])
        for test_set, value in zip(TEST_SETS, theirs, strict=True):
            records.append(
                {
                    "architecture": name,
                    "run": None if run is None else run.name,
                    "test_set": test_set,
                    "is_stand_in": run is not None and test_set in run.stand_ins,
                    "ratio": tested.get(test_set),
                    "published_ratio": value,
                }
            )
    titles = _titles(TEST_SETS, ablated)
    section.tabulate("table3", records, ["variant", "run", "", *titles], texts, 3)


def _titles(names: Sequence[str], runs: Sequence[Run]) -> list[str]:
    """Return titles of columns; one is of a stand-in if any run was tested on it."""
    stand_ins = {name for run in runs for name in run.stand_ins}
    return [column_title(name, name in stand_ins) for name in names]


def _remark(run: Run | None, usual: str) -> str:
    """Say what a reader has to know of a run before comparing it with the others."""
    if run is None:
        return _NO_RUN
    if run.recipe(without=_VARIED) != usual:
        return f"other settings, {run.planned_instances:,} instances"
    seen = int(run.settings["instances"])
    return "" if seen >= run.planned_instances else f"stopped after {seen:,} instances"


def _write_depths(section: Section, depths: Mapping[int, Run]) -> None:
    if not depths:
        section.write(f"{_NO_RUN.capitalize()}: there are no runs that differ in the depth alone.")
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
            "ratio": run.tested.get(name),
        }
        for depth, run in depths.items()
        for name in DEPTH_SETS
    ]
    titles = _titles(DEPTH_SETS, list(depths.values()))
    section.tabulate("depth", records, ["layers", *titles], texts, 0)


def _write_losses(section: Section, variants: Mapping[Variant, Run]) -> None:
    texts, records = [], []
    for family, wanted in LOSSES.items():
        values = []
        for architecture, batch_norm in wanted:
            run = variants.get((architecture, batch_norm))
            losses = [] if run is None else [row["bce"] for row in run.rows]
            # A network for which signed degrees are no degrees may have no loss at all.
            least = min(filter(math.isfinite, losses), default=None)
            values.append(ratio(least))
            records.append(
                {
                    "family": family,
                    "architecture": architecture,
                    "batch_norm": batch_norm,
                    "run": None if run is None else run.name,
                    "least_bce": least,
                }
            )
        texts.append([family, *values])
    columns = ["least loss", "plain", "edge weights", "and batch norm."]
    section.tabulate("losses", records, columns, texts)


def _write_finetuning(section: Section, runs: Mapping[str, Run]) -> None:
    texts, records = [], []
    kinds = ("trained on RandomMP", "from scratch", "finetuned")
    for name, published in FINETUNING.items():
        scratch, tuned = (_best_on(runs, name, finetuned=is_tuned) for is_tuned in (False, True))
        before = None if tuned is None else tuned.ratio_before
        best = [None if run is None else run.best["objective_ratio"] for run in (scratch, tuned)]
        values = (before, *best)
        is_stand_in = any(run is not None and name in run.stand_ins for run in (scratch, tuned))
        texts.append([column_title(name, is_stand_in), *(ratio(value) for value in values)])
        texts.append(["  published", *(ratio(value) for value in published)])
        for kind, value, theirs in zip(kinds, values, published, strict=True):
            record: Record = {"test_set": name, "is_stand_in": is_stand_in, "network": kind}
            record["ratio"] = value
            records.append({**record, "published_ratio": theirs})
    section.tabulate("finetuning", records, ["set", *kinds], texts)


def _best_on(runs: Mapping[str, Run], name: str, *, finetuned: bool) -> Run | None:
    """Return the run on a set of graphs whose best validation is the best."""
    found = [
        run
        for run in runs.values()
        if PurePosixPath(run.train).name == name.lower() and bool(run.started_from) == finetuned
    ]
    return max(found, key=lambda run: run.best["objective_ratio"], default=None)
