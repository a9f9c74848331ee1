"""Which tables and sentences each page has, and where their numbers come from.

Tables are generated as a whole. A sentence that states a measured number is listed in `SENTENCES`
with a name in place of the number, so that it may appear on several pages and is right on all of
them.
"""

from __future__ import annotations

from collections.abc import Callable

from measured import (
    auto,
    contraction,
    gpu,
    large_graphs,
    learned_costs,
    lifted,
    peers,
    small_graphs,
    solvers,
    training,
    vision,
    volumes,
)


def numbers() -> dict[str, str]:
    """Return the measured numbers that sentences state, by the names they have there."""
    found = solvers.solver_numbers() | auto.auto_numbers() | small_graphs.small_graph_numbers()
    found |= gpu.gpu_numbers() | learned_costs.score_numbers()
    found |= peers.peer_numbers() | training.training_numbers() | large_graphs.large_graph_numbers()
    return found | lifted.lifted_numbers() | volumes.volume_numbers()


# Sentences with measured numbers, by the names of `numbers`; line breaks do not matter.
SENTENCES = {
    "docs/auto.md": (
        "on {graphs of the frontier} graphs of {families of the frontier} families",
        "The table shows {graphs of proofs} graphs of all generators",
    ),
    "docs/large-graphs.md": (
        "with {edges} million edges takes {seconds of edges} s from Parquet files",
        "together need {GiB of edges} GiB. Reading and sorting the table takes "
        "{seconds of reading} s, solving {seconds of solving} s, and the rest {seconds of labels} "
        "s. The last problem has {edges of the last problem} million edges",
        "two workers do the work of {work of two}",
        "Block by block, `gaec` reaches {gaec in blocks}, and {gaec at once} at once: it loses "
        "{loss in blocks} %",
    ),
    "docs/examples.md": learned_costs.SENTENCES,
    "docs/learned.md": (
        "`gaec` reaches {gaec at 10⁶}, and `klj` {klj at 10⁶}",
        "| `dual-greedy`, one CPU core | {ratio of dual-greedy} | {ms of dual-greedy} ms each |",
        "Copies on this GPU move {TB of copies} TB per second",
        "Kernels are at work for {ms of kernels, many} of {ms with launches, many} ms, in "
        "{launches, many} launches; for 38,000 edges it is {ms of kernels, few} of "
        "{ms with launches, few} ms, in {launches, few} launches",
        "which took {gaec beside the GPU} ms: the bound of what it can reach was {bound of gaec}",
        "From tensors on the GPU, the largest graph takes {ms from tensors at 10⁷} ms",
    ),
    "docs/lifted.md": (
        "{rows at the target} of {lifted rows} rows are at least 3 times as fast",
        "No row is below {slowest lifted row}",
        "takes {GiB of the lifted problem} GiB as a problem, the package included",
    ),
    "docs/solvers.md": (
        "in the mean on {sets as good} of {sets beside the peer} sets of graphs. It is at least "
        "twice as fast on {sets twice as fast} of them, and {least speed} to {most speed} times as "
        "fast on the others",
    ),
    "docs/training.md": (
        "was {best with 0.005} and {best with 0.01}, and {best with 0.003} with 0.003",
        "In float32, large pages make training {least gain of large pages} to {most gain of large "
        "pages} times as fast",
        "**bfloat16** makes it another {least gain of bfloat16} to {most gain of bfloat16} times "
        "as fast. The whole schedule of GCN_W_BN on IrisMP, 3.15 million instances, then takes "
        "{minutes of the schedule} minutes",
    ),
    "docs/volumes.md": (
        "takes {seconds of voxels} s from disk to disk",
        "{regions of voxels} regions become {segments of voxels} segments, with a gap of "
        "{gap of voxels} %",
    ),
}

# Pages, and the tables that they have, by their first line.
TABLES: dict[str, dict[str, Callable[[], list[str]]]] = {
    "README.md": {
        "| instance | solver | time | peer's time | speed-up | objective, peer's |": (
            peers.peer_rows
        ),
    },
    "docs/auto.md": {
        "| solver | mean ratio | worst graph | proven optimal |": auto.frontier_rows,
        "| graphs, once reduced | number | proven | median s |": auto.proof_rows,
    },
    "docs/contraction.md": {
        "| family | `gaec` | KLj from it | `dual-greedy` | `dual-greedy`, best | `klj` |": (
            contraction.contraction_rows
        ),
        "| | randommp | grid-2d | point-cloud |": contraction.ablation_rows,
    },
    "docs/examples.md": {
        learned_costs.HEADER: learned_costs.score_rows,
        learned_costs.SETTINGS_HEADER: learned_costs.settings_rows,
    },
    "docs/gpu.md": {
        "| nodes | time limit | took | bound | RAMA PD on the same kind of GPU |": gpu.bound_rows,
    },
    "docs/large-graphs.md": {
        "| graph, solver | blocks | margin 0 | margin 1 | margin 2 (default) | margin 3 |": (
            large_graphs.blockwise_rows
        ),
    },
    "docs/learned.md": {
        "| | ratio | per graph | of the peer's KLj |": small_graphs.on_cpu_rows,
        "| stage | milliseconds | MB at least | of the bandwidth |": gpu.stage_rows,
        "| edges | `effort` | GPU | CPU |": gpu.effort_rows,
    },
    "docs/lifted.md": {
        "| solver | 10⁴ edges | 10⁵ edges | 10⁶ edges | rows at 3 |": lifted.lifted_speed_rows,
        "| solver | GiB at most | seconds |": lifted.lifted_memory_rows,
    },
    "docs/solvers.md": {
        "| solver | RandomMP, 180 nodes | IrisMP, 20 nodes | images | volume |": (
            solvers.quality_rows
        ),
        "| nodes | edges | `gaec` | `klj` | `fusion` |": solvers.size_rows,
    },
    "docs/training.md": {training.PROCESSOR_HEADER: training.processor_rows},
    "docs/vision.md": {
        "| | segments | variation of information ↓ | adapted Rand error ↓ | boundary F ↑ |": (
            vision.superpixel_rows
        ),
    },
    "docs/volumes.md": {
        "| block | halo | levels | regions | objective, block-wise / at once | gap "
        "| nodes of the last problem | Rand error near faces | elsewhere |": volumes.volume_rows,
        "| stage | million voxels per second and processor | GiB per process |": volumes.stage_rows,
        "| stage | one worker, s | two workers, s | ratio |": volumes.worker_rows,
        "| volume | processor seconds | GiB per process | regions | nodes of the last problem |": (
            volumes.estimate_rows
        ),
        "| step, million voxels per second | scikit-image, scipy | bioimage-cpp |": (
            volumes.engine_rows
        ),
    },
}
PAGES = tuple(sorted(TABLES.keys() | SENTENCES.keys()))
