"""Results as files to download."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut.app.solving import Solved

_MOST_LABELS_OF_16_BITS = 2**16


def write_downloads(solved: Solved, folder: Path) -> dict[str, Path]:
    """Write the first result of what was solved; return the files by what they are called.

    Parameters
    ----------
    solved
        The results.
    folder
        An empty folder of this visitor.
    """
    result = solved.results[0]
    files = {"json": folder / "result.json"}
    result.save(files["json"])
    if not solved.segmentations:
        files["csv"], files["npy"] = folder / "labels.csv", folder / "labels.npy"
        result.save(files["csv"])
        result.save(files["npy"])
        return files
    from PIL import Image

    labels = solved.segmentations[0].labels
    files["npy"] = folder / "labels.npy"
    np.save(files["npy"], labels)
    if labels.ndim == 2 and labels.max(initial=0) < _MOST_LABELS_OF_16_BITS:
        files["png"] = folder / "labels.png"
        Image.fromarray(labels.astype(np.uint16)).save(files["png"])
    return files
