from __future__ import annotations

import pytest

from paper.section import Section
from paper.table1.bounded import write_bounded
from paper.table1.entries import Row
from tests.paper.pages import rows_of


def _rows(on_processor, on_gpu):
    def row(name, ratios, **more):
        sets = dict(zip(("RandomMP", "IrisMP"), ratios, strict=True))
        cells = {each: {"ratio": value, **more} for each, value in sets.items()}
        return Row(name, None, cells, selected_on=("IrisMP", "RandomMP"))

    budget = {"time_limit": 2e-5, "num_graphs": 10}
    return {
        "gcn_w_bn-general": row("gcn_w_bn-general", (0.9, 0.95)),
        "gaec-time-bounded": row("gaec-time-bounded", on_processor, num_out_of_time=0, **budget),
        "gaec-bounded-by-gpu": row("gaec-bounded-by-gpu", on_gpu, num_out_of_time=7, **budget),
    }


@pytest.mark.parametrize(
    ("on_gpu", "expected"),
    [
        ((0.1, 0.6), "on a GPU as the budget, the network is better."),
        ((0.91, 0.96), "on a GPU as the budget, GAEC is better."),
        ((0.1, 0.96), "on a GPU as the budget, each is better on one set."),
    ],
)
def test_the_verdict_is_of_the_values(on_gpu, expected):
    section = Section()
    write_bounded(section, _rows((0.98, 0.99), on_gpu), {"RandomMP": 0.03, "IrisMP": 0.34})
    text = " ".join("\n".join(section.lines).split())
    assert "on a processor as the budget, GAEC is better, and comes to its end" in text
    assert expected in text
    assert "selected on IrisMP and RandomMP" in text
    assert "with all 10 graphs of a set at once" in text
    assert "Cutting every edge reaches 0.03 on RandomMP and 0.34 on IrisMP (easier)." in text
    assert rows_of(section.lines, "GPU", "RandomMP") == [
        ["20 µs", f"{on_gpu[0]:.4f}", "7 of 10", "0.9000"]
    ]
    assert [each["budget_on"] for each in section.tables["time_bounded"]] == [
        *("processor", "processor"),
        *("GPU", "GPU"),
    ]


def test_nothing_is_said_of_what_is_not_measured():
    section = Section()
    rows = {name: Row(name, None, {}) for name in _rows((0, 0), (0, 0))}
    write_bounded(section, rows, None)
    assert section.lines == []
