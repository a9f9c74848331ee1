from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from multicut.plotting import plot_reliability


def test_dots_are_means_of_equal_numbers_of_edges():
    probabilities = np.array([0.9, 0.6, 1.0, 0.5])
    ax = plot_reliability(probabilities, [True, False, True, True], Figure().subplots(), num_bins=2)
    dots, diagonal = ax.lines
    assert np.allclose(dots.get_xydata(), [[0.55, 0.5], [0.95, 1.0]])
    assert np.allclose(diagonal.get_xdata(), diagonal.get_ydata())
    assert ax.get_legend() is None


def test_several_have_a_legend():
    named = {"margins": [0.5, 0.9], "network": [0.7, 0.8]}
    ax = plot_reliability(named, {name: [1, 1] for name in named})
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["margins", "network"]


def test_bad_arguments_give_one_clear_line():
    with pytest.raises(ValueError, match="got 2 and 1"):
        plot_reliability([0.5, 0.9], [True])
    with pytest.raises(ValueError, match="must hold one value per edge"):
        plot_reliability([], [])
    with pytest.raises(ValueError, match="the same names"):
        plot_reliability({"a": [1.0]}, {"b": [True]})
