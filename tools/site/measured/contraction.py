"""Tables of docs/contraction.md, from `small_graphs.json` and `contraction_ablation.json`."""

from __future__ import annotations

from measured.formats import read


def contraction_rows() -> list[str]:
    """Return mean ratios of contraction and local search, family by family."""
    columns = ("gaec", "klj from gaec", "dual-greedy", "dual-greedy, best", "klj")
    return [
        f"| {family} | " + " | ".join(f"{row['ratios'][name]:.4f}" for name in columns) + " |"
        for family, row in read("small_graphs.json")["families"].items()
    ]


# Rows of docs/contraction.md: what they are called there, and part and variant in the results.
_ABLATION = {
    "`gaec`": ("solver", "`gaec`"),
    "order of keys without cycles": ("cycles", "none"),
    "triangles": ("cycles", "triangles"),
    "squares": ("cycles", "squares"),
    "both": ("cycles", "triangles, squares"),
    **{f"sweeps of triangles: {n}": ("triangle sweeps", str(n)) for n in (1, 2, 5)},
    **{f"sweeps of squares: {n}": ("square sweeps", str(n)) for n in (1, 5)},
    **{f"$p$ = {weight}": ("weight of the cost", weight) for weight in ("0", "0.2", "0.5", "1")},
    **{
        f"$f$ = {share}": ("share joined per packing", share)
        for share in ("1", "0.5", "0.3", "0.1", "0.05", "0.02")
    },
}


def ablation_rows() -> list[str]:
    """Return ratio and relative time of each variant of guided contraction, on three families."""
    found = {
        (row["part"], row["variant"]): row["families"].values()
        for row in read("contraction_ablation.json")["rows"]
    }
    return [
        f"| {title} | "
        + " | ".join(
            f"{cell['ratio']:.4f}, {cell['time']:.1f}\N{MULTIPLICATION SIGN}" for cell in found[key]
        )
        + " |"
        for title, key in _ABLATION.items()
    ]
