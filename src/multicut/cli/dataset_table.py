"""The statistics of datasets, beside the published ones."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from multicut.cli.console import answer, output, print_json, table, working

if TYPE_CHECKING:
    from multicut.datasets import Dataset
    from multicut.datasets.statistics import Spread, Statistics

# Names of the rows as published, with the fields of Statistics and the digits that are printed.
ROWS = (
    ("graphs", "num_graphs", 0),
    ("nodes", "num_nodes", 0),
    ("edges", "num_edges", 0),
    ("w min", "cost_min", 2),
    ("w avg", "cost_mean", 2),
    ("w max", "cost_max", 2),
    ("c(y⁻)", "negative", 3),
    ("c(ỹ)", "optimum", 3),
    ("c(1)", "all_cut", 3),
    ("c(y⁺)", "positive", 3),
    ("labelled", "num_labelled", 0),
    ("proven optimal", "num_optimal", 0),
)
_LEGEND = (
    "Means over graphs ± standard deviations. Per edge: c(y⁻) all negative edges cut, c(ỹ) the "
    "best known solution, c(1) all edges cut, c(y⁺) all positive edges cut."
)


def is_dataset(source: Path) -> bool:
    """Whether something is a dataset, and not a file of problems."""
    from multicut.datasets.shipped import SHIPPED

    return source.is_dir() or (str(source) in SHIPPED and not source.exists())


def show_datasets(source: Path, corpus: str | None, *, as_json: bool) -> None:
    """Print the statistics of a dataset, a corpus, or all splits of a shipped set."""
    from multicut.datasets import describe_dataset

    columns: dict[str, Statistics] = {}
    published: dict[str, Statistics | None] = {}
    with working(f"reading {source}"):
        for dataset in _open(source, corpus):
            columns[dataset.name] = describe_dataset(dataset)
            published[dataset.name] = _published_of(dataset)
    if as_json:
        entries = [
            {
                "name": name,
                "statistics": entry.to_dict(),
                "published": None if (paper := published[name]) is None else paper.to_dict(),
            }
            for name, entry in columns.items()
        ]
        print_json({"source": str(source), "datasets": entries})
    else:
        _print(columns, published)


def _open(source: Path, corpus: str | None) -> Iterator[Dataset]:
    from multicut.datasets import open_dataset, read_corpus
    from multicut.datasets.shipped import SHIPPED, SIZES

    if corpus is not None:
        yield read_corpus(corpus, source)
    elif str(source) in SHIPPED and not source.exists():
        for split in SIZES:
            yield open_dataset(source, split)
    else:
        yield open_dataset(source)


def _published_of(dataset: Dataset) -> Statistics | None:
    """Return the published statistics of what a dataset is drawn from or read from."""
    from multicut.datasets import PUBLISHED
    from multicut.datasets.generators import get_generator

    if (corpus := dataset.info.get("corpus")) is not None:
        return PUBLISHED.get(str(corpus), {}).get(str(dataset.info.get("split", "all")))
    origin = dataset.info.get("generator")
    # Users may note there whatever they like.
    if not isinstance(origin, dict) or origin.get("name") not in PUBLISHED:
        return None
    if origin.get("options") != get_generator(origin["name"]).option_defaults:
        return None
    return PUBLISHED[origin["name"]].get(origin.get("split", ""))


def _print(columns: dict[str, Statistics], published: dict[str, Statistics | None]) -> None:
    heads, cells = [""], []
    for name, entry in columns.items():
        heads.append(name)
        cells.append(entry)
        if (paper := published[name]) is not None:
            heads.append("published")
            cells.append(paper)
    listing = table(None, *heads, left=("",))
    for label, field, digits in ROWS:
        listing.add_row(label, *(format_cell(getattr(entry, field), digits) for entry in cells))
        if field == "num_edges" and any(entry.num_lifted_edges for entry in cells):
            counts = (format_cell(entry.num_lifted_edges, digits) for entry in cells)
            listing.add_row("lifted edges", *counts)
    if any(entry.largest_gap for entry in cells):
        gaps = (entry.largest_gap for entry in cells)
        listing.add_row("largest gap", *("-" if gap is None else f"{gap:.2%}" for gap in gaps))
    output().print(listing)
    answer(_LEGEND)


def format_cell(value: Spread | float | None, digits: int) -> str:
    """Return what a table shows of a value; `digits` go behind the point."""
    if value is None:
        return "-"
    if isinstance(value, int | float):
        return f"{value:,.{digits}f}"
    return f"{value.mean:,.{digits}f} ± {value.deviation:,.{digits}f}"
