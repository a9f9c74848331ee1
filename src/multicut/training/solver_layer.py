"""Classical solvers as layers: gradients through ``klj``, ``gaec`` and others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from multicut._checks import check_integer, check_number, check_seed
from multicut.problem import Problem
from multicut.result import Result
from multicut.solve import solve_batch
from multicut.solvers import get_solver

GRADIENTS = ("perturbed", "interpolated", "straight-through")
"""How a layer estimates the gradient of a function that is constant nearly everywhere."""

_Array = NDArray[np.float64]
# Solves the problem with each of these costs.
_Solve = Callable[[_Array], list[Result]]


class SolverLayer(nn.Module):
    """From the costs of edges to the cut that a solver finds, with estimated gradients.

    Whatever computes the costs can be trained by the partition that the solver makes of them::

        layer = SolverLayer("klj")
        cut = layer(edges, cost_network(features), num_nodes)
        torch.nn.functional.mse_loss(cut, target).backward()

        loss = layer.expected_loss(edges, cost_network(features), num_nodes, rand_error)
        loss.backward()

    A partition does not change when costs change a little, so its true gradient is zero or not
    defined. Three estimates take its place, with y(w) the cut of the solver and g the gradient of
    the loss with respect to it:

    ``"perturbed"``
        The layer returns the mean ȳ of y(w + σz) over random z, a function of w that is smooth, and
        the gradient is that of this mean: E[⟨g, y(w + σz) − ȳ⟩ z] / σ (Berthet et al., 2020). Noise
        comes in pairs of opposite sign. Unbiased, but many samples may be needed.
    ``"interpolated"``
        (y(w + λg) − y(w)) / λ, one more call of the solver in the backward pass (Pogančić et al.,
        2020).
    ``"straight-through"``
        −g, as if y were −w: higher costs mean fewer cuts (Sahoo et al., 2023).

    Parameters
    ----------
    solver
        A name from :func:`multicut.list_solvers`, such as ``"klj"`` or ``"gaec"``.
    gradient
        One of the estimates above.
    num_samples
        How many noisy problems are solved, an even number; for ``"perturbed"`` and
        :meth:`expected_loss`.
    noise
        σ, in units of the mean absolute cost of a graph.
    step
        Of ``"interpolated"``: how far costs move, λ times the largest |g|, in units of the mean
        absolute cost of a graph.
    seed
        Determines the noise, together with the number of calls so far.
    num_workers
        Problems solved side by side, by default as many as there are processors; of no influence on
        the result.
    **options
        Options of the solver.
    """

    def __init__(
        self,
        solver: str = "klj",
        *,
        gradient: str = "perturbed",
        num_samples: int = 8,
        noise: float = 1.0,
        step: float = 5.0,
        seed: int = 0,
        num_workers: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__()
        get_solver(solver)
        if gradient not in GRADIENTS:
            raise ValueError(f"gradient must be one of {', '.join(GRADIENTS)}, got {gradient!r}")
        check_integer(2, num_samples=num_samples)
        if num_samples % 2:
            raise ValueError(f"num_samples must be even, noise comes in pairs, got {num_samples}")
        for name, value in (("noise", noise), ("step", step)):
            if not 0 < check_number(0, **{name: value}) < float("inf"):
                raise ValueError(f"{name} must be positive and finite, got {value}")
        self.solver = solver
        self.gradient = gradient
        self.num_samples = num_samples
        self.noise = noise
        self.step = step
        self.seed = check_seed(seed)
        self.num_workers = num_workers
        self.options = options
        self._num_calls = 0

    def extra_repr(self) -> str:
        """Return what the layer is made of, for its representation."""
        return f"{self.solver!r}, gradient={self.gradient!r}"

    def forward(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Tensor:
        """Return the cut, one number per edge: 0 or 1, or a mean of such if it is perturbed.

        Parameters
        ----------
        edges
            Shape (2, num_edges): each undirected edge once, no self-loops.
        costs
            Shape (num_edges,): gradients flow to them. Positive attracts, negative repels.
        num_nodes
            The number of nodes.
        """
        solve = self._solver_of(edges, costs, num_nodes)
        cut: Tensor
        if self.gradient == "perturbed":
            cut = _Perturbed.apply(costs, solve, *self._noise(costs))  # type: ignore[no-untyped-call]
        elif self.gradient == "interpolated":
            cut = _Interpolated.apply(costs, solve, self.step)  # type: ignore[no-untyped-call]
        else:
            cut = _StraightThrough.apply(costs, solve)  # type: ignore[no-untyped-call]
        return cut

    def expected_loss(
        self,
        edges: Tensor,
        costs: Tensor,
        num_nodes: int,
        loss: Callable[[NDArray[np.int64]], float],
    ) -> Tensor:
        """Return the mean loss of partitions of noisy costs, shape ().

        The loss may be any number that is computed from a partition, such as one minus its adjusted
        Rand index; it need not be differentiable. The gradient is E[(loss − mean loss) z] / σ,
        whatever the layer's `gradient` is.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        loss
            Called with the labels of each partition, int64 of shape (num_nodes,).
        """
        solve = self._solver_of(edges, costs, num_nodes)
        mean: Tensor = _ExpectedLoss.apply(  # type: ignore[no-untyped-call]
            costs, solve, *self._noise(costs), loss
        )
        return mean

    def partition(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Result:
        """Return what the solver finds for the costs as they are; no gradients flow.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        """
        return self._solver_of(edges, costs, num_nodes)(_values(costs)[None])[0]

    def _solver_of(self, edges: Tensor, costs: Tensor, num_nodes: int) -> _Solve:
        if edges.ndim != 2 or edges.shape[0] != 2 or costs.shape != edges.shape[1:]:
            raise ValueError(
                f"edges must have shape (2, num_edges) and costs (num_edges,), got "
                f"{tuple(edges.shape)} and {tuple(costs.shape)}"
            )
        pairs = np.ascontiguousarray(edges.detach().cpu().numpy().T)

        def solve(rows: _Array) -> list[Result]:
            problems = [Problem(pairs, row, num_nodes) for row in rows]
            return solve_batch(problems, self.solver, num_workers=self.num_workers, **self.options)

        return solve

    def _noise(self, costs: Tensor) -> tuple[_Array, float]:
        """Return noise of mean 0 and deviation 1, in pairs, and what to multiply it with."""
        rng = np.random.default_rng([self.seed, self._num_calls])
        self._num_calls += 1
        half = rng.standard_normal((self.num_samples // 2, costs.shape[0]))
        return np.concatenate([half, -half]), self.noise * _scale(_values(costs))


def _values(costs: Tensor) -> _Array:
    return costs.detach().double().cpu().numpy()


def _scale(values: _Array) -> float:
    """Return the mean absolute cost; 1 where it is zero."""
    mean = float(np.abs(values).mean()) if len(values) else 0.0
    return mean if mean > 0 else 1.0


def _cuts(results: list[Result]) -> _Array:
    return np.stack([result.cut for result in results]).astype(np.float64)


class _Perturbed(torch.autograd.Function):
    """The mean cut of noisy costs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: _Solve, noise: _Array, scale: float) -> Tensor:
        cuts = torch.from_numpy(_cuts(solve(_values(costs) + scale * noise))).to(costs)
        mean = cuts.mean(0)
        ctx.save_for_backward(cuts - mean, torch.from_numpy(noise / scale).to(costs))
        return mean

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        deviations, noise = ctx.saved_tensors
        return (deviations @ gradients[0]) @ noise / len(noise), None, None, None


class _Interpolated(torch.autograd.Function):
    """The cut; backward, how it changes on the way that the gradient points."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: _Solve, step: float) -> Tensor:
        values = _values(costs)
        ctx.solve, ctx.values, ctx.step = solve, values, step
        ctx.cut = _cuts(solve(values[None]))[0]
        return torch.from_numpy(ctx.cut).to(costs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        gradient = gradients[0]
        direction = gradient.detach().double().cpu().numpy()
        largest = float(np.abs(direction).max(initial=0.0))
        if largest == 0:
            return torch.zeros_like(gradient), None, None
        length = ctx.step * _scale(ctx.values) / largest
        moved = _cuts(ctx.solve((ctx.values + length * direction)[None]))[0]
        return torch.from_numpy((moved - ctx.cut) / length).to(gradient), None, None


class _StraightThrough(torch.autograd.Function):
    """The cut; backward, as if it were minus the costs."""

    @staticmethod
    def forward(ctx: Any, costs: Tensor, solve: _Solve) -> Tensor:  # noqa: ARG004
        return torch.from_numpy(_cuts(solve(_values(costs)[None]))[0]).to(costs)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:  # noqa: ARG004
        return -gradients[0], None


class _ExpectedLoss(torch.autograd.Function):
    """The mean loss of partitions of noisy costs."""

    @staticmethod
    def forward(
        ctx: Any,
        costs: Tensor,
        solve: _Solve,
        noise: _Array,
        scale: float,
        loss: Callable[[NDArray[np.int64]], float],
    ) -> Tensor:
        results = solve(_values(costs) + scale * noise)
        losses = np.array([float(loss(result.labels)) for result in results])
        slope = (losses - losses.mean()) @ noise / (scale * len(noise))
        ctx.save_for_backward(torch.from_numpy(slope).to(costs))
        return costs.new_tensor(losses.mean())

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        (slope,) = ctx.saved_tensors
        return gradients[0] * slope, None, None, None, None
