from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multicut as mc
from multicut.cli import main
from multicut.io import write


@dataclass(frozen=True)
class Outcome:
    code: int
    stdout: str
    stderr: str

    def json(self) -> Any:
        return json.loads(self.stdout)


@pytest.fixture
def multicut(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Outcome]:
    """Run a command in this process, errors and exit code included."""
    monkeypatch.delenv("MULTICUT_DATA", raising=False)

    def run(*arguments: object) -> Outcome:
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def problem() -> mc.Problem:
    return mc.datasets.randommp(150, seed=3)


@pytest.fixture
def problem_file(problem: mc.Problem, tmp_path: Path) -> Path:
    path = tmp_path / "problem.txt"
    write(problem, path)
    return path


@pytest.fixture
def packed_file(tmp_path: Path) -> Path:
    """Two problems in one file: a triangle, and two nodes that repel each other."""
    path = tmp_path / "packed.npz"
    np.savez(
        path,
        name=np.array(["triangle", "pair"]),
        n_nodes=np.array([3, 2]),
        edge_ptr=np.array([0, 3, 4]),
        u=np.array([0, 1, 0, 0]),
        v=np.array([1, 2, 2, 1]),
        cost=np.array([1.0, 2.0, -4.0, -1.5]),
        optimum=np.array([-3.0, -1.5]),
    )
    return path
