"""Kill, starve and obstruct every command that writes: an old file or a new one, never half of one.

``python -m trust.faults --kills 20`` kills each command so many times at random moments, limits
file sizes and memory, takes permissions away and closes pipes. Commands run in forked processes, as
a start of Python for each would take most of the time. Needs a POSIX system.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import multicut as mc
from trust.commands import COMMANDS, Campaign, Command, clear, content, leftovers, prepare, run
from trust.page_faults import kill_page

RESULTS = Path(__file__).parent / "results" / "faults.json"
_NOBODY = 65534
# What else can be named.
PAGE, STREAMS = "the page", "streams"


def main() -> None:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--kills", type=int, default=10, help="of each command")
    parser.add_argument("--sizes", type=int, default=8, help="limits of memory and of files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", help=f"names of commands, {PAGE!r}, {STREAMS!r}")
    parser.add_argument("--record", action="store_true", help="add to the file of results")
    arguments = parser.parse_args()
    commands = [c for c in COMMANDS if not arguments.only or c.name in arguments.only]
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), arguments.seed)
        start = time.monotonic()
        prepare(campaign, {command.name for command in commands})
        for command in commands:
            kill_often(campaign, command, arguments.kills)
        for command in commands:
            if not command.resumes:
                full_disk(campaign, command, arguments.sizes)
                no_permission(campaign, command)
                little_memory(campaign, command, arguments.sizes)
        if not arguments.only or PAGE in arguments.only:
            kill_page(campaign, arguments.kills)
        if not arguments.only or STREAMS in arguments.only:
            closed_pipes(campaign)
        os.chdir("/")
        campaign.counts["seconds"] = round(time.monotonic() - start)
    print(", ".join(f"{name}: {number}" for name, number in campaign.counts.items()))
    if arguments.record:
        record(campaign)
    raise SystemExit(f"{len(campaign.wrong)} promises were broken" if campaign.wrong else 0)


def kill_often(campaign: Campaign, command: Command, kills: int) -> None:
    """Kill a command at random moments; then let it end, and compare with an undisturbed run."""
    folder, target = campaign.folder, campaign.folder / command.target
    clear(campaign)
    status, text = run(command.arguments)
    campaign.check(status == 0, f"{command.name} does not work: {text.strip()[-300:]}")
    clear(campaign)
    command.put_old(target)
    start = time.monotonic()
    run(command.arguments)
    seconds = time.monotonic() - start
    whole = content(target)
    clear(campaign)
    old = command.put_old(target)
    done = 0
    for _ in range(kills):
        status, text = run(command.arguments, kill_after=campaign.chance.uniform(0, 1.05) * seconds)
        campaign.counts[f"kills of {command.name}"] += 1
        done += status == 0
        found = content(target)
        campaign.check(
            found in (old, whole) or (command.resumes and command.name == "train"),
            f"{command.name}: half a file after a kill",
        )
        campaign.check(
            status in (0, -signal.SIGKILL), f"{command.name}: status {status} after a kill: {text}"
        )
        if found == whole:
            clear(campaign)
            command.put_old(target)
    status, text = run(command.arguments)
    campaign.check(status == 0, f"{command.name}: fails after kills: {text.strip()[-300:]}")
    campaign.check(content(target) == whole, f"{command.name}: other bytes after kills")
    campaign.check(
        not leftovers(folder), f"{command.name}: leftovers after kills: {leftovers(folder)}"
    )
    print(
        f"{command.name}: {kills} kills, {done} too late, one run takes {seconds:.2f} s", flush=True
    )


def refused(campaign: Campaign, command: Command, status: int, text: str, what: str) -> None:
    """Check that a command that could not do its work says so in one line."""
    lines = [line for line in text.splitlines() if line.strip() and "\r" not in line]
    told = [line for line in lines if line.startswith("error: ")]
    campaign.check(status in (0, 1, 2), f"{command.name}, {what}: status {status}: {text[-300:]}")
    if status != 0:
        campaign.check(
            len(told) == 1 and lines[-1] == told[0] and "this is a bug" not in told[0],
            f"{command.name}, {what}: not one line: {text[-400:]!r}",
        )


@contextmanager
def old_file(campaign: Campaign, command: Command, what: str) -> Iterator[None]:
    """Put an old file in the place, and check that it or a whole one is there afterwards."""
    target = campaign.folder / command.target
    clear(campaign)
    command.put_old(target)
    run(command.arguments)
    whole = content(target)
    clear(campaign)
    old = command.put_old(target)
    yield
    campaign.check(content(target) in (old, whole), f"{command.name}, {what}: half a file")
    campaign.check(
        not leftovers(campaign.folder),
        f"{command.name}, {what}: leftovers {leftovers(campaign.folder)}",
    )


def full_disk(campaign: Campaign, command: Command, num_sizes: int) -> None:
    """Let files not grow beyond many sizes, which looks like a full disk."""
    target = campaign.folder / command.target
    run(command.arguments)
    size = target.stat().st_size
    for i in range(num_sizes):
        limit = int(size * i / num_sizes)
        with old_file(campaign, command, f"files of {limit} bytes"):

            def shrink(limit: int = limit) -> None:
                signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
                # stderr is a file, too.
                resource.setrlimit(resource.RLIMIT_FSIZE, (max(limit, 4096), -1))

            status, text = run(command.arguments, shrink)
            campaign.counts["full disks"] += 1
            refused(campaign, command, status, text, f"files of {limit} bytes")


def no_permission(campaign: Campaign, command: Command) -> None:
    """Take away the right to write into the folder, and to read the file."""
    if os.getuid() == 0 and not _nobody_can_read(campaign.folder):
        print("permissions are not tried: another user cannot read the package here")
        return

    def be_nobody() -> None:
        if os.getuid() == 0:
            os.setgid(_NOBODY)
            os.setuid(_NOBODY)

    source = campaign.folder / command.arguments[1]
    with old_file(campaign, command, "a read-only folder"):
        campaign.folder.chmod(0o555)
        status, text = run(command.arguments, be_nobody)
        campaign.folder.chmod(0o755)
        campaign.counts["read-only folders"] += 1
        campaign.check(status != 0, f"{command.name}: writes into a read-only folder")
        refused(campaign, command, status, text, "a read-only folder")
    with old_file(campaign, command, "an unreadable file"):
        source.chmod(0)
        campaign.folder.chmod(0o777)
        status, text = run(command.arguments, be_nobody)
        source.chmod(0o644)
        campaign.folder.chmod(0o755)
        campaign.counts["unreadable files"] += 1
        campaign.check(status != 0, f"{command.name}: reads an unreadable file")
        refused(campaign, command, status, text, "an unreadable file")


def _nobody_can_read(folder: Path) -> bool:
    """Whether another user may read the package, which may lie within someone's home."""
    child = os.fork()
    if child == 0:
        try:
            os.setuid(_NOBODY)
            Path(mc.__file__).read_bytes()
            list(folder.iterdir())
            os._exit(0)
        except OSError:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def little_memory(campaign: Campaign, command: Command, num_sizes: int) -> None:
    """Limit the address space to little more than what is in use, in many steps."""
    for i in range(num_sizes):
        # With less, this program itself has no room for the streams above.
        more = int(2**22 * 1.6 ** (i * 16 / num_sizes))
        with old_file(campaign, command, f"{more} bytes of memory"):

            def limit(more: int = more) -> None:
                used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf(
                    "SC_PAGESIZE"
                )
                resource.setrlimit(resource.RLIMIT_AS, (used + more, -1))

            status, text = run(command.arguments, limit)
            campaign.counts["limits of memory"] += 1
            refused(campaign, command, status, text, f"{more} bytes of memory")


def closed_pipes(campaign: Campaign) -> None:
    """Write to pipes that nobody reads, and to a full device."""
    for arguments in (
        ("info", "large.npz"),
        ("solve", "large.npz", "-s", "gaec", "--json"),
        ("convert", "large.npz", "-", "--to", "edges"),
        ("solvers",),
    ):
        command = Command(arguments[0], arguments, "large.npz")

        def close() -> None:
            reader, writer = os.pipe()
            os.close(reader)
            os.dup2(writer, 1)

        status, text = run(arguments, close)
        campaign.counts["closed pipes"] += 1
        campaign.check(
            status in (0, 1) and "Traceback" not in text,
            f"{command.name}, closed pipe: status {status}: {text[-300:]}",
        )
        if Path("/dev/full").exists():
            status, text = run(arguments, lambda: os.dup2(os.open("/dev/full", os.O_WRONLY), 1))
            campaign.counts["full devices"] += 1
            campaign.check(
                status in (0, 1, 2, 120) and "Traceback" not in text,
                f"{command.name}, full device: status {status}: {text[-300:]}",
            )


def record(campaign: Campaign) -> None:
    """Add to the file of results."""
    before = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    totals = Counter(before.get("counts", {})) + campaign.counts
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    document = {"counts": dict(totals), "wrong": before.get("wrong", []) + campaign.wrong}
    RESULTS.write_text(json.dumps(document, indent=2) + "\n")


if __name__ == "__main__":
    main()
