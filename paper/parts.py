"""The parts of the page, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from multicut._registry import Registry
from paper import pictures
from paper.published_graphs import check_measured
from paper.section import Section
from paper.settings import PaperSettings
from paper.studies import ablation, configurations, readings, recipe
from paper.studies import cycles as cycle_study
from paper.studies import datasets as dataset_study
from paper.studies import seeds as seed_study
from paper.table1 import device as table1_device
from paper.table1 import processor as table1
from paper.table1 import rows as table1_rows
from paper.table2 import device as table2_device
from paper.table2 import processor as table2
from paper.table2 import rows as table2_rows

Measure = Callable[[PaperSettings], None]


@dataclass(frozen=True)
class Part:
    """One section of the page.

    Attributes
    ----------
    name
        What the command line knows it by.
    description
        The title.
    measure
        Fills the cache on the processor, or draws.
    render
        Makes the section from the cache.
    measure_on_device
        Fills the cache of another device; None if there is nothing to measure on one.
    """

    name: str
    description: str
    measure: Measure
    render: Callable[[PaperSettings], Section]
    measure_on_device: Measure | None = None


PARTS: Registry[Part] = Registry(
    "part",
    (
        Part(
            table1.PART,
            "Table 1: objective ratios and runtimes",
            table1.measure,
            table1_rows.render,
            table1_device.measure,
        ),
        Part(
            table2.PART,
            "Table 2: growing graphs",
            table2.measure,
            table2_rows.render,
            table2_device.measure,
        ),
        *(
            Part(module.PART, module.TITLE, module.measure, module.render)
            for module in (
                ablation,
                recipe,
                readings,
                cycle_study,
                seed_study,
                dataset_study,
                configurations,
                pictures,
            )
        ),
    ),
)


def measure_parts(parts: Iterable[Part], settings: PaperSettings) -> None:
    """Measure on the device of the settings what is not measured yet."""
    if settings.data is not None:
        check_measured(settings.data, settings.cache)
    for part in parts:
        if settings.device == "cpu":
            part.measure(settings)
        elif part.measure_on_device is not None:
            part.measure_on_device(settings)
