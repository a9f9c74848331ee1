"""What HiGHS is relied upon for."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from multicut.exact.highs import HighsModel


def model() -> HighsModel:
    return HighsModel(np.array([-1.0, 2.0]), np.zeros(2), np.ones(2), lambda: False)


def test_models_in_two_threads_do_not_get_in_each_others_way():
    """The first is in the middle of a solve, as far as its lock is concerned."""
    first, second = model(), model()
    first._highs._Highs__solver_stopped.acquire()
    try:
        with ThreadPoolExecutor(1) as pool:
            values, bound = pool.submit(second.solve_integer, np.inf).result(timeout=30)
    finally:
        first._highs._Highs__solver_stopped.release()
    assert values.tolist() == [1.0, 0.0]
    assert bound == -1.0
