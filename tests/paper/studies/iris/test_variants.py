"""Variants of IrisMP: what is drawn."""

from __future__ import annotations

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


def test_changes_change_the_graphs() -> None:
    nearest = next(each for each in changed(PLAIN) if each.neighbours == 5)
    assert len(draw(nearest, 1).distances) < len(draw(PLAIN, 1).distances)
    noisy = next(each for each in changed(PLAIN) if each.similarity_noise)
    graphs = draw(noisy, 1)
    assert not np.allclose(costs_of(graphs, noisy, 0.36), costs_of(graphs, PLAIN, 0.36))
