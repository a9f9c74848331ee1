"""From an edge table in Parquet files to labels in one."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import IntArray
from multicut._checks import check_integer, check_seed
from multicut._extras import needed
from multicut._target import check_target, locked_folder, write_whole
from multicut._version import __version__
from multicut._words import block
from multicut.distributed import divisions, label_table, table_nodes
from multicut.distributed.cluster import connected, describe_workers
from multicut.distributed.divisions import BlockTree
from multicut.distributed.hierarchy import (
    ContradictionError,
    Hierarchical,
    solve_hierarchically,
)
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.parquet import Table, open_table
from multicut.distributed.plan import Scheme
from multicut.distributed.stages import Report, Summary, map_array, run_stage
from multicut.distributed.stream_blocks import STREAM, stream_blocks
from multicut.distributed.table_nodes import TableNodes
from multicut.distributed.tables import EdgeTable
from multicut.solvers import get_solver
from multicut.stop import relative_gap

if TYPE_CHECKING:
    from distributed import Client

_AXES = ("x", "y", "z")
_SOLVE = "solve"
#: The solver that ``auto`` stands for: its result does not depend on the hardware.
AUTO = "klj"
#: Edges of a block, if nothing else is asked for.
EDGES_PER_BLOCK = 2_000_000


@dataclass(frozen=True)
class DistributedResult:
    """The result of :func:`multicut.solve_distributed`.

    Attributes
    ----------
    output
        The Parquet file with columns `node` and `label`, nodes ascending; labels are 0 … k-1 in
        order of first appearance.
    objective
        Sum of the costs of the cut edges.
    lower_bound
        No partition costs less; None if no bound was asked for.
    num_nodes, num_edges, num_cut, num_clusters
        Sizes; edges after contracting must-links, merging duplicates and dropping self-loops.
    levels
        For each level: its blocks, the edges of their problems, and seconds of solving in all.
    runtime
        Seconds of this call; less than the whole took if it went on with an earlier one.
    solver, seed
        As for :func:`multicut.solve`.
    """

    output: Path
    objective: float
    lower_bound: float | None
    num_nodes: int
    num_edges: int
    num_cut: int
    num_clusters: int
    levels: tuple[dict[str, Any], ...]
    runtime: float
    solver: str
    seed: int

    @property
    def gap(self) -> float | None:
        """By how much the objective may exceed the optimum, relative to the bound."""
        if self.lower_bound is None:
            return None
        return relative_gap(self.objective, self.lower_bound)

    def read(self) -> tuple[IntArray, IntArray]:
        """Return the ids of all nodes and their labels, where these fit into memory."""
        needed("pyarrow", by="a Parquet table")
        import pyarrow.parquet as pq

        table = pq.read_table(self.output)
        return table["node"].to_numpy(), table["label"].to_numpy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self) | {"output": str(self.output), "gap": self.gap}

    def rows(self) -> dict[str, str]:
        """Return names and values for people."""
        rows = {
            "objective": f"{self.objective:,.10g}",
            "clusters": f"{self.num_clusters:,}",
            "nodes": f"{self.num_nodes:,}",
            "edges": f"{self.num_edges:,}, {self.num_cut:,} cut",
        }
        if self.lower_bound is not None:
            rows["bound"] = f"{self.lower_bound:,.10g}, gap {self.gap:.3%}"
        blocks = ", ".join(f"{level['num_blocks']:,}" for level in self.levels)
        rows["blocks"] = f"{blocks} by level"
        rows["solver"] = f"{self.solver}, seed {self.seed}"
        rows["runtime"] = f"{self.runtime:.1f} s"
        return rows

    def summary(self) -> str:
        """Return a few lines for people."""
        return block(self.rows())


def solve_distributed(
    edges: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
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
        Duplicate edges are merged, ±inf are constraints, as in :class:`multicut.Problem`.
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
    table = open_table(edges, ("u", "v", "cost"), ("integers", "integers", "numbers"), "edges")
    division = _division(table, blocks, coordinates)
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
    _begin(folder, job)
    with (
        locked_folder(folder),
        connected(cluster, num_workers=num_workers, memory_limit=memory_limit) as client,
    ):
        if announce is not None:
            announce(describe_workers(client))
        run = _Run(folder.resolve(), client, report)
        nodes, num_chunks = run.read(table)
        node_blocks, edge_table = run.divide(nodes, num_chunks, division)
        try:
            found = solve_hierarchically(
                edge_table,
                node_blocks,
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
        shutil.rmtree(folder, ignore_errors=True)
    levels = tuple(
        {
            "num_blocks": len(level),
            "num_edges": sum(summary["num_inner"] for summary in level),
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
        num_cut=found.num_cut,
        num_clusters=found.num_clusters,
        levels=levels,
        runtime=time.perf_counter() - start,
        solver=solver,
        seed=int(seed),
    )


@dataclass(frozen=True)
class _Division:
    """How nodes are to be divided: a number of ranges, a table of blocks or of coordinates."""

    number: int
    kind: str
    table: Table | None = None

    def describe(self) -> list[Any]:
        return [self.number, self.kind, None if self.table is None else self.table.identity()]


def _division(
    table: Table,
    blocks: int | str | os.PathLike[str] | None,
    coordinates: str | os.PathLike[str] | None,
) -> _Division:
    """Check the arguments that say how to divide the nodes."""
    num_rows = sum(piece.num_rows for piece in table.pieces())
    if num_rows == 0:
        raise ValueError(f"edges: {table.files[0]} has no rows; there is nothing to solve")
    number = max(1, round(num_rows / EDGES_PER_BLOCK))
    if isinstance(blocks, str | os.PathLike) and blocks != STREAM:
        if coordinates is not None:
            raise ValueError("blocks and coordinates: name only one table")
        given = open_table(blocks, ("node", "block"), ("integers", "integers"), "blocks")
        return _Division(0, "table", given)
    if coordinates is not None and blocks == STREAM:
        raise ValueError("blocks='stream' needs no coordinates; leave one out")
    if blocks is not None and blocks != STREAM:
        number = check_integer(1, blocks=blocks)
    if coordinates is None:
        return _Division(number, "stream" if blocks == STREAM else "ranges")
    import pyarrow.parquet as pq

    first = open_table(coordinates, ("node",), ("integers",), "coordinates").files[0]
    axes = [axis for axis in _AXES if axis in pq.ParquetFile(first).schema_arrow.names]
    if not axes:
        raise ValueError(f"coordinates: {first} has none of the columns x, y, z")
    kinds = ("integers", *["numbers"] * len(axes))
    given = open_table(coordinates, ("node", *axes), kinds, "coordinates")
    return _Division(number, "coordinates", given)


def _begin(folder: Path, job: dict[str, Any]) -> None:
    """Make the folder, or check that it is of the same job."""
    try:
        text = json.dumps(job)
    except TypeError:
        raise TypeError(
            "options of a distributed solve must be plain values: numbers, texts, flags or None"
        ) from None
    file = folder / "job.json"
    if folder.is_dir() and not file.exists() and any(folder.iterdir()):
        raise FileExistsError(
            f"{folder}: is needed to work in, but holds other files; name another workspace"
        )
    folder.mkdir(parents=True, exist_ok=True)
    if not file.exists():
        write_whole(file, text)
        return
    try:
        begun = dict(json.loads(file.read_bytes()))
    except (ValueError, TypeError):
        raise ValueError(f"{file}: is damaged; remove {str(folder)!r} and start again") from None
    for key, wanted in json.loads(text).items():
        if begun.get(key) != wanted:
            told = "" if key in ("edges", "blocks") else f" {begun.get(key)!r}, not {wanted!r}"
            raise ValueError(
                f"{folder}: was begun with other {key}{told}; continue with these or remove the "
                f"folder"
            )


@dataclass(frozen=True)
class _Run:
    """The stages before and after the hierarchical solve, in a folder."""

    folder: Path
    client: Client | None
    report: Report | None

    def stage(self, name: str, function: Any, tasks: list[tuple[Any, ...]]) -> list[Summary]:
        named = [(f"{index:05d}", arguments) for index, arguments in enumerate(tasks)]
        return run_stage(self.folder, name, function, named, client=self.client, report=self.report)

    def read(self, table: Table) -> tuple[TableNodes, int]:
        """Copy the table, and list its nodes."""
        pieces = table.pieces()
        firsts = np.cumsum([0] + [piece.num_chunks for piece in pieces]).tolist()
        tasks: list[tuple[Any, ...]] = [
            (table, piece, first) for piece, first in zip(pieces, firsts[:-1], strict=True)
        ]
        read = self.stage(table_nodes.READ, table_nodes.read_piece, tasks)
        num_chunks: int = firsts[-1]
        splits = table_nodes.choose_splits(read)
        ends = [None, *splits, None]
        tasks = [(part, num_chunks, *ends[part : part + 2]) for part in range(len(splits) + 1)]
        merged = self.stage(table_nodes.MERGE, table_nodes.merge_part, tasks)
        return TableNodes.of_parts(self.folder, splits, merged), num_chunks

    def divide(
        self, nodes: TableNodes, num_chunks: int, division: _Division
    ) -> tuple[NodeBlocks, EdgeTable]:
        """Divide the nodes into blocks, and number them block by block in the edges."""
        is_in_order = division.kind == "ranges"
        if is_in_order:
            number = min(division.number, nodes.num_nodes)
            offsets = np.linspace(0, nodes.num_nodes, number + 1).astype(np.int64)
            if nodes.first_id == 0:
                return NodeBlocks.of_ranges(offsets), EdgeTable(
                    self.folder / table_nodes.READ, num_chunks
                )
        else:
            offsets = self._number(nodes, num_chunks, division)
        tasks = [(nodes, chunk, is_in_order) for chunk in range(num_chunks)]
        self.stage(divisions.RENUMBER, divisions.renumber_chunk, tasks)
        for file in (self.folder / table_nodes.READ).glob("*.np?"):
            file.unlink()  # large, and not needed again
        return NodeBlocks.of_ranges(offsets), EdgeTable(
            self.folder / divisions.RENUMBER, num_chunks
        )

    def _number(self, nodes: TableNodes, num_chunks: int, division: _Division) -> IntArray:
        """Give numbers to the nodes, block by block; return the first number of each block."""
        if division.kind == "stream":
            (found,) = self.stage(
                STREAM, stream_blocks, [(nodes, num_chunks, division.number, divisions.COLLECT)]
            )
            counts = np.array(found["counts"])
        else:
            counts = self._collect(nodes, division)
        sizes = counts.sum(axis=0)
        counts, sizes = counts[:, sizes > 0], sizes[sizes > 0]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        before = np.cumsum(counts, axis=0) - counts
        firsts = (offsets[:-1] + before).tolist()
        tasks = [(part, firsts[part]) for part in range(nodes.num_parts)]
        self.stage(divisions.NUMBER, divisions.number_part, tasks)
        return offsets

    def _collect(self, nodes: TableNodes, division: _Division) -> IntArray:
        """Read the block of each node from a table; return how many each part has of each block."""
        assert division.table is not None
        table, pieces = division.table, division.table.pieces()
        tree, name = None, "blocks"
        if division.kind == "coordinates":
            name = "coordinates"
            tasks: list[tuple[Any, ...]] = [(table, piece, i) for i, piece in enumerate(pieces)]
            self.stage(divisions.SAMPLE, divisions.sample_piece, tasks)
            place = self.folder / divisions.SAMPLE
            sample = [np.array(map_array(place / f"{i:05d}.npy")) for i in range(len(pieces))]
            depth = (division.number - 1).bit_length()
            tree = BlockTree.of_sample(np.concatenate(sample), depth)
        tasks = [(nodes, table, piece, i, tree) for i, piece in enumerate(pieces)]
        placed = self.stage(divisions.PLACE, divisions.place_piece, tasks)
        values = sorted({value for summary in placed for value in summary["blocks"]})
        tasks = [(nodes, part, len(pieces), values, name) for part in range(nodes.num_parts)]
        collected = self.stage(divisions.COLLECT, divisions.collect_part, tasks)
        return np.array([summary["counts"] for summary in collected])

    def id_of(self, nodes: TableNodes, node_blocks: NodeBlocks, number: int) -> int:
        """Return the id of a node by its number."""
        if not (self.folder / divisions.NUMBER).is_dir():
            return nodes.id_at(number)
        numbers = divisions.numbers_of(self.folder, nodes)
        for part in range(nodes.num_parts):
            places = np.flatnonzero(np.array(numbers.read(part)) == number)
            if len(places) > 0:
                return nodes.id_at(nodes.offsets[part] + int(places[0]))
        raise AssertionError(f"no node has number {number} of {node_blocks.num_nodes}")

    def write(
        self, nodes: TableNodes, node_blocks: NodeBlocks, found: Hierarchical, target: Path
    ) -> None:
        """Write the labels."""
        assert node_blocks.num_nodes == nodes.num_nodes
        if not (self.folder / divisions.NUMBER).is_dir():
            label_table.write_labels(self.folder, target, nodes, found.labels)
            return
        tasks: list[tuple[Any, ...]] = [
            (nodes, found.labels, part) for part in range(nodes.num_parts)
        ]
        self.stage(label_table.LABEL, label_table.label_part, tasks)
        self.stage(label_table.ORDER, label_table.order_labels, [(nodes, found.num_clusters)])
        label_table.write_labels(self.folder, target, nodes, None)
