"""Solvers on small graphs: beside those of bioimage-cpp on RandomMP, and by family.

The first table shows test graphs of RandomMP, one after the other on one thread, from edge arrays
to labels. Ratios are means over the graphs of the objective divided by the proven optimum. The
second table shows test graphs of every generator: contraction guided by a dual, and what it is to
be compared with. There, ratios are means of the objective divided by the best of the run, in which
`fusion` with 100 proposals takes part. `klj from gaec` is Kernighan-Lin with joins from the
partition of `gaec`, without chains, as `klj` was before `dual-greedy`. The third table counts the
graphs on which a solver is worse than `gaec`.

Times are processor times, the best of several repetitions of each graph, in turns.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import multicut as mc
from multicut.benchmark.contests import CONTESTS, PEER, Contender, our_contender
from multicut.benchmark.instances import EdgeArrays
from multicut.benchmark.markdown import table
from multicut.benchmark.measure import measure
from multicut.benchmark.report import describe_environment
from multicut.datasets import generate, list_generators

Options = Mapping[str, Any]
ONE = {"num_threads": 1}
PEER_KLJ, PEER_FUSION = f"{PEER} klj", f"{PEER} fusion"
# Solvers that take less than a millisecond for a graph, and those that take longer.
QUICK: dict[str, tuple[str, Options]] = {
    "gaec": ("gaec", {}),
    "dual-greedy, fast": ("dual-greedy", {"policy": "fast", **ONE}),
    "dual-greedy": ("dual-greedy", {"policy": "balanced", **ONE}),
    "dual-greedy, best": ("dual-greedy", {"policy": "best", **ONE}),
    "klj": ("klj", ONE),
    "learned, fastest": ("learned", {"effort": "fastest", "use_network": False, **ONE}),
    "learned, fast": ("learned", {"effort": "fast", "use_network": False, **ONE}),
}
THOROUGH: dict[str, tuple[str, Options]] = {
    "fusion, 3 proposals": ("fusion", {"max_proposals": 3, **ONE}),
    "fusion, 10 proposals": ("fusion", {"max_proposals": 10, **ONE}),
    "fusion": ("fusion", ONE),
    "learned, balanced": ("learned", {"effort": "balanced", "use_network": False, **ONE}),
    "learned, best": ("learned", {"effort": "best", "use_network": False, **ONE}),
}
CONTRACTIONS = ("dual-greedy, fast", "dual-greedy", "dual-greedy, best")
COMPARED = ("gaec", "klj from gaec", *CONTRACTIONS, "klj", "learned, fast")


def main() -> None:
    """Measure and write both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--num", type=int, default=1000, help="graphs for the quick solvers")
    parser.add_argument("--few", type=int, default=150, help="graphs for the others")
    parser.add_argument("--of-family", type=int, default=200, help="graphs of each family")
    parser.add_argument("--repetitions", type=int, default=3, help="the shortest time counts")
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results"))
    arguments = parser.parse_args()
    graphs = list(mc.datasets.RandomMP("test")[: arguments.num])
    rows = beside_peer(graphs, QUICK, "klj", arguments.repetitions)
    rows |= beside_peer(graphs[: arguments.few], THOROUGH, "fusion", arguments.repetitions)
    document = {
        "environment": describe_environment("python benchmarks/small_graphs.py"),
        "randommp": rows,
        "families": {
            record.name: of_family(list(generate(record.name, arguments.of_family, split="test")))
            for record in list_generators(lifted=False)
            if record.name != "scaling"
        },
    }
    path = arguments.output / "small_graphs.json"
    path.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    path.with_suffix(".md").write_text(page(document), encoding="utf-8")
    print(page(document))


def beside_peer(
    graphs: Sequence[Any], solvers: Mapping[str, tuple[str, Options]], peer: str, repetitions: int
) -> dict[str, dict[str, float]]:
    """Return mean ratio and seconds per graph of our solvers and one of the peer's."""
    contenders = [_contender(solver, options) for solver, options in solvers.values()]
    contenders.append(CONTESTS[peer].peer())
    names = [*solvers, f"{PEER} {peer}"]
    ratios: dict[str, list[float]] = {name: [] for name in names}
    seconds = dict.fromkeys(names, 0.0)
    for graph in graphs:
        found = measure(contenders, EdgeArrays.of(graph), 10.0, repetitions, process_time)
        for name, one in zip(names, found, strict=True):
            ratios[name].append(one.objective / graph.objective if graph.objective else 1.0)
            seconds[name] += one.total_seconds
    return {
        name: {
            "ratio": float(np.mean(ratios[name])),
            "seconds": seconds[name] / len(graphs),
            "num_graphs": len(graphs),
        }
        for name in names
    }


def _contender(solver: str, options: Options) -> Contender:
    def solve(problem: mc.Problem) -> NDArray[np.int64]:
        return mc.solve(problem, solver, seed=0, **options).labels

    return our_contender(solve)


def of_family(problems: Sequence[mc.Problem]) -> dict[str, Any]:
    """Return mean ratios of what is compared, and how often each is below ``gaec``."""
    found: dict[str, list[float]] = {name: [] for name in (*COMPARED, "best")}
    for problem in problems:
        greedy = mc.solve(problem, "gaec")
        own = {"gaec": greedy.objective}
        own["klj from gaec"] = _klj_from(problem, greedy.labels)
        for name in COMPARED[2:]:
            solver, options = QUICK[name]
            own[name] = mc.solve(problem, solver, **options).objective
        patient = mc.solve(problem, "fusion", max_proposals=100, patience=100, **ONE).objective
        own["best"] = min(patient, *own.values())
        for name, objective in own.items():
            found[name].append(objective)
    values = {name: np.array(objectives) for name, objectives in found.items()}
    best = values.pop("best")
    # Where nothing is to be gained, all that found so are as good.
    is_trivial = best > -1e-9
    scale = np.where(is_trivial, 1.0, best)
    return {
        "num_graphs": len(problems),
        "ratios": {
            name: float(np.where(is_trivial, 1.0, each / scale).mean())
            for name, each in values.items()
        },
        "below_gaec": {
            name: int(np.sum(each > values["gaec"] + 1e-9 * np.abs(values["gaec"])))
            for name, each in values.items()
        },
    }


def _klj_from(problem: mc.Problem, labels: NDArray[np.int64]) -> float:
    """Return what KLj reaches from labels, with the patience that it had without chains."""
    num_linked = len(np.unique(problem.edges))
    loss = 6.0 * max(1.0, 2 * problem.num_edges / max(1, num_linked) / 8)
    found = mc.solve(problem, "klj", initial=labels, chain_patience=0, largest_loss=loss)
    return found.objective


def page(document: dict[str, Any]) -> str:
    """Render both tables as a Markdown page."""
    about = __doc__.split("\n\n", 1)[1].strip()
    rows = document["randommp"]
    klj, fusion = rows[PEER_KLJ]["seconds"], rows[PEER_FUSION]["seconds"]
    first = [
        [
            name,
            f"{row['num_graphs']:.0f}",
            f"{row['ratio']:.5f}",
            f"{1e3 * row['seconds']:.3g}",
            f"{row['seconds'] / klj:.2f}",
            f"{row['seconds'] / fusion:.3f}",
        ]
        for name, row in rows.items()
    ]
    columns = ("solver", "graphs", "ratio", "ms", "of the peer's KLj", "of its fusion")
    second = [
        [name, *(f"{row['ratios'][each]:.5f}" for each in COMPARED)]
        for name, row in document["families"].items()
    ]
    third = [
        [name, str(row["num_graphs"]), *(str(row["below_gaec"][each]) for each in COMPARED)]
        for name, row in document["families"].items()
    ]
    return "\n".join(
        [
            "# Small graphs",
            "",
            about,
            "",
            *table(columns, first),
            "",
            *table(("family", *COMPARED), second),
            "",
            "Graphs on which a solver is worse than `gaec`:",
            "",
            *table(("family", "graphs", *COMPARED), third),
            "",
        ]
    )


if __name__ == "__main__":
    main()
