from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from multicut.training import TrainingConfig
from multicut.training.module import TrainingModule
from tests.networks import small_network


def module_in(processes: list[TrainingModule], world_size: int) -> TrainingModule:
    """One of several processes whose sums are added up as their devices would do it."""

    def reduce(values: torch.Tensor, reduce_op: str) -> torch.Tensor:
        assert reduce_op == "sum"
        return values if world_size == 1 else sum(other.sums for other in processes)  # type: ignore[return-value]

    module = TrainingModule(small_network(), TrainingConfig())
    trainer: Any = SimpleNamespace(strategy=SimpleNamespace(reduce=reduce), world_size=world_size)
    module.keep = trainer  # Lightning holds it by a weak reference
    module.trainer = trainer
    processes.append(module)
    return module


def test_sums_of_all_processes_survive_a_checkpoint() -> None:
    processes: list[TrainingModule] = []
    first, second = (module_in(processes, 2) for _ in range(2))
    first.sums += torch.tensor([1.0, 2.0, 3.0, 4.0])
    second.sums += torch.tensor([5.0, 6.0, 7.0, 8.0])
    first.counts = second.counts = dict.fromkeys(("loss", "bce", "ccl", "objective"), 2)
    checkpoint: dict[str, Any] = {}
    first.on_save_checkpoint(checkpoint)
    assert first.sums.tolist() == [1.0, 2.0, 3.0, 4.0]
    for world_size in (1, 2):
        later: list[TrainingModule] = []
        for _ in range(world_size):
            module_in(later, world_size).on_load_checkpoint(checkpoint)
        means = later[0].take_means()
        assert means == {"loss": 3.0, "bce": 4.0, "ccl": 5.0, "objective": 6.0}
