from __future__ import annotations

from xml.etree import ElementTree

import pytest

from paper.line_plots import (
    add_curve,
    legend_below,
    needs_close_up,
    new_plot,
    save_plot,
    scalable,
    start_at_zero,
    with_close_up,
)


def draw(picture):
    figure, axes = new_plot(("one", "two"))
    for ax in axes:
        ax.plot([1, 2], [3, 4], "o-", label="line")
        ax.legend()
    save_plot(figure, picture)


def test_the_same_plot_is_the_same_file(tmp_path):
    draw(tmp_path / "a.png")
    draw(tmp_path / "b.png")
    for suffix in (".png", ".svg"):
        first = (tmp_path / "a.png").with_suffix(suffix).read_bytes()
        assert first == (tmp_path / "b.png").with_suffix(suffix).read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_scalable_plot_is_dated_by_nothing_and_on_white(tmp_path):
    draw(tmp_path / "a.png")
    path = scalable(tmp_path / "a.png")
    assert path.name == "a.svg"
    text = path.read_text()
    assert "<dc:date>" not in text
    assert ElementTree.fromstring(text).tag.endswith("svg")
    # A page may be dark; lines and letters are.
    assert "fill: #ffffff" in text


def test_shares_start_at_zero():
    _, (ax, empty) = new_plot(("some", "none"))
    add_curve(ax, [(1.0, 0.25), (2.0, 0.5)], "line", "black")
    add_curve(empty, [(1.0, 0.0), (2.0, 0.0)], "line", "black")
    start_at_zero(ax)
    start_at_zero(empty)
    low, high = ax.get_ylim()
    assert low < 0 < 0.5 < high < 0.6
    assert empty.get_ylim()[1] > 1


@pytest.mark.parametrize("letters", [5, 50, 100])
def test_a_legend_stays_within_its_figure(letters):
    figure, axes = new_plot(("one", "two"))
    for number in range(6):
        add_curve(axes[0], [(1.0, 2.0), (2.0, number)], str(number) + letters * "e", "black")
    legend_below(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert legend.get_window_extent().width <= figure.bbox.width


def test_panels_are_in_rows_below_what_they_are_of():
    figure, axes = new_plot("abcdef", "six", columns=3)
    assert figure.get_suptitle() == "six"
    assert [ax.get_title("left") for ax in axes] == list("abcdef")
    places = [ax.get_subplotspec() for ax in axes]
    assert [(each.rowspan.start, each.colspan.start) for each in places] == [
        (row, column) for row in (0, 1) for column in (0, 1, 2)
    ]
    # Four side by side would be too small for a page.
    assert new_plot("abcd")[1][2].get_subplotspec().rowspan.start == 1


@pytest.mark.parametrize(
    ("ratios", "is_needed"),
    [([0.5, 0.97], True), ([0.5, 0.93], False), ([0.96, 0.99], False), ([], False)],
)
def test_a_close_up_shows_good_ratios_beside_bad_ones(ratios, is_needed):
    assert needs_close_up(ratios) == is_needed
    titles = [title for _, title in with_close_up({"objective_ratio": "all"}, ratios)]
    assert titles == ["all", "objective ratio, 0.95 to 1"][: 1 + is_needed]
