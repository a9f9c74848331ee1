from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.plotting import figures


@pytest.fixture(scope="session", autouse=True)
def _forget_examples() -> Iterator[None]:
    """Let go of graphs before Python ends; the native module complains about what is left."""
    yield
    for example in vars(figures).values():
        if hasattr(example, "cache_clear"):
            example.cache_clear()
