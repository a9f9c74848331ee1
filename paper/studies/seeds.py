"""How much the seed matters: runs of the proposed network that differ in nothing else."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import ratio
from multicut.plotting.palette import CLUSTERS
from paper.evaluation_sets import column_title, easier_of
from paper.line_plots import add_curve, legend_below, new_plot, save_plot, scalable
from paper.runs.comparisons import differing_in
from paper.runs.curves import Run, read_runs
from paper.runs.validation_sets import TITLES
from paper.section import Record, Section
from paper.settings import PaperSettings

TITLE = "Seeds: earlier runs"
PART = "seeds"
_SETS = ("IrisMP", "RandomMP")
# The paper's schedule has 3.15 M instances.
_FULL_SCHEDULE = 3_000_000
_EXPLANATION = """\
GCN_W_BN trained from scratch before the runs of the published recipe above, most with a learning
rate that decays. The table has every run of the paper's length, 3.15 million instances, and all
runs that differ in the seed. Before CCL, best and last are objective ratios on validation graphs.
The network that was best on these was then evaluated on both test sets. The weight of CCL plays no
part until CCL begins. So runs with different alpha may be compared before CCL, too. Our IrisMP is
easier than the published one ([measurements](#datasets))."""
_NO_SEEDS = """\
No two of these runs differ in the seed alone, so how much it matters in the end is not known
yet."""
_NONE = "No run of the paper's length, and no two that differ in the seed, are recorded."
_PANELS = {"bce": "cross entropy", "ccl": "CCL (alpha = 1)", "objective_ratio": "objective ratio"}
_COLUMNS = (
    "trained on",
    "run",
    "seed",
    "alpha",
    "learning rate",
    "costs",
    "instances",
    "before CCL",
    "best",
    "last",
    *(column_title(name) for name in _SETS),
)


def find_seeds(runs: Mapping[str, Run]) -> list[list[list[Run]]]:
    """Find long runs of the proposed network from scratch, and shorter ones with several seeds.

    Returns
    -------
    list of list of list of Run
        Runs of one inner list differ in the seed alone, those of one outer list in CCL as well.
    """
    candidates = [
        run
        for run in runs.values()
        if run.is_proposed and not run.started_from and run.train in TITLES
    ]
    groups = [
        group
        for group in differing_in(candidates, "seed", "cycles")
        if _num_seeds(group) > 1 or group[0].planned_instances >= _FULL_SCHEDULE
    ]
    groups.sort(key=lambda group: group[0].train, reverse=True)
    return [_by_alpha(group) for group in groups]


def _by_alpha(group: Sequence[Run]) -> list[list[Run]]:
    alike = [sorted(some, key=lambda run: _seed(run)) for some in differing_in(group, "seed")]
    return sorted(alike, key=lambda some: (some[0].alpha, some[0].name))


def _seed(run: Run) -> int:
    return int(run.settings["seed"])


def _num_seeds(group: Sequence[Run]) -> int:
    return len({_seed(run) for run in group})


def measure(settings: PaperSettings) -> None:
    """Draw, for each training set, the runs with the most seeds."""
    for graphs, group in _drawn(find_seeds(read_runs(settings.curves))).items():
        about = f"GCN_W_BN, trained on {column_title(TITLES[graphs])}"
        figure, axes = new_plot(tuple(_PANELS.values()), about)
        for ax, name in zip(axes, _PANELS, strict=True):
            for run, colour in zip(group, CLUSTERS, strict=False):
                points = [(row["instances"] / 1e6, row[name]) for row in run.rows]
                label = f"seed {_seed(run)}"
                add_curve(ax, points, label, colour)
            ax.set_xlabel("million instances", fontsize=9)
        legend_below(figure)
        save_plot(figure, settings.picture(f"seeds-{graphs}"))


def _drawn(groups: Sequence[list[list[Run]]]) -> dict[str, list[Run]]:
    several = [some for group in groups for some in group if _num_seeds(some) > 1]
    # The last one of a name stays, so the largest ones come last.
    return {some[0].train: some for some in sorted(several, key=_num_seeds)}


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    groups = find_seeds(read_runs(settings.curves))
    if not groups:
        section.write(_NONE)
        return section
    section.write(_EXPLANATION)
    if not _drawn(groups):
        section.write(_NO_SEEDS)
    records: list[Record] = []
    texts = []
    for group in groups:
        for alike in group:
            records += [_record(run) for run in alike]
            texts += [_texts(run) for run in alike]
            if _num_seeds(alike) > 1:
                texts.append(_spread(alike))
        if len(group) > 1:
            texts += _spread_before(group)
    section.tabulate(PART, records, _COLUMNS, texts, 2)
    for graphs in _drawn(groups):
        title = f"Validation by seed, {column_title(TITLES[graphs])}"
        section.show(scalable(settings.picture(f"seeds-{graphs}")), title)
    return section


def _before(run: Run) -> float | None:
    """Return the objective ratio when CCL begins, or would."""
    before = run.before_cycles
    is_later = 0 < run.cycles_from < run.planned_instances
    return before["objective_ratio"] if before and is_later else None


def _record(run: Run) -> Record:
    return {
        "run": run.name,
        "trained_on": run.train,
        "easier_sets": easier_of(_SETS),
        "seed": _seed(run),
        "alpha": run.alpha,
        "decay": run.settings["decay"],
        "scale_free": run.settings["scale_free"],
        "instances": run.settings["instances"],
        "planned_instances": run.planned_instances,
        "objective_ratio_before_cycles": _before(run),
        "best_objective_ratio": run.best["objective_ratio"],
        "last_objective_ratio": run.last["objective_ratio"],
        **{f"test_{name.lower()}": run.tested.get(name) for name in _SETS},
    }


def _texts(run: Run) -> list[str]:
    return [
        column_title(TITLES[run.train]),
        f"`{run.name}`",
        str(_seed(run)),
        f"{run.alpha:g}",
        run.rate,
        "to one scale" if run.settings["scale_free"] else "as they are",
        f"{run.settings['instances']:,}",
        *(ratio(value) for value in _values(run)),
    ]


def _values(run: Run) -> list[float | None]:
    validation = [_before(run), run.best["objective_ratio"], run.last["objective_ratio"]]
    return validation + [run.tested.get(name) for name in _SETS]


def _spread(alike: Sequence[Run]) -> list[str]:
    """Return the mean and the standard deviation over seeds, column by column."""
    columns = zip(*(_values(run) for run in alike), strict=True)
    texts = [_mean_and_deviation(column) for column in columns]
    return ["  mean ± deviation", f"{_num_seeds(alike)} seeds", *[""] * 5, *texts]


def _spread_before(group: Sequence[Sequence[Run]]) -> list[list[str]]:
    """Return the same for the time before CCL, one run for each seed, whatever its alpha."""
    first = {_seed(run): run for alike in reversed(group) for run in alike}
    if len(first) < 2 or len({run.cycles_from for run in first.values()}) > 1:
        return []
    text = _mean_and_deviation([_before(run) for run in first.values()])
    return [["  mean ± deviation", f"{len(first)} seeds, before CCL", *[""] * 5, text, *[""] * 4]]


def _mean_and_deviation(values: Sequence[float | None]) -> str:
    known = [value for value in values if value is not None]
    if len(known) < len(values):
        return ratio(None)
    return f"{ratio(statistics.mean(known))} ± {ratio(statistics.stdev(known))}"
