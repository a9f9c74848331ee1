"""The rows of Table 1: solvers and networks, how each was trained and selected, and its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multicut.benchmark.cache import Cache, Cell
from multicut.models import DEFAULT_MODEL, ModelRecord, list_models
from paper.evaluation_sets import EvaluationSet
from paper.published import TABLE_1, TEST_SETS
from paper.settings import PaperSettings
from paper.table1.processor import BOUNDED, BOUNDED_BY_GPU, CLASSICAL, cell_key, harmonic_mean
from paper.table1.reasons import COMPARABLE


@dataclass(frozen=True)
class Row:
    """A solver or a model, and its cells by test set."""

    name: str
    alpha: float | None
    is_trained: bool
    cells: Mapping[str, Cell]
    num_instances: int | None = None
    depth: int | None = None
    max_cycle_length: int | None = None
    selected_on: tuple[str, ...] = ()
    record: ModelRecord | None = None

    @property
    def saw_others(self) -> bool:
        """Whether it was selected on graphs of another family than it was trained on."""
        own = self.name.rpartition("-")[2]
        return any(name.lower() != own for name in self.selected_on)

    @property
    def selection(self) -> str:
        """Which validation graphs chose it, if others than those of its own training set."""
        if not self.saw_others:
            return ""
        return " + ".join(self.selected_on)

    @property
    def harmonic_mean(self) -> float | None:
        """Over all test sets; None if one is missing."""
        ratios = [cell["ratio"] for cell in self.cells.values()]
        return harmonic_mean(ratios) if len(ratios) == len(TEST_SETS) else None

    def total(self, key: str) -> float | None:
        """Add up a time over the test sets at hand."""
        values = [cell[key] for cell in self.cells.values() if cell[key] is not None]
        return sum(values) if values else None


def find_rows(store: Cache, settings: PaperSettings, sets: Sequence[EvaluationSet]) -> list[Row]:
    """Return the rows in the order of the published table, then those that it has not."""
    models = {record.name: record for record in list_models()}
    rows = []
    for name in (*TABLE_1, DEFAULT_MODEL, BOUNDED_BY_GPU, "klj", "fusion"):
        is_model = name not in (*CLASSICAL, BOUNDED, BOUNDED_BY_GPU)
        if is_model and name not in models:
            rows.append(Row(name, None, False, {}))
            continue
        who = models[name] if is_model else name
        found = {chosen.name: store.cells.get(cell_key(settings, who, chosen)) for chosen in sets}
        cells = {column: cell for column, cell in found.items() if cell is not None}
        phases = _phases_of(who) if isinstance(who, ModelRecord) else []
        alpha = float(phases[-1]["alpha_reached"]) if phases else None
        num_instances = sum(phase["instances_of_the_run"] for phase in phases) if phases else None
        depth, length = _shape_of(who, phases) if isinstance(who, ModelRecord) else (None, None)
        selected_on = _selected_on(who) if isinstance(who, ModelRecord) else ()
        record = who if isinstance(who, ModelRecord) else None
        shape = (num_instances, depth, length)
        rows.append(Row(name, alpha, True, cells, *shape, selected_on, record))
    return rows


def _phases_of(record: ModelRecord) -> list[dict[str, Any]]:
    """Return the phases of training, where the card tells."""
    phases = record.card.get("training")
    return phases if isinstance(phases, list) else []


def _selected_on(record: ModelRecord) -> tuple[str, ...]:
    """Return the families whose validation graphs chose a network, where the card tells.

    An earlier phase whose last network was taken chose nothing.
    """
    *earlier, last = _phases_of(record) or [record.card]
    chosen = [each for each in earlier if each["instances"] < each["instances_of_the_run"]]
    known = {name.lower(): name for name in COMPARABLE}
    names: set[str] = set()
    for phase in (*chosen, last):
        validation = phase.get("validation") or {}
        names |= set(validation.get("by_dataset") or ())
        names.add(str(validation.get("split", "")).partition(":")[0])
    return tuple(sorted(known[name] for name in names if name in known))


def _shape_of(
    record: ModelRecord, phases: Sequence[Mapping[str, Any]]
) -> tuple[int | None, int | None]:
    """Return the depth of a network with layers, and l of its CCL, where the card tells."""
    depth = record.card["network"].get("depth")
    length = phases[-1].get("max_cycle_length") if phases else None
    if record.card["network"]["architecture"] in ("lr", "mlp"):
        return None, None  # these have neither
    return depth, length
