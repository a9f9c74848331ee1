"""A short version of `make differential`, `make faults` and `make soak`."""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from trust import allocations, differential, soak
from trust.problems import draw, exact_objective, optimum, partitions

ROOT = Path(__file__).parents[2]
NATIVE = [
    "gaec",
    "dual-greedy",
    "greedy-fixation",
    "gasp",
    "mutex-watershed",
    "klj",
    "fusion",
    "ilp",
]
linux = pytest.mark.skipif(sys.platform != "linux", reason="uses forks, limits and /proc of Linux")


def test_solvers_agree_with_brute_force() -> None:
    counts: Counter[str] = Counter()
    wrong = [
        f"seed {seed}: {fault}"
        for seed in range(250)
        for fault in differential.faults_of(seed, NATIVE, counts)
    ]
    assert not wrong
    assert min(counts[name] for name in ("klj", "proofs", "repetitions", "lifted problems")) > 0


@pytest.mark.parametrize("seed", [244_518, 257_354, 263_170])
def test_chains_on_lifted_problems_end(seed: int) -> None:
    """Rounding made chains and their reverses look like gains, where costs of all sizes meet."""
    assert list(differential.faults_of(seed, ["klj", "fusion"], Counter(), everything=True)) == []


def test_the_comparison_sees_what_is_wrong() -> None:
    problem = mc.Problem([[0, 1], [0, 2], [1, 2]], [1.0, -3.0, 1.0])
    good = mc.solve(problem, "ilp")
    assert list(differential.wrong_with(problem, good, optimum(problem))) == []
    assert any("false proof" in text for text in differential.wrong_with(problem, good, -5.0))
    other = mc.Problem(problem.edges, [1.0, -3.0, 1.5])
    assert any("objective" in text for text in differential.wrong_with(other, good, -1.5))


def test_brute_force_counts_partitions() -> None:
    assert [len(partitions(n)) for n in range(7)] == [1, 1, 2, 5, 15, 52, 203]
    problem, _ = draw(3, lifted=False)
    costs = [exact_objective(problem, labels) for labels in partitions(problem.num_nodes)]
    assert optimum(problem) == min(costs)


@linux
@pytest.mark.skipif(shutil.which("c++") is None, reason="needs a C++ compiler")
def test_failing_allocations_are_memory_errors() -> None:
    done = allocations.run(25, ["problem", "read names", "gaec", "klj", "klj, lifted", "pixels"])
    text = done.stdout.decode().split("\n")[-2]
    assert done.returncode == 0, done.stdout.decode()[-2000:] + done.stderr.decode()[-2000:]
    assert "became another error than MemoryError" in text


@linux
def test_commands_survive_faults() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "trust.faults", "--kills", "2", "--sizes", "2", "--only", "solve"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert "kills of solve: 2" in done.stdout


@linux
def test_memory_stays_flat() -> None:
    report = soak.soak_batches(0.5, argparse.Namespace())
    assert report["wrong"] == []
    assert report["problems"] >= 2000


def test_growth_is_seen() -> None:
    times = np.arange(30.0)
    assert soak.growth(list(zip(times, 100 + times, strict=True))) == pytest.approx(19.0)
    assert soak.growth([(time, 100.0) for time in times]) == 0
