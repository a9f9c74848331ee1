"""The labels of a table's nodes, written as Parquet."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from multicut._extras import needed
from multicut._target import open_target
from multicut.distributed.stages import Summary, map_array, save_array
from multicut.distributed.table.nodes import TableNodes
from multicut.distributed.table.numbering import numbers_of
from multicut.distributed.tables import NodeValues

LABEL = "label table"
ORDER = "order labels"


def label_part(folder: str, nodes: TableNodes, labels: NodeValues, part: int) -> Summary:
    """Find the labels of the nodes of a part, in the order of ids, and where each first appears."""
    place = Path(folder)
    numbers = np.array(numbers_of(place, nodes).read(part))
    found = labels.take(numbers)
    save_array(place / LABEL / f"{part:05d}.npy", found)
    own, firsts = np.unique(found, return_index=True)
    save_array(place / LABEL / f"{part:05d}.firsts.npy", np.stack([own, firsts]))
    return {}


def order_labels(folder: str, nodes: TableNodes, num_clusters: int) -> Summary:
    """Renumber clusters in the order of first appearance."""
    place = Path(folder)
    firsts = np.full(num_clusters, -1, dtype=np.int64)
    for part in range(nodes.num_parts):
        own, places = map_array(place / LABEL / f"{part:05d}.firsts.npy")
        is_new = firsts[own] < 0
        firsts[own[is_new]] = nodes.offsets[part] + places[is_new]
    numbers = np.empty(num_clusters, dtype=np.int64)
    numbers[np.argsort(firsts, kind="stable")] = np.arange(num_clusters)
    save_array(place / ORDER / "labels.npy", numbers)
    return {}


def write_labels(folder: Path, output: Path, nodes: TableNodes, labels: NodeValues | None) -> None:
    """Write one row for each node, ids ascending, to a Parquet file.

    Parameters
    ----------
    folder
        Of the computation.
    output
        The file; it takes its place only once it is complete.
    nodes
        The nodes.
    labels
        Labels by position; None if nodes were numbered in another order, and labels ordered.
    """
    needed("pyarrow", by="a Parquet table")
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema = pa.schema([("node", pa.int64()), ("label", pa.int64())])
    new_labels = None if labels is not None else map_array(folder / ORDER / "labels.npy")
    with open_target(output) as target, pq.ParquetWriter(target, schema) as writer:
        for part in range(nodes.num_parts):
            ids = np.array(nodes.ids(part))
            if len(ids) == 0:
                continue
            if new_labels is None:
                assert labels is not None
                own = labels.take(np.arange(*nodes.offsets[part : part + 2]))
            else:
                own = new_labels[np.array(map_array(folder / LABEL / f"{part:05d}.npy"))]
            writer.write_table(pa.table({"node": ids, "label": own}, schema=schema))
