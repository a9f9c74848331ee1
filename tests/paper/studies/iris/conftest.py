from __future__ import annotations

from typing import Any

import pytest

from paper.studies.iris.fit import PUBLISHED
from paper.studies.iris.search import Effort

#: Few variants and graphs.
TINY = Effort(150, 20, 3, 1, 1, 1, 30, 3)


@pytest.fixture
def row() -> Any:
    """Make a row of the table: all values as published but those given."""

    def make(**changes: Any) -> dict[str, Any]:
        choices = {"scaling": "raw", "columns": "two", "sampling": "", "power": 2, "gamma": 0.36}
        values = {name: value for name, (value, _) in PUBLISHED.items()} | {"lp": 0.9882}
        return {**choices, "num_graphs": 3, "distance": 0.0, **values, **changes}

    return make
