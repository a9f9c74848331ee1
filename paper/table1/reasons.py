"""Why a network is below its published value: scale of costs, bias, the run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import torch

from multicut.benchmark.cache import Cell
from multicut.benchmark.ratios import objective_ratios, optima_of
from multicut.datasets import open_dataset
from multicut.models import ModelRecord, load_model
from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import round_scores
from paper.evaluation_sets import COMPARABLE
from paper.inference import in_batches
from paper.published import TABLE_1, TEST_SETS
from paper.runs.curves import Run, read_runs
from paper.settings import PaperSettings

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem
    from multicut.nn.model import Model

PART = "reasons"
_BIASES = tuple(n / 4 for n in range(-8, 9))
# By what costs are multiplied; None stands for the normalisation that a network ships with.
_FACTORS = (None, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
_NUM_VALIDATED = 300


def published_ratio(name: str, test_set: str) -> float | None:
    """Return what was published of a network on a set that compares."""
    if name not in TABLE_1 or test_set not in COMPARABLE:
        return None
    return TABLE_1[name].ratios[TEST_SETS.index(test_set)]


def is_below(name: str, test_set: str, *cells: Mapping[str, Any] | None) -> bool:
    """Whether a network is below its published value, by any of the cells that are known."""
    published = published_ratio(name, test_set)
    return published is not None and any(
        cell["ratio"] < published for cell in cells if cell is not None
    )


def unscaled_key(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name the cell of a model on a test set with costs as they are."""
    return f"{name_of(settings, record, test_set)}, costs as they are"


def remedies_key(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name the cell of a model on a test set with other biases and scales."""
    return f"{name_of(settings, record, test_set)}, remedies"


def name_of(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name a model, by its weights, on so many graphs of a test set."""
    return f"{record.name} {record.card['sha256'][:8]}, {test_set}, {settings.num_graphs} graphs"


def measure(
    settings: PaperSettings, networks: Iterable[tuple[ModelRecord, str, Mapping[str, Any]]]
) -> None:
    """Measure networks with costs as they are, and those below published with biases and scales.

    Parameters
    ----------
    settings
        Where measurements are kept, and of how many graphs.
    networks
        Each network, the test set, and the cell of Table 1.
    """
    store = settings.open_cache(PART)

    def unscaled(record: ModelRecord, test_set: str) -> Cell:
        settings.report(f"{record.name} on {test_set}, costs as they are")
        problems = graphs_of(settings, test_set, "test")
        return {"ratio": ratios_by_bias(_load(record, normalises=False), problems, [0.0], 1.0)[0.0]}

    def remedies(record: ModelRecord, test_set: str) -> Cell:
        settings.report(f"{record.name} on {test_set}, other biases and scales")
        own = record.name.rpartition("-")[2]
        return {
            "num_validated": min(_NUM_VALIDATED, settings.num_graphs),
            "own": best_bias(record, own, test_set, (None,)),
            "there": best_bias(record, test_set, test_set, _FACTORS),
        }

    def best_bias(
        record: ModelRecord, validated_on: str, test_set: str, factors: Sequence[float | None]
    ) -> Cell:
        """Choose a bias and a scale on validation graphs; return the ratio on test graphs."""
        validation = graphs_of(settings, validated_on, "valid")
        found = {
            (factor, bias): value
            for factor in factors
            for bias, value in ratios_by_bias(
                _load(record, normalises=factor is None), validation, _BIASES, factor
            ).items()
        }
        # Of equals, what changes least.
        factor, bias = max(found, key=lambda each: (found[each], each[0] is None, -abs(each[1])))
        problems = graphs_of(settings, test_set, "test")
        value = ratios_by_bias(_load(record, normalises=factor is None), problems, [bias], factor)[
            bias
        ]
        return {"bias": bias, "factor": factor, "ratio": value}

    for record, test_set, cell in networks:
        if published_ratio(record.name, test_set) is None:
            continue
        other = store.get(
            unscaled_key(settings, record, test_set),
            lambda r=record, t=test_set: unscaled(r, t),  # type: ignore[misc]
        )
        if is_below(record.name, test_set, cell, other):
            store.get(
                remedies_key(settings, record, test_set),
                lambda r=record, t=test_set: remedies(r, t),  # type: ignore[misc]
            )


def graphs_of(settings: PaperSettings, family: str, split: str) -> list[LabelledProblem]:
    """Return the graphs of a split: all that are tested on, or some to validate on."""
    is_test = split == "test"
    count = settings.num_graphs if is_test else min(_NUM_VALIDATED, settings.num_graphs)
    return _graphs(family.lower(), split, count)


@cache
def _graphs(family: str, split: str, count: int) -> list[LabelledProblem]:
    return list(open_dataset(family, split)[:count])


def _load(record: ModelRecord, *, normalises: bool = True) -> Model:
    """Load a network, without the normalisation of costs if wanted."""
    model = load_model(record.name)
    if not normalises:
        model.cost_scale = None
    return model


@torch.no_grad()
def ratios_by_bias(
    model: Model,
    problems: Sequence[LabelledProblem],
    biases: Sequence[float],
    factor: float | None = None,
) -> dict[float, float]:
    """Return the mean objective ratio for each number that is added to all logits.

    With a factor, the network gets costs times that.
    """
    objectives: dict[float, list[float]] = {bias: [] for bias in biases}
    for some in in_batches(problems, model.device):
        batch = GraphBatch.from_problems(some, device=model.device)
        seen = batch if factor is None else batch.with_costs(batch.costs * factor)
        logits = model.logits(seen).float()
        for bias in biases:
            cut = round_scores(batch, torch.sigmoid(logits + bias)).cut
            objectives[bias] += batch.objectives(cut).tolist()
    optima = optima_of(problems)
    return {bias: float(objective_ratios(o, optima).mean()) for bias, o in objectives.items()}


def runs_of(settings: PaperSettings, name: str) -> dict[str, Run]:
    """Return the recorded runs of `configs/published` that train a network, by name."""
    runs = read_runs(settings.curves / "published")
    return {each: run for each, run in runs.items() if each.startswith(f"{name}-")}


def other_runs(settings: PaperSettings, name: str, test_set: str) -> dict[str, list[float]]:
    """Return what recorded runs of a network reach with costs as they are.

    For each run the network that validation chose, ``best``, and its ``last`` one.
    """
    runs = [run.settings for run in runs_of(settings, name).values()]
    return {
        which: [float(run[key][test_set]) for run in runs if test_set in run.get(key, {})]
        for which, key in (("best", "test"), ("last", "test_last"))
    }
