"""Write docs/campaign.md from the results of the campaign: ``python -m trust.report``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from trust import report_times

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "campaign.md"
_HEAD = """# The campaign

The promises of [reliability](reliability.md), [formats](formats.md#guarantees) and
[security](security.md) are tried far beyond examples: by fuzzers, by comparison with brute force,
by faults, under load. `make report` writes this page from what was recorded, so it tells how often
each was tried, and what was found. `make fuzz`, `make differential`, `make faults` and `make soak`
repeat it, with a minute or more each; the tests run a short version.
"""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")


def page() -> str:
    """Return the page."""
    return "\n".join([_HEAD, *_summary(), *_fuzzing(), *_solvers(), *_faults(), *_times(), *_load(),
                      *_findings()]) + "\n"  # fmt: skip


def _read(name: str) -> Any:
    path = HERE / f"{name}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def _table(*columns: str) -> list[str]:
    return ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]


def _row(*cells: object) -> str:
    texts = (f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in cells)
    return "| " + " | ".join(texts) + " |"


def _summary() -> Iterator[str]:
    fuzz, solvers = _read("results/fuzz"), _read("results/differential")
    faults, soak, late = _read("results/faults"), _read("results/soak"), _read("results/deadlines")
    allocations = _read("results/allocations")
    counts = faults.get("counts", {})
    kills = sum(number for name, number in counts.items() if name.startswith("kills"))
    others = sum(counts.values()) - kills - counts.get("seconds", 0)
    yield "## In numbers\n"
    yield from _table("what", "how much")
    yield _row("executions of fuzz targets", sum(run["executions"] for run in fuzz.values()))
    yield _row("of these, all but the two fastest targets, which parse text",
               sum(sorted(run["executions"] for run in fuzz.values())[:-2]))  # fmt: skip
    yield _row("hours of fuzzing, by processes of low priority on busy machines",
               f"{sum(run['seconds'] for run in fuzz.values()) / 3600:.1f}")  # fmt: skip
    yield _row("random problems, solved and compared", solvers["counts"]["problems"])
    yield _row("kills of commands", kills)
    yield _row("other faults: full and lost drives, permissions, memory, pipes", others)
    yield _row("promises that these broke, all mended since", len(faults.get("wrong", [])))
    yield _row("failed allocations in the native module", allocations["injected"])
    yield from report_times.summary(late, _row)
    yield _row("visitors of the page at once", soak["page"]["visitors"])
    yield _row("growth of memory: page, batches, solves",
               ", ".join(f"{soak[part]['growth_mb']:.1f} MB"
                         for part in ("page", "batches", "solves") if part in soak))  # fmt: skip
    yield ""


def _fuzzing() -> Iterator[str]:
    yield "## Fuzzing\n"
    yield (
        "Readers raise an error of one line or return something that can be written and read "
        "again. Native code runs under\nthe address and undefined-behaviour sanitizers. Branches "
        "are those of the code under test, as the engine counts them.\n"
    )
    covered = _read("results/coverage")
    if covered:
        yield (
            f"Replayed, the native inputs cover {covered['lines']} % of the lines and "
            f"{covered['branches']} % of the branches of `cpp/multicut`\n"
            f"(`io`: {covered['io']} % of the lines). The rest is mostly code for large graphs and "
            f"for threads.\n"
        )
    yield from _table("target", "engine", "executions", "seconds", "branches")
    for run in _read("results/fuzz").values():
        yield _row(
            f"`{run['target']}`", run["engine"], run["executions"], round(run["seconds"]),
            run["edges"],
        )  # fmt: skip
    yield ""


def _solvers() -> Iterator[str]:
    results = _read("results/differential")
    counts = dict(results["counts"])
    total = counts.pop("problems")
    yield "## Solvers against brute force\n"
    yield (
        f"{total:,} problems of up to seven nodes: complete, empty, disconnected, with ties, "
        f"zeros, duplicates, huge ids, costs of\n1e±300, subnormal ones and ±inf; "
        f"{counts.pop('lifted problems'):,} of them lifted. Checked: labels, cut and objective "
        f"(correctly rounded), constraints,\nbounds, proofs, traces; for some also the same labels "
        f"on 1, 2 and 7 threads ({counts.pop('repetitions'):,}), under a change of scale\n"
        f"({counts.pop('scalings'):,}), the same optimum after renumbering "
        f"({counts.pop('permutations'):,}), and that `ilp` proves it ({counts.pop('proofs'):,}).\n"
    )
    yield from _table("solver", "problems")
    for name, number in counts.items():
        yield _row(f"`{name}`", number)
    yield ""


def _faults() -> Iterator[str]:
    yield "## Faults\n"
    yield (
        "A command that is killed leaves the old file or the new one; the same command then gives "
        "the same bytes as an\nundisturbed run. A command that cannot do its work says so in one "
        "line, with exit status 1 or 2.\n"
    )
    yield from _table("fault", "times")
    for name, number in _read("results/faults")["counts"].items():
        if name != "seconds":
            yield _row(name, number)
    allocations = _read("results/allocations")
    yield _row("failed allocations, each a `MemoryError`", allocations["injected"])
    yield ""


def _times() -> Iterator[str]:
    yield from report_times.pages(_read("results/deadlines"), _table, _row)


def _load() -> Iterator[str]:
    soak = _read("results/soak")
    yield "## Load\n"
    yield from _table("what", "how much", "seconds", "growth of memory", "wrong")
    words = {"solves": "solves", "batches": "problems", "page": "uploads"}
    for part, unit in words.items():
        if part in soak:
            own = soak[part]
            number = f"{own[unit]:,} {unit}"
            if part == "page":
                number += f" of {own['visitors']} visitors, {own['requests']:,} requests"
            yield _row(number, part, own["seconds"], f"{own['growth_mb']:.1f} MB",
                       len(own["wrong"]))  # fmt: skip
    page = soak.get("page")
    if page:
        yield (
            "\nVisitors upload text, archives, broken files and compression bombs, send slowly, "
            f"and drop connections. Each got between\n{page['fewest_answers']} and "
            f"{page['most_answers']} answers, all about their own file; {page['failed']} requests "
            f"failed. Memory of the server over time, in MB:\n"
            f"{', '.join(map(str, page['memory_over_time_mb']))}. Threads: "
            f"{page['threads_before']} at first, {page['threads']} at the end.\n"
        )
    yield ""


def _findings() -> Iterator[str]:
    yield "## Found and mended\n"
    yield from _table("found by", "what was wrong", "test", "commit")
    for finding in _read("findings"):
        yield _row(finding["found_by"], finding["what"], f"`{finding['test']}`", finding["commit"])


if __name__ == "__main__":
    main()
