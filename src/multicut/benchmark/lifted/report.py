"""The results as a table for people and as JSON for programs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from multicut.benchmark.markdown import MISSING, milliseconds, table
from multicut.benchmark.pages import write_pages
from multicut.benchmark.report import describe_environment

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from multicut.benchmark.lifted.run import LiftedRow

COLUMNS = (
    "instances",
    "solver",
    "nodes",
    "edges",
    "lifted",
    "total ms",
    "peer total",
    "speed-up",
    "as good after",
    "objective",
    "peer objective",
    "ratio",
    "same",
)


@dataclass(frozen=True)
class LiftedReport:
    """The rows of the benchmark, and what one has to know to repeat it."""

    rows: tuple[LiftedRow, ...]
    environment: dict[str, Any]

    @classmethod
    def of(cls, rows: Sequence[LiftedRow], command: str) -> LiftedReport:
        """Add to the rows the versions, the processor, the date and the command."""
        return cls(tuple(rows), describe_environment(command))

    def cells(self) -> list[tuple[str, ...]]:
        """Format all rows: a text for each of the columns."""
        return [_cells(row) for row in self.rows]


def _cells(row: LiftedRow) -> tuple[str, ...]:
    peer = row.peer
    return (
        row.instances,
        row.solver,
        f"{row.num_nodes:,}",
        f"{row.num_edges:,}",
        f"{row.num_lifted:,}",
        milliseconds(row.ours.total_seconds),
        milliseconds(peer.total_seconds) if peer else MISSING,
        f"{row.speedup:.1f}x" if row.speedup else MISSING,
        milliseconds(row.seconds_to_peer) if row.seconds_to_peer else MISSING,
        f"{row.ours.objective:,.1f}",
        f"{peer.objective:,.1f}" if peer else MISSING,
        f"{row.ratio:.5f}" if row.ratio else MISSING,
        MISSING if row.is_same is None else "yes" if row.is_same else "no",
    )


def write_lifted_report(report: LiftedReport, folder: Path) -> tuple[Path, Path]:
    """Write ``lifted.md`` and ``lifted.json`` into a folder, which is made if need be."""
    lines = table(COLUMNS, report.cells(), num_left=2)
    rows = [asdict(row) | {"speedup": row.speedup, "ratio": row.ratio} for row in report.rows]
    title = "Lifted multicuts and agglomeration side by side"
    return write_pages(folder, "lifted", title, report.environment, lines, rows)
