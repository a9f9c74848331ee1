"""Saving of figures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import ending_of, open_target

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def save_figure(figure: Figure, path: Path, **options: Any) -> None:
    """Save a figure in the format of the path's ending, completely or not at all.

    Parameters
    ----------
    figure
        The figure.
    path
        The file.
    **options
        Those of ``Figure.savefig``, such as ``dpi``.
    """
    with open_target(path) as file:
        figure.savefig(file, format=ending_of(path).lstrip("."), **options)
