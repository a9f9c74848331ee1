"""IrisMP and RandomMP with proven labels: graphs from seeds, solutions from bits in the package.

A label file ``labels/<name>-<split>.npz`` holds

=============  =============================================================================
``header``     JSON as bytes: format, version, where the graphs come from, their number and
               fingerprint, how they were solved
``cut``        one bit per edge, all graphs behind each other, most significant bit first
``objective``  double per graph: what the solution costs
``excess``     double per graph: objective less lower bound; 0 where proven optimal
=============  =============================================================================

Two checks stand between a label and a wrong graph. The fingerprint covers sizes, edges and costs up
to 2^-10; see :meth:`multicut.datasets.DatasetArrays.fingerprint`. And the costs of the cut edges of
each graph have to add up to its objective to nine digits.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from multicut._target import open_target
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.datasets.generate import draw_arrays, generate
from multicut.datasets.generators import get_generator
from multicut.datasets.generators.stream import check_split
from multicut.io.errors import DAMAGE, FormatError

FORMAT = "multicut-labels"
VERSION = 1
FOLDER = Path(__file__).parent / "labels"
#: Graphs in each split of the two sets, as published.
SIZES = {"train": 20_000, "valid": 1_000, "test": 1_000}

_ENTRIES = ("num_graphs", "num_edges", "fingerprint", "generator", "labels")
_DIGITS = 1e-9


class ShippedDataset(Dataset):
    """One split of a published set."""

    generator = ""

    def __init__(
        self, split: str = "train", *, labelled: bool = True, folder: Path | None = None
    ) -> None:
        check_split(split)
        if labelled:
            dataset = load_labels(label_file(self.generator, split, folder))
        else:
            dataset = generate(self.generator, SIZES[split], split=split)
        super().__init__(
            dataset.arrays(), name=dataset.name, numbers=dataset.numbers, info=dataset.info
        )


class RandomMP(ShippedDataset):
    """Sparse geometric graphs of about 180 nodes and 690 edges, with proven optima.

    Points in the unit square, each linked to its k ~ round(N(6, 2²)) nearest neighbours, at least
    one; costs from N(0, 3²) less their median. 20,000 graphs for training, 1,000 each for
    validation and test; drawn anew in seconds, and checked.

    Parameters
    ----------
    split
        ``"train"``, ``"valid"`` or ``"test"``.
    labelled
        Whether with solutions; without them, nothing is checked.
    folder
        Where the label files are; by default those of the package.
    """

    generator = "randommp"


class IrisMP(ShippedDataset):
    """Complete graphs of 16 to 24 nodes from measurements of flowers, with proven optima.

    See :func:`multicut.datasets.irismp` for the costs. 20,000 graphs for training, 1,000 each for
    validation and test; drawn anew in seconds, and checked. The graphs of the paper are not
    public; these are easier.

    Parameters
    ----------
    split
        ``"train"``, ``"valid"`` or ``"test"``.
    labelled
        Whether with solutions; without them, nothing is checked.
    folder
        Where the label files are; by default those of the package.
    """

    generator = "irismp"


SHIPPED: dict[str, type[ShippedDataset]] = {kind.generator: kind for kind in (IrisMP, RandomMP)}


def label_file(generator: str, split: str, folder: Path | None = None) -> Path:
    """Return where the labels of a split are."""
    return (FOLDER if folder is None else Path(folder)) / f"{generator}-{split}.npz"


def save_labels(dataset: Dataset, folder: Path) -> Path:
    """Write the label file of a generated, labelled dataset; return its path."""
    arrays = dataset.arrays()
    origin = dataset.info.get("generator")
    if origin is None or arrays.cut is None or not dataset.labelled.all():
        raise ValueError(f"dataset {dataset.name!r} must be generated and labelled throughout")
    check_objectives(dataset.name, arrays)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "num_graphs": len(dataset),
        "num_edges": len(arrays.costs),
        "fingerprint": arrays.fingerprint(),
        "generator": origin,
        "labels": dataset.info.get("labels", {}),
    }
    path = label_file(origin["name"], origin["split"], folder)
    with open_target(path) as file:
        np.savez_compressed(
            file,
            header=np.frombuffer(json.dumps(header).encode(), dtype=np.uint8),
            cut=np.packbits(arrays.cut),
            objective=arrays.objective.astype("<f8"),
            excess=(arrays.objective - arrays.lower_bound).astype("<f8"),
        )
    return path


def load_labels(path: Path) -> Dataset:
    """Draw the graphs that a label file belongs to, and give them their labels."""
    header, members = _read(path)
    origin = header["generator"]
    record = get_generator(origin["name"])
    options = record.parse_options(origin["options"])
    start, count = origin["start"], header["num_graphs"]
    arrays = draw_arrays(record, options, origin["seed"], origin["split"], start, start + count)
    if arrays.fingerprint() != header["fingerprint"]:
        raise FormatError(
            path,
            f"the graphs drawn here (numpy {np.__version__}) are not those that were labelled; "
            f"please report this, with platform and versions",
        )
    labelled = replace(
        arrays,
        cut=np.unpackbits(members["cut"], count=len(arrays.costs)).astype(bool),
        objective=members["objective"],
        lower_bound=members["objective"] - members["excess"],
    )
    check_objectives(str(path), labelled)
    return Dataset(
        labelled,
        name=f"{origin['name']}-{origin['split']}",
        numbers=np.arange(start, start + count),
        info={"generator": origin, "labels": header["labels"]},
    )


def check_objectives(name: str, arrays: DatasetArrays) -> None:
    """Complain if the costs of cut edges do not add up to the objectives."""
    assert arrays.cut is not None
    sums = arrays.per_graph(np.where(arrays.cut, arrays.costs, 0.0))
    scale = np.maximum(arrays.per_graph(np.abs(arrays.costs)), 1.0)
    wrong = np.flatnonzero(~(np.abs(sums - arrays.objective) <= _DIGITS * scale))
    if len(wrong) > 0:
        i = wrong[0]
        raise ValueError(
            f"{name}: the cut edges of graph {i} cost {sums[i]!r}, but its objective is said to be "
            f"{arrays.objective[i]!r}; the labels do not match the graphs"
        )


def _read(path: Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    if not path.exists():
        raise FileNotFoundError(
            f"{path}: there are no labels; pass labelled=False for the graphs alone, or make them "
            f"with `make labels`"
        )
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            members = {name: archive[name] for name in ("header", "cut", "objective", "excess")}
        header = json.loads(members.pop("header").tobytes())
    except (*DAMAGE, ValueError) as error:
        raise FormatError(path, f"not a readable label file ({error})") from None
    if not isinstance(header, dict) or (header.get("format"), header.get("version")) != (
        FORMAT,
        VERSION,
    ):
        raise FormatError(path, f"must have format {FORMAT!r} and version {VERSION}")
    missing = [key for key in _ENTRIES if key not in header]
    if missing:
        raise FormatError(path, f"its header lacks {', '.join(missing)}")
    per_graph = (header["num_graphs"],)
    if (
        members["objective"].shape != per_graph
        or members["excess"].shape != per_graph
        or 8 * len(members["cut"]) - header["num_edges"] not in range(8)
    ):
        raise FormatError(path, "its arrays do not fit its header")
    return header, members
