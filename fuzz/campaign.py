"""Run fuzz targets within a time budget, and add what they did to a file of results.

``python -m fuzz.campaign --seconds 60`` divides a minute among all targets, in turns. Inputs that
reach new code are kept in ``build/fuzz-corpus``; those that break a promise, in
``fuzz/findings/TARGET-*``, and the exit status is 1. Give each finding a test, then move it to
``fuzz/corpus/TARGET/found-…``.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from fuzz.seeds import CORPUS, NATIVE

ROOT = Path(__file__).parents[1]
BINARIES = ROOT / "build" / "fuzz"
KEPT = ROOT / "build" / "fuzz-corpus"
FINDINGS = ROOT / "fuzz" / "findings"
DICTIONARIES = ROOT / "fuzz" / "dictionaries"
RESULTS = ROOT / "trust" / "results" / "fuzz.json"
_LARGEST = {"solvers": 128, "exact": 128, "lifted": 96, "volumes": 768, "simplify": 1024}
# Seconds that a target runs at a time.
_LONGEST = 60
# A small quarantine, short stacks of allocations and no fake stacks: several times as many runs.
_SANITIZERS = {
    "ASAN_OPTIONS": "malloc_context_size=2:quarantine_size_mb=4:detect_stack_use_after_return=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


@dataclass
class Run:
    """What one target did.

    Attributes
    ----------
    target, engine
        What ran: ``libfuzzer``, ``mutation`` (a driver without coverage) or ``atheris``; in the
        file of results, all that did.
    executions, seconds
        How often, and how long.
    edges
        Branches of the code under test that were reached, as the engine counts them; 0 unknown.
    findings
        Inputs that broke a promise.
    """

    target: str
    engine: str
    executions: int
    seconds: float
    edges: int
    findings: list[str]


def main() -> None:
    """Run the targets, one after the other, and say what they did."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--seconds", type=float, default=60, help="for all targets together")
    parser.add_argument("--targets", nargs="+", help="by default all that can run here")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--record", action="store_true", help="add to the file of results")
    parser.add_argument("--results", type=Path, default=RESULTS, help="that file")
    arguments = parser.parse_args()
    targets = arguments.targets or available()
    share = arguments.jobs * arguments.seconds / len(targets)
    # Turns, so that a campaign that is killed has tried all of them.
    rounds = math.ceil(share / _LONGEST)
    failed = False
    with ThreadPoolExecutor(arguments.jobs) as pool:
        for run in pool.map(lambda name: fuzz(name, share / rounds), targets * rounds):
            failed = failed or bool(run.findings)
            print(
                f"{run.target:<12} {run.engine:<9} {run.executions:>12,} executions in "
                f"{run.seconds:>6.0f} s, {run.edges or '?':>5} branches"
                + "".join(f"\n  FOUND {name}" for name in run.findings),
                flush=True,
            )
            if arguments.record:
                record(run, arguments.results)
    raise SystemExit(1 if failed else 0)


def available() -> list[str]:
    """Return the targets that can run: native ones are built, those of readers need Atheris."""
    from fuzz.readers import TARGETS

    native = [name for name in NATIVE if (BINARIES / f"fuzz_{name}").is_file()]
    if importlib.util.find_spec("atheris") is None:
        print("Atheris is not installed, so readers are not fuzzed: pip install atheris")
        return native
    return native + list(TARGETS)


def fuzz(target: str, seconds: float) -> Run:
    """Run one target."""
    is_native = target in NATIVE
    corpus = KEPT / target
    corpus.mkdir(parents=True, exist_ok=True)
    FINDINGS.mkdir(parents=True, exist_ok=True)
    before = set(FINDINGS.glob(f"{target}-*"))
    program = (
        [str(BINARIES / f"fuzz_{target}")]
        if is_native
        else [sys.executable, "-m", "fuzz.guided", target]
    )
    options = [
        f"-max_total_time={max(round(seconds), 1)}",
        f"-max_len={_LARGEST.get(target, 8192 if not is_native else 1024)}",
        f"-seed={int(time.time()) & 0x7FFFFFFF}",
        "-print_final_stats=1",
        "-timeout=25",
        "-rss_limit_mb=3000",
        "-detect_leaks=0",
        "-reload=0",
        "-entropic=0",
        f"-artifact_prefix={FINDINGS}/{target}-",
    ]
    dictionary = DICTIONARIES / f"{target}.dict"
    if dictionary.is_file():
        options.append(f"-dict={dictionary}")
    start = time.monotonic()
    done = subprocess.run(
        [*program, *options, str(corpus), str(CORPUS / target)],
        capture_output=True,
        text=True,
        errors="replace",
        cwd=ROOT,
        env=os.environ | _SANITIZERS,
        check=False,
    )
    elapsed = time.monotonic() - start
    text = done.stderr + done.stdout
    counts = [int(number) for number in re.findall(r"number_of_executed_units: (\d+)", text)]
    counts += [int(number) for number in re.findall(r"Done (\d+) runs", text)]
    edges = [int(number) for number in re.findall(r"cov: (\d+)", text)]
    findings = sorted(path.name for path in set(FINDINGS.glob(f"{target}-*")) - before)
    if done.returncode != 0 and not findings:
        findings = [f"exit status {done.returncode}: {text.strip().splitlines()[-1][:200]}"]
    if findings:
        (ROOT / "build" / f"fuzz-{target}.log").write_text(text)
    engine = "atheris" if not is_native else "libfuzzer" if edges else "mutation"
    return Run(target, engine, max(counts, default=0), elapsed, max(edges, default=0), findings)


def record(run: Run, path: Path) -> None:
    """Add a run to a file of results: executions and time add up."""
    totals = json.loads(path.read_text()) if path.is_file() else {}
    entry = totals.setdefault(run.target, asdict(run) | {"executions": 0, "seconds": 0.0})
    engines = {*filter(None, entry["engine"].split(", ")), run.engine}
    entry["engine"] = ", ".join(sorted(engines))
    entry["executions"] += run.executions
    entry["seconds"] = round(entry["seconds"] + run.seconds, 1)
    entry["edges"] = max(entry["edges"], run.edges)
    entry.pop("findings", None)
    entry["date"] = datetime.now(UTC).date().isoformat()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(dict(sorted(totals.items())), indent=2) + "\n")


if __name__ == "__main__":
    main()
