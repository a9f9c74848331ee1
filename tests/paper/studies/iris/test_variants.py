"""Variants of IrisMP: what is drawn."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from paper.studies.iris.fit import costs_of
from paper.studies.iris.variants import SCALINGS, Variant, changed, draw

PLAIN = Variant("z-score", "two", "without replacement", 2)


@pytest.mark.parametrize("scaling", SCALINGS)
def test_every_scaling_gives_finite_costs_within_the_clip(scaling: str) -> None:
    variant = Variant(scaling, "two", "with replacement", 1)
    costs = costs_of(draw(variant, 3), variant, 1.0)
    assert np.isfinite(costs).all()
    assert np.abs(costs).max() <= np.log(99) + 1e-9


@pytest.mark.parametrize("choice", ["scaling", "columns", "sampling"])
def test_a_misspelt_choice_is_an_error(choice: str) -> None:
    with pytest.raises(KeyError, match="tow"):
        draw(replace(PLAIN, **{choice: "tow"}), 1)


def test_changes_change_the_graphs() -> None:
    nearest = next(each for each in changed(PLAIN) if each.neighbours == 5)
    assert len(draw(nearest, 1).distances) < len(draw(PLAIN, 1).distances)
    noisy = next(each for each in changed(PLAIN) if each.similarity_noise)
    graphs = draw(noisy, 1)
    assert not np.allclose(costs_of(graphs, noisy, 0.36), costs_of(graphs, PLAIN, 0.36))


def test_changes_are_single_ones_and_pairs_of_different_kinds() -> None:
    found = list(changed(PLAIN))
    assert len(set(found)) == len(found)
    sizes = Counter(len(each.extras.split(", ")) for each in found)
    # Four clips, three noises of similarities, two of points, two numbers of neighbours.
    assert sizes == {1: 4 + 3 + 2 + 2, 2: 4 * 3 + 4 * 2 + 4 * 2 + 3 * 2 + 3 * 2 + 2 * 2}
    assert replace(PLAIN, point_noise=0.1, neighbours=5) in found


def test_names_say_what_is_unusual() -> None:
    assert PLAIN.name == "z-score; two; without replacement; p = 2"
    variant = replace(PLAIN, clip=0.005, neighbours=5)
    assert variant.name == f"{PLAIN.name}; clip 0.005, neighbours 5"


def test_the_first_graphs_are_the_first() -> None:
    graphs, some = draw(PLAIN, 5), draw(PLAIN, 5).first(2)
    assert some.num_nodes == graphs.num_nodes[:2]
    sizes = [n * (n - 1) // 2 for n in some.num_nodes]
    assert [len(edges) for edges in some.edges] == sizes
    assert np.array_equal(some.distances, graphs.distances[: sum(sizes)])
    assert len(some.noise) == some.offsets[-1] == sum(sizes)
