"""The five test sets: our own splits, published files where they are, else stand-ins."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from multicut.datasets import Dataset, get_generator, open_dataset
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.corpora import read_file
from multicut.solve import solve_batch
from paper.published_graphs import find_published

# Most graphs without solutions are solved in much less.
_SECONDS_PER_GRAPH = 60.0


@dataclass(frozen=True)
class EvaluationSet:
    """One column of Table 1.

    Attributes
    ----------
    name
        The name of the published column.
    source
        What the graphs are.
    is_stand_in
        Whether they are others than the published ones.
    made_from
        What it takes to have them again: a generator with its options, or files.
    load
        Reads or draws them.
    is_at_hand
        Whether they can be read here; if not, only what was measured before is shown.
    """

    name: str
    source: str
    is_stand_in: bool
    made_from: dict[str, Any]
    load: Callable[[], Dataset]
    is_at_hand: bool = True

    @property
    def title(self) -> str:
        """What tables call the set; it says if the graphs are others than the published ones."""
        return column_title(self.name, self.is_stand_in)

    @property
    def is_easier(self) -> bool:
        """Whether solvers come closer to the optimum here than on the published graphs."""
        return self.name in EASIER and not self.is_stand_in


#: Test sets whose graphs are drawn, as the published ones were; those of IrisMP are easier.
COMPARABLE = ("RandomMP", "IrisMP")
#: Sets that we draw after the statistics of the paper, but that are easier than the published
#: ones; the search for an IrisMP that fits (``studies/iris``) measures it.
EASIER = ("IrisMP",)

_SOURCES = {
    "IrisMP": "our test split, costs after the published statistics; easier than the published set",
    "RandomMP": "our test split, costs from a normal distribution, independent of distances",
}
# By column: the corpus, and the stand-in: what it is, and its files.
_CORPORA = {
    "BSDS300": (
        "bsds300",
        "region graphs of Berkeley images with costs from boundary strength and colour",
        ("bsds/bsds_ucm_a.npz",),
    ),
    "CREMI": ("cremi", "one region graph of CREMI volume C", ("em/CREMI-C_test.npz",)),
    "Knott": (
        "knott",
        "connected 50-node pieces of the Knott-3D graphs",
        tuple(f"opengm_subgraphs/knott-3d-{size}_valid.npz" for size in (150, 300, 450)),
    ),
}


def find_sets(data: Path | None) -> list[EvaluationSet]:
    """List the test sets that are at hand.

    Raises
    ------
    ValueError
        If a folder of published graphs does not hold all of them.
    """
    sets = [_drawn(name) for name in ("IrisMP", "RandomMP")]
    if data is None:
        return sets
    for name, (corpus, description, files) in _CORPORA.items():
        paths = [data / file for file in files]
        published = find_published(corpus, data)
        if published is not None:
            made_from: dict[str, Any] = {"corpus": corpus}
            sets.append(
                EvaluationSet(name, "the published graphs", False, made_from, published.read)
            )
        elif all(path.is_file() for path in paths):
            made_from = {"files": list(files)}
            joined = partial(_joined, name, paths)
            sets.append(EvaluationSet(name, description, True, made_from, joined))
    return sets


def sets_to_show(data: Path | None, measured: Iterable[str]) -> list[EvaluationSet]:
    """List the test sets at hand, and those that were measured before, elsewhere.

    Parameters
    ----------
    data
        The folder with the data, if any.
    measured
        The keys of stored measurements.
    """
    sets = find_sets(data)
    known = {chosen.name for chosen in sets}
    keys = list(measured)
    for name, (corpus, description, files) in _CORPORA.items():
        if name in known:
            continue
        # The published graphs, if these were measured, else the stand-in.
        for is_stand_in in (False, True):
            stored = stored_name(name, is_stand_in)
            if any(f", {stored}," in key for key in keys):
                source = description if is_stand_in else "the published graphs"
                made_from = {"files": list(files)} if is_stand_in else {"corpus": corpus}
                load = partial(_not_at_hand, name)
                sets.append(EvaluationSet(name, source, is_stand_in, made_from, load, False))
                break
    return sets


def labelled(chosen: EvaluationSet, most: int) -> Dataset:
    """Return the first graphs of a set with solutions: its own, or the best that ``ilp`` finds."""
    graphs = chosen.load()[:most]
    if graphs.labelled.all():
        return graphs
    return graphs.with_results(solve_batch(graphs, "ilp", time_limit=_SECONDS_PER_GRAPH))


def column_title(name: str, is_stand_in: bool = False) -> str:
    """Return the title of a column, which says if its graphs are others than the published."""
    if is_stand_in:
        return f"{name} (stand-in)"
    return f"{name} (easier)" if name in EASIER else name


def stored_name(name: str, is_stand_in: bool) -> str:
    """Return what keys of caches call a set. Titles may change, these keys may not."""
    return f"{name} (stand-in)" if is_stand_in else name


def easier_of(names: Iterable[str]) -> list[str]:
    """Return those of some sets that are easier than the published ones, for records."""
    return [name for name in names if name in EASIER]


def _not_at_hand(name: str) -> Dataset:
    raise FileNotFoundError(f"the graphs of {name} are not at hand; give their folder with --data")


def _drawn(name: str) -> EvaluationSet:
    """Return a set of our own: graphs drawn from seeds, with the labels of the package."""
    generator = get_generator(name.lower())
    made_from = {
        "generator": generator.name,
        "split": "test",
        "options": generator.option_defaults,
        "labels": "proven optima of the package",
    }
    load = partial(open_dataset, generator.name, "test")
    return EvaluationSet(name, _SOURCES[name], False, made_from, load)


def _joined(name: str, paths: list[Path]) -> Dataset:
    parts = [read_file(path) for path in paths]
    arrays = DatasetArrays.concatenate([part.arrays() for part in parts])
    return Dataset(arrays, name=name)
