"""Why a network is below its published value: the scale of costs, the bias, the run."""

from __future__ import annotations

import json
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
from paper.settings import PaperSettings

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem
    from multicut.nn.model import Model

PART = "reasons"
_BIASES = tuple(n / 4 for n in range(-8, 9))
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
    return f"{_key(settings, record, test_set)}, costs as they are"


def biases_key(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name the cell of a model on a test set with other biases."""
    return f"{_key(settings, record, test_set)}, biases"


def _key(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    return f"{record.name} {record.card['sha256'][:8]}, {test_set}, {settings.num_graphs} graphs"


def measure(
    settings: PaperSettings, networks: Iterable[tuple[ModelRecord, str, Mapping[str, Any]]]
) -> None:
    """Measure networks with costs as they are, and those below published with other biases.

    Parameters
    ----------
    settings
        Where measurements are kept, and of how many graphs.
    networks
        Each network, the test set, and the cell of Table 1.
    """
    store = settings.open_cache(PART)

    @cache
    def graphs(family: str, split: str, count: int) -> list[LabelledProblem]:
        return list(open_dataset(family.lower(), split)[:count])

    def unscaled(record: ModelRecord, test_set: str) -> Cell:
        settings.report(f"{record.name} on {test_set}, costs as they are")
        problems = graphs(test_set, "test", settings.num_graphs)
        return {"ratio": ratios_by_bias(_load(record, False), problems, [0.0])[0.0]}

    def biases(record: ModelRecord, test_set: str) -> Cell:
        settings.report(f"{record.name} on {test_set}, other biases")
        own = record.name.rpartition("-")[2]
        return {
            "num_validated": min(_NUM_VALIDATED, settings.num_graphs),
            "own": best_bias(record, own, test_set, (True,)),
            "there": best_bias(record, test_set, test_set, (True, False)),
        }

    def best_bias(
        record: ModelRecord, validated_on: str, test_set: str, scalings: Sequence[bool]
    ) -> Cell:
        """Choose a bias and a scaling on validation graphs; return the ratio on test graphs."""
        validation = graphs(validated_on, "valid", min(_NUM_VALIDATED, settings.num_graphs))
        found = {
            (is_scaled, bias): value
            for is_scaled in scalings
            for bias, value in ratios_by_bias(_load(record, is_scaled), validation, _BIASES).items()
        }
        is_scaled, bias = max(found, key=lambda each: (found[each], each[0], -abs(each[1])))
        problems = graphs(test_set, "test", settings.num_graphs)
        value = ratios_by_bias(_load(record, is_scaled), problems, [bias])[bias]
        return {"bias": bias, "is_scaled": is_scaled, "ratio": value}

    for record, test_set, cell in networks:
        if published_ratio(record.name, test_set) is None:
            continue
        other = store.get(
            unscaled_key(settings, record, test_set),
            lambda r=record, t=test_set: unscaled(r, t),  # type: ignore[misc]
        )
        if is_below(record.name, test_set, cell, other):
            store.get(
                biases_key(settings, record, test_set),
                lambda r=record, t=test_set: biases(r, t),  # type: ignore[misc]
            )


def _load(record: ModelRecord, is_scaled: bool) -> Model:
    """Load a network; without its scale, it takes costs as they are."""
    model = load_model(record.name)
    if not is_scaled:
        model.cost_scale = None
    return model


@torch.no_grad()
def ratios_by_bias(
    model: Model, problems: Sequence[LabelledProblem], biases: Sequence[float]
) -> dict[float, float]:
    """Return the mean objective ratio for each number that is added to all logits."""
    objectives: dict[float, list[float]] = {bias: [] for bias in biases}
    for some in in_batches(problems, model.device):
        batch = GraphBatch.from_problems(some, device=model.device)
        logits = model.logits(batch).float()
        for bias in biases:
            cut = round_scores(batch, torch.sigmoid(logits + bias)).cut
            objectives[bias] += batch.objectives(cut).tolist()
    optima = optima_of(problems)
    return {bias: float(objective_ratios(o, optima).mean()) for bias, o in objectives.items()}


def other_runs(settings: PaperSettings, name: str, test_set: str) -> dict[str, list[float]]:
    """Return what recorded runs of a network reach with costs as they are.

    For each run the network that validation chose, ``best``, and its ``last`` one.
    """
    found: dict[str, list[float]] = {"best": [], "last": []}
    for path in sorted((settings.curves / "published").glob(f"{name}-*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if test_set in document["test"]:
            found["best"].append(float(document["test"][test_set]))
        if test_set in document.get("test_last", {}):
            found["last"].append(float(document["test_last"][test_set]))
    return found
