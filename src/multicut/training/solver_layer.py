"""Classical solvers as layers: gradients through ``klj``, ``gaec`` and others."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from multicut._checks import check_integer, check_number, check_seed
from multicut.nn.batch import GraphBatch
from multicut.problem import Problem
from multicut.result import Result
from multicut.solve import solve_batch
from multicut.training.solver_gradients import (
    Array,
    Loss,
    Solve,
    expected_loss,
    fenchel_young_loss,
    interpolated_cut,
    perturbed_cut,
    scale_of,
    straight_through_cut,
    values_of,
)

GRADIENTS = ("perturbed", "interpolated", "straight-through")
"""How a layer estimates the gradient of a function that is constant nearly everywhere."""


class SolverLayer(nn.Module):
    """From the costs of edges to the cut that a solver finds, with estimated gradients.

    Whatever computes the costs can be trained by the partition that the solver makes of them::

        layer = SolverLayer("klj")
        cut = layer(edges, cost_network(features), num_nodes)
        torch.nn.functional.mse_loss(cut, target).backward()

        loss = layer.expected_loss(edges, cost_network(features), num_nodes, rand_error)
        loss.backward()

        loss = layer.fenchel_young_loss(edges, cost_network(features), num_nodes, target)
        loss.backward()

    A partition does not change when costs change a little, so its true gradient is zero or not
    defined. Three estimates take its place, with y(w) the cut of the solver and g the gradient of
    the loss with respect to it:

    ``"perturbed"``
        The layer returns the mean ȳ of y(w + σz) over random z, a function of w that is smooth, and
        the gradient is that of this mean: E[⟨g, y(w + σz) − ȳ⟩ z] / σ (Berthet et al., 2020), and a
        term for σ, which follows the costs. Noise comes in pairs of opposite sign. The estimate is
        unbiased for a loss that is linear in the cut; for others the bias falls with the number of
        samples, since g is computed from the same ones.
    ``"interpolated"``
        (y(w + λg) − y(w)) / λ, one more call of the solver in the backward pass (Pogančić et al.,
        2020).
    ``"straight-through"``
        −g, as if y were −w: higher costs mean fewer cuts (Sahoo et al., 2023, without their
        projection). With a squared error this is the step of a structured perceptron.

    Gradients have no second derivatives. In evaluation mode the layer does the same, but does not
    count its calls, so validation does not change the noise of training.

    Parameters
    ----------
    solver
        A name from :func:`multicut.list_solvers`, such as ``"klj"`` or ``"gaec"``.
    gradient
        One of the estimates above.
    num_samples
        How many noisy problems are solved, an even number; for ``"perturbed"``,
        :meth:`expected_loss` and :meth:`fenchel_young_loss`.
    noise
        σ, in units of the mean absolute cost of the graph. So only ratios of costs matter, and the
        gradient never changes all costs by one factor. May be assigned later, to lower it in the
        course of training.
    step
        Of ``"interpolated"``: how far costs move, λ times the largest |g|, in units of the mean
        absolute cost of the graph.
    seed
        Determines the noise, together with the number of calls in training so far, which is part of
        the state of the module.
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
        if gradient not in GRADIENTS:
            raise ValueError(f"gradient must be one of {', '.join(GRADIENTS)}, got {gradient!r}")
        check_integer(2, num_samples=num_samples)
        if num_samples % 2:
            raise ValueError(f"num_samples must be even, noise comes in pairs, got {num_samples}")
        # Says what is wrong with the solver or its options now, not in the middle of training.
        solve_batch([], solver, num_workers=num_workers, **options)
        self.solver = solver
        self.gradient = gradient
        self.num_samples = num_samples
        self.noise = noise
        self.step = _positive("step", step)
        self.seed = check_seed(seed)
        self.num_workers = num_workers
        self.options = options
        self._num_calls: Tensor
        self.register_buffer("_num_calls", torch.tensor(0))

    @property
    def noise(self) -> float:
        """The deviation of the noise, in units of the mean absolute cost of a graph."""
        return self._noise

    @noise.setter
    def noise(self, value: float) -> None:
        self._noise = _positive("noise", value)

    def extra_repr(self) -> str:
        """Return what the layer is made of, for its representation."""
        return (
            f"{self.solver!r}, gradient={self.gradient!r}, num_samples={self.num_samples}, "
            f"noise={self.noise:g}, step={self.step:g}"
        )

    def forward(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Tensor:
        """Return the cut, one number per edge: 0 or 1, or a mean of such if it is perturbed.

        Parameters
        ----------
        edges
            Shape (2, num_edges): each undirected edge of one graph once, no self-loops. Neither
            lifted edges nor constraints.
        costs
            Shape (num_edges,), finite: gradients flow to them. Positive attracts, negative repels.
        num_nodes
            The number of nodes.
        """
        solve = self._solver_of(edges, costs, num_nodes)
        if self.gradient == "perturbed":
            return perturbed_cut(costs, solve, *self._draw(costs))
        if self.gradient == "interpolated":
            return interpolated_cut(costs, solve, self.step)
        return straight_through_cut(costs, solve)

    def expected_loss(
        self,
        edges: Tensor,
        costs: Tensor,
        num_nodes: int,
        loss: Loss,
    ) -> Tensor:
        """Return the mean loss of partitions of noisy costs, shape ().

        The loss may be any number that is computed from a partition, such as one minus its adjusted
        Rand index; it need not be differentiable. The gradient is E[(loss − mean loss) z] / σ and a
        term for σ, which follows the costs, whatever the layer's `gradient` is.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        loss
            Called with the labels of each partition, int64 of shape (num_nodes,).
        """
        solve = self._solver_of(edges, costs, num_nodes)
        return expected_loss(costs, solve, *self._draw(costs), loss)

    def fenchel_young_loss(
        self, edges: Tensor, costs: Tensor, num_nodes: int, target: Tensor
    ) -> Tensor:
        """Return how far costs are from those for which the solver finds a known cut, shape ().

        The loss is (⟨w, y*⟩ − E[⟨w + σz, y(w + σz)⟩]) / mean |w| for the wanted cut y* (Berthet et
        al., 2020). It is at least 0 if the target is a multicut, or a mean of such, and the solver
        exact; with others it may be less. The gradient is (y* − ȳ) / mean |w|, and a term for the
        mean, which σ follows as well. So costs that are all smaller by one factor have the same
        loss.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        target
            Shape (num_edges,): the wanted cut, flags or numbers between 0 and 1. It gets no
            gradient.
        """
        solve = self._solver_of(edges, costs, num_nodes)
        if not isinstance(target, Tensor):
            raise TypeError(f"target must be a tensor, got {type(target).__name__}")
        if target.shape != costs.shape:
            raise ValueError(
                f"target must have one value per edge, shape {tuple(costs.shape)}, got "
                f"{tuple(target.shape)}"
            )
        outside = ~((target >= 0) & (target <= 1))
        if bool(outside.any()):
            edge = int(torch.nonzero(outside)[0])
            raise ValueError(
                f"target must be between 0 and 1, got {target[edge].item()} at edge {edge}; it is "
                f"1 where an edge is to be cut"
            )
        return fenchel_young_loss(costs, solve, *self._draw(costs), target)

    def partition(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Result:
        """Return what the solver finds for the costs as they are; no gradients flow.

        Parameters
        ----------
        edges, costs, num_nodes
            As for :meth:`forward`.
        """
        return self._solver_of(edges, costs, num_nodes)(values_of(costs)[None])[0]

    def _solver_of(self, edges: Tensor, costs: Tensor, num_nodes: int) -> Solve:
        """Return what solves the problem with other costs, once the problem is checked."""
        GraphBatch.from_edges(edges, costs, num_nodes)
        if not bool(torch.isfinite(costs).all()):
            edge = int(torch.nonzero(~torch.isfinite(costs))[0])
            raise ValueError(
                f"costs must be finite, got {costs[edge].item()} at edge {edge}; a layer takes no "
                f"constraints"
            )
        pairs = np.ascontiguousarray(edges.detach().cpu().numpy().T)

        def solve(rows: Array) -> list[Result]:
            problems = [Problem(pairs, row, num_nodes) for row in rows]
            if problems[0].num_edges < len(pairs):
                raise ValueError(
                    f"edges must have each undirected edge once, got {len(pairs)} of which "
                    f"{problems[0].num_edges} are different; add up the costs of equal ones"
                )
            return solve_batch(problems, self.solver, num_workers=self.num_workers, **self.options)

        return solve

    def _draw(self, costs: Tensor) -> tuple[Array, float]:
        """Return noise of mean 0 and deviation 1, in pairs, and what to multiply it with."""
        rng = np.random.default_rng([self.seed, int(self._num_calls)])
        if self.training:
            self._num_calls += 1
        half = rng.standard_normal((self.num_samples // 2, costs.shape[0]))
        return np.concatenate([half, -half]), self.noise * scale_of(values_of(costs))


def _positive(name: str, value: float) -> float:
    if not 0 < check_number(0, **{name: value}) < float("inf"):
        raise ValueError(f"{name} must be positive and finite, got {value}")
    return value
