"""On what machine, with what versions, numbers were measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from multicut.benchmark.cache import Cell
from multicut.benchmark.report import describe_environment

if TYPE_CHECKING:
    from paper.settings import PaperSettings

UNKNOWN = "the machine is not recorded"


def describe(settings: PaperSettings) -> Cell:
    """Describe this machine and the device that networks run on."""
    import torch

    found = describe_environment(settings.command)
    device = torch.device(settings.device)
    is_gpu = device.type == "cuda"
    return found | {
        "torch": str(torch.__version__),
        "threads": torch.get_num_threads(),
        "device": device.type,
        "device_name": torch.cuda.get_device_name(device) if is_gpu else found["cpu"],
    }


def summary(environment: Cell | None) -> str:
    """Put an environment into one line."""
    if environment is None:
        return UNKNOWN
    place = f"{environment['device_name']}"
    if environment["device"] == "cpu":
        threads = environment["threads"]
        place += f", {environment['cpu_count']} cores, {threads} threads for networks"
    else:
        place += f", beside {environment['cpu_count']} cores of {environment['cpu']}"
    return (
        f"{place}; multicut {environment['multicut']}, torch {environment['torch']}, "
        f"Python {environment['python']}; {environment['date'][:10]}"
    )
