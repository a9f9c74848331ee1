"""The statistics of all sets beside the published ones, and which IrisMP fits them."""

from __future__ import annotations

from functools import partial
from typing import Any

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import MISSING
from multicut.datasets import open_dataset
from multicut.datasets.published import PUBLISHED as PUBLISHED_TABLES
from multicut.datasets.statistics import describe_dataset
from paper.evaluation_sets import (
    EASIER,
    EvaluationSet,
    column_title,
    find_sets,
    labelled,
    stored_name,
)
from paper.published import TEST_SETS
from paper.section import Section, listed
from paper.settings import PaperSettings
from paper.studies import randommp_costs
from paper.studies.iris import search
from paper.studies.iris import table as iris_table
from paper.table1.processor import PART as TABLE_1_PART
from paper.table1.processor import cell_key

TITLE = "Datasets"
PART = "datasets"
IRIS_PART = "iris"
_MOST = 1_000
_STATISTICS = "statistics of"
_COLUMNS = ("num_nodes", "num_edges", "cost_min", "cost_mean", "cost_max")
_OBJECTIVES = ("negative", "optimum", "all_cut", "positive")
_STEMS = {"IrisMP": "irismp", "RandomMP": "randommp", "BSDS300": "bsds300", "CREMI": "cremi"}
#: Sets that the paper and we divide alike.
_DIVIDED = ("IrisMP", "RandomMP")
#: Splits of these in the order of the published tables; the test graphs are an evaluation set.
_OTHER_SPLITS = ("train", "valid")
_SPLITS = (*_OTHER_SPLITS, "test")
_EXPLANATION = """\
Statistics of the graphs beside the published ones: mean ± deviation over graphs; objectives are per
edge. IrisMP and RandomMP have the splits of the paper (its *eval* is `valid`); other rows are of
the graphs of Table 1. Sets marked *stand-in* are other graphs than the published ones, so these
rows do not compare. The set marked *easier* follows the statistics of the published one, which is
not public. How far it is from that, how much easier, and why it is not drawn as the text says,
follows below."""
_NOT_PUBLISHED = "The paper has no statistics of {names}."


def measure(settings: PaperSettings) -> None:
    """Describe the sets at hand, and search for an IrisMP that fits."""
    store = settings.open_cache(PART)
    for chosen in find_sets(settings.data):
        settings.report(f"{_STATISTICS} {chosen.name}")
        store.get(_key(chosen), partial(_described, chosen))
    for name in _DIVIDED:
        for split in _OTHER_SPLITS:
            settings.report(f"{_STATISTICS} {name}, {split}")
            store.get(f"{_STATISTICS} {name}, {split}", partial(_described_split, name, split))
    number = _num_distances(settings)
    store.get(randommp_costs.key(number), partial(randommp_costs.measure, number))
    search.measure(settings.open_cache(IRIS_PART), _effort(settings), settings.report)


def _num_distances(settings: PaperSettings) -> int:
    return min(randommp_costs.NUM_GRAPHS, settings.num_graphs)


def _effort(settings: PaperSettings) -> search.Effort:
    return search.FULL if settings.num_graphs >= search.FULL.num_solved else search.QUICK


def _key(chosen: EvaluationSet) -> str:
    return f"{_STATISTICS} {stored_name(chosen.name, chosen.is_stand_in)}"


def _described(chosen: EvaluationSet) -> Cell:
    return {
        "set": chosen.name,
        "source": chosen.source,
        "is_stand_in": chosen.is_stand_in,
        "statistics": describe_dataset(labelled(chosen, _MOST)).to_dict(),
    }


def _described_split(name: str, split: str) -> Cell:
    return {
        "set": name,
        "split": split,
        "is_stand_in": False,
        "statistics": describe_dataset(open_dataset(name.lower(), split)).to_dict(),
    }


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    cells = settings.open_cache(PART).cells
    described = [cell for key, cell in cells.items() if key.startswith(_STATISTICS)]
    if described:
        # Published graphs come before stand-ins.
        published = {cell["set"] for cell in described if not cell["is_stand_in"]}
        shown = [c for c in described if not c["is_stand_in"] or c["set"] not in published]
        _write_statistics(section, shown)
        at_hand = {chosen.name for chosen in find_sets(settings.data)}
        if stored := [name for name in TEST_SETS if name in {c["set"] for c in shown} - at_hand]:
            section.write(f"The graphs of {listed(stored)} are not at hand now: values as stored.")
    _write_distances(section, settings)
    found = search.read(settings.open_cache(IRIS_PART), _effort(settings))
    if found is not None:
        iris_table.write(section, settings, found)
    return section


def _write_distances(section: Section, settings: PaperSettings) -> None:
    """Compare RandomMP with graphs whose costs come from distances, where both are measured."""
    cells = settings.open_cache(PART).cells
    (chosen,) = [each for each in find_sets(None) if each.name == "RandomMP"]
    distances = cells.get(randommp_costs.key(_num_distances(settings)))
    shipped = cells.get(_key(chosen))
    gaec = settings.open_cache(TABLE_1_PART).cells.get(cell_key(settings, "gaec", chosen))
    if distances is not None and shipped is not None and gaec is not None:
        randommp_costs.write(section, distances, shipped["statistics"], gaec["ratio"])


def _write_statistics(section: Section, cells: list[Cell]) -> None:
    section.write(_EXPLANATION)
    rows, records = [], []
    for cell in sorted(cells, key=_place):
        name, split, ours = cell["set"], _split_of(cell), cell["statistics"]
        title = column_title(name, cell["is_stand_in"])
        rows.append([title, split, f"{ours['num_graphs']:,}", *_shown(ours)])
        table = PUBLISHED_TABLES.get(_STEMS.get(name, ""), {})
        published = table.get(split or "all")
        if published is not None:
            values = published.to_dict()
            rows.append(["  published", split, f"{values['num_graphs']:,}", *_shown(values)])
        records.append(
            {
                "set": name,
                "split": split or None,
                "is_stand_in": cell["is_stand_in"],
                "is_easier": name in EASIER,
                "statistics": ours,
                "published": None if published is None else published.to_dict(),
            }
        )
    without = [each["set"] for each in records if each["published"] is None]
    columns = ("set", "split", "graphs", "nodes", "edges", "min cost", "mean cost", "max cost")
    objectives = ("c(y⁻)", "optimum", "c(1)", "c(y⁺)")
    section.tabulate("datasets", records, (*columns, *objectives), rows, 2)
    if without:
        section.write(_NOT_PUBLISHED.format(names=listed(without)))


def _split_of(cell: Cell) -> str:
    """Return which split is described; the graphs of Table 1 are those of the test split."""
    split: str = cell.get("split", "test" if cell["set"] in _DIVIDED else "")
    return split


def _place(cell: Cell) -> tuple[int, int]:
    split = _split_of(cell)
    return TEST_SETS.index(cell["set"]), _SPLITS.index(split) if split else 0


def _shown(values: dict[str, Any]) -> list[str]:
    return [
        *(_spread(values[name]) for name in _COLUMNS),
        *(MISSING if values[name] is None else f"{values[name]:.3f}" for name in _OBJECTIVES),
    ]


def _spread(value: dict[str, float] | None) -> str:
    if value is None:
        return MISSING
    is_whole = all(float(each).is_integer() for each in value.values())
    digits = 0 if is_whole or abs(value["mean"]) >= 100 else 2
    return f"{value['mean']:,.{digits}f} ± {value['deviation']:,.{digits}f}"
