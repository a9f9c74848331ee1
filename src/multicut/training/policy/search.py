"""CMA-ES over the constants of ``dual-greedy``."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut._extras import needed
from multicut._threads import check_threads
from multicut._version import __version__
from multicut.solvers.dual_greedy import Policy
from multicut.training.policy.families import SEARCH, VALIDATION, Family, Measure, load_family
from multicut.training.policy.settings import PolicySettings, SearchedPolicy
from multicut.training.policy.work import estimate_work

if TYPE_CHECKING:
    from multicut._arrays import FloatArray

# CMA-ES searches in coordinates in which a step of one is sensible everywhere: the logarithm of the
# share, the square root of the weight, and the numbers of sweeps as they are.
_PER_ROOT_OF_WEIGHT = 10.0
_BOUNDS = np.array([[0.0, 7.0], [0.0, 10.0], [0.0, 8.0], [0.0, 6.0]])
_STEPS = np.array([0.0, 0.0, 1.0, 1.0])  # 0 where a coordinate is continuous
_FIRST_STEP = 1.0
# Constants are rounded before they are tried, so that those in the file are those that were tried.
_DIGITS = 3
# A start that takes far longer than the budget gets a larger share, by this factor, until it fits.
_FAR_BEYOND = 1.2
_LARGER_SHARE = 1.25


@dataclass(frozen=True)
class Trial:
    """What constants reach on all families.

    Attributes
    ----------
    policy
        The constants.
    score
        Mean over families of the gap over that of ``gaec``; smaller is better.
    work
        Geometric mean over families of the estimated time, in multiples of that of ``gaec``.
    """

    policy: Policy
    score: float
    work: float

    def loss(self, budget: float) -> float:
        """Return what CMA-ES minimises; a longer contraction gains far less than it pays here."""
        return self.score + max(0.0, math.log(self.work / budget))


def search_policy(
    settings: PolicySettings | None = None,
    *,
    cache: str | os.PathLike[str] | None = None,
    num_threads: int | None = None,
    progress: Callable[[int, dict[str, float]], None] | None = None,
    **changes: Any,
) -> SearchedPolicy:
    """Search the constants of ``dual-greedy`` for what the finished contraction costs.

    Constants are drawn by CMA-ES with a margin for whole numbers. All are tried on the same graphs.
    What is minimised is the mean over families of the gap to the best known objectives, divided by
    the gap of ``gaec``, within a budget of time. The constants found are validated on other graphs
    and on families left out. If the start is within the budget, and they are not better on the
    validation graphs of the families searched by more than the standard error, it is returned.

    Parameters
    ----------
    settings
        What to search for; by default :class:`PolicySettings` with its defaults.
    cache
        A folder that keeps generated graphs with their solutions, for the next search.
    num_threads
        Graphs that are solved side by side, by default as many as there are processors that this
        process may use. No result depends on it.
    progress
        Called as ``progress(evaluations, {"score": ..., "work": ...})`` with the best so far.
    **changes
        Settings by name, in place of `settings`.
    """
    needed("cmaes", by="the search for a policy")
    if settings is None:
        settings = PolicySettings(**changes)
    elif changes:
        raise TypeError(f"settings are given twice: settings and {', '.join(changes)}")
    _check_budget(settings.budget)
    start = time.monotonic()
    threads = check_threads(num_threads)
    folder = None if cache is None else Path(cache)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)

    def load(names: Sequence[str], split: str) -> list[Family]:
        return [
            load_family(name, split, settings, cache=folder, num_threads=threads) for name in names
        ]

    families = load(settings.families, SEARCH)
    trials, num_evaluations = _search(families, settings, progress)
    validation = load((*settings.families, *settings.left_out), VALIDATION)
    searched = _validate(trials, validation, settings)
    searched.card["search"]["evaluations"] = num_evaluations
    searched.card["seconds"] = round(time.monotonic() - start, 1)
    return searched


def _search(
    families: Sequence[Family],
    settings: PolicySettings,
    progress: Callable[[int, dict[str, float]], None] | None,
) -> tuple[dict[str, Trial], int]:
    """Return the trial of the start and the best within the budget, and how many there were."""
    from cmaes import CMAwM

    assert isinstance(settings.start, Policy)
    tried: dict[Policy, Trial] = {}

    def attempt(policy: Policy) -> Trial:
        if policy not in tried:
            tried[policy] = _try(policy, families)
        return tried[policy]

    def best() -> Trial | None:
        fitting = [trial for trial in tried.values() if trial.work <= settings.budget]
        return min(fitting, key=lambda trial: trial.score, default=None)

    start = first = attempt(settings.start)
    is_far_beyond = start.work > _FAR_BEYOND * settings.budget
    while is_far_beyond and first.work > settings.budget and first.policy.share < 1:
        share = _rounded(min(_LARGER_SHARE * first.policy.share, 1.0))
        first = attempt(replace(first.policy, share=share))
    optimizer = CMAwM(
        mean=_coordinates(first.policy),
        sigma=_FIRST_STEP,
        bounds=_BOUNDS,
        steps=_STEPS,
        population_size=settings.population,
        seed=int(np.random.SeedSequence(settings.seed).generate_state(1)[0]),
    )
    for generation in range(settings.generations):
        told = []
        for i in range(settings.population):
            point, raw = optimizer.ask()
            told.append((raw, attempt(_policy(point)).loss(settings.budget)))
            if progress is not None:
                found = best()
                values = {} if found is None else {"score": found.score, "work": found.work}
                progress(generation * settings.population + i + 1, values)
        optimizer.tell(told)
    found = best()
    if found is None:
        least = min(trial.work for trial in tried.values())
        raise ValueError(
            f"no constants were found within the budget of {settings.budget:g}, the fastest took "
            f"{least:.2f}; raise budget or generations"
        )
    return {"start": start, "found": found}, len(tried)


def _check_budget(budget: float) -> None:
    """Raise if the fastest constants exceed the budget on any graph."""
    fastest = Policy(share=1.0, cost_weight=0.0, triangle_sweeps=0, square_sweeps=0)
    least = float(estimate_work(fastest, np.array([2]), np.array([1]))[0])
    if budget < least:
        raise ValueError(
            f"budget must be at least {least:.2f} times the time of gaec, got {budget:g}"
        )


def _try(policy: Policy, families: Sequence[Family]) -> Trial:
    return _summary(policy, [family.measure(policy) for family in families])


def _summary(policy: Policy, measures: Sequence[Measure]) -> Trial:
    return Trial(
        policy,
        score=float(np.mean([measure.relative_gap for measure in measures])),
        work=_geometric_mean([measure.work for measure in measures]),
    )


def _gain(pairs: Sequence[tuple[Measure, Measure]]) -> tuple[float, float]:
    """Return by how much the score of the second is better, and the standard error of that."""
    differences = [before.relative_gaps - after.relative_gaps for before, after in pairs]
    variances = [each.var(ddof=min(len(each) - 1, 1)) / len(each) for each in differences]
    gain = np.mean([each.mean() for each in differences])
    return float(gain), float(np.sqrt(np.sum(variances)) / len(pairs))


def _geometric_mean(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _coordinates(policy: Policy) -> FloatArray:
    point = np.array(
        [
            -math.log2(policy.share),
            _PER_ROOT_OF_WEIGHT * math.sqrt(policy.cost_weight),
            policy.triangle_sweeps,
            policy.square_sweeps,
        ]
    )
    clipped: FloatArray = np.clip(point, *_BOUNDS.T)
    return clipped


def _policy(point: FloatArray) -> Policy:
    return Policy(
        share=_rounded(2.0 ** -point[0]),
        cost_weight=_rounded((point[1] / _PER_ROOT_OF_WEIGHT) ** 2),
        triangle_sweeps=round(point[2]),
        square_sweeps=round(point[3]),
    )


def _rounded(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _validate(
    trials: dict[str, Trial], validation: Sequence[Family], settings: PolicySettings
) -> SearchedPolicy:
    """Choose between the start and what was found, and tell what both reach on other graphs."""
    measures = {
        which: {family.name: family.measure(trial.policy) for family in validation}
        for which, trial in trials.items()
    }

    def score(which: str, names: Sequence[str]) -> float | None:
        chosen = [measures[which][name] for name in names]
        return _summary(trials[which].policy, chosen).score if chosen else None

    scores = {
        which: {
            "constants": trial.policy.to_dict(),
            "work": trial.work,
            "search": trial.score,
            "validation": score(which, settings.families),
            "left_out": score(which, settings.left_out),
        }
        for which, trial in trials.items()
    }
    gain, error = _gain(
        [(measures["start"][name], measures["found"][name]) for name in settings.families]
    )
    is_start = trials["start"].work <= settings.budget and gain <= error
    chosen = "start" if is_start else "found"
    policy = trials[chosen].policy
    return SearchedPolicy(
        policy,
        {
            "chosen": chosen,
            "budget": settings.budget,
            **scores,
            "gain": {"validation": gain, "standard_error": error},
            "search": {
                "method": "CMA-ES with margin",
                "families": list(settings.families),
                "left_out": list(settings.left_out),
                "num_graphs": settings.num_graphs,
                "num_validation": settings.num_validation,
                "label": settings.label,
                "seed": settings.seed,
                "generations": settings.generations,
                "population": settings.population,
            },
            "validation": {
                family.name: {
                    "gaec_gap": family.gaec_gap,
                    "start_gap": measures["start"][family.name].gap,
                    "found_gap": measures["found"][family.name].gap,
                    "relative_gap": measures[chosen][family.name].relative_gap,
                    "work": measures[chosen][family.name].work,
                    "time": round(family.measure_time(policy), 2),
                }
                for family in validation
            },
            "multicut": __version__,
        },
    )
