"""RandomMP with costs from distances, as the text of the paper says, beside the shipped one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import ratio
from multicut.benchmark.ratios import objective_ratios
from multicut.datasets import generate
from multicut.datasets.published import PUBLISHED
from multicut.datasets.statistics import describe_dataset
from multicut.solve import solve_batch
from paper.published import TABLE_1, TEST_SETS
from paper.section import Record, Section, listed, wrapped

NUM_GRAPHS = 100
_EXPLANATION = """\
**Why not RandomMP as the text says?** The text computes costs from distances of points, but not
how. The option `costs="distance"` of the generator is one reading: minus the distance, scaled to a
standard deviation of 3, less the median. The table has {num_graphs:,} such graphs, {num_proven:,}
of them solved to proven optimality. The shipped costs are drawn from N(0, 3²) instead, less the
median. Values are means over test graphs, *optimum* is per edge."""
# What the table compares, and which values of statistics these are.
_COLUMNS = {"min": "min cost", "max": "max cost", "optimum": "optimum", "gaec": "GAEC"}


def key(num_graphs: int) -> str:
    """Return the key of so many graphs."""
    return f"RandomMP with costs from distances, {num_graphs} graphs"


def measure(num_graphs: int) -> Cell:
    """Draw graphs whose costs come from distances, and solve them to optimality and with GAEC."""
    graphs = generate("randommp", num_graphs, split="test", costs="distance")
    optimal = solve_batch(graphs, "ilp")
    gaec = [each.objective for each in solve_batch(graphs, "gaec")]
    return {
        "statistics": describe_dataset(graphs.with_results(optimal)).to_dict(),
        "gaec": float(objective_ratios(gaec, [each.objective for each in optimal]).mean()),
    }


def write(section: Section, distances: Cell, shipped: Mapping[str, Any], gaec: float) -> None:
    """Add the table, and which costs are nearer to the published statistics.

    Parameters
    ----------
    section
        Where it goes.
    distances
        What :func:`measure` has found.
    shipped, gaec
        Statistics of the test graphs of the package, and the ratio of GAEC on them.
    """
    theirs = TABLE_1["gaec"].ratios[TEST_SETS.index("RandomMP")]
    assert theirs is not None
    rows = {
        "published": _numbers(PUBLISHED["randommp"]["test"].to_dict(), theirs),
        "shipped": _numbers(shipped, gaec),
        "from distances": _numbers(distances["statistics"], distances["gaec"]),
    }
    statistics = distances["statistics"]
    text = _EXPLANATION.format(
        num_graphs=statistics["num_graphs"], num_proven=statistics["num_optimal"]
    )
    section.write(wrapped(text))
    texts = [
        [name, *(f"{row[each]:.3f}" for each in ("min", "max", "optimum")), ratio(row["gaec"])]
        for name, row in rows.items()
    ]
    records: list[Record] = [{"costs": name, **row} for name, row in rows.items()]
    section.tabulate("randommp_costs", records, ["costs", *_COLUMNS.values()], texts)
    section.write(wrapped(_verdict(rows)))


def _numbers(statistics: Mapping[str, Any], gaec: float) -> dict[str, float]:
    return {
        "min": statistics["cost_min"]["mean"],
        "max": statistics["cost_max"]["mean"],
        "optimum": statistics["optimum"],
        "gaec": gaec,
    }


def _verdict(rows: Mapping[str, Mapping[str, float]]) -> str:
    """Say by which numbers the shipped costs are nearer to the published ones than distances."""
    off = {
        name: {each: abs(rows[name][each] - rows["published"][each]) for each in _COLUMNS}
        for name in ("shipped", "from distances")
    }
    nearer = [
        title
        for each, title in _COLUMNS.items()
        if off["shipped"][each] < off["from distances"][each]
    ]
    if len(nearer) == len(_COLUMNS):
        return "The shipped costs are nearer to the published values in all of these columns."
    return (
        f"The shipped costs are nearer to the published values in {len(nearer)} of "
        f"{len(_COLUMNS)} columns: {listed(nearer)}."
    )
