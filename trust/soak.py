"""Run for a while, and look for leaks: solves, batches, and the page with many visitors.

``python -m trust.soak --seconds 60`` divides a minute among the three. Memory is read from /proc
(Linux). A leak is memory that grows steadily after the first third; a lost thread is one more than
before.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import io
import json
import math
import os
import random
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc
from trust.problems import draw

RESULTS = Path(__file__).parent / "results" / "soak.json"
_MB = 1e6
_MARK = "multicut-boundary"
# Beside noise of the allocator, which does not grow with the number of solves.
LARGEST_GROWTH_MB = 8.0
# Of the page in ten minutes or more, as a share of its memory: its caches fill at first.
LARGEST_GROWTH_OF_PAGE = 0.05
# A visitor waits so long: others may have stopped this whole program for minutes.
_PATIENCE = 900
# Between two samples of memory; if it is more, this program was stopped.
_STOPPED = 10.0


def main() -> None:
    """Run all parts, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seconds", type=float, default=60.0, help="for all parts together")
    parser.add_argument("--visitors", type=int, default=50)
    parser.add_argument("--parts", nargs="+", choices=tuple(PARTS), default=tuple(PARTS))
    parser.add_argument("--record", action="store_true", help="write to the file of results")
    arguments = parser.parse_args()
    failed = False
    for part in arguments.parts:
        report = PARTS[part](arguments.seconds / len(arguments.parts), arguments)
        wrong = report.pop("wrong")
        failed = failed or bool(wrong)
        print(f"{part}: " + ", ".join(f"{k} {v}" for k, v in report.items()), flush=True)
        for text in wrong:
            print(f"  WRONG: {text}", flush=True)
        if arguments.record:
            record(part, report | {"wrong": wrong})
    raise SystemExit(1 if failed else 0)


def memory_of(pid: int | str = "self") -> float:
    """Return the resident memory of a process, in MB."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / _MB


def threads_of(pid: int | str = "self") -> int:
    """Return the number of threads of a process."""
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


def growth(samples: list[tuple[float, float]]) -> float:
    """Return by how much memory grows over a run, in MB, by a line through its last two thirds."""
    kept = samples[len(samples) // 3 :]
    if len(kept) < 3:
        return 0.0
    times, values = np.array(kept).T
    slope = float(np.polyfit(times - times[0], values, 1)[0])
    return round(slope * float(times[-1] - times[0]), 2)


def soak_solves(seconds: float, _: argparse.Namespace) -> dict[str, Any]:
    """Solve random problems by all native and exact solvers."""
    solvers = [
        record.name
        for record in mc.list_solvers()
        if record.is_ready() and record.name not in ("gnn", "learned", "memetic")
    ]
    large = mc.datasets.randommp(2000, seed=0)
    for solver in solvers:
        mc.solve(large, solver, time_limit=0.2)
    threads = threads_of()
    count, samples = 0, []
    begin = time.monotonic()
    while (now := time.monotonic() - begin) < seconds:
        problem, _kind = draw(count)
        solver = solvers[count % len(solvers)]
        record = mc.list_solvers(solver)[0]
        if count % 97 == 0:
            mc.solve(large, solver, time_limit=0.05)
        elif not problem.is_lifted or record.takes_lifted:
            # Some linkages take no lifted edges, and some constraints cannot be met.
            with suppress(ValueError):
                mc.solve(problem, solver, seed=count)
        if count % 200 == 0:
            samples.append((now, memory_of()))
        count += 1
    report = {"solves": count, "seconds": round(seconds), "growth_mb": growth(samples)}
    report["threads_more"] = _settled_threads() - threads
    return report | {"wrong": _leaks(report)}


def soak_batches(seconds: float, _: argparse.Namespace) -> dict[str, Any]:
    """Solve many small problems at once, over and over."""
    problems = [draw(seed, lifted=False)[0] for seed in range(2000)]
    mc.solve_batch(problems[:50], "klj")
    threads = threads_of()
    count, samples = 0, []
    begin = time.monotonic()
    expected = None
    wrong = []
    while (now := time.monotonic() - begin) < seconds or expected is None:
        results = mc.solve_batch(problems, "klj")
        labels = [result.labels for result in results]
        if expected is not None and not all(map(np.array_equal, labels, expected)):
            wrong.append("a batch gives other labels")
        expected = labels
        count += len(results)
        samples.append((now, memory_of()))
    report = {"problems": count, "seconds": round(seconds), "growth_mb": growth(samples)}
    report["threads_more"] = _settled_threads() - threads
    return report | {"wrong": wrong + _leaks(report)}


def _settled_threads() -> int:
    for _ in range(20):
        if threading.active_count() == 1:
            break
        time.sleep(0.05)
    return threads_of()


def _leaks(report: dict[str, Any]) -> list[str]:
    wrong = []
    if report["growth_mb"] > LARGEST_GROWTH_MB:
        wrong.append(f"memory grew by {report['growth_mb']} MB")
    if report["threads_more"] > 0:
        wrong.append(f"{report['threads_more']} threads more than before")
    return wrong


class Visitor(threading.Thread):
    """A visitor of the page: uploads files of all kinds, some broken, and drops connections.

    Each has an address of their own, 127.0.0.2 and up, since the server counts by address.
    """

    def __init__(self, port: int, number: int, until: float) -> None:
        super().__init__(daemon=True)
        self.port, self.number, self.until = port, number, until
        self.own = f"127.0.{number // 200}.{2 + number % 200}"
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.waits: list[float] = []
        self.chance = random.Random(number)

    def run(self) -> None:
        """Come back until the time is over."""
        while time.monotonic() < self.until:
            try:
                self.visit()
            except (OSError, http.client.HTTPException) as error:
                self.counts["failed"] += 1
                if self.counts["failed"] > 20:
                    self.wrong.append(f"visitor {self.number}: {error!r}")
                    return

    def visit(self) -> None:
        """Do one thing that visitors do."""
        kind = self.chance.choice(("page", "text", "text", "npz", "broken", "bomb", "slow", "drop"))
        self.counts[kind] += 1
        if kind == "page":
            self.send("GET", "/")
            return
        if kind in ("slow", "drop"):
            self.break_off(kind)
            return
        # A path of as many edges as no other visitor has.
        edges = 100 * (self.number + 1) + self.chance.randrange(100)
        name, content = _file(kind, edges)
        start = time.monotonic()
        answer = self.ask(name, content)
        self.waits.append(time.monotonic() - start)
        if "waiting; try again" in answer or "uploads are in progress" in answer:
            self.counts["told to wait"] += 1
            return
        is_read = f"{edges:,} edges" in answer
        if is_read != (kind in ("text", "npz")):
            self.wrong.append(f"visitor {self.number}, {kind}, {edges} edges: {answer[-300:]!r}")

    def ask(self, name: str, content: bytes) -> str:
        """Upload a file, say so as the page's scripts do, and return all that comes back."""
        head = (
            f'--{_MARK}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
        )
        body = head.encode() + content + f"\r\n--{_MARK}--\r\n".encode()
        kind = f"multipart/form-data; boundary={_MARK}"
        status, answer = self.send("POST", "/gradio_api/upload", body, kind)
        if status != 200:
            return answer
        session = f"visitor{self.number}x{self.chance.randrange(10**9)}"
        file = {"path": json.loads(answer)[0], "meta": {"_type": "gradio.FileData"}}
        event = {
            "data": [None, file | {"orig_name": name}, "", False],
            "fn_index": self.upload_event(),
            "session_hash": session,
        }
        body = json.dumps(event).encode()
        status, answer = self.send("POST", "/gradio_api/queue/join", body, "application/json")
        if status != 200:
            return answer
        return self.send("GET", f"/gradio_api/queue/data?session_hash={session}")[1]

    def upload_event(self) -> int:
        """Return the number of the event that follows an upload."""
        config = json.loads(self.send("GET", "/config")[1])
        return next(
            int(entry["id"])
            for entry in config["dependencies"]
            if any(target[1] == "upload" for target in entry["targets"])
        )

    def send(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> tuple[int, str]:
        """Send a request; return status and answer, a stream of events up to the last of them."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=_PATIENCE, source_address=(self.own, 0)
        )
        try:
            connection.request(method, path, body, {} if kind is None else {"Content-Type": kind})
            answer = connection.getresponse()
            if "queue/data" not in path:
                return answer.status, answer.read().decode(errors="replace")
            lines = []
            for line in answer:
                lines.append(line.decode())
                if "close_stream" in lines[-1] or "process_completed" in lines[-1]:
                    break
            return answer.status, "".join(lines)
        finally:
            connection.close()

    def break_off(self, kind: str) -> None:
        """Begin an upload, slowly or not, and leave in the middle of it."""
        head = (
            f"POST /gradio_api/upload HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Content-Type: multipart/form-data; boundary={_MARK}\r\n"
            f"Content-Length: 100000\r\n\r\n--{_MARK}\r\n"
        ).encode()
        with socket.create_connection(
            ("127.0.0.1", self.port), timeout=_PATIENCE, source_address=(self.own, 0)
        ) as connection:
            size = 1 if kind == "slow" else len(head)
            for i in range(0, len(head), size):
                connection.sendall(head[i : i + size])
                if kind == "slow":
                    time.sleep(0.002)


def _file(kind: str, edges: int) -> tuple[str, bytes]:
    """Return name and content of a file with a path of so many edges; some kinds are broken."""
    content = b"".join(b"%d %d 1\n" % (i, i + 1) for i in range(edges))
    if kind == "npz":
        stream = io.BytesIO()
        ends = np.stack([np.arange(edges), np.arange(1, edges + 1)], axis=1)
        np.savez_compressed(stream, edges=ends, costs=np.ones(edges))
        return "own.npz", stream.getvalue()
    if kind == "broken":
        return "own.txt", content[:-2] + b"x\n"
    if kind == "bomb":
        return "own.txt.gz", gzip.compress(b"0 1 1\n" * 4_000_000, 9)
    return "own.txt", content


def soak_page(seconds: float, arguments: argparse.Namespace) -> dict[str, Any]:
    """Serve the page to many visitors at once."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"http://127.0.0.1:{port}"
    options = ["--max-upload-mb", "2", "--max-edges", "20000", "--time-limit", "5"]
    command = [sys.executable, "-m", "multicut", "app", "--port", str(port), *options]
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(address, server)
            return _visits(port, server, seconds, arguments.visitors, log)
        finally:
            server.terminate()
            server.wait(60)


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until a server answers."""
    for _ in range(1200):
        if server.poll() is not None:
            raise SystemExit("the server ended; the page needs the extra multicut[app]")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("the server does not answer")


def _visits(
    port: int, server: subprocess.Popen[bytes], seconds: float, visitors: int, log: Any
) -> dict[str, Any]:
    warm = Visitor(port, 10_000, math.inf)
    warm.ask("own.txt", b"0 1 1\n")
    begin = time.monotonic()
    people = [Visitor(port, number, begin + seconds) for number in range(visitors)]
    samples: list[tuple[float, float]] = []
    threads = threads_of(server.pid)
    stopped = 0.0
    for person in people:
        person.start()
    while any(person.is_alive() for person in people) and server.poll() is None:
        now = time.monotonic() - begin
        if samples and now - samples[-1][0] > _STOPPED:
            stopped += now - samples[-1][0]
        if not samples or now // 300 > samples[-1][0] // 300:
            print(f"page: {now:.0f} s, {memory_of(server.pid):.0f} MB", flush=True)
        samples.append((now, memory_of(server.pid)))
        time.sleep(0.5)
        if now > seconds + _PATIENCE:
            break
    wrong = [text for person in people for text in person.wrong][:5]
    wrong += [f"visitor {person.number} still waits" for person in people if person.is_alive()][:5]
    if server.poll() is not None:
        return {"seconds": seconds, "wrong": [*wrong, f"the server ended: {server.returncode}"]}
    if "1 edge" not in warm.ask("own.txt", b"0 1 1\n"):
        wrong.append("the server does not answer afterwards")
    log.seek(0)
    text = log.read().decode(errors="replace")
    if "Traceback" in text:
        wrong.append(f"a traceback in the log: {text[text.index('Traceback') :][:600]}")
    counts = sum((person.counts for person in people), Counter[str]())
    waits = sorted(wait for person in people for wait in person.waits)
    mean = np.array([len(person.waits) for person in people])
    report: dict[str, Any] = {
        "visitors": visitors,
        "seconds": round(seconds),
        "requests": sum(counts.values()),
        "uploads": len(waits),
        "failed": counts["failed"],
        "told_to_wait": counts["told to wait"],
        "median_wait_s": round(waits[len(waits) // 2], 2) if waits else 0,
        "longest_wait_s": round(waits[-1], 2) if waits else 0,
        "fewest_answers": int(mean.min()),
        "most_answers": int(mean.max()),
        "memory_mb": round(samples[-1][1]),
        "growth_mb": growth(samples),
        "memory_over_time_mb": [round(samples[len(samples) * i // 12][1]) for i in range(12)]
        + [round(samples[-1][1])],
        "threads": threads_of(server.pid),
        "threads_before": threads,
        "stopped_s": round(stopped),
    }
    if seconds >= 600 and report["growth_mb"] > LARGEST_GROWTH_OF_PAGE * report["memory_mb"]:
        wrong.append(f"memory grew by {report['growth_mb']} MB")
    if seconds > 60 and counts["failed"] > 0.01 * sum(counts.values()):
        wrong.append(f"{counts['failed']} of {sum(counts.values())} requests failed")
    return report | {"wrong": wrong}


def record(part: str, report: dict[str, Any]) -> None:
    """Write what one part found to the file of results."""
    before = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    before[part] = report
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(before, indent=2) + "\n")


PARTS = {"solves": soak_solves, "batches": soak_batches, "page": soak_page}


if __name__ == "__main__":
    main()
