"""Datasets of random problems: from a seed to graphs."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, SupportsIndex

import numpy as np

from multicut._checks import check_integer, check_seed
from multicut._options import Options
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.datasets.generators import GeneratedGraph, get_generator
from multicut.datasets.generators.record import GeneratorRecord
from multicut.datasets.generators.stream import check_split, stream_of


def generate(
    generator: str,
    num: int,
    *,
    seed: SupportsIndex = 0,
    split: str = "train",
    start: int = 0,
    **options: Any,
) -> Dataset:
    """Draw a dataset.

    Graph i of a split depends on nothing but the generator, its options, the seed, the split and i:
    the first hundred of a thousand graphs are the hundred that ``num=100`` gives.

    Parameters
    ----------
    generator
        A name from :func:`multicut.datasets.list_generators`.
    num
        The number of graphs.
    seed
        Any integer from 0 on.
    split
        ``"train"``, ``"valid"`` or ``"test"``: different graphs for each.
    start
        The index of the first graph.
    **options
        Options of the generator.
    """
    record = get_generator(generator)
    parsed = record.parse_options(options)
    count = check_integer(0, num=num)
    first = check_integer(0, start=start)
    arrays = draw_arrays(record, parsed, check_seed(seed), split, first, first + count)
    info = {"generator": describe_origin(record, parsed, check_seed(seed), split, first)}
    numbers = np.arange(first, first + count)
    return Dataset(arrays, name=f"{record.name}-{split}", numbers=numbers, info=info)


def draw_graph(
    generator: str, index: int, *, seed: SupportsIndex = 0, split: str = "train", **options: Any
) -> GeneratedGraph:
    """Draw one graph of a dataset alone.

    Parameters
    ----------
    generator
        A name from :func:`multicut.datasets.list_generators`.
    index
        Which graph of the split.
    seed, split
        As for :func:`multicut.datasets.generate`.
    **options
        Options of the generator.
    """
    record = get_generator(generator)
    rng = stream_of(seed, record.name, split, check_integer(0, index=index))
    return record.draw(rng, record.parse_options(options))


def draw_arrays(
    record: GeneratorRecord, options: Options, seed: int, split: str, start: int, stop: int
) -> DatasetArrays:
    """Draw the graphs ``start … stop-1`` of a split."""
    check_split(split)
    return DatasetArrays.of_graphs(
        record.draw(stream_of(seed, record.name, split, index), options)
        for index in range(start, stop)
    )


def describe_origin(
    record: GeneratorRecord, options: Options, seed: int, split: str, start: int
) -> dict[str, Any]:
    """Tell in plain values where a generated dataset comes from."""
    values = {"seed": seed, "split": split, "start": start}
    return {"name": record.name, "options": asdict(options)} | values
