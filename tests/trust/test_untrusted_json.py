"""Documents that are nested too deeply are refused by one line."""

from __future__ import annotations

from pathlib import Path

import pytest

import multicut as mc
from multicut.proofreading.corrections import read_corrections
from multicut.solvers.dual_greedy.policy import load_policy

DEEP = "[" * 200_000


def test_policies(tmp_path: Path) -> None:
    (tmp_path / "policy.json").write_text(DEEP)
    with pytest.raises(ValueError, match="is not a policy"):
        load_policy(tmp_path / "policy.json")


def test_corrections(tmp_path: Path) -> None:
    path = tmp_path / "corrections.jsonl"
    path.write_text(DEEP)
    with pytest.raises(ValueError, match="has no corrections of version 1"):
        read_corrections(path, 3)
    mc.Proofreader(mc.Problem([[0, 1]], [1.0])).save(path)
    path.write_text(path.read_text() + DEEP)
    with pytest.raises(ValueError, match="line 2: not a correction"):
        read_corrections(path, 2)


def test_datasets(tmp_path: Path) -> None:
    mc.Dataset.from_problems([mc.Problem([[0, 1]], [1.0])]).save(tmp_path / "data")
    (tmp_path / "data" / "header.json").write_text(DEEP)
    with pytest.raises(ValueError, match="not a readable header"):
        mc.Dataset.load(tmp_path / "data")
