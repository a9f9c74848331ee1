"""From an edge table in Parquet files to labels in one."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from multicut._checks import check_integer, check_seed
from multicut._target import check_target
from multicut._version import __version__
from multicut.distributed.begun import working_in
from multicut.distributed.cluster import connected, describe_workers
from multicut.distributed.hierarchy import ContradictionError, solve_hierarchically
from multicut.distributed.plan import Scheme
from multicut.distributed.stages import Report
from multicut.distributed.table.division import choose_division
from multicut.distributed.table.parquet import Paths, has_column, open_table
from multicut.distributed.table.result import DistributedResult
from multicut.distributed.table.stages import TableStages
from multicut.solvers import get_solver

_SOLVE = "solve"
_JOB = "job.json"
#: The solver that ``auto`` stands for: its result does not depend on the hardware.
AUTO = "klj"


def solve_distributed(
    edges: Paths,
    *,
    output: str | os.PathLike[str],
    cluster: str | None = None,
    num_workers: int | None = None,
    memory_limit: int | None = None,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: int = 0,
    blocks: int | str | os.PathLike[str] | None = None,
    coordinates: str | os.PathLike[str] | None = None,
    bound: bool = False,
    bound_rounds: int = 2,
    workspace: str | os.PathLike[str] | None = None,
    report: Report | None = None,
    announce: Callable[[str], None] | None = None,
    **options: Any,
) -> DistributedResult:
    """Solve a problem in Parquet files that may be too large for the memory of any machine.

    Nodes are divided into blocks. Blocks are solved in parallel, what they join is contracted, and
    they are joined to larger blocks, until one is left. A call that was stopped, even killed, goes
    on where it was when it is repeated. The bytes of the output do not depend on workers or
    interruptions, unless a time limit ends a solver.

    Parameters
    ----------
    edges
        Parquet files with columns `u`, `v` (integers, any) and `cost`: a file, a folder or a list.
        Duplicate edges are merged, ±inf are constraints, as in :class:`multicut.Problem`. With a
        column `lifted` (true or false), some edges are lifted; these must cost less than +inf.
    output
        The Parquet file for labels, with columns `node` and `label`.
    cluster
        The address of a Dask scheduler, such as ``tcp://10.0.0.1:8786``. Its workers need this
        package, and all files under the same paths.
    num_workers
        Without `cluster`, the number of processes on this machine, by default one for each
        processor. With more than one, a script needs ``if __name__ == "__main__":``.
    memory_limit
        Bytes for each of these processes; Dask ends one that needs more, and starts it again.
    solver, seed, **options
        As for :func:`multicut.solve`, for each block; ``auto`` is ``klj``, whatever the hardware.
    time_limit
        Seconds for each block. With a limit, the result depends on the speed of the machine.
    blocks
        The number of blocks, by default one for every two million edges; ``"stream"``, to find
        blocks by reading the edges once; or a Parquet file with columns `node` and `block`.
        Without `coordinates`, a number means ranges of ids of equal size.
    coordinates
        A Parquet file with columns `node`, `x`, `y` and maybe `z`: blocks are then regions of
        space with equally many nodes, as many as `blocks` says, rounded up to a power of two.
    bound
        Whether to compute a lower bound, too.
    bound_rounds
        How many rounds the search for the bound takes; each raises it by less.
    workspace
        A folder for intermediate files, which is removed at the end; by default
        ``<output>.partial``. It takes about three times the size of the edges in memory.
    report
        Called as ``report(stage, done, total)`` whenever a task is done.
    announce
        Called with a line about the workers, once they are there.
    """
    start = time.perf_counter()
    if solver == "auto":
        solver = AUTO
    get_solver(solver).parse_options(options)
    target = Path(output)
    check_target(target)
    if target.suffix.lower() != ".parquet":
        raise ValueError(f"output must end in .parquet, got {str(target)!r}")
    columns = {"u": "integers", "v": "integers", "cost": "numbers"}
    if has_column(edges, "lifted", "edges"):
        columns["lifted"] = "flags"
    table = open_table(edges, tuple(columns), tuple(columns.values()), "edges")
    division = choose_division(table, blocks, coordinates)
    job = {
        "multicut": __version__,
        "edges": table.identity(),
        "solver": solver,
        "time_limit": time_limit,
        "seed": check_seed(seed),
        "options": options,
        "blocks": division.describe(),
    }
    rounds = check_integer(0, bound_rounds=bound_rounds) if bound else None
    folder = Path(f"{target}.partial") if workspace is None else Path(workspace)
    with (
        working_in(folder, _JOB, job, hidden=("edges", "blocks")) as place,
        connected(cluster, num_workers=num_workers, memory_limit=memory_limit) as client,
    ):
        if announce is not None:
            announce(describe_workers(client))
        run = TableStages(place, client, report)
        nodes, chunks = run.read(table)
        node_blocks, edge_table, lifted_edges = run.divide(nodes, chunks, division)
        try:
            found = solve_hierarchically(
                edge_table,
                node_blocks,
                lifted_edges=lifted_edges,
                solver=solver,
                workspace=run.folder / _SOLVE,
                client=client,
                time_limit=time_limit,
                seed=seed,
                options=options,
                scheme=Scheme(),
                bound_rounds=rounds,
                report=report,
            )
        except ContradictionError as error:
            u, v = (run.id_of(nodes, node_blocks, node) for node in (error.u, error.v))
            raise ContradictionError(u, v) from None
        run.write(nodes, node_blocks, found, target)
        shutil.rmtree(place, ignore_errors=True)
    levels = tuple(
        {
            "num_blocks": len(level),
            "num_edges": sum(summary["num_inner"] for summary in level),
            "num_lifted_edges": sum(summary["num_lifted"] for summary in level),
            "largest": max(summary["num_inner"] for summary in level),
            "seconds": sum(summary["seconds"] for summary in level),
        }
        for level in found.levels
    )
    return DistributedResult(
        output=target,
        objective=found.objective,
        lower_bound=found.lower_bound,
        num_nodes=nodes.num_nodes,
        num_edges=found.num_edges,
        num_lifted_edges=found.num_lifted_edges,
        num_cut=found.num_cut,
        num_clusters=found.num_clusters,
        levels=levels,
        runtime=time.perf_counter() - start,
        solver=solver,
        seed=int(seed),
    )
