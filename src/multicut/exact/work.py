"""How much an exact search computes: a limit that no clock has a part in."""

from __future__ import annotations

import math

# The unit is an iteration of the simplex method on a small model, about 0.04 ms. One takes twice as
# long for so many coefficients; so do, for so many edges, the rest of a linear program and the
# search for violated inequalities.
_COEFFICIENTS_PER_UNIT = 5_000
_EDGES_PER_UNIT = 20
_MOST_ITERATIONS = 2**31 - 1  # that HiGHS can count


class Work:
    """What was computed so far, and how much may be.

    The same search does the same work on any machine and under any load, so that where it ends,
    and thus what it finds, does not depend on these.

    Parameters
    ----------
    limit
        After so many iterations of the simplex method on a small model, or as much other work, the
        search ends.
    """

    def __init__(self, limit: float = math.inf) -> None:
        self._limit = limit
        self._done = 0.0

    @property
    def is_spent(self) -> bool:
        """Whether the search has to end."""
        return self._done >= self._limit

    def most_iterations(self, num_coefficients: int) -> int | None:
        """Return how many iterations are left on a model of such a size; None if any number."""
        if math.isinf(self._limit):
            return None
        left = (self._limit - self._done) / _units_of_iteration(num_coefficients)
        return min(max(math.ceil(left), 0), _MOST_ITERATIONS)

    def add_round(self, num_edges: int, num_coefficients: int, num_iterations: int) -> None:
        """Take note of a linear program with the search for inequalities that came before it."""
        self._done += num_iterations * _units_of_iteration(num_coefficients)
        self._done += num_edges / _EDGES_PER_UNIT


def _units_of_iteration(num_coefficients: int) -> float:
    return 1.0 + num_coefficients / _COEFFICIENTS_PER_UNIT
