"""The problems that the demonstration solves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from multicut.datasets import Mosaic, mosaic, randommp, randommp_points

if TYPE_CHECKING:
    from multicut._arrays import FloatArray
    from multicut.problem import Problem

_NUM_SMALL = 10
_SMALL_NODES = 180
_LARGE_NODES = 20_000


@dataclass(frozen=True, eq=False)
class Example:
    """One or more problems of a kind, compared as one.

    Attributes
    ----------
    name
        What it is, in a few words.
    problems
        All of them are solved; objectives, times and clusters add up.
    points
        Where the nodes of the first problem lie.
    mosaic
        The image behind the problem, if there is one.
    """

    name: str
    problems: tuple[Problem, ...]
    points: FloatArray
    mosaic: Mosaic | None = None


def make_examples(seed: int = 0) -> tuple[Example, Example, Example]:
    """Make small random problems, a broken image, and one large random problem."""
    image = mosaic(seed=seed)
    small = tuple(randommp(_SMALL_NODES, seed=seed + i) for i in range(_NUM_SMALL))
    return (
        Example(
            f"{_NUM_SMALL} random graphs of {_SMALL_NODES} nodes",
            small,
            randommp_points(_SMALL_NODES, seed),
        ),
        Example(
            f"a noisy image of {image.problem.num_nodes} superpixels",
            (image.problem,),
            image.points,
            image,
        ),
        Example(
            f"a random graph of {_LARGE_NODES:,} nodes",
            (randommp(_LARGE_NODES, seed),),
            randommp_points(_LARGE_NODES, seed),
        ),
    )
