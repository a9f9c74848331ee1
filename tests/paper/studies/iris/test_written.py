"""IrisMP as the text has it: its kernels of one similarity."""

from __future__ import annotations

import math

import pytest

from paper.studies.iris.written import KERNELS, TEXTBOOK, written


def test_kernels_are_what_their_names_say() -> None:
    for name, (power, gamma) in KERNELS.items():
        formula = name.replace("²", "**2").replace("·", "*").replace("exp", "math.exp")
        expected = eval(formula, {"math": math, "d": 1.3})
        assert math.exp(-gamma * 1.3**power) == pytest.approx(expected), name
    assert TEXTBOOK == "exp(-d²/(2·0.6²))"


def test_nothing_but_kernel_and_sampling_is_open() -> None:
    choices = [(kernel, variant.sampling) for kernel, variant, _ in written()]
    assert len(set(choices)) == len(choices) == 2 * len(KERNELS)
    assert {(variant.scaling, variant.columns) for _, variant, _ in written()} == {("raw", "two")}
