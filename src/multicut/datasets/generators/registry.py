"""The registry of generators."""

from __future__ import annotations

from multicut._registry import Registry
from multicut.datasets.generators import (
    barabasi_albert,
    cluster_editing,
    erdos_renyi,
    grid,
    irismp,
    lifted_grid,
    lifted_planted,
    lifted_tracking,
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
        lifted_grid.LIFTED_GRID_2D,
        lifted_grid.LIFTED_GRID_3D,
        lifted_planted.RECORD,
        lifted_tracking.RECORD,
    ),
)


def list_generators(pattern: str = "*", *, lifted: bool | None = None) -> list[GeneratorRecord]:
    """Return the records of all generators whose name matches a pattern such as ``"grid*"``.

    Parameters
    ----------
    pattern
        May contain ``*`` and ``?``.
    lifted
        Whether to return only those whose problems have lifted edges, or only others; by default
        both.
    """
    records = _GENERATORS.matching(pattern)
    return [record for record in records if lifted is None or record.is_lifted == lifted]


def get_generator(name: str) -> GeneratorRecord:
    """Return the record of one generator."""
    return _GENERATORS.get(name)
