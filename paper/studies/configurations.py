"""The configurations of the shipped weights beside what their cards say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from multicut.benchmark.markdown import ratio
from multicut.models import list_models
from paper.runs.curves import Run, read_runs
from paper.section import Section, wrapped
from paper.settings import PaperSettings

TITLE = "Configurations against cards"
PART = "configurations"
_EXPLANATION = """\
What the shipped weights were trained with: one file in `configs/shipped` for each phase of
training, generated from the cards by `python -m paper.retrain.shipped`. `make retrain` trains them
again."""

# Folders of configurations, and where records of their runs are.
_PLANNED = {
    "published": "published",
    "readings": "readings",
    "table3": "table3",
    "other_family": "other_family",
    "finetuning": "",
}
_UNRECORDED = """\
**Configurations without a recorded run.** No run is recorded of {count} configurations, so no table
or figure has values of them. The columns of a row are parts of the names of its files, such as
`configs/{folder}/{name}.toml`. `make retrain` trains all of them, as far as their graphs are there,
and `multicut train` any of them."""
_UNFINISHED = """\
**Runs that did not come to their end.** Their validations are recorded, but their networks were not
tested. Objectives are ratios on validation graphs."""
# What names of configurations begin with: all up to one of these, or else the first word.
_GRAPHS = ("irismp", "randommp")


def measure(settings: PaperSettings) -> None:
    """Measure nothing: cards and configurations are read."""
    del settings


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    from paper.retrain.shipped import COLUMNS, compare, texts_of

    section = Section()
    section.write(_EXPLANATION)
    models = [record for record in list_models() if isinstance(record.card.get("training"), list)]
    rows = compare(models)
    section.tabulate("configurations", rows, COLUMNS, list(map(texts_of, rows)), 2)
    write_unrecorded(section, unrecorded(settings.curves))
    write_unfinished(section, unfinished(settings.curves))
    return section


def unrecorded(curves: Path) -> list[str]:
    """Return the configurations of planned runs that no record in the folder is of."""
    return [
        f"{folder}/{name}"
        for folder, place, name in _planned()
        if not (curves / place / f"{name}.json").exists()
    ]


def unfinished(curves: Path) -> dict[str, Run]:
    """Return the runs of configurations that saw fewer instances than these say."""
    recorded = {place: read_runs(curves / place) for place in _PLANNED.values()}
    found = {
        f"{folder}/{name}": recorded[place][name]
        for folder, place, name in _planned()
        if name in recorded[place]
    }
    return {
        name: run
        for name, run in found.items()
        if int(run.settings["instances"]) < run.planned_instances
    }


def _planned() -> Iterator[tuple[str, str, str]]:
    """Yield the folder of each configuration, where records of that folder are, and its name."""
    for folder, place in _PLANNED.items():
        for path in sorted(Path("configs", folder).glob("*.toml")):
            yield folder, place, path.stem


def write_unrecorded(section: Section, names: Sequence[str]) -> None:
    """Add the table of configurations without a run, if there are any."""
    if not names:
        return
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        folder, _, rest = name.partition("/")
        begin, end = divided(rest)
        groups.setdefault((folder, begin), []).append(f"`{end}`")
    (folder, begin), ends = next(iter(groups.items()))
    example = f"{begin}-{ends[0].strip('`')}"
    text = _UNRECORDED.format(count=len(names), folder=folder, name=example)
    section.write(wrapped(text))
    rows = [
        [f"`{folder}`", f"`{begin}`", ", ".join(ends)] for (folder, begin), ends in groups.items()
    ]
    records = [{"configuration": name} for name in names]
    section.tabulate("unrecorded", records, ["folder", "configuration", "without a run"], rows, 3)


def divided(name: str) -> tuple[str, str]:
    """Return what a name begins with, and the rest without the dash between them."""
    for graphs in _GRAPHS:
        begin, found, end = name.partition(f"{graphs}-")
        if found:
            return begin + graphs, end
    begin, _, end = name.partition("-")
    return begin, end


def write_unfinished(section: Section, runs: Mapping[str, Run]) -> None:
    """Add the table of runs that did not come to their end, if there are any."""
    if not runs:
        return
    texts, records = [], []
    for name, run in runs.items():
        before = run.settings["alpha"] > 0 and not run.has_cycle_phase
        stopped = "stopped before CCL" if before else str(run.settings["stopped_by"])
        best, last = run.best["objective_ratio"], run.last["objective_ratio"]
        seen, planned = int(run.settings["instances"]), run.planned_instances
        texts.append([f"`{name}`", stopped, f"{seen:,}", f"{planned:,}", ratio(best), ratio(last)])
        record = {"configuration": name, "stopped_by": run.settings["stopped_by"]}
        record |= {"is_before_cycles": before, "instances": seen, "planned_instances": planned}
        records.append({**record, "best": best, "last": last})
    section.write(_UNFINISHED)
    columns = ("run", "", "instances", "planned", "objective, best", "last")
    section.tabulate("unfinished", records, columns, texts, 2)
