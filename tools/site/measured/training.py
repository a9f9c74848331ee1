"""Measured numbers of docs/training.md, from records of runs and `processor_training.json`."""

from __future__ import annotations

from measured.formats import RESULTS, read

_COLUMNS = tuple((name, pages) for name in ("32-true", "bf16-mixed") for pages in (False, True))
_ORDER = ["GCN_W_BN", "GIN0_W_BN", "SGCN_W_BN", "GT", "RGGCN_HE", "MLP"]
PROCESSOR_HEADER = (
    "| network | float32, pages of 4 kB | pages of 2 MB | bfloat16, pages of 4 kB | pages of 2 MB |"
)


def processor_rows() -> list[str]:
    """Return instances per second by network, precision and size of pages."""
    return [
        f"| {network} | {' | '.join(f'{rates[column]:,.0f}' for column in _COLUMNS)} |"
        for network, rates in _rates().items()
    ]


def _processor_numbers() -> dict[str, str]:
    """Return how much faster large pages and bfloat16 make training on a processor."""
    rates = _rates()
    found = {}
    exact, large, both = _COLUMNS[0], _COLUMNS[1], _COLUMNS[3]
    for name, slow, fast in (("large pages", exact, large), ("bfloat16", large, both)):
        gains = [row[fast] / row[slow] for row in rates.values()]
        found |= {f"least gain of {name}": f"{min(gains):.1f}"}
        found |= {f"most gain of {name}": f"{max(gains):.1f}"}
    return found | {"minutes of the schedule": f"{3.15e6 / rates['GCN_W_BN'][both] / 60:.0f}"}


def _rates() -> dict[str, dict[tuple[str, bool], float]]:
    """Return instances per second by network, then by precision and whether pages are large."""
    cells = [cell for cell in read("processor_training.json").values() if "network" in cell]
    found: dict[str, dict[tuple[str, bool], float]] = {}
    losses: dict[tuple[str, str], float] = {}
    for cell in cells:
        column = (cell["precision"], cell["large_pages"])
        found.setdefault(cell["network"], {})[column] = cell["instances_per_second"]
        # The page says that pages change no digit of a loss.
        if losses.setdefault((cell["network"], column[0]), cell["last_loss"]) != cell["last_loss"]:
            raise ValueError(f"the size of pages changes the loss of {cell['network']}")
    return {network: found[network] for network in _ORDER}


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
