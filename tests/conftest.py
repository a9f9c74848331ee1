"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real instances, which are not part of the project."""
    folder = Path(os.environ.get("MULTICUT_SHARED_DATA", _BESIDE_THE_REPOSITORY))
    if not folder.is_dir():
        pytest.skip("no real instances here; name their folder in MULTICUT_SHARED_DATA")
    return folder
