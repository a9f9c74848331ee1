"""Estimates of the gradient of what a solver finds, for :class:`multicut.training.SolverLayer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from multicut.result import Result

Array = NDArray[np.float64]
#: Solves the problem with each of these costs, one per row.
Solve = Callable[[Array], list[Result]]
#: Of the labels of a partition.
Loss = Callable[[NDArray[np.int64]], float]


def perturbed_cut(costs: Tensor, solve: Solve, noise: Array, scale: float) -> Tensor:
    """Return the mean cut of noisy costs.

    Parameters
    ----------
    costs
        Shape (num_edges,): gradients flow to them.
    solve
        Solves the problem for rows of costs.
    noise
        Shape (num_samples, num_edges): of mean 0 and deviation 1, in pairs of opposite sign.
    scale
        What to multiply it with, a fixed multiple of :func:`scale_of` the costs.
    """
    cut: Tensor = _Perturbed.apply(costs, solve, noise, scale)  # type: ignore[no-untyped-call]
    return cut


def interpolated_cut(costs: Tensor, solve: Solve, step: float) -> Tensor:
    """Return the cut; its gradient is how it changes on the way that the gradient points."""
    cut: Tensor = _Interpolated.apply(costs, solve, step)  # type: ignore[no-untyped-call]
    return cut


def straight_through_cut(costs: Tensor, solve: Solve) -> Tensor:
    """Return the cut; its gradient is that of minus the costs."""
    cut: Tensor = _StraightThrough.apply(costs, solve)  # type: ignore[no-untyped-call]
    return cut


def expected_loss(costs: Tensor, solve: Solve, noise: Array, scale: float, loss: Loss) -> Tensor:
    """Return the mean loss of partitions of noisy costs; parameters as :func:`perturbed_cut`."""
    mean: Tensor = _ExpectedLoss.apply(costs, solve, noise, scale, loss)  # type: ignore[no-untyped-call]
    return mean


def fenchel_young_loss(
    costs: Tensor, solve: Solve, noise: Array, scale: float, target: Tensor
) -> Tensor:
    """Return what the target costs more than partitions of noisy costs, in units of mean costs.

    Parameters
    ----------
    costs, solve, noise, scale
        As for :func:`perturbed_cut`.
    target
        Shape (num_edges,): the cut that is wanted.
    """
    loss: Tensor = _FenchelYoung.apply(costs, solve, noise, scale, target)  # type: ignore[no-untyped-call]
    return loss


def values_of(costs: Tensor) -> Array:
    """Return costs as numpy's double precision."""
    return costs.detach().double().cpu().numpy()


def scale_of(values: Array) -> float:
    """Return the mean absolute cost; 1 where it is zero."""
    mean = float(np.abs(values).mean()) if len(values) else 0.0
    return mean if mean > 0 else 1.0


def _for_noise_in_units_of_costs(gradient: Tensor, costs: Tensor) -> Tensor:
    """Return the gradient for noise that follows the mean absolute cost, from that for fixed noise.

    All costs times one factor make the same partitions then. So the gradient is orthogonal to the
    costs, which determines the one factor of the missing term, the gradient of the mean.
    """
    total = costs.abs().sum()
    return gradient if total == 0 else gradient - (gradient @ costs) / total * costs.sign()


def _cuts(results: list[Result]) -> Array:
    return np.stack([result.cut for result in results]).astype(np.float64)


class _Perturbed(torch.autograd.Function):
    """The mean cut of noisy costs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: Solve, noise: Array, scale: float) -> Tensor:
        cuts = torch.from_numpy(_cuts(solve(values_of(costs) + scale * noise))).to(costs)
        mean = cuts.mean(0)
        ctx.save_for_backward(cuts - mean, torch.from_numpy(noise / scale).to(costs), costs)
        return mean

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        deviations, noise, costs = ctx.saved_tensors
        slope = (deviations @ gradients[0]) @ noise / len(noise)
        return _for_noise_in_units_of_costs(slope, costs), None, None, None


class _Interpolated(torch.autograd.Function):
    """The cut; backward, how it changes on the way that the gradient points."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: Solve, step: float) -> Tensor:
        values = values_of(costs)
        ctx.solve, ctx.values, ctx.step = solve, values, step
        ctx.cut = _cuts(solve(values[None]))[0]
        return torch.from_numpy(ctx.cut).to(costs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradients[0]
        direction = gradient.detach().double().cpu().numpy()
        largest = float(np.abs(direction).max(initial=0.0))
        if largest == 0:
            return torch.zeros_like(gradient), None, None
        length = ctx.step * scale_of(ctx.values) / largest
        moved = _cuts(ctx.solve((ctx.values + length * direction)[None]))[0]
        return torch.from_numpy((moved - ctx.cut) / length).to(gradient), None, None


class _StraightThrough(torch.autograd.Function):
    """The cut; backward, as if it were minus the costs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: Solve) -> Tensor:  # noqa: ARG004
        return torch.from_numpy(_cuts(solve(values_of(costs)[None]))[0]).to(costs)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ARG004
        return -gradients[0], None


class _ExpectedLoss(torch.autograd.Function):
    """The mean loss of partitions of noisy costs."""

    @staticmethod
    def forward(
        ctx: Any,
        costs: Tensor,
        solve: Solve,
        noise: Array,
        scale: float,
        loss: Loss,
    ) -> Tensor:
        results = solve(values_of(costs) + scale * noise)
        losses = np.array([float(loss(result.labels)) for result in results])
        slope = (losses - losses.mean()) @ noise / (scale * len(noise))
        ctx.save_for_backward(
            _for_noise_in_units_of_costs(torch.from_numpy(slope).to(costs), costs.detach())
        )
        return costs.new_tensor(losses.mean())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (slope,) = ctx.saved_tensors
        return gradients[0] * slope, None, None, None, None


class _FenchelYoung(torch.autograd.Function):
    """The cost of a cut less the mean of those that the solver finds, each under its own noise."""

    @staticmethod
    def forward(
        ctx: Any, costs: Tensor, solve: Solve, noise: Array, scale: float, target: Tensor
    ) -> Tensor:
        values = values_of(costs)
        rows = values + scale * noise
        cuts = _cuts(solve(rows))
        wanted = values_of(target)
        unit = scale_of(values)
        difference = values @ wanted - float((rows * cuts).sum(1).mean())
        slope = torch.from_numpy((wanted - cuts.mean(0)) / unit).to(costs)
        ctx.save_for_backward(_for_noise_in_units_of_costs(slope, costs.detach()))
        return costs.new_tensor(difference / unit)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (slope,) = ctx.saved_tensors
        return gradients[0] * slope, None, None, None, None
