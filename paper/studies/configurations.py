"""The configurations of the shipped weights beside what their cards say."""

from __future__ import annotations

from pathlib import Path

from multicut.models import list_models
from paper.section import Section, listed
from paper.settings import PaperSettings

TITLE = "Configurations against cards"
PART = "configurations"
_EXPLANATION = """\
What the shipped weights were trained with: one file in `configs/shipped` for each phase of
training, generated from the cards by `python -m paper.retrain.shipped`. `make retrain` trains them
again."""

# Folders of configurations, and where records of their runs are.
_PLANNED = {"published": "published", "readings": "readings", "table3": "table3", "finetuning": ""}
_UNRECORDED = """\
These configurations have no recorded run. `make retrain` makes these runs, and `multicut train`
those of `finetuning`. Tables and figures above do without them: {names}."""


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
    if names := unrecorded(settings.curves):
        section.keep("unrecorded", [{"configuration": name} for name in names])
        section.write(_UNRECORDED.format(names=listed([f"`{name}`" for name in names])))
    return section


def unrecorded(curves: Path) -> list[str]:
    """Return the configurations of planned runs that no record in the folder is of."""
    return [
        f"{folder}/{path.stem}"
        for folder, place in _PLANNED.items()
        for path in sorted(Path("configs", folder).glob("*.toml"))
        if not (curves / place / f"{path.stem}.json").exists()
    ]
