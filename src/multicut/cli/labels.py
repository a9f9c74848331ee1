"""Reading labels that ``multicut solve --output`` has written."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.cli.plot_arguments import load_array

if TYPE_CHECKING:
    import multicut as mc
    from multicut._arrays import IntArray


def read_labels(path: Path, problem: mc.Problem, option: str = "--labels") -> IntArray:
    """Read one label per node from ``.npy``, or by node from ``.csv`` or ``.json``."""
    from multicut.partition import as_labels

    readers = {".csv": _read_csv, ".json": _read_json}
    try:
        if path.suffix == ".npy":
            return as_labels(load_array(path, option), problem.num_nodes)
        if path.suffix not in readers:
            raise ValueError("must end in .npy, .csv or .json, as multicut solve -o writes them")
        by_node = readers[path.suffix](path)
        return as_labels(_in_order(by_node, problem), problem.num_nodes)
    except OSError as error:
        raise ValueError(f"{option} {path}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(option) else f"{option} {path}: {text}") from None


def _read_csv(path: Path) -> dict[str, int]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    if not rows or [cell.strip() for cell in rows[0]] != ["node", "label"]:
        raise ValueError("the first line must be node,label")
    labels: dict[str, int] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != 2 or not row[1].strip().lstrip("-").isdigit():
            raise ValueError(f"line {number} must be a node and a whole number")
        labels[row[0].strip()] = int(row[1])
    return labels


def _read_json(path: Path) -> dict[str, int]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        pairs = zip(document["node_ids"], document["labels"], strict=True)
        return {str(node): int(label) for node, label in pairs}
    except (KeyError, TypeError, ValueError):
        raise ValueError("it is not what multicut solve -o writes") from None


def _in_order(by_node: dict[str, int], problem: mc.Problem) -> list[Any]:
    found = [by_node.get(str(node)) for node in problem.node_ids.tolist()]
    if None in found:
        missing = problem.node_ids[found.index(None)]
        raise ValueError(f"there is no label for node {missing}")
    return found
