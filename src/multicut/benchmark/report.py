"""The results as a table for people and as JSON for programs."""

from __future__ import annotations

import os
import platform
import shlex
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._version import __version__
from multicut.benchmark.contests import CONTESTS, PEER, peer_is_installed
from multicut.benchmark.markdown import MISSING
from multicut.benchmark.pages import write_pages

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicut.benchmark.run import Row

COLUMNS = (
    "instances",
    "nodes",
    "edges",
    "solver",
    "build ms",
    "solve ms",
    "total ms",
    "peer build",
    "peer solve",
    "peer total",
    "speed-up",
    "objective",
    "peer objective",
    "ratio",
    "mean ratio",
    "peer mean",
    "MB",
    "peer MB",
)
# These would not fit a screen.
_FILES_ONLY = {"nodes", "build ms", "solve ms", "peer build", "peer solve"}
SCREEN_COLUMNS = tuple(column for column in COLUMNS if column not in _FILES_ONLY)

NOT_INSTALLED = "not installed"


@dataclass(frozen=True)
class Report:
    """The rows of a benchmark, and what one has to know to repeat it."""

    rows: tuple[Row, ...]
    environment: dict[str, Any]

    @classmethod
    def of(cls, rows: Sequence[Row], command: str) -> Report:
        """Add to the rows the versions, the processor, the date and the command."""
        return cls(tuple(rows), describe_environment(command))

    def cells(self) -> list[dict[str, str]]:
        """Format all rows."""
        installed = self.environment[PEER] != NOT_INSTALLED
        return [cells(row, peer_installed=installed) for row in self.rows]


def describe_environment(command: str) -> dict[str, Any]:
    """Name everything outside this code that the numbers depend on."""
    return {
        "command": without_places(command),
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "multicut": __version__,
        PEER: metadata.version(PEER) if peer_is_installed() else NOT_INSTALLED,
        "numpy": metadata.version("numpy"),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cpu": _processor(),
        "cpu_count": os.cpu_count(),
    }


def without_places(command: str) -> str:
    """Shorten absolute paths: where folders are on one machine, nobody else needs to know."""
    return " ".join(_quoted(_without_place(word)) for word in shlex.split(command))


def _without_place(word: str) -> str:
    name, equals, value = word.partition("=")
    if equals and Path(value).is_absolute():
        return f"{name}=…/{Path(value).name}"
    return f"…/{Path(word).name}" if Path(word).is_absolute() else word


def _quoted(word: str) -> str:
    """Quote a word for a shell if it needs that; an ellipsis does not."""
    plain = word.replace("…", "")
    return word if shlex.quote(plain) == plain else shlex.quote(word)


def cells(row: Row, *, peer_installed: bool) -> dict[str, str]:
    """Format one row: a text for each of the columns."""
    ours, peer = row.ours, row.peer
    missing = MISSING if peer_installed else NOT_INSTALLED
    several = row.num_graphs > 1
    return {
        "instances": row.instances,
        "nodes": f"{row.num_nodes:,}",
        "edges": f"{row.num_edges:,}",
        "solver": row.solver,
        "build ms": _milliseconds(ours.build_seconds),
        "solve ms": _milliseconds(ours.solve_seconds),
        "total ms": _milliseconds(ours.total_seconds),
        "peer build": _milliseconds(peer.build_seconds) if peer else missing,
        "peer solve": _milliseconds(peer.solve_seconds) if peer else missing,
        "peer total": _milliseconds(peer.total_seconds) if peer else missing,
        "speed-up": f"{row.speedup:.1f}x" if row.speedup else MISSING,
        "objective": _objective(ours.objective),
        "peer objective": _objective(peer.objective) if peer else missing,
        "ratio": f"{row.ratio:.5f}" if row.ratio else MISSING,
        "mean ratio": f"{ours.mean_ratio:.5f}" if peer and several else MISSING,
        "peer mean": f"{peer.mean_ratio:.5f}" if peer and several else MISSING,
        "MB": _megabytes(ours.peak_bytes),
        "peer MB": _megabytes(peer.peak_bytes) if peer else MISSING,
    }


def write_report(report: Report, folder: Path) -> tuple[Path, Path]:
    """Write ``solvers.md`` and ``solvers.json`` into a folder, which is made if need be."""
    marks = ["---" if column in ("instances", "solver") else "---:" for column in COLUMNS]
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{'|'.join(marks)}|"]
    lines += [f"| {' | '.join(texts.values())} |" for texts in report.cells()]
    rows = [
        asdict(row)
        | {
            "peer_solver": CONTESTS[row.solver].peer_name,
            "speedup": row.speedup,
            "ratio": row.ratio,
        }
        for row in report.rows
    ]
    return write_pages(folder, "solvers", "Solvers side by side", report.environment, lines, rows)


def _processor() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return platform.processor() or "unknown"
    names = [line.partition(":")[2].strip() for line in text.splitlines() if "model name" in line]
    return names[0] if names else platform.processor() or "unknown"


def _milliseconds(seconds: float) -> str:
    value = 1000 * seconds
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _objective(value: float) -> str:
    return f"{value:,.1f}" if 1 <= abs(value) < 1e9 else f"{value:.6g}"


def _megabytes(count: int | None) -> str:
    return MISSING if count is None else f"{count / 1e6:,.1f}"
