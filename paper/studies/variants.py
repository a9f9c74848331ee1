"""Runs of variants of networks on IrisMP without CCL, those of several seeds first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.settings import PaperSettings

VARIED = ("architecture", "batch_norm")
SEEDS = "table3"
_PUBLISHED = "published"
# Records that lie in no folder of their own are of these.
_EARLIER = "earlier"
#: An architecture, and whether it has batch normalisation.
Variant = tuple[str, bool]


def plain_runs(runs: Mapping[str, Run]) -> list[Run]:
    """Return the runs on IrisMP from scratch and without CCL."""
    return [
        run
        for run in runs.values()
        if run.train == "irismp" and not run.started_from and not run.has_cycle_phase
    ]


def variant_of(run: Run) -> Variant:
    """Return the variant that a run trains."""
    return run.network["architecture"], run.network["batch_norm"]


def name_of(variant: Variant) -> str:
    """Return what people call a variant, such as ``GCN_W_BN``."""
    architecture, batch_norm = variant
    return architecture.upper() + ("_BN" if batch_norm else "")


def configuration_of(run: Run) -> str:
    """Return where in ``configs`` a run without CCL is configured, with its name."""
    folder = run.folder if run.folder in (SEEDS, _PUBLISHED) else _EARLIER
    return f"{folder}/{run.name}"


def find_variants(settings: PaperSettings) -> dict[Variant, list[Run]]:
    """Find the runs of each variant: all seeds of ``table3``, else one of the other runs."""
    found: dict[Variant, list[Run]] = {}
    seeds = read_runs(settings.curves / SEEDS).values()
    for run in sorted(seeds, key=lambda run: int(run.settings["seed"])):
        found.setdefault(variant_of(run), []).append(run)
    if found:
        longest = max(run.planned_instances for some in found.values() for run in some)
        published = read_runs(settings.curves / _PUBLISHED).values()
        for run in sorted(published, key=Run.is_in_lower_precision):
            if run.train == "irismp" and run.settings["seed"] == 0:
                found.setdefault(variant_of(run), [_beginning(run, longest)])
    for group in differing_in(plain_runs(read_runs(settings.curves)), *VARIED):
        for run in group:
            found.setdefault(variant_of(run), [run])
    return found


def _beginning(run: Run, end: int) -> Run:
    """Return a run up to some instance before CCL begins, where it is like one without CCL."""
    end = min(end, run.cycles_from)
    rows = [row for row in run.rows if row["instances"] <= end]
    settings = {**run.settings, "alpha": 0.0, "planned_instances": end, "test": {}}
    return replace(run, rows=rows, settings=settings)
