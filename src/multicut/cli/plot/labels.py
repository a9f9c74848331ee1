"""Reading of labels that ``multicut solve --output`` wrote."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import ending_of
from multicut.cli.plot.arguments import load_array

if TYPE_CHECKING:
    import multicut as mc
    from multicut._arrays import IntArray


def read_labels(path: Path, problem: mc.Problem, option: str = "--labels") -> IntArray:
    """Read one label per node from ``.npy``, or by node from ``.csv`` or ``.json``."""
    from multicut.partition import as_labels

    ending = ending_of(path)
    readers = {".csv": _read_csv, ".json": _read_json}
    try:
        if ending == ".npy":
            return as_labels(load_array(path, option), problem.num_nodes)
        if ending not in readers:
            raise ValueError("must end in .npy, .csv or .json, as multicut solve -o writes them")
        by_node = readers[ending](path, getattr(problem, "name", None))
        return as_labels(_in_order(by_node, problem), problem.num_nodes)
    except OSError as error:
        raise ValueError(f"{option} {path}: {error.strerror}") from None
    except (ValueError, TypeError) as error:
        text = str(error)
        raise ValueError(text if text.startswith(option) else f"{option} {path}: {text}") from None


def _read_csv(path: Path, name: str | None) -> dict[str, int]:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    columns = [cell.strip() for cell in rows[0]] if rows else []
    if columns not in (["node", "label"], ["problem", "node", "label"]):
        raise ValueError("the first line must be node,label")
    labels: dict[str, int] = {}
    for number, row in enumerate(rows[1:], start=2):
        if len(row) != len(columns) or not row[-1].strip().lstrip("-").isdigit():
            raise ValueError(f"line {number} must be a node and a whole number")
        if len(columns) == 2 or row[0] == name:
            labels[row[-2].strip()] = int(row[-1])
    if not labels and len(rows) > 1:
        raise ValueError(_none_of(name))
    return labels


def _read_json(path: Path, name: str | None) -> dict[str, int]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        if "problems" in document:  # of a dataset
            by_name = {entry["name"]: entry for entry in document["problems"]}
            if name not in by_name:
                raise LookupError(name)
            document = by_name[name]
        pairs = zip(document["node_ids"], document["labels"], strict=True)
        return {str(node): int(label) for node, label in pairs}
    except (KeyError, TypeError, ValueError):
        raise ValueError("it is not what multicut solve -o writes") from None
    except LookupError:
        raise ValueError(_none_of(name)) from None


def _none_of(name: str | None) -> str:
    missing = "not of a file" if name is None else f"none of {name!r}"
    return f"it holds labels of the problems of a dataset, {missing}; solve this one with -o"


def _in_order(by_node: dict[str, int], problem: mc.Problem) -> list[Any]:
    found = [by_node.get(str(node)) for node in problem.node_ids.tolist()]
    if None in found:
        missing = problem.node_ids[found.index(None)]
        raise ValueError(f"there is no label for node {missing}")
    return found
