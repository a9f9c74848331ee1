"""Files of corrections that visitors upload, and those that they download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from multicut.app.failures import VisitorError
from multicut.app.uploads import read_inside, short_name
from multicut.proofreading.corrections import parse_corrections

if TYPE_CHECKING:
    from multicut.app.limits import AppLimits
    from multicut.app.proofs.desk import Desk
    from multicut.proofreading import Correction

_MOST_LABELS_OF_16_BITS = 2**16


def read_corrections(
    path: str, folder: Path, limits: AppLimits, num_nodes: int
) -> list[Correction]:
    """Read an uploaded file of corrections for a problem of so many nodes."""
    name = short_name(Path(path).name)
    data = read_inside(Path(path), folder, limits.max_upload_bytes, name)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise VisitorError(f"{name}: not a text file; load a file of corrections") from None
    return parse_corrections(text, name, num_nodes)


def write_export(desk: Desk, kind: str, folder: Path) -> Path:
    """Write labels (``"npy"``, ``"png"``, ``"csv"``) or corrections (``"jsonl"``) as they are now.

    Parameters
    ----------
    desk
        The proofreading.
    kind
        What to write.
    folder
        The folder of the visitor.
    """
    if kind == "jsonl":
        path = folder / f"corrections-{desk.version}.jsonl"
        desk.write_corrections(path)
        return path
    path = folder / f"labels-{desk.version}.{kind}"
    if kind == "csv":
        desk.proof.result.save(path)
        return path
    labels = desk.labels()
    if kind == "npy":
        np.save(path, labels)
        return path
    from PIL import Image

    if labels.max(initial=0) >= _MOST_LABELS_OF_16_BITS:
        raise VisitorError("there are too many segments for a label image; take the labels as .npy")
    Image.fromarray(labels.astype(np.uint16)).save(path)
    return path
