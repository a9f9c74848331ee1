"""The table and the numbers of docs/large-graphs.md, from `distributed_graphs.json`."""

from __future__ import annotations

from typing import Any

from measured.formats import read, whole


def blockwise_rows() -> list[str]:
    """Return what block-wise solving reaches of solving the whole, by blocks and margin."""
    rows: dict[tuple[str, str, int], list[str]] = {}
    for row in read("distributed_graphs.json")["rows"]:
        key = (row["graph"], row["solver"], row["num_blocks"])
        rows.setdefault(key, []).append(f"{row['objective'] / row['whole']:.4f}")
    return [
        f"| {graph}, `{solver}` | {blocks} | {' | '.join(ratios)} |"
        for (graph, solver, blocks), ratios in rows.items()
    ]


def large_graph_numbers() -> dict[str, str]:
    """Return what a table of 10⁸ edges took, and what it costs to solve it block by block."""
    sizes = read("distributed_graphs.json")["sizes"]
    large, run = sizes["323"], sizes["323"]["workers_2"]
    stages = run["stages"]
    solving = sum(spent for name, spent in stages.items() if name.startswith("solve"))
    reading = sum(stages[name] for name in _READING)
    several = [level for level in run["levels"] if level["num_blocks"] > 1]
    passed = sum(stages[f"solve level {number}"] for number in range(len(several)))
    return {
        "edges": f"{large['num_edges'] / 1e6:.1f}",
        "seconds of edges": f"{run['wall']:.0f}",
        "GiB of edges": f"{run['peak']['proportional'] / 2**30:.1f}",
        "seconds of reading": f"{reading:.0f}",
        "seconds of solving": f"{solving:.0f}",
        "seconds of labels": f"{run['wall'] - reading - solving:.0f}",
        "edges of the last problem": f"{run['levels'][-1]['num_edges'] / 1e6:.1f}",
        "work of two": f"{sum(level['seconds'] for level in several) / passed:.1f}",
        "gaec in blocks": whole(run["objective"]),
        "gaec at once": whole(large["whole"]["objective"]),
        "loss in blocks": f"{_loss(run, large['whole']):.3f}",
    }


_READING = ("read table", "merge node ids", "sort edges by block", "gather edges")


def _loss(run: dict[str, Any], whole: dict[str, Any]) -> float:
    """Return by how many percent an objective is worse than another one."""
    loss: float = 100 * (run["objective"] - whole["objective"]) / abs(whole["objective"])
    return loss
