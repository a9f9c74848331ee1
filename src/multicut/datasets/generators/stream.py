"""Random streams: one for each graph, whatever was drawn before it."""

from __future__ import annotations

import zlib
from typing import SupportsIndex

import numpy as np

from multicut._checks import Choice, check_seed

#: Parts of a dataset, in the order that numbers their streams.
SPLITS = ("train", "valid", "test")


def stream_of(seed: SupportsIndex, family: str, split: str, index: int) -> np.random.Generator:
    """Return the random numbers of one graph.

    They depend on nothing but these four values: not on the order in which graphs are drawn, nor on
    how many processes draw them. Streams of different values are independent.
    """
    return np.random.Generator(np.random.PCG64(sequence_of(seed, family, split, index)))


def sequence_of(seed: SupportsIndex, family: str, split: str, index: int) -> np.random.SeedSequence:
    """Return the seed sequence of one graph; numpy guarantees that its output never changes."""
    check_split(split)
    number = check_seed(seed)
    key = (zlib.crc32(family.encode()), SPLITS.index(split), index)
    return np.random.SeedSequence(entropy=number, spawn_key=key)


def check_split(split: str) -> None:
    """Complain about a split that does not exist."""
    Choice(SPLITS).check("split", split)
