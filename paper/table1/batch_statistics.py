"""Networks with the batch statistics of the test set's family, in place of those of training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import MISSING, ratio
from multicut.models import ModelRecord, load_model
from multicut.nn.adaptation import adapt
from paper.evaluation_sets import COMPARABLE, EASIER, column_title
from paper.section import Record, Section, wrapped
from paper.settings import PaperSettings
from paper.table1.reasons import graphs_of, name_of, ratios_by_bias

if TYPE_CHECKING:
    from paper.table1.entries import Row

PART = "batch_statistics"

_EXPLANATION = """\
**Batch statistics of the test set's family.** Batch normalisation has the means and deviations of
training. On graphs of the other family, states have others. Here [`adapt`]({adapt}) measures them
anew on {count} validation graphs of the test set's family, without their solutions. Weights stay as
they are, and costs are normalised in both columns. The paper says that all its networks have batch
normalisation, but not which statistics it tested them with."""
_ADAPT = "networks.md#graphs-of-another-kind"


def adapted_key(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name the cell of a model with the statistics of a test set's family."""
    return name_of(settings, record, test_set)


def measure(settings: PaperSettings, records: Sequence[ModelRecord]) -> None:
    """Measure networks with batch normalisation on the sets that compare."""
    store = settings.open_cache(PART)

    def adapted(record: ModelRecord, test_set: str) -> Cell:
        settings.report(f"{record.name} on {test_set}, batch statistics of its family")
        validation = graphs_of(settings, test_set, "valid")
        model = adapt(load_model(record.name), validation)
        value = ratios_by_bias(model, graphs_of(settings, test_set, "test"), [0.0])[0.0]
        return {"ratio": value, "num_graphs": len(validation)}

    for record in records:
        if not record.card["network"].get("batch_norm"):
            continue
        for test_set in COMPARABLE:
            store.get(
                adapted_key(settings, record, test_set),
                lambda r=record, t=test_set: adapted(r, t),  # type: ignore[misc]
            )


def write_batch_statistics(section: Section, settings: PaperSettings, rows: Sequence[Row]) -> None:
    """Add the table, if anything was measured."""
    cells = settings.open_cache(PART).cells
    texts: list[list[str]] = []
    records: list[Record] = []
    for row in rows:
        found = {} if row.record is None else _cells_of(settings, row.record, cells)
        if not found:
            continue
        texts.append([f"`{row.name}`"])
        for name in COMPARABLE:
            shipped = row.cells[name]["ratio"] if name in row.cells else None
            cell = found.get(name)
            values = (shipped, None if cell is None else cell["ratio"])
            texts[-1] += [MISSING if value is None else ratio(value) for value in values]
            records.append(
                {
                    "model": row.name,
                    "test_set": name,
                    "is_easier": name in EASIER,
                    "is_own_family": row.name.endswith(name.lower()),
                    "ratio": shipped,
                    "adapted_ratio": values[1],
                    "num_graphs": None if cell is None else cell["num_graphs"],
                }
            )
    if not records:
        return
    count = max(each["num_graphs"] or 0 for each in records)
    section.write(wrapped(_EXPLANATION.format(adapt=_ADAPT, count=count)))
    columns = ["network"]
    for name in COMPARABLE:
        columns += [f"{column_title(name)}, of training", f"{column_title(name)}, of its family"]
    section.tabulate("batch_statistics", records, columns, texts, 1)
    section.write(wrapped(_summary(records)))


def _cells_of(
    settings: PaperSettings, record: ModelRecord, cells: Mapping[str, Cell]
) -> dict[str, Cell]:
    found = {name: cells.get(adapted_key(settings, record, name)) for name in COMPARABLE}
    return {name: cell for name, cell in found.items() if cell is not None}


def _summary(records: Sequence[Record]) -> str:
    """Say by how much the statistics change ratios on the own family and on the other one."""
    known = [each for each in records if None not in (each["ratio"], each["adapted_ratio"])]
    texts = []
    for is_own in (False, True):
        changes = {
            f"`{each['model']}`": each["adapted_ratio"] - each["ratio"]
            for each in known
            if each["is_own_family"] == is_own
        }
        if not changes:
            continue
        low, high = min(changes, key=changes.__getitem__), max(changes, key=changes.__getitem__)
        verb = "was trained on" if is_own else "was not trained on"
        texts.append(
            f"On the family that a network {verb}, ratios change by {changes[low]:+.4f} ({low}) "
            f"to {changes[high]:+.4f} ({high})."
        )
    return " ".join(texts)
