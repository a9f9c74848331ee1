"""Whether a finetuning run was trained on the published graphs or on their stand-in."""

from __future__ import annotations

import math
from pathlib import Path, PurePosixPath

from multicut.training.named_graphs import named_graphs
from paper.published_graphs import TITLES

# Devices and batches change a mean cross entropy by much less, other graphs by more.
_TOLERANCE = 0.01


def corpus_of(train: object) -> str | None:
    """Return the title of the corpus that a run was trained on; None if it is no corpus."""
    return TITLES.get(PurePosixPath(train).name) if isinstance(train, str) else None


def is_stand_in(run: Path, train: str) -> bool:
    """Return whether the graphs that a run was trained on are a stand-in, as their dataset says."""
    advice = "make it with `python -m benchmarks.finetuning_data FOLDER`, and train again"
    try:
        info = named_graphs(train, "train").info
    except FileNotFoundError:
        raise ValueError(f"{run} was trained on {train}, which is not there; {advice}") from None
    if not isinstance(info.get("is_stand_in"), bool):
        raise ValueError(
            f"{run} was trained on {train}, which does not say whether it is a stand-in; {advice}"
        )
    return bool(info["is_stand_in"])


def check_validation(run: Path, now: float | None, then: float | None) -> None:
    """Raise an error if the cross entropy of a model is not what it was when the run kept it.

    Then its dataset was replaced since, and says nothing of the graphs that the run has seen.

    Parameters
    ----------
    run
        The folder of the run.
    now
        The cross entropy of its model on the validation graphs that are there.
    then
        The same when the model was kept.
    """
    if now is None or then is None or not math.isclose(now, then, rel_tol=_TOLERANCE):
        raise ValueError(
            f"{run} was validated on other graphs than are there now: its cross entropy is {now}, "
            f"and was {then}; train it again, in a new folder"
        )
