"""Kill the page while visitors use it: the next one starts, and nothing of the old one stays."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from trust.commands import Campaign
from trust.soak import Visitor, wait_for


def kill_page(campaign: Campaign, kills: int) -> None:
    """Kill the server at random moments, from its start until visitors have uploaded files."""
    folder = campaign.folder / "of-the-page"
    folder.mkdir(exist_ok=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = time.monotonic()
    for number in range(kills + 1):
        is_last = number == kills
        server = _start(port, folder)
        # Every third is killed while it starts.
        if number % 3 != 2 or is_last:
            wait_for(f"http://127.0.0.1:{port}", server)
            found = list(folder.glob("multicut-app-*"))
            campaign.check(len(found) == 1, f"the page: {len(found) - 1} folders of killed ones")
            people = [Visitor(port, i, time.monotonic() + 600) for i in range(4)]
            for person in people:
                threading.Thread(target=_visit, args=(person,), daemon=True).start()
        if is_last:
            answer = Visitor(port, 99, time.monotonic() + 60).ask("own.txt", b"0 1 1\n")
            campaign.check("1 edge" in answer, f"the page after kills: {answer[-300:]}")
            server.send_signal(signal.SIGTERM)
            campaign.check(server.wait(60) == 0, f"the page: status {server.returncode}")
            continue
        time.sleep(campaign.chance.uniform(0, 3))
        server.kill()
        server.wait()
        campaign.counts["kills of the page"] += 1
    left = [path.name for path in folder.iterdir() if path.name.startswith("multicut-app-")]
    campaign.check(not left, f"the page leaves {left}")
    print(f"the page: {kills} kills in {time.monotonic() - start:.0f} s", flush=True)


def _start(port: int, folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "multicut", "app", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TMPDIR": str(folder)},
    )


def _visit(person: Visitor) -> None:
    """Upload a file; whose server is killed meanwhile sees a broken connection."""
    with suppress(Exception):  # anything may come from half an answer
        person.ask("own.txt", b"".join(b"%d %d 1\n" % (i, i + 1) for i in range(5000)))
