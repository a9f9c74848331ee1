"""Numbers of results as small pieces of HTML; every text in them is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from multicut._words import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from multicut.app.proofs import Desk
    from multicut.app.solving import Solved
    from multicut.app.subjects import Subject
    from multicut.result import Result

NOTHING = "\N{EN DASH}"
MINUS = "\N{MINUS SIGN}"
_STOPPED = {"time_limit": "time limit reached", "converged": "converged"}


def message(text: str) -> str:
    """Show what went wrong; nothing for no text."""
    return f'<div class="mc-message" role="alert">{escape(text)}</div>' if text else ""


def hint(text: str) -> str:
    """Show a line that is not the main thing."""
    return f'<div class="mc-hint">{escape(text)}</div>'


def about(subject: Subject | None) -> str:
    """Show name and size of the input."""
    if subject is None:
        return '<div class="mc-about">Nothing loaded yet.</div>'
    return (
        f'<div class="mc-about"><b>{escape(subject.name)}</b>'
        f"<span>{escape(subject.description)}</span></div>"
    )


def metrics(solved: Solved | None) -> str:
    """Show objective, bound, gap, clusters and time of the first result side by side."""
    if solved is None:
        names = ("Objective", "Lower bound", "Gap", "Clusters", "Time")
        return _cards([(name, NOTHING, "") for name in names])
    result = solved.results[0]
    has_bound = result.lower_bound is not None
    return _cards(
        [
            ("Objective", _number(result.objective), f"by {solved.names[0]}"),
            ("Lower bound", _bound(result), "none costs less" if has_bound else "not computed"),
            ("Gap", _gap(result), _meaning_of_gap(result)),
            (
                "Clusters",
                f"{result.num_clusters:,}",
                f"of {count(len(result.labels), 'node')}",
            ),
            ("Time", _seconds(result.runtime), _STOPPED.get(result.stopped_by, result.stopped_by)),
        ]
    )


def comparison(solved: Solved | None) -> str:
    """Set the results of two solvers against each other, a row for each."""
    if solved is None or len(solved.results) < 2:
        return (
            '<div class="mc-hint">Choose a second solver under “Compare with” and press '
            "Solve.</div>"
        )
    names = ("Solver", "Objective", "Lower bound", "Gap", "Clusters", "Cut edges", "Time")
    head = "".join(f"<th scope='col'>{name}</th>" for name in names)
    best = min(result.objective for result in solved.results)
    body = "".join(
        _row(name, result, result.objective == best)
        for name, result in zip(solved.names, solved.results, strict=True)
    )
    return (
        # A region that scrolls must be reachable by the keyboard.
        "<div class='mc-scroll' tabindex='0' role='region' aria-label='Comparison'>"
        f"<table class='mc-table'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        f"</div><p class='mc-hint'>{_verdict(solved)} {_basis(solved)}</p>"
    )


def proof_status(desk: Desk | None, failure: str = "") -> str:
    """Show how far a visitor's proofreading is, and what the last step did or why it failed."""
    if desk is None:
        alert = message(failure) if failure else ""
        return alert or hint("Segment the input first; then correct it here, click by click.")
    proof = desk.proof
    noun = "segment" if desk.solved.segmentations else "cluster"
    numbers = (
        f"<b>{count(len(proof.history), 'correction')}</b>"
        f"<span>{count(proof.num_clusters, noun)}</span>"
        f"<span>objective {_number(proof.objective)}</span>"
    )
    if failure:
        said = f'<span class="mc-refused" role="alert">{escape(failure)}</span>'
    else:
        said = f'<span class="mc-said">{escape(desk.notice or "Click on a segment.")}</span>'
    return f'<div class="mc-about mc-proof" role="status">{numbers}{said}</div>'


def _basis(solved: Solved) -> str:
    """Say what the columns of a comparison mean."""
    if solved.results[0].lower_bound is None:
        return "Times are those of the solvers. There is no lower bound: tick it to see gaps."
    return (
        "Times are those of the solvers, without that of the lower bound. "
        "The bound is the best one found, for both rows."
    )


def _row(name: str, result: Result, is_best: bool) -> str:
    values = (
        _number(result.objective),
        _bound(result),
        _gap(result),
        f"{result.num_clusters:,}",
        f"{int(result.cut.sum()):,}",
        _seconds(result.runtime),
    )
    cells = "".join(f"<td>{value}</td>" for value in values)
    mark = " class='mc-best'" if is_best else ""
    return f"<tr{mark}><th scope='row'>{escape(name)}</th>{cells}</tr>"


def _verdict(solved: Solved) -> str:
    """Say which partition is cheaper, and where the two differ."""
    first, second = solved.results
    differing = int(np.count_nonzero(first.cut != second.cut))
    if differing == 0:
        return "Both cut the same edges."
    edges = f"They differ on {differing:,} of {count(len(first.cut), 'edge')}"
    if first.objective == second.objective:
        return f"{edges}, at the same cost."
    better = solved.names[0 if first.objective < second.objective else 1]
    distance = abs(first.objective - second.objective)
    return f"{edges}; {escape(better)} is cheaper by {distance:,.6g}."


def details(solved: Solved | None) -> str:
    """Everything the results say of themselves, as text."""
    if solved is None:
        return "Nothing solved yet."
    return "\n\n".join(
        f"{name}\n{result.summary()}"
        for name, result in zip(solved.names, solved.results, strict=True)
    )


def _cards(cards: Sequence[tuple[str, str, str]]) -> str:
    inner = "".join(
        f'<div class="mc-card"><span class="mc-name">{escape(name)}</span>'
        f'<span class="mc-value">{escape(value)}</span>'
        f'<span class="mc-note">{escape(note)}</span></div>'
        for name, value, note in cards
    )
    return f'<div class="mc-cards">{inner}</div>'


def _number(value: float) -> str:
    if not np.isfinite(value):
        return "infeasible" if value > 0 else NOTHING
    size = abs(value)
    if value == 0 or 1e-3 <= size < 1e9:
        digits = 0 if size >= 1e6 else 2 if size >= 100 else 4
        return f"{value:,.{digits}f}".replace("-", MINUS)
    return f"{value:.4g}".replace("-", MINUS)


def _bound(result: Result) -> str:
    return NOTHING if result.lower_bound is None else _number(result.lower_bound)


def _gap(result: Result) -> str:
    if result.optimal:
        return "optimal"
    return NOTHING if result.gap is None else _percent(result.gap)


def _meaning_of_gap(result: Result) -> str:
    if result.lower_bound is None:
        return "needs a lower bound"
    return "proven" if result.optimal else "to optimal, at most"


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %" if share >= 1e-4 else f"{100 * share:.1g} %"


def _seconds(seconds: float) -> str:
    return f"{1000 * seconds:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"
