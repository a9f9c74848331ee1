"""What docs/learned.md says is so."""

from __future__ import annotations

from pathlib import Path

from multicut.solvers.learned.solver import EFFORTS, LearnedOptions

PAGE = (Path(__file__).parents[2] / "docs" / "learned.md").read_text(encoding="utf-8")


def test_all_options_and_schedules_are_explained():
    for name in LearnedOptions.__dataclass_fields__:
        assert f"`{name}`" in PAGE
    for effort in EFFORTS:
        assert f'`"{effort}"`' in PAGE
