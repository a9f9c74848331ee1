"""Why a network is below its published value: the scale of costs, the bias, the run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

import torch

from multicut.benchmark.cache import Cell
from multicut.benchmark.ratios import objective_ratios
from multicut.datasets import open_dataset
from multicut.models import ModelRecord, list_models, load_model
from multicut.nn.batch import GraphBatch
from multicut.nn.rounding import round_scores
from paper.inference import in_batches
from paper.published import TABLE_1, TEST_SETS
from paper.settings import PaperSettings

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem
    from multicut.nn.model import Model

PART = "reasons"
#: Test sets whose graphs are drawn, as the published ones were; those of IrisMP are easier.
COMPARABLE = ("RandomMP", "IrisMP")
_BIASES = tuple(n / 4 for n in range(-8, 9))
_VALIDATED = 300


def is_below(name: str, test_set: str, ratio: float) -> bool:
    """Whether a network of Table 1 is below its published value on a set that compares."""
    if name not in TABLE_1 or test_set not in COMPARABLE:
        return False
    published = TABLE_1[name].ratios[TEST_SETS.index(test_set)]
    return published is not None and ratio < published


def key_of(settings: PaperSettings, record: ModelRecord, test_set: str) -> str:
    """Name the cell of a model on a test set."""
    return f"{record.name} {record.card['sha256'][:8]}, {test_set}, {settings.num_graphs} graphs"


def measure(settings: PaperSettings, below: Sequence[tuple[str, str]]) -> None:
    """Measure networks, on the test sets named, with costs as they are and with another bias."""
    store = settings.open_cache(PART)
    records = {record.name: record for record in list_models()}

    @cache
    def graphs(family: str, split: str, count: int) -> list[LabelledProblem]:
        return list(open_dataset(family, split)[:count])

    @cache
    def bias_of(name: str) -> float:
        own = graphs(name.rpartition("-")[2], "valid", min(_VALIDATED, settings.num_graphs))
        found = ratios_by_bias(load_model(name), own, _BIASES)
        return max(_BIASES, key=lambda bias: (found[bias], -abs(bias)))

    def find(name: str, test_set: str) -> Cell:
        settings.report(f"what {name} would reach on {test_set}")
        problems = graphs(test_set.lower(), "test", settings.num_graphs)
        model, bias = load_model(name), bias_of(name)
        cell: Cell = {
            "bias": bias,
            "num_validated": _VALIDATED,
            "with_bias": ratios_by_bias(model, problems, [bias])[bias],
        }
        model.cost_scale = None
        cell["costs_as_they_are"] = ratios_by_bias(model, problems, [0.0])[0.0]
        return cell

    for name, test_set in below:
        key = key_of(settings, records[name], test_set)
        store.get(key, lambda name=name, test_set=test_set: find(name, test_set))  # type: ignore[misc]


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
    optima = [float(problem.objective or 0.0) for problem in problems]
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
            found["last"].append(float(document["test_last"][test_set]))
    return found
