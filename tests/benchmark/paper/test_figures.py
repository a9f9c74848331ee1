from __future__ import annotations

from xml.etree import ElementTree

from multicut.benchmark.paper.figures import new_plot, save_plot, scalable


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
