"""Numbers of docs/training.md, from `training/gcn_w_bn-randommp-decay-then-alpha-*.csv`."""

from __future__ import annotations

from measured.formats import RESULTS


def alpha_numbers() -> dict[str, str]:
    """Return the best validation of each of the runs that differ in α."""
    found = {}
    for alpha in ("0.003", "0.005", "0.01"):
        name = f"gcn_w_bn-randommp-decay-then-alpha-{alpha}.csv"
        header, *rows = (RESULTS / "training" / name).read_text(encoding="utf-8").splitlines()
        column = header.split(",").index("objective_ratio")
        found[f"best with {alpha}"] = f"{max(float(row.split(',')[column]) for row in rows):.3f}"
    return found
