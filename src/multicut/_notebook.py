"""What notebooks show of results and problems: small tables and pictures in HTML.

Colours are taken from the text around them, so that they can be read on white and on black.
"""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from multicut._arrays import FloatArray

_WIDTH, _HEIGHT, _MARGIN = 220, 56, 4
_MOST_POINTS = 200


def html_table(title: str, rows: Mapping[str, str], picture: str = "") -> str:
    """Return a small table; names, values and title are escaped, `picture` is HTML already."""
    cells = "".join(
        f"<tr><th style='text-align:left;font-weight:normal;opacity:.7'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(value)}</td></tr>"
        for name, value in rows.items()
    )
    return (
        f"<div style='display:flex;gap:1.5em;align-items:center;flex-wrap:wrap'>"
        f"<table style='background:none;border-collapse:collapse'>"
        f"<caption style='text-align:left;font-weight:bold'>{escape(title)}</caption>"
        f"{cells}</table>{picture}</div>"
    )


def trace_picture(trace: FloatArray, lower_bound: float | None = None) -> str:
    """Return an SVG of an objective over time, and the lower bound below it as a dashed line.

    Parameters
    ----------
    trace
        Rows (seconds, objective).
    lower_bound
        None, or what is not finite, is left out.
    """
    rows = trace.reshape(-1, 2)
    rows = rows[np.isfinite(rows).all(axis=1)]
    if len(rows) < 2:
        return ""
    if len(rows) > _MOST_POINTS:
        rows = rows[np.linspace(0, len(rows) - 1, _MOST_POINTS).astype(int)]
    seconds, objectives = rows.T
    bound = lower_bound if lower_bound is not None and np.isfinite(lower_bound) else None
    lowest = min(float(objectives.min()), np.inf if bound is None else bound)
    highest = float(objectives.max())
    x = _scaled(seconds, float(seconds[0]), float(seconds[-1]), _MARGIN, _WIDTH - _MARGIN)
    y = _scaled(objectives, lowest, highest, _HEIGHT - _MARGIN, _MARGIN)
    # An objective stays where it is until the next improvement.
    steps = [f"{x[0]:.1f},{y[0]:.1f}"]
    for i in range(1, len(rows)):
        steps += [f"{x[i]:.1f},{y[i - 1]:.1f}", f"{x[i]:.1f},{y[i]:.1f}"]
    dashed = ""
    if bound is not None:
        (level,) = _scaled(np.array([bound]), lowest, highest, _HEIGHT - _MARGIN, _MARGIN)
        dashed = (
            f"<line x1='{_MARGIN}' x2='{_WIDTH - _MARGIN}' y1='{level:.1f}' y2='{level:.1f}' "
            f"stroke='currentColor' stroke-dasharray='4 3' opacity='.6'/>"
        )
    return (
        f"<svg width='{_WIDTH}' height='{_HEIGHT}' viewBox='0 0 {_WIDTH} {_HEIGHT}' role='img'>"
        f"<title>objective over time</title>"
        f"<polyline points='{' '.join(steps)}' fill='none' stroke='currentColor' "
        f"stroke-width='1.5'/>{dashed}"
        f"<circle cx='{x[-1]:.1f}' cy='{y[-1]:.1f}' r='2.5' fill='currentColor'/></svg>"
    )


def _scaled(values: FloatArray, low: float, high: float, first: float, last: float) -> FloatArray:
    """Map ``low … high`` to ``first … last``; where both are equal, to the middle."""
    # Halves, since the distance of two large numbers may not be finite.
    half = high / 2 - low / 2
    if not half > 0:
        return np.full(len(values), (first + last) / 2)
    return np.asarray(first + (values / 2 - low / 2) / half * (last - first))
