"""The registry of generators."""

from __future__ import annotations

from multicut._registry import Registry
from multicut.datasets.generators import (
    barabasi_albert,
    cluster_editing,
    erdos_renyi,
    grid,
    irismp,
    planted,
    point_cloud,
    randommp,
    voronoi,
    watts_strogatz,
)
from multicut.datasets.generators.record import GeneratorRecord

_GENERATORS: Registry[GeneratorRecord] = Registry(
    "generator",
    (
        irismp.RECORD,
        randommp.RECORD,
        randommp.SCALING,
        erdos_renyi.RECORD,
        barabasi_albert.RECORD,
        watts_strogatz.RECORD,
        grid.GRID_2D,
        grid.GRID_3D,
        planted.RECORD,
        voronoi.RECORD,
        point_cloud.RECORD,
        cluster_editing.RECORD,
    ),
)


def list_generators(pattern: str = "*") -> list[GeneratorRecord]:
    """Return the records of all generators whose name matches a pattern such as ``"grid*"``."""
    return _GENERATORS.matching(pattern)


def get_generator(name: str) -> GeneratorRecord:
    """Return the record of one generator."""
    return _GENERATORS.get(name)
