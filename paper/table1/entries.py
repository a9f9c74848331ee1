"""The rows of Table 1: solvers and networks, how each was trained and selected, and its cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multicut.benchmark.cache import Cache, Cell
from multicut.models import DEFAULT_MODEL, ModelRecord, list_models
from paper.evaluation_sets import COMPARABLE, EvaluationSet
from paper.published import TABLE_1, TEST_SETS
from paper.settings import PaperSettings
from paper.table1.processor import BOUNDED, BOUNDED_BY_GPU, CLASSICAL, cell_key, harmonic_mean

#: What no network is: solvers, and GAEC with a budget.
SOLVERS = (*CLASSICAL, BOUNDED, BOUNDED_BY_GPU)


@dataclass(frozen=True)
class Row:
    """A solver or a model, and its cells by test set; ``record`` is of a model that is at hand."""

    name: str
    alpha: float | None
    cells: Mapping[str, Cell]
    num_instances: int | None = None
    depth: int | None = None
    max_cycle_length: int | None = None
    selected_on: tuple[str, ...] = ()
    record: ModelRecord | None = None

    @property
    def is_network(self) -> bool:
        """Whether it is one that is trained."""
        return self.name not in SOLVERS

    @property
    def is_trained(self) -> bool:
        """Whether it is a network with weights."""
        return self.record is not None

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
        record = models.get(name)
        if name not in SOLVERS and record is None:
            rows.append(Row(name, None, {}))
            continue
        who = record or name
        found = {chosen.name: store.cells.get(cell_key(settings, who, chosen)) for chosen in sets}
        cells = {column: cell for column, cell in found.items() if cell is not None}
        rows.append(Row(name, None, cells) if record is None else _network_row(record, cells))
    return rows


def _network_row(record: ModelRecord, cells: Mapping[str, Cell]) -> Row:
    phases = phases_of(record)
    alpha = float(phases[-1]["alpha_reached"]) if phases else None
    num_instances = sum(phase["instances_of_the_run"] for phase in phases) if phases else None
    shape = (num_instances, *_shape_of(record, phases))
    return Row(record.name, alpha, cells, *shape, selected_on(record), record)


def phases_of(record: ModelRecord) -> list[dict[str, Any]]:
    """Return the phases of training, where the card tells."""
    phases = record.card.get("training")
    return phases if isinstance(phases, list) else []


def selected_on(record: ModelRecord) -> tuple[str, ...]:
    """Return the families whose validation graphs chose a network, where the card tells.

    An earlier phase whose best network is its last one chose nothing: without any validation, the
    next phase would have started from the same network.
    """
    *earlier, last = phases_of(record) or [record.card]
    return _families([phase for phase in earlier if not _kept_last(phase)] + [last])


def undecided_families(record: ModelRecord) -> tuple[str, ...]:
    """Return the families that earlier phases were validated on without any effect.

    Nothing where these are among those that chose the network.
    """
    *earlier, _ = phases_of(record) or [record.card]
    found = _families([phase for phase in earlier if _kept_last(phase)])
    return found if set(found) - set(selected_on(record)) else ()


def _kept_last(phase: Mapping[str, Any]) -> bool:
    """Whether the best network of a phase is its last one."""
    return bool(phase["instances"] == phase["instances_of_the_run"])


def _families(phases: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    known = {name.lower(): name for name in COMPARABLE}
    names: set[str] = set()
    for phase in phases:
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
