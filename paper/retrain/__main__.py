"""``python -m paper.retrain``: train networks of the page again, many at a time."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from types import FrameType
from typing import Annotated, Any

import typer

from multicut._target import locked_folder
from multicut._words import count
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.running import run_command
from multicut.cli.train.network import parse_settings
from multicut.training.config import TrainingConfig
from multicut.training.curves import read_curve
from paper.retrain.jobs import Job, plan
from paper.retrain.lists import ALL, absent, configurations_in, explained, place_of
from paper.retrain.package import pack
from paper.retrain.pool import run_jobs
from paper.section import listed

_ARCHIVE = 15 * 2**20
# Seconds to stop, measure and archive in.
_RESERVE = 25.0


def retrain(
    configs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="CONFIG",
            help="Settings of runs, or lists of them, most urgent first; by default all.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="DIR", help="Where runs go.")
    ] = Path("runs"),
    slots: Annotated[int, typer.Option("--slots", min=1, help="Runs at a time.")] = 6,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            min=1,
            help="Have everything written after so many seconds; runs stop 25 seconds before.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Replace a setting of all; repeatable."),
    ] = None,
    archive: Annotated[
        Path | None,
        typer.Option("--archive", metavar="DIR", help="Write archives of what came of it here."),
    ] = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", help="Let others go on when one has failed.")
    ] = False,
    weights: Annotated[
        list[str] | None,
        typer.Option("--weights", metavar="NAME", help="Archive weights of runs of this name."),
    ] = None,
) -> None:
    """Train networks, several at a time; the same command goes on where it was stopped."""
    started = time.time()
    deadline = None if time_limit is None else time.time() + max(1.0, time_limit - _RESERVE)
    signal.signal(signal.SIGTERM, _interrupt)
    changes = parse_settings(settings or [])
    if "output" in changes:
        raise ValueError(f"--set output={changes['output']}: use --output for the folder of runs")
    runs, left_out = _read(configs or ALL, output, changes)
    say = partial(print, flush=True)
    output.mkdir(parents=True, exist_ok=True)
    with locked_folder(output):
        jobs = plan(runs, output)

        def keep() -> None:
            if archive is not None:
                names = weights or ()
                pack(jobs, output, archive, weights=names, most_bytes=_ARCHIVE, say=say)

        for line in (*explained(left_out), left(jobs)):
            say(line)
        went_well = run_jobs(
            jobs,
            output / "graphs",
            slots=slots,
            deadline=deadline,
            keep_going=keep_going,
            say=say,
            after=keep,
        )
    print(table(jobs))
    print(f"{ended(jobs)}; this call took {time.time() - started:,.0f} s")
    if left_out:
        print(f"{len(left_out)} more were left out, since they lack their graphs; see above")
    if not went_well:
        failed = [job.name for job in jobs if job.state == "error"]
        if not failed and any(job.state == "interrupt" for job in jobs):
            raise InterruptedCommandError("the same command goes on")
        advice = f"log.txt in the folder of {listed(failed)} says why" if failed else "see above"
        print(f"error: not all went well; {advice}", file=sys.stderr)
        raise typer.Exit(1)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Take what batch systems send before they kill for Ctrl-C, once: `timeout` sends it twice."""
    signal.signal(number, signal.SIG_IGN)
    on_ctrl_c = signal.getsignal(signal.SIGINT)
    # It is none where the shell ignores Ctrl-C, such as in a background job.
    (on_ctrl_c if callable(on_ctrl_c) else signal.default_int_handler)(signal.SIGINT, frame)


def _read(
    paths: Iterable[Path], output: Path, changes: Mapping[str, Any]
) -> tuple[list[TrainingConfig], dict[str, list[str]]]:
    """Return the settings of the runs that have their graphs, and what others lack, by name."""
    runs: list[TrainingConfig] = []
    left_out: dict[str, list[str]] = {}
    for path in dict.fromkeys(chain.from_iterable(map(configurations_in, paths))):
        place = {"output": str(output / place_of(path))}
        run = TrainingConfig.from_file(path).updated({**changes, **place})
        if names := absent(run):
            left_out[path.stem] = names
        else:
            runs.append(run)
    return runs, left_out


def ended(jobs: list[Job]) -> str:
    """Return how many runs have ended."""
    own = [job for job in jobs if not job.is_trunk]
    return f"{sum(job.state == 'done' for job in own)} of {len(own)} runs have ended"


def left(jobs: list[Job]) -> str:
    """Return how much is left to train."""
    runs = sum(job.state != "done" and not job.is_trunk for job in jobs)
    instances = sum(job.instances_left for job in jobs)
    return f"left: {count(runs, 'run')}, {count(instances, 'instance')}"


def table(jobs: list[Job]) -> str:
    """Return a line for each run: how far it came, its last validation and its test values."""
    lines = [
        f"{'run':44} {'state':>10} {'instances':>9} feasible optimal  objective IrisMP RandomMP"
    ]
    for job in jobs:
        if job.is_trunk:
            continue
        rows = read_curve(job.folder / "validation.csv")
        last = rows[-1] if rows else {}
        values = [f"{float(last.get(n) or 'nan'):8.4f}" for n in _MEASURES]
        lines.append(
            f"{job.name:44} {job.state:>10} {last.get('instances', '-'):>9} {' '.join(values)} "
            f"{_test(job.folder)}"
        )
    return "\n".join(lines)


_MEASURES = ("feasible_ratio", "optimal_ratio", "objective_ratio")


def _test(folder: Path) -> str:
    path = folder / "tests.json"
    if not path.exists():
        return "-"
    found: dict[str, Any] = json.loads(path.read_text())
    return " ".join(f"{each['objective_ratio']:.4f}" for each in found["best"].values())


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return run_command(retrain, "python -m paper.retrain", arguments)


if __name__ == "__main__":
    sys.exit(main())
