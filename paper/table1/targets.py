"""The proposed network beside its published values, as plainly as possible."""

from __future__ import annotations

from collections.abc import Mapping

from multicut.benchmark.markdown import MISSING, ratio
from paper.evaluation_sets import COMPARABLE, EASIER, column_title
from paper.published import TABLE_1, TEST_SETS
from paper.section import Section, wrapped
from paper.table1.entries import Row

#: What the published table asks of the proposed network: (model, test set).
TARGETS = tuple(
    (model, name) for model in ("gcn_w_bn-randommp", "gcn_w_bn-irismp") for name in COMPARABLE
)

_EXPLANATION = """\
The proposed network beside its published values. What it reaches on the easier IrisMP, it need not
reach on the published one."""


def write_targets(section: Section, rows: Mapping[str, Row]) -> None:
    """Add the table."""
    texts, records = [], []
    for model, name in TARGETS:
        cell = rows[model].cells.get(name)
        published = TABLE_1[model].ratios[TEST_SETS.index(name)]
        assert published is not None
        if cell is None:
            title = column_title(name)
            texts.append([f"`{model}`", title, MISSING, MISSING, MISSING, "not measured"])
            continue
        difference = cell["ratio"] - published
        texts.append(
            [
                f"`{model}`",
                f"{column_title(name)}, {cell['num_graphs']:,} graphs",
                f"{ratio(cell['ratio'])} ± {ratio(cell['standard_error'])}",
                ratio(published),
                f"{difference:+.4f}",
                reached(name, difference, cell["standard_error"]),
            ]
        )
        records.append(
            {
                "model": model,
                "test_set": name,
                "is_easier": name in EASIER,
                "num_graphs": cell["num_graphs"],
                "ratio": cell["ratio"],
                "standard_error": cell["standard_error"],
                "published_ratio": published,
                "is_reached": difference >= 0,
                "is_within_standard_error": abs(difference) <= cell["standard_error"],
            }
        )
    section.write(wrapped(_EXPLANATION))
    columns = ["model", "test set", "ours ± standard error", "published", "difference", ""]
    section.tabulate("targets", records, columns, texts, 2)


def reached(name: str, difference: float, error: float) -> str:
    """Say whether a published value is reached, and if on easier graphs."""
    if abs(difference) <= error:
        text = "equal within the standard error"
    else:
        text = "reached" if difference > 0 else "missed"
    return f"{text}, on easier graphs" if name in EASIER and text != "missed" else text
