"""Corrections that contradict earlier ones, and which these are."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multicut import _core
    from multicut.proofreading.corrections import Correction


class ContradictionError(ValueError):
    """A correction that contradicts others.

    Attributes
    ----------
    chain
        The earlier corrections that it contradicts, in the order in which they link the two nodes.
        Constraints of the problem itself are part of the message alone.
    """

    def __init__(self, message: str, chain: Sequence[Correction] = ()) -> None:
        super().__init__(message)
        self.chain = tuple(chain)


def chain_against(live: _core.LivePartition, u: int, v: int, cost: float) -> list[int]:
    """Return the edges whose constraints forbid to give the edge of two nodes an infinite cost.

    Must-links from one node to the other forbid to separate them; a cannot-link between what
    must-links join with the two forbids to join them.
    """
    if cost == -math.inf:
        return live.must_link_path(u, v)
    link = live.cannot_link_between(u, v)
    if link is None:
        return []
    a, b = live.edge(link)
    if u != a and not live.must_link_path(u, a):
        a, b = b, a
    return [*_path(live, u, a), link, *_path(live, b, v)]


def _path(live: _core.LivePartition, u: int, v: int) -> list[int]:
    return [] if u == v else live.must_link_path(u, v)


def contradiction(
    attempt: str,
    edges: Sequence[int],
    live: _core.LivePartition,
    correction_of: Callable[[int], tuple[int, Correction] | None],
    name_of: Callable[[int], object],
) -> ContradictionError:
    """Return the error that names each link of the chain and the correction it comes from."""
    words, chain = [], []
    for edge in edges:
        found = correction_of(edge)
        if found is not None:
            number, correction = found
            words.append(f"{correction} (correction {number})")
            chain.append(correction)
        else:
            u, v = map(name_of, live.edge(edge))
            kind = "must-link" if live.cost(edge) > 0 else "cannot-link"
            words.append(f"the {kind} {u!r} - {v!r} of the problem")
    advice = "undo or change one of these first" if chain else "change its cost first"
    return ContradictionError(f"{attempt} contradicts {', '.join(words)}; {advice}", chain)
