"""What the page calls the graphs that a run was validated on."""

from __future__ import annotations

from paper.evaluation_sets import column_title, easier_of
from paper.runs.curves import Run

#: Names of sets of graphs as people read them.
TITLES = {"irismp": "IrisMP", "randommp": "RandomMP"}


def validated_on(run: Run) -> str:
    """Name the sets of graphs that a run was validated on; weights where these differ."""
    weights = run.validation_weights
    titles = {name: column_title(TITLES.get(name, name)) for name in weights}
    if len(set(weights.values())) > 1:
        titles = {name: f"{weights[name]:g} {title}" for name, title in titles.items()}
    return " + ".join(titles.values())


def easier_sets(run: Run) -> list[str]:
    """Name those sets that are easier than the published ones, for records."""
    return easier_of(TITLES.get(name, name) for name in run.validation_weights)
