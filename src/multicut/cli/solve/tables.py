"""``multicut solve`` of an edge table in Parquet files, on workers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut.cli.arguments import check_not_read, check_writable, name_of
from multicut.cli.console import answer_block, print_json, say
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.stage_progress import stage_progress

_SUFFIX = ".parquet"
_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(|[KMGT]i?)B?", re.IGNORECASE)
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY_UNITS = {"ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


@dataclass(frozen=True)
class TableOptions:
    """Options of the command that are for edge tables alone."""

    cluster: str | None
    workers: int | None
    memory: str | None
    blocks: str | None
    coordinates: Path | None
    workspace: Path | None
    rounds: int | None

    def check_none(self) -> None:
        """Refuse them for another file."""
        for name, value in vars(self).items():
            if value is not None:
                raise ValueError(
                    f"--{name} is for edge tables; name a Parquet file or a folder of these"
                )


def is_table(path: Path) -> bool:
    """Whether a path names an edge table: a Parquet file or a folder with some."""
    if path.suffix.lower() == _SUFFIX:
        return True
    return path.is_dir() and next(path.rglob(f"*{_SUFFIX}"), None) is not None


def solve_table(
    file: Path,
    table: TableOptions,
    *,
    solver: str,
    time_limit: float | None,
    seed: int,
    options: dict[str, Any],
    bound: bool,
    output: Path | None,
    as_json: bool,
) -> None:
    """Solve an edge table, print the result and write its labels."""
    import multicut as mc

    if output is None:
        raise ValueError("--output is needed for an edge table: a file such as labels.parquet")
    check_writable(output, "--output", (_SUFFIX,))
    check_not_read(output, "--output", file, table.coordinates)
    if table.rounds is not None and not bound:
        raise ValueError("--rounds is for the bound; add --bound")
    if table.cluster is not None and (table.workers is not None or table.memory is not None):
        raise ValueError("--workers and --memory are for this machine; leave them or --cluster out")
    rounds = {} if table.rounds is None else {"bound_rounds": table.rounds}
    with stage_progress(shown=not as_json) as report:
        try:
            result = mc.solve_distributed(
                file,
                output=output,
                cluster=table.cluster,
                num_workers=table.workers,
                memory_limit=None if table.memory is None else parse_memory(table.memory),
                solver=solver,
                time_limit=time_limit,
                seed=seed,
                blocks=_blocks_of(table.blocks),
                coordinates=table.coordinates,
                bound=bound,
                workspace=table.workspace,
                report=report,
                announce=lambda line: say(f"Solving {name_of(file)} {line}.", quiet=as_json),
                **rounds,
                **options,
            )
        except KeyboardInterrupt:
            raise InterruptedCommandError("run the same command again to resume") from None
    if as_json:
        print_json({"file": str(file)} | result.to_dict())
    else:
        answer_block(result.rows())
    say(f"Labels written to {output}.", quiet=as_json)


def _blocks_of(text: str | None) -> int | str | None:
    """Read a number of blocks, the word stream, or the name of a table."""
    if text is None or not text.isdecimal():
        if text is not None and text != "stream" and not Path(text).exists():
            raise ValueError(f"--blocks must be a number, stream or a Parquet file, got {text!r}")
        return text
    return int(text)


def parse_memory(text: str) -> int:
    """Read an amount of memory such as ``2GiB`` or ``500MB``."""
    found = _MEMORY.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"--memory must be an amount such as 2GiB, got {text!r}")
    unit = (_UNITS | _BINARY_UNITS)[found[2].lower()]
    return int(float(found[1]) * unit)
