"""Which runs `make retrain` trains, where they go, and which of them lack their graphs."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

from multicut.datasets.shipped import SHIPPED
from multicut.training.config import TrainingConfig
from multicut.training.named_graphs import is_fresh

#: The lists of all runs, most urgent first.
ALL = tuple(Path("paper/retrain", f"plan{name}.toml") for name in ("-long", "", "-all"))
_CONFIGS = Path("configs")
# Some of its runs have the names of shipped networks.
_EARLIER = "earlier"
# What makes the graphs in a folder.
_COMMANDS = {
    Path("build/pool"): "make pool",
    Path("build/finetuning"): "python -m benchmarks.finetuning_data FOLDER",
}


def configurations_in(path: Path) -> list[Path]:
    """Return the settings that a list names, or the file itself if it is no list.

    A list is a file with the array ``runs`` of paths or patterns in ``configs``, most urgent first.
    """
    with path.open("rb") as file:
        content = tomllib.load(file)
    if "runs" not in content:
        return [path]
    return [found for name in content["runs"] for found in _matching(name, path)]


def _matching(name: str, path: Path) -> list[Path]:
    found = sorted(_CONFIGS.glob(name))
    if not found:
        raise ValueError(f"{path}: {name} matches no configuration")
    return found


def place_of(config: Path) -> Path:
    """Return where a run goes, within the folder of all runs, by the file with its settings."""
    return Path(_EARLIER if config.parent.name == _EARLIER else "", config.stem)


def check_runs(folder: Path) -> None:
    """Raise an error if a folder holds no runs."""
    if not folder.is_dir():
        raise ValueError(f"RUNS {str(folder)!r}: no such folder; name the one with the runs")
    if not any(chain(folder.glob("*/summary.json"), folder.glob("*/*/summary.json"))):
        raise ValueError(
            f"RUNS {str(folder)!r}: holds no runs; name what `python -m paper.retrain -o` wrote to"
        )


def absent(config: TrainingConfig) -> list[str]:
    """Return the datasets that a run needs and that are not there."""
    return [
        name
        for graphs, split in ((config.train, "train"), (config.validation, "valid"))
        for name in _names(graphs)
        if not _is_there(name, split)
    ]


def _names(graphs: str | Mapping[str, float]) -> Iterable[str]:
    return [name for name in ([graphs] if isinstance(graphs, str) else graphs) if name]


def _is_there(name: str, split: str) -> bool:
    if is_fresh(name) or name.partition(":")[0] in SHIPPED:
        return True
    return Path(name, split).exists() or (Path(name).exists() and not Path(name, "train").exists())


def explained(left_out: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield lines on the runs that are left out: which, what they lack, and what makes that."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for run, names in left_out.items():
        groups.setdefault(tuple(dict.fromkeys(names)), []).append(run)
    for names, runs in groups.items():
        commands = {_COMMANDS[part] for name in names for part in _COMMANDS if _lies_in(name, part)}
        advice = f"; make it with `{'`, `'.join(sorted(commands))}`" if commands else ""
        yield f"left out for lack of {', '.join(names)}{advice}: {', '.join(runs)}"


def _lies_in(name: str, folder: Path) -> bool:
    return folder in Path(name).parents
