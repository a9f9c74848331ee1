from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from multicut._groups import grouped


@given(st.lists(st.integers(0, 10)), st.integers(1, 20))
def test_groups_keep_the_order_and_are_as_large_as_allowed(sizes, most):
    groups = list(grouped(sizes, lambda size: size, most))
    assert list(itertools.chain(*groups)) == sizes
    assert all(groups)
    for group in groups:
        assert len(group) == 1 or sum(group) <= most
    for group, following in itertools.pairwise(groups):
        assert sum(group) + following[0] > most


def test_items_are_taken_only_when_they_are_needed():
    groups = grouped(itertools.repeat(3), lambda size: size, 6)
    assert next(groups) == [3, 3]
