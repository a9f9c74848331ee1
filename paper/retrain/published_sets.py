"""The runs that finetune on published graphs: ``python -m paper.retrain.published_sets FOLDER``.

Prints the configurations of those sets that the folder has the published graphs of. ``make
published-graphs`` trains them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from multicut.cli.arguments import check_data
from multicut.cli.running import run_command
from paper.published_graphs import TITLES, find_published

_CONFIGS = Path("configs/finetuning")


def configurations(data: Path, configs: Path = _CONFIGS) -> list[Path]:
    """Return the files of the sets that a folder has the published graphs of.

    Raises
    ------
    ValueError
        If it has those of no set, or a part of a set.
    """
    corpora = [name for name in TITLES if find_published(name, data) is not None]
    if not corpora:
        raise ValueError(
            f"{data} has the published graphs of none of {', '.join(TITLES.values())}; "
            f"paper/README.md says which files they are"
        )
    return [path for name in corpora for path in sorted(configs.glob(f"{name}-*.toml"))]


def print_configurations(
    data: Annotated[Path, typer.Argument(metavar="FOLDER", help="The published graphs.")],
) -> None:
    """Print the configurations of the sets whose published graphs are there, a line for each."""
    check_data(data)
    print(*configurations(data), sep="\n")


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(print_configurations, "python -m paper.retrain.published_sets", arguments)


if __name__ == "__main__":
    sys.exit(main())
