"""Fixtures and strategies that several tests share."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from multicut._extras import EXTRA_OF

# Every run of the tests tries the same examples, so that a failure belongs to the change at hand;
# `make fuzz` looks for new ones.
settings.register_profile("same", derandomize=True, deadline=None)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("same")

#: Packages that whole modules or folders of tests need; without them these are skipped.
NEEDED = {
    "app": "gradio",
    "distributed/volume": "tensorstore",
    "docs/test_app_page.py": "gradio",
    "docs/test_site.py": "mkdocs",
    "test_layers.py": "importlinter",
}
#: Packages of extras that are not installed, before any test pretends so.
MISSING = frozenset(name for name in EXTRA_OF if find_spec(name) is None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a run include the tests that take long."""
    parser.addoption("--slow", action="store_true", help="also run the tests marked as slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip tests that take long, unless they are asked for."""
    if config.getoption("--slow"):
        return
    skipped = pytest.mark.skip(reason="slow: `make test-all` runs it, and so does pytest --slow")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skipped)


class SkippedModule(pytest.Module):
    """A module of tests that is not imported, since a package is missing."""

    def collect(self) -> list[pytest.Item]:
        """Say which package."""
        pytest.skip(f"needs {_missing(self.path)}, of the extra multicut[dev]")


def _missing(path: Path) -> str | None:
    """Return the package that the module at this path needs and that is not installed."""
    inside = path.relative_to(Path(__file__).parent)
    for place in (inside, inside.parent):
        package = NEEDED.get(place.as_posix())
        if package and find_spec(package) is None:
            return package
    return None


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> object:
    """Skip modules whose package is missing, and let pytest collect the others."""
    if _missing(module_path):
        return SkippedModule.from_parent(parent, path=module_path)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Iterator[None]:
    """Skip a test that asks for a package of an extra that is not installed, and say which."""
    try:
        return (yield)
    except ModuleNotFoundError as error:
        if error.name not in MISSING:
            raise
        pytest.skip(str(error))


@pytest.fixture(scope="session", autouse=True)
def _ctrl_c() -> Iterator[None]:
    """Let Ctrl-C reach the tests and what they start, also where the shell has them ignore it.

    A job in the background inherits that SIGINT is ignored, and so do its own processes. One that
    has a handler passes the default on.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Real instances that are not part of the project; tests that need them skip without them."""
    default = Path(__file__).parents[2] / "shared" / "data"
    path = Path(os.environ.get("MULTICUT_DATA", default))
    if not path.is_dir():
        pytest.skip("real instances are not at hand; point MULTICUT_DATA at their folder")
    return path
