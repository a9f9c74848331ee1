"""Small graphs in docs/learned.md, a table and a row of another one, from `small_graphs.json`."""

from __future__ import annotations

from measured.formats import digits, read, time

# Rows of docs/learned.md: what they are called there, and in small_graphs.json.
_ON_CPU = {
    "Kernighan\N{EN DASH}Lin of `bioimage-cpp` 0.9": "bioimage-cpp klj",
    "fusion moves of `bioimage-cpp` 0.9": "bioimage-cpp fusion",
    "`gaec`": "gaec",
    "`dual-greedy`, fast": "dual-greedy, fast",
    "`dual-greedy`": "dual-greedy",
    "`dual-greedy`, best": "dual-greedy, best",
    "`klj`": "klj",
    "`fusion`, 3 proposals": "fusion, 3 proposals",
    "`fusion`, 10 proposals": "fusion, 10 proposals",
    "`fusion`": "fusion",
    "`learned`, fastest": "learned, fastest",
    "`learned`, fast": "learned, fast",
    "`learned`, balanced": "learned, balanced",
    "`learned`, best": "learned, best",
}


def on_cpu_rows() -> list[str]:
    """Return mean ratios and times on small graphs, beside those of the peer."""
    rows = read("small_graphs.json")["randommp"]
    klj = rows["bioimage-cpp klj"]["seconds"]
    return [
        f"| {title} | {rows[name]['ratio']:.4f} | {time(rows[name]['seconds'])} "
        f"| {digits(rows[name]['seconds'] / klj)} |"
        for title, name in _ON_CPU.items()
    ]


def small_graph_numbers() -> dict[str, str]:
    """Return ratio and time of `dual-greedy`, for a row beside other measurements."""
    dual_greedy = read("small_graphs.json")["randommp"]["dual-greedy"]
    return {
        "ratio of dual-greedy": f"{dual_greedy['ratio']:.4f}",
        "ms of dual-greedy": digits(1e3 * dual_greedy["seconds"]),
    }
