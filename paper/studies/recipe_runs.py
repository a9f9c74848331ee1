"""Runs of the published recipe: what they are called, and which are recorded."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from multicut.benchmark.markdown import MISSING
from paper.evaluation_sets import column_title
from paper.published import ALPHAS_1
from paper.runs.curves import Run, read_runs
from paper.runs.validation_sets import TITLES
from paper.settings import PaperSettings

SETS = {name: TITLES[name] for name in ("randommp", "irismp")}
#: What tables call the training sets.
TRAINED_ON = {name: column_title(title) for name, title in SETS.items()}
# By the names of configurations, in which "published" means alpha = 0.01 on either set. Elsewhere
# on the page, "published" rows are the paper's numbers, so these say whose runs they are.
_KINDS = {
    "none": "no CCL, the control",
    "published": "alpha = 0.01 ({beside}), our runs",
    "alpha-0.001": "alpha = 0.001 ({beside}), our runs",
    "alpha-0.003": "alpha of our choice (0.003)",
    "all": "alpha = 0.01, Eq. 9 as printed",
    "decay": "alpha of our choice (0.003), decaying rate",
}
#: The alpha of kinds of runs with the published schedule.
ALPHAS = {"published": "0.01", "alpha-0.001": "0.001", "all": "0.01"}
# What the appendix describes: five runs on RandomMP.
_RECIPE = "published recipe (alpha = 0.01), our runs"
# Runs that have no ``-seed-`` in the name of the first, among the earlier ones.
_DECAYING = "gcn_w_bn-{train}-decay-alpha-0.003"

Groups = dict[tuple[str, str], list[Run]]


def describe(train: str, kind: str) -> str:
    """Return what runs of a kind on a training set are; the published recipe is of RandomMP."""
    published = ALPHAS_1[f"gcn_w_bn-{train}"]
    is_as_published = ALPHAS.get(kind) == published
    if kind == "published" and is_as_published:
        return _RECIPE
    return _KINDS[kind].format(
        beside="that of Table 1" if is_as_published else f"Table 1: {published}"
    )


def find_groups(settings: PaperSettings) -> Groups:
    """Return the recorded runs by training set and kind."""
    runs = read_runs(settings.curves / "published")
    earlier = read_runs(settings.curves)
    groups: Groups = {}
    for train in SETS:
        for kind in _KINDS:
            prefix = f"gcn_w_bn-{train}-{kind}-seed-"
            some = [run for name, run in sorted(runs.items()) if name.startswith(prefix)]
            if kind == "decay":
                prefix = _DECAYING.format(train=train)
                some = [run for name, run in sorted(earlier.items()) if name.startswith(prefix)]
            if some:
                groups[train, kind] = some
    return groups


def mean_text(values: Sequence[float | None]) -> str:
    """Format mean and deviation of the values that are known, if there are several."""
    known = [value for value in values if value is not None]
    if len(known) < 2:
        return MISSING
    return f"{statistics.fmean(known):.4f} ± {statistics.stdev(known):.4f}"
