"""Corrections, and files of them: one JSON object per line."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import write_whole
from multicut.io.errors import shortened

if TYPE_CHECKING:
    import os

KINDS = ("join", "separate", "set_cost", "add_edges", "learn")
_FORMAT = "multicut corrections"
_VERSION = 1


@dataclass(frozen=True)
class Correction:
    """One correction.

    Attributes
    ----------
    kind
        ``"join"``, ``"separate"``, ``"set_cost"``, ``"add_edges"`` or ``"learn"``.
    pairs
        The node ids that it is about, two by two. One pair for the first three kinds, any number
        for ``"add_edges"``, none for ``"learn"``.
    costs
        The new cost of each pair, or what is added to it; none for ``"join"`` and ``"separate"``.
        For ``"learn"``, the weights of the model.
    """

    kind: str
    pairs: tuple[tuple[Any, Any], ...]
    costs: tuple[float, ...] = ()

    def __str__(self) -> str:
        if self.kind == "learn":
            return "learn()"
        if self.kind == "add_edges":
            return f"add_edges({len(self.pairs)} edges)" if len(self.pairs) > 1 else self._call()
        return self._call()

    def _call(self) -> str:
        (u, v) = self.pairs[0]
        if self.kind in ("join", "separate"):
            return f"{self.kind}({u!r}, {v!r})"
        return f"{self.kind}(({u!r}, {v!r}), {self.costs[0]:g})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that JSON can hold; infinite costs become text."""
        document: dict[str, Any] = {"kind": self.kind, "pairs": [list(pair) for pair in self.pairs]}
        if self.kind == "learn":
            return {"kind": self.kind, "weights": list(self.costs)}
        if self.costs:
            document["costs"] = [_as_json(cost) for cost in self.costs]
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Correction:
        """Return the correction that :meth:`to_dict` describes."""
        kind = document["kind"]
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
        if kind == "learn":
            return cls(kind, (), tuple(float(weight) for weight in document["weights"]))
        pairs = tuple((u, v) for u, v in document["pairs"])
        costs = tuple(float(cost) for cost in document.get("costs", ()))
        expected = 0 if kind in ("join", "separate") else len(pairs)
        if len(costs) != expected or (kind != "add_edges" and len(pairs) != 1):
            raise ValueError(f"{kind} has {len(pairs)} pairs and {len(costs)} costs")
        return cls(kind, pairs, costs)


def write_corrections(
    path: str | os.PathLike[str], corrections: Iterable[Correction], num_nodes: int
) -> None:
    """Write corrections, a heading first; an existing file is replaced when all is written."""
    heading = {"format": _FORMAT, "version": _VERSION, "num_nodes": num_nodes}
    lines = [json.dumps(heading)]
    for correction in corrections:
        for node in (node for pair in correction.pairs for node in pair):
            if not isinstance(node, int | str):
                raise TypeError(
                    f"corrections name nodes by integers or text, got {node!r}; give the problem "
                    f"such node_ids"
                )
        lines.append(json.dumps(correction.to_dict(), allow_nan=False))
    write_whole(Path(path), "\n".join(lines) + "\n")


def read_corrections(path: str | os.PathLike[str], num_nodes: int) -> list[Correction]:
    """Read what :func:`write_corrections` has written, for a problem of as many nodes."""
    return parse_corrections(Path(path).read_text(encoding="utf-8"), str(path), num_nodes)


def parse_corrections(text: str, name: str, num_nodes: int) -> list[Correction]:
    """Read corrections from the content of a file; `name` is what messages call it."""
    return list(_parse(text.splitlines(), name, num_nodes))


def _parse(lines: list[str], path: str, num_nodes: int) -> Iterator[Correction]:
    try:
        heading = json.loads(lines[0])
        is_known = heading["format"] == _FORMAT and heading["version"] == _VERSION
        stated = heading["num_nodes"]
    except (IndexError, KeyError, TypeError, ValueError, RecursionError):
        is_known = False
    if not is_known:
        raise ValueError(f"{path} has no corrections of version {_VERSION}: see its first line")
    if stated != num_nodes:
        raise ValueError(
            f"{path} has corrections of a problem of {shortened(str(stated), 40)} nodes, but this "
            f"one has {num_nodes}"
        )
    for number, line in enumerate(lines[1:], 2):
        if not line.strip():
            continue
        try:
            yield Correction.from_dict(json.loads(line))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            reason = shortened(str(error), 200)
            raise ValueError(f"{path}, line {number}: not a correction: {reason}") from None


def _as_json(cost: float) -> float | str:
    return cost if math.isfinite(cost) else str(cost)
