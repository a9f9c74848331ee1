"""The parts of the page, in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from multicut._registry import Registry
from multicut.benchmark.paper import cycle_study, pictures, studies, table1, table2
from multicut.benchmark.paper.settings import PaperSettings


@dataclass(frozen=True)
class Part:
    """One section: what fills the cache or draws, and what renders it in Markdown."""

    name: str
    description: str
    measure: Callable[[PaperSettings], None]
    render: Callable[[PaperSettings], list[str]]


PARTS: Registry[Part] = Registry(
    "part",
    (
        Part(module.PART, module.TITLE, module.measure, module.render)
        for module in (table1, table2, studies, cycle_study, pictures)
    ),
)
