"""A training step as a CUDA graph: launched once as a whole, not kernel by kernel.

A step of a deep, narrow network is many short kernels, and a GPU waits most of the time for the
next one to be launched. Recorded once and replayed, they follow each other without a gap.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

# Steps before the recording: kernels are compiled, libraries ask for memory, the optimizer begins.
_WARM_UP = 3
# A replayed update may differ from the computed one by this share: sums are taken in no fixed
# order, and Adam makes steps of the same size out of gradients that are next to nothing.
_TOLERANCE = 0.2

# Takes one step and returns the loss, shape ().
Step = Callable[[], Tensor]


class TrainingState:
    """All tensors that a step changes, and what they held when this was made.

    Parameters
    ----------
    network
        Its parameters and buffers.
    optimizer
        Its moments and counters, also those that it will have only after its first step, which
        all begin with zero.
    others
        More tensors that steps change.
    """

    def __init__(
        self, network: nn.Module, optimizer: torch.optim.Optimizer, others: list[Tensor]
    ) -> None:
        self._parameters = list(network.parameters())
        self._fixed = [*self._parameters, *network.buffers(), *others]
        self._optimizer = optimizer
        self._held = {id(tensor): tensor.detach().clone() for tensor in self._tensors()}

    def _tensors(self) -> list[Tensor]:
        moments = [
            value
            for state in self._optimizer.state.values()
            for value in state.values()
            if isinstance(value, Tensor)
        ]
        return [*self._fixed, *moments]

    @torch.no_grad()
    def restore(self) -> None:
        """Bring everything back, in place."""
        for tensor in self._tensors():
            if id(tensor) in self._held:
                tensor.copy_(self._held[id(tensor)])
            else:
                tensor.zero_()
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def updates(self) -> Tensor:
        """Return how far all parameters are from what they were, in one vector."""
        changes = [p - self._held[id(p)] for p in self._parameters if p.requires_grad]
        return torch.cat([change.flatten() for change in changes])


def record(
    step: Step, state: TrainingState, optimizer: torch.optim.Optimizer, device: torch.device
) -> Step:
    """Return a step that does the same, faster; the state is left as it was.

    A recording that does not do the same is an error, as is whatever cannot be recorded.
    """
    with _beside_other_work(device):
        for _ in range(_WARM_UP):
            state.restore()
            expected = step().clone()
        update = state.updates()
        state.restore()
    replay = capture(step, optimizer, device)
    found = replay().clone()
    difference = float((state.updates() - update).abs().sum())
    size = float(update.abs().sum())
    if not difference <= _TOLERANCE * size or not torch.allclose(found, expected, rtol=1e-3):
        raise RuntimeError(
            f"the recorded step gives a loss of {float(found):.6g} instead of "
            f"{float(expected):.6g} and changes weights by {difference:.3g} of {size:.3g} otherwise"
        )
    state.restore()
    return replay


def capture(step: Step, optimizer: torch.optim.Optimizer, device: torch.device) -> Step:
    """Record the kernels that a step launches, without running them."""
    current = torch.cuda.current_stream(device)
    graph = torch.cuda.CUDAGraph()
    try:
        with _capturable(optimizer), _without_garbage(), torch.cuda.graph(graph):
            loss = step()
    except BaseException:
        # Where recording breaks off, torch leaves its own stream behind as the current one.
        torch.cuda.set_stream(current)
        raise

    def replay() -> Tensor:
        graph.replay()
        return loss

    return replay


@contextmanager
def _without_garbage() -> Iterator[None]:
    """Collect no garbage within the block: an older recording that is released ends this one."""
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@contextmanager
def _beside_other_work(device: torch.device) -> Iterator[None]:
    """Use a stream of its own, as what comes before a recording should."""
    if device.type != "cuda":
        yield
        return
    current = torch.cuda.current_stream(device)
    side = torch.cuda.Stream(device)  # type: ignore[no-untyped-call]
    side.wait_stream(current)
    try:
        with torch.cuda.stream(side):
            yield
    finally:
        current.wait_stream(side)
        torch.cuda.synchronize(device)


@contextmanager
def _capturable(optimizer: torch.optim.Optimizer) -> Iterator[None]:
    """Tell the optimizer that its step is recorded; its fused kernels are the same anyway."""
    before = [group.get("capturable", False) for group in optimizer.param_groups]
    for group in optimizer.param_groups:
        group["capturable"] = True
    try:
        yield
    finally:
        for group, value in zip(optimizer.param_groups, before, strict=True):
            group["capturable"] = value
