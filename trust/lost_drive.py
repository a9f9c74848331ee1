"""Lose the drive that commands write to, at every moment: one line, and no half of a file.

``python -m trust.lost_drive`` compiles ``trust/native/lost_drive.cpp`` and runs itself with it.
From some call of the system on, all calls on files of one folder fail: those that write, as on a
full disk, or all, as on a network drive that is gone. Then the drive comes back, and the same
command has to give the same bytes as an undisturbed run. Needs Linux and a C++ compiler.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from trust.commands import COMMANDS, Campaign, Command, clear, content, leftovers, prepare, run
from trust.faults import record, refused

_SOURCE = Path(__file__).parent / "native" / "lost_drive.cpp"
_ARMED = "MULTICUT_LOST_DRIVE"
# Errors of a drive: full, over its quota; broken, gone, slow. The last three concern all calls.
_FULL = (errno.ENOSPC, errno.EDQUOT)
_LOST = (errno.EIO, errno.ESTALE, errno.ETIMEDOUT)


def main() -> None:
    """Run the campaign, in a process with the library."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--moments", type=int, default=4, help="for each command and error")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", help="names of commands")
    parser.add_argument("--record", action="store_true", help="add to the file of results")
    arguments = parser.parse_args()
    if _ARMED not in os.environ:
        raise SystemExit(_run_with_library())
    lose = ctypes.CDLL(None).lose_drive
    lose.restype = ctypes.c_long
    lose.argtypes = (ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int)
    commands = [c for c in COMMANDS if not arguments.only or c.name in arguments.only]
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder).resolve(), arguments.seed)
        start = time.monotonic()
        prepare(campaign, {command.name for command in commands})
        for command in commands:
            lose_often(campaign, command, lose, arguments.moments)
        campaign.counts["seconds"] = round(time.monotonic() - start)
        os.chdir("/")
    print(", ".join(f"{name}: {number}" for name, number in campaign.counts.items()))
    if arguments.record:
        record(campaign)
    raise SystemExit(f"{len(campaign.wrong)} promises were broken" if campaign.wrong else 0)


def _run_with_library() -> int:
    """Compile the library, and run this program with it."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "lost_drive.so"
        compiler = os.environ.get("CXX", "c++")
        options = ["-std=c++17", "-O2", "-shared", "-fPIC", "-ldl"]
        subprocess.run([compiler, *options, str(_SOURCE), "-o", str(library)], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library), _ARMED: "1"}
        command = [sys.executable, "-m", "trust.lost_drive", *sys.argv[1:]]
        return subprocess.run(command, env=environment, check=False).returncode


def lose_often(
    campaign: Campaign, command: Command, lose: Callable[..., int], num_moments: int
) -> None:
    """Lose the drive of a command at random moments, and at the first and the last of them."""
    target = campaign.folder / command.target
    whole = _undisturbed(campaign, command)
    for is_full, errors in ((True, _FULL), (False, _LOST)):
        calls = _calls(campaign, command, lose, is_full)
        what = "full drives" if is_full else "lost drives"
        for error in errors:
            moments = [
                0,
                calls - 1,
                *(campaign.chance.randrange(calls) for _ in range(num_moments)),
            ]
            for moment in moments:
                told = f"{errno.errorcode[error]} after {moment} of {calls} calls"
                clear(campaign)
                old = command.put_old(target)
                arm = partial(lose, bytes(campaign.folder), moment, error, int(is_full))
                status, text = run(command.arguments, arm)
                campaign.counts[what] += 1
                refused(campaign, command, status, text, told)
                campaign.check(status != 0 or content(target) == whole, f"{told}: not written")
                campaign.check(
                    content(target) in (old, whole) or command.resumes,
                    f"{command.name}, {told}: half a file",
                )
                if is_full:
                    campaign.check(
                        command.resumes or not leftovers(campaign.folder),
                        f"{command.name}, {told}: leftovers {leftovers(campaign.folder)}",
                    )
                status, text = run(command.arguments)
                campaign.check(
                    status == 0 and content(target) == whole,
                    f"{command.name}, {told}: not the same afterwards: {text.strip()[-300:]}",
                )
    print(f"{command.name}: {calls} calls", flush=True)


def _undisturbed(campaign: Campaign, command: Command) -> str:
    target = campaign.folder / command.target
    clear(campaign)
    command.put_old(target)
    status, text = run(command.arguments)
    campaign.check(status == 0, f"{command.name} does not work: {text.strip()[-300:]}")
    return content(target)


def _calls(campaign: Campaign, command: Command, lose: Callable[..., int], is_full: bool) -> int:
    """Return how many calls a command makes on files of its folder."""
    clear(campaign)
    command.put_old(campaign.folder / command.target)
    run(command.arguments, partial(lose, bytes(campaign.folder), -1, 0, int(is_full)))
    return lose(b"", -1, 0, 0)


if __name__ == "__main__":
    main()
