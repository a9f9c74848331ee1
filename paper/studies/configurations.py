"""The configurations of the shipped weights beside what their cards say."""

from __future__ import annotations

from multicut.models import list_models
from paper.section import Section
from paper.settings import PaperSettings

TITLE = "Configurations against cards"
PART = "configurations"
_EXPLANATION = """\
What the shipped weights were trained with: one file in `configs/shipped` for each phase of
training, generated from the cards by `python -m paper.retrain.shipped`. `make retrain` trains them
again."""


def measure(settings: PaperSettings) -> None:
    """Measure nothing: cards and configurations are read."""
    del settings


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    from paper.retrain.shipped import COLUMNS, compare, texts_of

    del settings
    section = Section()
    section.write(_EXPLANATION)
    models = [record for record in list_models() if isinstance(record.card.get("training"), list)]
    rows = compare(models)
    section.tabulate("configurations", rows, COLUMNS, list(map(texts_of, rows)), 2)
    return section
