"""Labels to start from, read from a file."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import ending_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from multicut._arrays import IntArray
    from multicut.problem import Problem


def read_labels(path: Path, problem: Problem) -> IntArray:
    """Read labels that ``multicut solve --output`` has written, in the order of the nodes.

    A ``.npy`` file holds one label per node. Files ``.csv`` and ``.json`` name the node of each
    label, and may list them in any order.
    """
    from multicut.io.numpy_files import read_npy

    try:
        ending = ending_of(path)
        if ending == ".npy":
            labels: IntArray = read_npy(path)
            return labels
        if ending == ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                rows = [(row["node"], row["label"]) for row in csv.DictReader(file)]
        elif ending == ".json":
            document = json.loads(path.read_text(encoding="utf-8"))
            rows = list(zip(document["node_ids"], document["labels"], strict=True))
        else:
            raise ValueError(f"--initial {path}: use a file .npy, .csv or .json")
        return _in_order_of_nodes(rows, problem, path)
    except FileNotFoundError:
        raise ValueError(f"--initial: there is no file {str(path)!r}") from None
    except (KeyError, TypeError, OverflowError, RecursionError, csv.Error) as error:
        raise _no_labels(path) from error
    except ValueError as error:
        if str(error).startswith("--initial"):
            raise
        raise _no_labels(path) from error


def _in_order_of_nodes(rows: Iterable[tuple[Any, Any]], problem: Problem, path: Path) -> IntArray:
    import numpy as np

    label_of = {str(node): int(label) for node, label in rows}
    missing = [node for node in problem.node_ids.tolist() if str(node) not in label_of]
    if missing:
        raise ValueError(f"--initial {path}: there is no label for node {missing[0]!r}")
    return np.array([label_of[str(node)] for node in problem.node_ids.tolist()], dtype=np.int64)


def _no_labels(path: Path) -> ValueError:
    return ValueError(f"--initial {path}: not labels as `multicut solve --output` writes them")
