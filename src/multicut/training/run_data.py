"""The graphs of a run: what it trains on and what it is measured with, on its device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from multicut._words import count
from multicut.datasets.arrays import DatasetArrays
from multicut.datasets.dataset import Dataset
from multicut.nn.architectures import get_architecture
from multicut.nn.batch import GraphBatch
from multicut.nn.model import Network
from multicut.training.batches import (
    BatchSource,
    FreshGraphs,
    Share,
    StoredGraphs,
)
from multicut.training.config import TrainingConfig
from multicut.training.device_dataset import DeviceDataset
from multicut.training.evaluation import Evaluation, cut_finder, evaluate, mean_evaluation
from multicut.training.graph_store import GraphStore
from multicut.training.learner import Learner
from multicut.training.named_graphs import (
    fresh_graphs,
    is_fresh,
    labelled_by,
    mean_absolute_cost,
    named_graphs,
    with_cost_scale,
)
from multicut.training.sampler import Mixture, Passes, Sampler


@dataclass(frozen=True)
class RunData:
    """The graphs of a run, on the device of this process.

    Attributes
    ----------
    source
        Where batches come from.
    validate
        Measures the network on the validation graphs; None if there are none.
    card
        What the model's card says, without the results.
    """

    source: BatchSource
    validate: Callable[[], Evaluation] | None
    card: dict[str, Any]

    @classmethod
    def load(
        cls,
        config: TrainingConfig,
        given: dict[str, Dataset],
        scale: float | None,
        learner: Learner,
        store: GraphStore | None = None,
    ) -> RunData:
        """Bring the graphs of a run to the device.

        Parameters
        ----------
        config
            Names the graphs.
        given
            Those that the caller made, by the setting that they replace.
        scale
            The mean absolute cost that a model to be finetuned wants; None if it does not matter.
        learner
            What learns from them.
        store
            Where graphs with a name are kept; by default they are loaded for this run alone.
        """
        source, scale = _training_graphs(given.get("train"), scale, config, learner, store)
        device = learner.processes.device
        validate = _validation(
            given.get("validation"), config, device, learner.network, scale, store
        )
        return cls(source, validate, _card(config, scale))


def _training_graphs(
    given: Dataset | None,
    scale: float | None,
    config: TrainingConfig,
    learner: Learner,
    store: GraphStore | None,
) -> tuple[BatchSource, float]:
    """Return where batches come from, and the scale of costs: by default, that of their graphs."""
    need = learner.needed_cycle_length
    device = learner.processes.device
    share = Share(learner.processes.rank, learner.processes.world_size)
    if given is None and isinstance(config.train, str) and is_fresh(config.train):
        if learner.loss.needs_labels and not config.labels:
            raise ValueError(
                f"{config.train!r} has no labels; name a solver in labels, such as 'ilp', or set "
                f"loss = 'polynomial'"
            )
        draw = fresh_graphs(config.train, config.seed)
        scale = scale or mean_absolute_cost(draw(0, config.batch_size).arrays())
        label = labelled_by(config.labels) if config.labels else None
        own_scale = scale if config.scale_free else None
        return FreshGraphs(draw, label, own_scale, config.batch_size, device, need, share), scale
    named = _named_arrays(given, config.train, "train", config.num_train, store)
    arrays = DatasetArrays.concatenate(list(named.values()))
    if len(arrays.costs) == 0:
        raise ValueError(
            "train must contain graphs with edges, got none; there is nothing to learn"
        )
    scale = scale or mean_absolute_cost(arrays)
    if config.scale_free:
        arrays = with_cost_scale(arrays, scale)
    find_cycles = None
    if store is not None and given is None and isinstance(config.train, str):
        find_cycles = None if config.num_train else partial(store.cycles, config.train, "train")
    dataset = DeviceDataset(arrays, device, find_cycles=find_cycles)
    if learner.loss.needs_labels and not dataset.has_cuts:
        raise ValueError(
            "the training graphs have no labels; solve them first or set loss = 'polynomial'"
        )
    # What the last step needs is listed now: a graph with too many cycles must not come to light
    # hours later.
    if (max_length := need(config.num_steps - 1)) is not None:
        dataset.list_cycles(max_length)
    sampler: Sampler = Passes(dataset.num_graphs, config.batch_size, config.seed)
    if isinstance(config.train, Mapping):
        sizes = [each.num_graphs for each in named.values()]
        sampler = Mixture(sizes, list(config.train.values()), config.batch_size, config.seed)
    return StoredGraphs(dataset, sampler, need, share), scale


def _named_arrays(
    given: Dataset | None,
    names: str | Mapping[str, float],
    split: str,
    most: int,
    store: GraphStore | None,
) -> dict[str, DatasetArrays]:
    """Return the graphs of each dataset of a setting, at most so many of each."""
    datasets = {"": given} if given is not None else {}
    if given is None:
        each = [names] if isinstance(names, str) else list(names)
        find = named_graphs if store is None else store.graphs
        datasets = {name: find(name, split) for name in each}
    return {name: graphs[: most or None].arrays() for name, graphs in datasets.items()}


def _validation(
    given: Dataset | None,
    config: TrainingConfig,
    device: torch.device,
    network: Network,
    scale: float,
    store: GraphStore | None,
) -> Callable[[], Evaluation] | None:
    if given is None and not config.validation:
        return None
    named = _named_arrays(given, config.validation, "valid", config.num_validation, store)
    if config.scale_free:
        named = {name: with_cost_scale(arrays, scale) for name, arrays in named.items()}
    datasets = {}
    for name, arrays in named.items():
        find_cycles = None
        if store is not None and given is None and not config.num_validation:
            find_cycles = partial(store.cycles, name, "valid")
        datasets[name] = DeviceDataset(arrays, device, find_cycles=find_cycles)
    architecture = get_architecture(config.network.architecture)
    max_length = config.max_cycle_length if architecture.has_cycle_measure else None
    for dataset in datasets.values():
        if not dataset.has_objectives:
            raise ValueError("the validation graphs have no labels; solve them first")
        if max_length is not None:
            dataset.list_cycles(max_length)

    def predict(batch: GraphBatch) -> torch.Tensor:
        logits: torch.Tensor = network(batch)
        return logits

    find_cut = cut_finder(network)

    def validate() -> Evaluation:
        modes = {module: module.training for module in network.modules()}
        network.eval()
        results = {
            name: evaluate(predict, dataset, max_cycle_length=max_length, find_cut=find_cut)
            for name, dataset in datasets.items()
        }
        for module, mode in modes.items():
            module.training = mode
        if isinstance(config.validation, Mapping) and given is None:
            return mean_evaluation(results, config.validation)
        (result,) = results.values()
        return result

    return validate


def _card(config: TrainingConfig, scale: float) -> dict[str, Any]:
    norm = "_bn" if getattr(config.network, "batch_norm", False) else ""
    ending = f", finetuned from {config.finetune}" if config.finetune else ""
    graphs = config.train if isinstance(config.train, str) else count(len(config.train), "dataset")
    description = f"{config.network.architecture}{norm} trained on {graphs}{ending}"
    return {"description": description, **({"cost_scale": scale} if config.scale_free else {})}
