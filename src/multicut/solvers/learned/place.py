"""Where the solver ``learned`` works: on a processor or a GPU, with a network or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut._extras import NETWORKS, is_installed
from multicut.models.devices import may_have_gpu

if TYPE_CHECKING:
    from multicut.solvers.learned.solver import LearnedOptions

ON_CPU = "not used: on a CPU it is not worth its time"
ON_GPU = "not used: on a GPU a packing of short cycles finds more in less time"
# With fewer edges a processor is faster: kernels of a GPU have to be started, however small a graph
# is. At 113,000 edges the fastest effort takes half as long on a GPU, and finds more; the others
# find less there, until there are about five times as many (benchmarks/learned_inference.py).
_FEW_EDGES_FOR_GPU = 100_000
_TIMES_AS_MANY_FOR_SEARCH = 5


def why_without_network(options: LearnedOptions, num_edges: int) -> str | None:
    """Say why no network is used, `ON_GPU` where a GPU does without; None if one is wanted."""
    if options.use_network is False:
        return "not used, as told"
    if options.use_network is True or options.model is not None:
        return None
    times = 1 if options.effort == "fastest" else _TIMES_AS_MANY_FOR_SEARCH
    if num_edges < times * _FEW_EDGES_FOR_GPU:
        return f"not used: {num_edges} edges are solved faster without it"
    if not _is_gpu(options.device):
        return ON_CPU
    if options.device is None and not all(map(is_installed, NETWORKS)):
        return 'not used: it needs torch; pip install "multicut[nn]"'
    return ON_GPU


def _is_gpu(device: object) -> bool:
    return may_have_gpu() if device is None else str(device).startswith("cuda")
