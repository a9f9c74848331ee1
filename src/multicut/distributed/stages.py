"""Stages of a computation in a folder: what is done stays done, whoever is killed."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from multicut._dask import run_tasks
from multicut._target import open_target
from multicut.distributed.measured import measured
from multicut.io.errors import DAMAGE

if TYPE_CHECKING:
    from distributed import Client

#: Called with the name of a stage, the tasks of it that are done, and all of them.
Report: TypeAlias = Callable[[str, int, int], None]
#: What a task tells about its work: small, and of plain values.
Summary: TypeAlias = dict[str, Any]
Task: TypeAlias = tuple[str, tuple[Any, ...]]


def run_stage(
    folder: Path,
    stage: str,
    function: Callable[..., Summary],
    tasks: Sequence[Task],
    *,
    client: Client | None,
    report: Report | None = None,
) -> list[Summary]:
    """Call a function for each task that is not done yet; return the summaries of all of them.

    A task is done when its summary is there, ``folder/stage/NAME.json``. It is written last, and
    like all files completely or not at all. So a stage that was interrupted goes on where it was,
    and two processes that do the same task at once do no harm. Files do not wait for the disk: they
    survive the end of any process, but not that of the machine.

    A summary also says what its task took: `seconds`, `processor_seconds` and `peak_memory`.

    Parameters
    ----------
    folder
        Where the computation keeps its files; workers need it under the same path.
    stage
        The name of the stage and of its folder.
    function
        Called with the folder of the computation, as text, and the arguments of the task. It writes
        files and returns a summary. It depends on nothing but its arguments and files of earlier
        stages.
    tasks
        Names and arguments.
    client
        Who calls it; None calls it in this process.
    report
        Called whenever a task is done.
    """
    place = folder / stage
    place.mkdir(parents=True, exist_ok=True)
    summaries = [read_summary(place / f"{name}.json") for name, _ in tasks]
    missing = [index for index, summary in enumerate(summaries) if summary is None]
    done = len(tasks) - len(missing)
    if report is not None:
        report(stage, done, len(tasks))
    calls = [
        (function, str(folder), str(place / f"{tasks[index][0]}.json"), index, tasks[index][1])
        for index in missing
    ]
    found = (_do(*call) for call in calls) if client is None else run_tasks(client, _do, calls)
    for index, summary in found:
        summaries[index] = summary
        done += 1
        if report is not None:
            report(stage, done, len(tasks))
    return [summary for summary in summaries if summary is not None]


def _do(
    function: Callable[..., Summary],
    folder: str,
    file: str,
    index: int,
    arguments: tuple[Any, ...],
) -> tuple[int, Summary]:
    with measured() as taken:
        summary = function(folder, *arguments)
    summary |= taken
    with open_target(Path(file), survives_power_failure=False) as target:
        target.write(json.dumps(summary).encode())
    return index, summary


def read_summary(file: Path) -> Summary | None:
    """Return the summary of a task; None if it is not done."""
    try:
        return dict(json.loads(file.read_bytes()))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise _damage(file, error) from None


def _damage(file: Path, error: Exception) -> ValueError:
    """Return the error for a file that was complete once.

    Only the end of the machine damages files, and then others may be damaged, too.
    """
    reason = " ".join(str(error).split())
    return ValueError(f"{file}: is damaged ({reason}); remove the whole workspace and start again")


def save_arrays(file: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays to a file; equal arrays give equal bytes."""
    with open_target(file, survives_power_failure=False) as target:
        np.savez(target, **arrays)  # type: ignore[arg-type]


def load_arrays(file: Path) -> Mapping[str, NDArray[Any]]:
    """Read all arrays of a file; what was damaged since it was written is an error of one line."""
    try:
        # Opened here, since numpy leaves what is damaged open.
        with file.open("rb") as source, np.load(source, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}
    except FileNotFoundError:
        raise
    except (*DAMAGE, ValueError) as error:
        raise _damage(file, error) from None


def compact(nodes: NDArray[Any]) -> NDArray[Any]:
    """Return nodes in four bytes each, if they fit."""
    fits = len(nodes) == 0 or (nodes.min() >= 0 and nodes.max() < 2**32)
    return nodes.astype(np.uint32) if fits else nodes


def save_array(file: Path, array: NDArray[Any]) -> None:
    """Write one array, of which parts can be read."""
    with open_target(file, survives_power_failure=False) as target:
        np.save(target, array)


def map_array(file: Path) -> NDArray[Any]:
    """Open an array; only what is used of it is read."""
    try:
        array: NDArray[Any] = np.load(file, mmap_mode="r", allow_pickle=False)
    except FileNotFoundError:
        raise
    except (*DAMAGE, ValueError):
        try:  # of no elements, which cannot be mapped
            return np.asarray(np.load(file, allow_pickle=False))
        except (*DAMAGE, ValueError) as error:
            raise _damage(file, error) from None
    return array
