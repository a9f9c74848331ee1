r"""Batch normalisation and ReLU of a batch that was filled up to a fixed size.

It computes what :class:`torch.nn.BatchNorm1d` computes for the real rows alone, with sizes that do
not depend on their number. Let :math:`n` of :math:`N` rows be real, and the others zero. With the
mean :math:`\bar m` and the variance :math:`\bar v` of all rows, which one pass finds, those of the
real rows are

.. math:: m = \tfrac{N}{n}\, \bar m, \qquad v = \tfrac{N}{n}\, \bar v - \tfrac{N-n}{N}\, m^2.

The difference loses digits only where a mean is hundreds of deviations away from zero. On a GPU all
this would be thirty short kernels and a dozen passes over the states in each layer; a few kernels
of our own do it in four passes, and look at the real rows alone.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from multicut.nn.padding import RealRows
from multicut.nn.symmetric_matrix import has_triton


def norm_relu(states: Tensor, norm: nn.Module, rows: RealRows | None) -> Tensor:
    """Normalise states and clip them; where there is padding, over the real rows alone.

    Parameters
    ----------
    states
        Shape (all rows, width); what rows of padding hold does not matter, and their result is 0.
    norm
        A batch normalisation, or the identity.
    rows
        Which rows are real; None if all are.
    """
    if rows is not None and isinstance(norm, nn.BatchNorm1d) and norm.training:
        return padded_norm_relu(states * rows.mask, torch.zeros_like(norm.bias), norm, rows)
    clipped: Tensor = norm(states).relu()
    return clipped if rows is None else clipped * rows.mask


def padded_norm_relu(states: Tensor, bias: Tensor, norm: nn.BatchNorm1d, rows: RealRows) -> Tensor:
    """Normalise ``states + bias`` over the real rows in training mode, and clip it.

    Parameters
    ----------
    states
        Shape (all rows, width); rows of padding are zero. The result's will be, too.
    bias
        Shape (width,). As the mean is subtracted, it changes the running mean and nothing else.
    norm
        Its running statistics are updated.
    rows
        Which rows are real.
    """
    clipped: Tensor
    assert norm.running_mean is not None
    assert norm.running_var is not None
    assert norm.num_batches_tracked is not None
    assert norm.momentum is not None
    if rows.are_first and _can_fuse(states):
        running = (norm.running_mean, norm.running_var, norm.num_batches_tracked)
        momentum, eps = norm.momentum, norm.eps
        clipped = _FusedNormRelu.apply(  # type: ignore[no-untyped-call]
            states, bias, norm.weight, norm.bias, rows.count, running, momentum, eps
        )
        return clipped
    clipped, mean, variance = _NormRelu.apply(  # type: ignore[no-untyped-call]
        states, bias, norm.weight, norm.bias, norm.eps, rows
    )
    with torch.no_grad():
        norm.running_mean.lerp_(mean + bias, norm.momentum)
        norm.running_var.lerp_(variance * rows.without_bias, norm.momentum)
        norm.num_batches_tracked.add_(1)
    return clipped


def _can_fuse(states: Tensor) -> bool:
    return states.is_cuda and states.dtype == torch.float32 and has_triton()


class _FusedNormRelu(torch.autograd.Function):
    """The kernels of both ways; running statistics are updated on the way there."""

    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        bias: Tensor,
        scale: Tensor,
        shift: Tensor,
        num_real: Tensor,
        running: tuple[Tensor, Tensor, Tensor],
        momentum: float,
        eps: float,
    ) -> Tensor:
        from multicut.nn.kernels.norm import normalise_and_clip

        clipped, mean, inverse = normalise_and_clip(
            states, num_real, bias, scale, shift, running, momentum, eps
        )
        ctx.save_for_backward(states, mean, inverse, scale, shift, num_real)
        return clipped

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        from multicut.nn.kernels.norm import normalise_gradients

        of_states, of_scale, of_shift = normalise_gradients(gradient, *ctx.saved_tensors)
        # As the mean is subtracted, what was added before makes no difference.
        of_bias = torch.zeros_like(of_shift)
        return of_states, of_bias, of_scale, of_shift, None, None, None, None


class _NormRelu(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        states: Tensor,
        bias: Tensor,  # noqa: ARG004 - so that it gets its gradient, which is zero
        scale: Tensor,
        shift: Tensor,
        eps: float,
        rows: RealRows,
    ) -> tuple[Tensor, Tensor, Tensor]:
        variance, mean = torch.var_mean(states, dim=0, correction=0)
        mean = mean * rows.all_per_real
        variance = variance * rows.all_per_real
        variance.addcmul_(mean, mean * rows.padding_share, value=-1).clamp_(min=0)
        inverse = torch.rsqrt(variance + eps)
        normalised = torch.addcmul(-mean * inverse, states, inverse)
        clipped = torch.addcmul(shift, normalised, scale)
        # ReLU, and zero in rows of padding, in one pass.
        clipped.clamp_(min=rows.floor, max=rows.ceiling)
        ctx.save_for_backward(normalised, clipped, scale, inverse, rows.count)
        ctx.mark_non_differentiable(mean, variance)
        return clipped, mean, variance

    @staticmethod
    @once_differentiable
    def backward(
        ctx: Any, gradient: Tensor, *_: Tensor
    ) -> tuple[Tensor, Tensor, Tensor, Tensor, None, None]:
        normalised, clipped, scale, inverse, num_real = ctx.saved_tensors
        # Rows of padding are zero in `clipped`, so nothing passes there.
        passed = torch.ops.aten.threshold_backward(gradient, clipped, 0)
        of_shift = passed.sum(0)
        of_scale = (passed * normalised).sum(0)
        factor = scale * inverse
        share = factor / num_real
        of_states = torch.addcmul(-share * of_shift, normalised, -share * of_scale)
        of_states.addcmul_(passed, factor)
        # Rows of padding are not zero in this, but the layer before lets nothing pass there.
        return of_states, torch.zeros_like(scale), of_scale, of_shift, None, None
