"""What Table 2 shows of two claims of the paper: rounding, and GAEC in the time of a network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import milliseconds
from paper.rounding_share import share_of_rounding
from paper.section import Section, listed, listed_numbers, wrapped

#: Cells by number of nodes.
Cells = Mapping[int, Cell]
_ROUNDING = """\
**Rounding** is all but the forward pass and the way to the device. Its share of the time of `gnn`
is {shares}. The paper says 75 to 99 % of its scalability study. [Networks](networks.md#speed) has
each stage on a GPU, with random weights."""
_BOUNDED = """\
**GAEC in the time of the network.** In its Table 1 the paper gives GAEC the time of its network.
Here `gaec-bounded-by-gpu` does so on growing graphs: it has the time of `gnn` on {device} as its
limit. Of {repetitions} repetitions, the best objective counts. {findings} GAEC ran on the machine
of the other solvers, not on that of the GPU. It ends before its limit to keep time for its result.
So the size from which on the network is better depends on the machines."""
_STOPPED = """\
On {sizes} nodes GAEC is stopped at {ours}, where the network reaches {network}. Without a limit,
GAEC takes {times} ms for {objectives}."""
_NOTHING = """\
On {sizes} nodes it has contracted nothing by then. A stopped solver returns what it has, or a
partition that needs no search if that is better, as here."""


def write_rounding(section: Section, cells: Mapping[str, Cells]) -> None:
    """Say how much of the time of the network rounding takes, by device."""
    texts = []
    for device, by_size in cells.items():
        found = {size: share_of(cell) for size, cell in by_size.items()}
        known = {size: share for size, share in found.items() if share is not None}
        if known:
            largest = max(known)
            shares = min(known.values()), max(known.values()), known[largest]
            low, high, last = (f"{100 * share:.0f} %" for share in shares)
            texts.append(f"{low} to {high} on {device}, {last} at {largest:,} nodes")
    if texts:
        section.write(wrapped(_ROUNDING.format(shares="; ".join(texts))))


def share_of(cell: Cell) -> float | None:
    """Return the share of rounding; None of what is no network that passes once."""
    return share_of_rounding(
        cell.get("forward_seconds"), cell.get("seconds"), cell.get("transfer_seconds")
    )


def write_bounded(
    section: Section, device: str, bounded: Cells, gaec: Cells, network: Cells
) -> None:
    """Say what GAEC reaches in the time that the network takes on a device."""
    if not bounded:
        return
    texts = []
    ended = [size for size, cell in bounded.items() if not cell["out_of_time"]]
    better = [size for size in ended if bounded[size]["objective"] < network[size]["objective"]]
    if ended:
        than = "a better objective" if better == ended else "its usual objective"
        texts.append(
            f"On {listed_numbers(ended)} nodes GAEC comes to its end in that time, with {than}."
        )
    stopped = [size for size, cell in bounded.items() if cell["out_of_time"]]
    if stopped:
        text = _STOPPED.format(
            sizes=listed_numbers(stopped),
            ours=_objectives(bounded, stopped),
            network=_objectives(network, stopped),
            times=listed([milliseconds(gaec[size]["seconds"]) for size in stopped]),
            objectives=_objectives(gaec, stopped),
        )
        texts.append(text)
    if idle := [size for size in stopped if has_contracted_nothing(bounded[size])]:
        texts.append(_NOTHING.format(sizes=listed_numbers(idle)))
    repetitions = max(cell["num_repetitions"] for cell in bounded.values())
    text = _BOUNDED.format(device=device, repetitions=repetitions, findings=" ".join(texts))
    section.write(wrapped(text))


def has_contracted_nothing(cell: Cell) -> bool:
    """Whether a stopped GAEC returned a partition that needs no search."""
    return bool(cell["objective"] == cell["objective_without_search"])


def _objectives(cells: Cells, sizes: Sequence[int]) -> str:
    return listed([f"{cells[size]['objective']:,.0f}" for size in sizes])
