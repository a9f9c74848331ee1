"""The stages before and after the hierarchical solve of a table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._arrays import IntArray
from multicut.distributed.hierarchy import Hierarchical
from multicut.distributed.node_blocks import NodeBlocks
from multicut.distributed.stages import Report, Summary, map_array, run_stage
from multicut.distributed.table import labels, numbering
from multicut.distributed.table import nodes as table_nodes
from multicut.distributed.table.division import Division
from multicut.distributed.table.nodes import LIFTED, READ, TableNodes
from multicut.distributed.table.numbering import BlockTree
from multicut.distributed.table.parquet import Table
from multicut.distributed.table.stream_blocks import STREAM, stream_blocks
from multicut.distributed.tables import EdgeTable

if TYPE_CHECKING:
    from distributed import Client


@dataclass(frozen=True)
class Chunks:
    """The chunks of a table that was read: how many, and whether some edges are lifted."""

    number: int
    has_lifted: bool

    def tables(self, folder: Path) -> tuple[EdgeTable, EdgeTable | None]:
        """Return the edges in a folder, and the lifted ones if there are any."""
        edges = EdgeTable(folder, self.number)
        return edges, EdgeTable(folder / LIFTED, self.number) if self.has_lifted else None


@dataclass(frozen=True)
class TableStages:
    """The stages before and after the hierarchical solve, in a folder."""

    folder: Path
    client: Client | None
    report: Report | None

    def stage(self, name: str, function: Any, tasks: list[tuple[Any, ...]]) -> list[Summary]:
        """Run a stage whose tasks have numbers."""
        named = [(f"{index:05d}", arguments) for index, arguments in enumerate(tasks)]
        return run_stage(self.folder, name, function, named, client=self.client, report=self.report)

    def read(self, table: Table) -> tuple[TableNodes, Chunks]:
        """Copy the table, and list its nodes."""
        pieces = table.pieces()
        firsts = np.cumsum([0] + [piece.num_chunks for piece in pieces]).tolist()
        tasks: list[tuple[Any, ...]] = [
            (table, piece, first) for piece, first in zip(pieces, firsts[:-1], strict=True)
        ]
        read = self.stage(READ, table_nodes.read_piece, tasks)
        num_chunks: int = firsts[-1]
        splits = table_nodes.choose_splits(read)
        ends = [None, *splits, None]
        tasks = [(part, num_chunks, *ends[part : part + 2]) for part in range(len(splits) + 1)]
        merged = self.stage(table_nodes.MERGE, table_nodes.merge_part, tasks)
        num_lifted = sum(chunk["num_lifted"] for summary in read for chunk in summary["chunks"])
        nodes = TableNodes.of_parts(self.folder, splits, merged)
        return nodes, Chunks(num_chunks, has_lifted=num_lifted > 0)

    def divide(
        self, nodes: TableNodes, chunks: Chunks, division: Division
    ) -> tuple[NodeBlocks, EdgeTable, EdgeTable | None]:
        """Divide the nodes into blocks, and number them block by block in the edges.

        Returns lifted edges, too, if there are any.
        """
        is_in_order = division.kind == "ranges"
        if is_in_order:
            number = min(division.number, nodes.num_nodes)
            offsets = np.linspace(0, nodes.num_nodes, number + 1).astype(np.int64)
            if nodes.first_id == 0:
                return NodeBlocks.of_ranges(offsets), *chunks.tables(self.folder / READ)
        else:
            offsets = self._number(nodes, chunks.number, division)
        tasks = [(nodes, chunk, is_in_order, chunks.has_lifted) for chunk in range(chunks.number)]
        self.stage(numbering.RENUMBER, numbering.renumber_chunk, tasks)
        for file in (self.folder / READ).rglob("*.np?"):
            file.unlink()  # large, and not needed again
        return NodeBlocks.of_ranges(offsets), *chunks.tables(self.folder / numbering.RENUMBER)

    def _number(self, nodes: TableNodes, num_chunks: int, division: Division) -> IntArray:
        """Give numbers to the nodes, block by block; return the first number of each block."""
        if division.kind == "stream":
            (found,) = self.stage(
                STREAM, stream_blocks, [(nodes, num_chunks, division.number, numbering.COLLECT)]
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
        self.stage(numbering.NUMBER, numbering.number_part, tasks)
        return offsets

    def _collect(self, nodes: TableNodes, division: Division) -> IntArray:
        """Read the block of each node from a table; return how many each part has of each block."""
        assert division.table is not None
        table, pieces = division.table, division.table.pieces()
        tree, name = None, "blocks"
        if division.kind == "coordinates":
            name = "coordinates"
            tasks: list[tuple[Any, ...]] = [(table, piece, i) for i, piece in enumerate(pieces)]
            self.stage(numbering.SAMPLE, numbering.sample_piece, tasks)
            place = self.folder / numbering.SAMPLE
            sample = [np.array(map_array(place / f"{i:05d}.npy")) for i in range(len(pieces))]
            depth = (division.number - 1).bit_length()
            tree = BlockTree.of_sample(np.concatenate(sample), depth)
        tasks = [(nodes, table, piece, i, tree) for i, piece in enumerate(pieces)]
        placed = self.stage(numbering.PLACE, numbering.place_piece, tasks)
        values = sorted({value for summary in placed for value in summary["blocks"]})
        tasks = [(nodes, part, len(pieces), values, name) for part in range(nodes.num_parts)]
        collected = self.stage(numbering.COLLECT, numbering.collect_part, tasks)
        return np.array([summary["counts"] for summary in collected])

    def id_of(self, nodes: TableNodes, node_blocks: NodeBlocks, number: int) -> int:
        """Return the id of a node by its number."""
        if not (self.folder / numbering.NUMBER).is_dir():
            return nodes.id_at(number)
        numbers = numbering.numbers_of(self.folder, nodes)
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
        if not (self.folder / numbering.NUMBER).is_dir():
            labels.write_labels(self.folder, target, nodes, found.labels)
            return
        tasks: list[tuple[Any, ...]] = [
            (nodes, found.labels, part) for part in range(nodes.num_parts)
        ]
        self.stage(labels.LABEL, labels.label_part, tasks)
        self.stage(labels.ORDER, labels.order_labels, [(nodes, found.num_clusters)])
        labels.write_labels(self.folder, target, nodes, None)
