"""Claims about how fast networks and solvers are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from paper.claims.claim import Finding, Verdict, between, factor, on_devices
from paper.claims.tables import NotMeasuredError, Tables
from paper.evaluation_sets import COMPARABLE, column_title
from paper.published import TABLE_2
from paper.section import listed, listed_numbers

_PROPOSED = ("gcn_w_bn-irismp", "gcn_w_bn-randommp")
# An order of 10^3 begins halfway between 10^2 and 10^3 on a logarithmic scale.
_ORDER = 10**2.5
_GPU_TABLE = "table1_cuda"
_PLACES = {"a GPU": "total_seconds", "a processor": "processor_total_seconds"}
_LEAST_SHARE = 0.75

Sizes = Mapping[int, Mapping[str, Any]]


def _factors(tables: Tables, solver: str) -> dict[str, list[float]]:
    """Return how many times as long a solver takes as the proposed networks, by their device."""
    seconds = sum(tables.number("table1", "seconds", solver=solver, test_set=s) for s in COMPARABLE)
    return {
        place: [seconds / tables.number(_GPU_TABLE, key, solver=name) for name in _PROPOSED]
        for place, key in _PLACES.items()
    }


def _range(values: list[float]) -> str:
    return between(factor(min(values)), factor(max(values)))


def exact_solvers(tables: Tables) -> Finding:
    """Compare times with LP and ILP."""
    lp, ilp = _factors(tables, "lp"), _factors(tables, "ilp")
    texts = [
        f"on {place} {_range(lp[place])} (LP) and {_range(ilp[place])} (ILP) times as fast"
        for place in _PLACES
    ]
    holds = (min(lp[place] + ilp[place]) >= _ORDER for place in _PLACES)
    return Finding(_sentence(texts), *on_devices(*holds))


def _sentence(texts: list[str]) -> str:
    text = "; ".join(texts)
    return f"{text[0].upper()}{text[1:]}."


def gaec(tables: Tables) -> Finding:
    """Compare times with GAEC on the test sets."""
    factors = _factors(tables, "gaec")
    texts = []
    for place, values in factors.items():
        if min(values) > 1:
            texts.append(f"on {place} {_range(values)} times as fast")
        else:
            longer = [1 / value for value in values]
            texts.append(f"on {place} it takes {_range(longer)} times as long")
    holds = (min(factors[place]) > 1 for place in _PLACES)
    return Finding(_sentence(texts), *on_devices(*holds))


def _by_size(tables: Tables, solver: str, device: str) -> dict[int, Mapping[str, Any]]:
    """Return the cells of a solver that have a time: what does not fit into memory has none."""
    found = tables.some("table2", solver=solver, device=device, setting=None)
    timed: dict[int, Mapping[str, Any]] = {
        int(each["num_nodes"]): each for each in found if each.get("seconds") is not None
    }
    if not timed:
        raise NotMeasuredError(f"times of {solver} on {device}")
    return timed


def growing_graphs(tables: Tables) -> Finding:
    """Compare times and objectives with GAEC on growing graphs."""
    ours, heuristic = _by_size(tables, "gnn", "cuda"), _by_size(tables, "gaec", "cpu")
    quick = _quicker(ours, heuristic)
    slow = _quicker(_by_size(tables, "gnn", "cpu"), heuristic)
    published = {
        size: (row["gaec"], row["gnn"])
        for size, row in TABLE_2.items()
        if row["gaec"] is not None and row["gnn"] is not None
    }
    theirs = [100 * (1 - gnn[1] / gaec[1]) for gaec, gnn in published.values() if gnn[0] < gaec[0]]
    is_for_large = bool(quick) and max(ours) in quick
    text = "On a GPU slower at every size."
    if quick:
        factors = [factor(heuristic[s]["seconds"] / ours[s]["seconds"]) for s in quick]
        worse = [
            f"{100 * (1 - ours[s]['objective'] / heuristic[s]['objective']):.1f} %" for s in quick
        ]
        text = (
            f"On a GPU faster at {_at_sizes(quick)} ({listed(factors)} times), with an "
            f"objective {listed(list(dict.fromkeys(worse)))} worse (published: "
            f"{min(theirs):.0f} to {max(theirs):.0f} %)."
        )
    text += f" On a processor faster at {_at_sizes(slow)}."
    return Finding(text, *on_devices(is_for_large, bool(slow) and max(ours) in slow))


def _quicker(ours: Sizes, theirs: Sizes) -> list[int]:
    return [s for s in ours if s in theirs and ours[s]["seconds"] < theirs[s]["seconds"]]


def _at_sizes(sizes: Sequence[int]) -> str:
    return f"{listed_numbers(sizes)} nodes" if sizes else "no size"


def rounding(tables: Tables) -> Finding:
    """Look up the share of rounding on growing graphs."""
    texts, shares = [], []
    for place, device in (("a GPU", "cuda"), ("a processor", "cpu")):
        cells = _by_size(tables, "gnn", device)
        own = [each["share_of_rounding"] for each in cells.values()]
        if None in own:
            raise NotMeasuredError(f"times of forward passes on {device}")
        shares += own
        low, high, last = (
            f"{100 * share:.0f}"
            for share in (min(own), max(own), cells[max(cells)]["share_of_rounding"])
        )
        texts.append(f"on {place} {between(low, high)} %, {last} % at {max(cells):,} nodes")
    text = f"Growing graphs: {'; '.join(texts)}."
    if min(shares) >= _LEAST_SHARE:
        return Finding(text, Verdict.HOLDS)
    return Finding(text, Verdict.IN_PART if max(shares) >= _LEAST_SHARE else Verdict.FAILS)


def time_bounded(tables: Tables) -> Finding:
    """Compare with GAEC that is given the time of the network."""
    texts: list[str] = []
    wins: dict[str, bool] = {}
    for place, several in (("GPU", ", many graphs at once"), ("processor", "")):
        found = tables.some("time_bounded", budget_on=place)
        values = [
            f"{each['ratio']:.3f} against {each['network_ratio']:.3f} on "
            f"{column_title(str(each['test_set']))}"
            for each in found
        ]
        texts.append(f"Time of a {place}{several}: GAEC reaches {listed(values)}.")
        wins[place] = all(each["network_ratio"] > each["ratio"] for each in found)
    bounded = _by_size(tables, "gaec-bounded-by-gpu", "cpu")
    network = _by_size(tables, "gnn", "cuda")
    better = [s for s in bounded if network[s]["objective"] < bounded[s]["objective"]]
    texts.insert(1, f"One growing graph at a time: the network is better at {_at_sizes(better)}.")
    is_for_large = bool(better) and max(bounded) in better
    return Finding(" ".join(texts), *on_devices(wins["GPU"] and is_for_large, wins["processor"]))
