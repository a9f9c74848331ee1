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

_PLANNED = ("published", "readings", "table3")
_UNRECORDED = """\
These configurations have no recorded run. `make retrain` makes them, and tables and figures above
do without them: {names}."""


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
        for folder in _PLANNED
        for path in sorted(Path("configs", folder).glob("*.toml"))
        if not (curves / folder / f"{path.stem}.json").exists()
    ]
