"""What the page says of the search follows from what was measured."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from paper.evaluation_sets import find_sets
from paper.section import Section
from paper.settings import PaperSettings
from paper.studies.iris import table
from paper.studies.iris.search import Found
from paper.studies.iris.written import written
from paper.table1.processor import cell_key
from tests.paper.pages import rows_of
from tests.paper.studies.iris.conftest import TINY


@pytest.fixture
def found(row: Any) -> Any:
    """Make what a search finds from rows."""

    def make(shipped: dict[str, Any], *rows: dict[str, Any]) -> Found:
        return Found(TINY, row(**shipped), list(rows), list(rows), [])

    return make


def test_no_variant_fits(row: Any, found: Any) -> None:
    easy = row(scaling="min-max", distance=2.0, gaec=0.998)
    hard = row(scaling="whitened", distance=12.3, gaec=0.9831, mean=-1.41)
    shipped = {"distance": 2.4, "gaec": 0.9985, "lp": 1.0, "optimum": -1.12}
    text = "\n".join(table.verdict(found(shipped, easy, hard)))
    assert "No variant fits: the best (min-max; two; ; p = 2) is 2.0 units away." in text
    assert "The shipped graphs are 2.4 units away" in text
    assert "that of the shipped graphs 0.049, that of the best variant 0.066" in text
    assert "On 3 graphs each, GAEC reaches at most 0.985 with 1 of 2 variants." in text
    assert "The nearest of these is 12.3 units away." in text
    assert "it does so with 1 of 2 variants" in text
    assert "Off by more than 3 units there: mean -1.410 (published -0.410)." in text
    assert "The shipped graphs are easier than the published ones" in text
    assert "0.9985 (published 0.9836) with `gaec`" in text


def test_a_variant_fits(row: Any, found: Any) -> None:
    fits = row(distance=0.9)
    text = "\n".join(table.verdict(found({"distance": 0.8, "gaec": 0.984}, fits)))
    assert "A variant fits (raw; two; ; p = 2): it is 0.9 units away." in text
    assert "No statistic is off by more than 3 units." in text
    assert "The shipped graphs are not easier" in text


def test_none_is_hard(row: Any, found: Any) -> None:
    rows = row(distance=2.0, gaec=0.99), row(scaling="whitened", distance=5.0, gaec=0.987)
    text = "\n".join(table.verdict(found({"gaec": 0.99}, *rows)))
    assert "at most 0.985 with 0 of 2 variants. On 3 graphs each, it does so with 0 of 2" in text
    assert "So none of the latter is as hard as published." in text
    nearest = "The variant whose GAEC is nearest to the published one (whitened; two; ; p = 2)"
    assert f"{nearest} reaches 0.9870 and is 5.0 units away." in text


def test_rows_say_what_they_are_there_for(settings: PaperSettings, row: Any, found: Any) -> None:
    rows = [
        row(scaling="min-max", distance=2.0, gaec=0.998),
        row(scaling="whitened", distance=5.0, gaec=0.981),
        row(scaling="over maximum", distance=8.0, gaec=0.9835),
        row(scaling="one deviation", distance=9.0, gaec=0.9832),
    ]
    section = Section()
    table.write(section, settings, found({"gaec": 0.9985}, *rows))
    records = section.tables["iris_fit"]
    assert [each["role"] for each in records] == [
        "shipped",
        "best",
        "best of GAEC ≤ 0.985",
        "GAEC nearest to 0.9836",
    ]
    assert [each["is_shipped"] for each in records] == [True, False, False, False]
    assert all(each["published"]["lp"] == 0.9882 for each in records)
    (shown,) = rows_of(section.lines, "GAEC nearest to 0.9836", "over maximum")
    assert shown[-2:] == ["0.9835", "0.9882"]
    # The one other hard variant that was measured again is left out.
    text = " ".join("\n".join(section.lines).split())
    assert f"The table has the {TINY.num_best} best and the first of each" in text
    assert not rows_of(section.lines, "", "one deviation")
    (summary,) = section.tables["iris_search"]
    assert (summary["num_hard_solved"], summary["is_fit"]) == (3, False)
    assert summary["shipped_is_easier"]
    assert "misses" not in "\n".join(section.lines)  # nothing of Table 1 was measured


def test_graphs_after_the_text_of_the_paper_come_last(
    settings: PaperSettings, row: Any, found: Any
) -> None:
    search = found({"distance": 2.3}, row(distance=2.0, gaec=0.998))
    kernels = dict.fromkeys(kernel for kernel, _, _ in written())
    far = {"mean": -1.932, "optimum": -2.34, "gaec": 0.9703}
    rows = [row(kernel=kernel, distance=60.0 - i, **far) for i, kernel in enumerate(kernels)]
    section = Section()
    table.write(section, settings, replace(search, written=rows))
    records = section.tables["iris_fit"]
    assert [each["kernel"] for each in records] == [None, None, *kernels]
    assert len({tuple(each) for each in records}) == 1
    assert rows_of(section.lines, "as written, exp(-d/0.6)")
    text = " ".join("\n".join(section.lines).split())
    assert "exp(-d²/(2·0.6²)), the mean cost is -1.932 (published -0.410)" in text
    assert "-2.340 (published -1.103): 60.0 units away" in text
    assert "The nearest of the rows *as written*, exp(-(0.6·d)²), is 56.0 units away" in text
    assert "GAEC reaches 0.9703 there" in text


def test_a_set_that_fits_is_shown_for_comparison(
    settings: PaperSettings, row: Any, found: Any
) -> None:
    (chosen,) = [each for each in find_sets(None) if each.name == "RandomMP"]
    store = settings.open_cache("table1")
    for solver in ("gaec", "lp"):
        store.put(cell_key(settings, solver, chosen), {"ratio": 0.9836})
    section = Section()
    table.write(section, settings, found({"gaec": 0.9985}, row(distance=2.0)))
    text = " ".join("\n".join(section.lines).split())
    assert "`gaec` misses 1.64% of the optimum on RandomMP (published 2.20%)" in text
    assert "0.150% on IrisMP (easier) (published 1.64%)." in text
