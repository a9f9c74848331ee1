"""Fixtures and strategies that several tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real instances that are not part of the project; tests that need them skip without them."""
    default = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("MULTICUT_SHARED_DATA", default))
    if not path.is_dir():
        pytest.skip("real instances are not at hand; point MULTICUT_SHARED_DATA at their folder")
    return path
