"""Measured numbers of docs/training.md, from records of runs and `processor_training.json`."""

from __future__ import annotations

from typing import Any

from measured.formats import RESULTS, read

# Architectures of `benchmarks/processor_training.py`, by what the page calls their networks.
_NETWORKS = {
    "gcn_w": "GCN_W_BN",
    "gin0_w": "GIN0_W_BN",
    "sgcn_w": "SGCN_W_BN",
    "gt": "GT",
    "rggcn_he": "RGGCN_HE",
    "mlp": "MLP",
}
PROCESSOR_HEADER = (
    "| network | float32, pages of 4 kB | pages of 2 MB | bfloat16, pages of 4 kB | pages of 2 MB |"
)


def processor_rows() -> list[str]:
    """Return instances per second by network, precision and size of pages."""
    return [
        f"| {title} | "
        + " | ".join(
            f"{_cell(network, precision, pages)['instances_per_second']:,.0f}"
            for precision in ("32-true", "bf16-mixed")
            for pages in ("small", "large")
        )
        + " |"
        for network, title in _NETWORKS.items()
    ]


def _processor_numbers() -> dict[str, str]:
    """Return how much faster large pages and bfloat16 make training on a processor."""
    found = {}
    for name, slow, fast in (
        ("large pages", ("32-true", "small"), ("32-true", "large")),
        ("bfloat16", ("32-true", "large"), ("bf16-mixed", "large")),
        ("both", ("32-true", "small"), ("bf16-mixed", "large")),
    ):
        gains = [
            _cell(network, *fast)["instances_per_second"]
            / _cell(network, *slow)["instances_per_second"]
            for network in _NETWORKS
        ]
        found |= {f"least gain of {name}": f"{min(gains):.1f}"}
        found |= {f"most gain of {name}": f"{max(gains):.1f}"}
    minutes = 3.15e6 / _cell("gcn_w", "bf16-mixed", "large")["instances_per_second"] / 60
    return found | {"minutes of the schedule": f"{minutes:.0f}"}


def _cell(network: str, precision: str, pages: str) -> dict[str, Any]:
    cell: dict[str, Any] = read("processor_training.json")[f"{network}, {precision}, {pages} pages"]
    return cell


def training_numbers() -> dict[str, str]:
    """Return the numbers of all sentences of the page."""
    return _alpha_numbers() | _processor_numbers()


def _alpha_numbers() -> dict[str, str]:
    """Return the best validation of each of the runs that differ in α."""
    found = {}
    for alpha in ("0.003", "0.005", "0.01"):
        name = f"gcn_w_bn-randommp-decay-then-alpha-{alpha}.csv"
        header, *rows = (RESULTS / "training" / name).read_text(encoding="utf-8").splitlines()
        column = header.split(",").index("objective_ratio")
        found[f"best with {alpha}"] = f"{max(float(row.split(',')[column]) for row in rows):.3f}"
    return found
