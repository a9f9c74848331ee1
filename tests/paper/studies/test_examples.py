from __future__ import annotations

import numpy as np
import pytest

from multicut.plotting import saving
from multicut.plotting.saving import save_figure
from paper.studies import aggregation, image_example
from tests.networks import save_small_model
from tests.paper.pages import panel, rows_of


def test_costs_tell_groups_apart_where_means_do_not(tmp_path):
    assert (aggregation.means_of_neighbours(aggregation.EXAMPLE) == 1).all()
    signs = aggregation.signed_sums(aggregation.EXAMPLE) > 0
    assert signs.tolist() == [True] * 4 + [False] * 2
    aggregation.draw(tmp_path / "drawing.png")
    assert (tmp_path / "drawing.svg").exists()


def test_the_image_example_shows_what_rounding_reinstates(settings, monkeypatch):
    pytest.importorskip("skimage")
    saved = {}

    def save(figure, path, **options):
        saved[path.stem] = figure
        save_figure(figure, path, **options)

    monkeypatch.setattr(saving, "save_figure", save)
    from multicut.models import registry
    from multicut.problem import Problem
    from paper.section import Section

    assert image_example.key() is None
    save_small_model(registry.WEIGHTS, "gcn_w_bn-irismp")
    problem = Problem([(0, 1), (1, 2), (0, 2)], [1.0, 1.0, -0.5])
    for cut in image_example.find_cuts(problem).values():
        u, v = problem.edges[cut.reinstated].T
        assert (cut.labels[u] == cut.labels[v]).all()
    image_example.measure(settings, "pictures")
    section = Section()
    image_example.render(settings, section, "pictures")
    found = {record["solver"]: record for record in section.tables["image_example"]}
    assert np.isclose(found["ilp"]["ratio"], 1.0)
    assert all(record["is_stand_in"] for record in found.values())
    text = " ".join("\n".join(section.lines).split())
    assert "this **stand-in** is" in text
    assert "The preset `paper-squared` squares distances of colours, which the printed" in text
    # The published network of that row was trained on other graphs.
    assert [name for name, record in found.items() if record["is_easier"]] == ["gcn_w_bn-irismp"]
    assert rows_of(section.lines, "GCN_W_BN, trained on IrisMP (easier)")[0][-1] == "0.8948"
    assert len({tuple(record) for record in found.values()}) == 1
    assert image_example.picture(settings, "cuts").exists()
    titles = [ax.get_title().split("\n")[0] for ax in saved["results-example-cuts"].axes]
    assert titles[:4] == ["optimal", "GAEC", "GCN_W_BN, IrisMP (easier)", "GCN_W_BN, RandomMP"]
    texts = [text.get_text() for ax in saved["results-example-graph"].axes for text in ax.texts]
    assert "the wider a line, the larger its absolute cost" in " ".join(" ".join(texts).split())
    # Similarities are colours alone.
    similarities = panel(saved["results-example-graph"], "(d) similarities")
    (lines,) = similarities.collections
    assert len(set(lines.get_linewidths())) == 1
