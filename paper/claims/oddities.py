"""What does not fit together among the published numbers."""

from __future__ import annotations

from paper.published import TABLE_1, TABLE_2

_SMALL, _LARGE = 100_000, 1_000_000


def find_oddities() -> list[str]:
    """Return a sentence or two on each."""
    scale = _LARGE // _SMALL
    ilp, network = _objective(_SMALL, "ilp"), _objective(_SMALL, "gnn")
    gaec = _objective(_LARGE, "gaec")
    worse = 100 * (1 - _objective(_LARGE, "gnn") / (scale * network))
    bounded, proposed = TABLE_1["gaec-time-bounded"], TABLE_1["gcn_w_bn-randommp"]
    return [
        "Table 1: its caption says that times are in milliseconds, its header says seconds.",
        f"Table 1: time-bounded GAEC, whose budget is the time of GCN_W_BN, takes "
        f"{bounded.total_seconds} s, GCN_W_BN at most {proposed.total_seconds} s.",
        "Table 2: objectives of random graphs of one kind are about proportional to the number of "
        f"nodes, and the ILP's are optimal. But GAEC's at {_LARGE:,} nodes ({gaec:,.0f}) is below "
        f"{scale} times the ILP's at {_SMALL:,} ({scale * ilp:,.0f}). That of GCN_W_BN at "
        f"{_LARGE:,} nodes is {worse:.0f} % worse than {scale} times its own at {_SMALL:,}.",
    ]


def _objective(size: int, solver: str) -> float:
    found = TABLE_2[size][solver]
    assert found is not None
    return found[1]
