"""Fixtures of the page's tests."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.app.browsing import find_chromium, running_browser, running_server

if TYPE_CHECKING:
    from multicut.app.page import Page

#: What the server of the browser tests allows.
UPLOAD_MB, PIXELS, EDGES, SECONDS = "2", "300000", "20000", "5"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """The page, not served."""
    from multicut.app import AppLimits, canvas
    from multicut.app.server import make_page

    canvas._DOTS_PER_INCH = 40  # nobody looks at these pictures
    before = dict(os.environ)
    made = make_page(tmp_path_factory.mktemp("app"), AppLimits(time_limit=5.0))
    yield made
    del made
    with warnings.catch_warnings():
        # Gradio leaves event loops open; no later test shall hear of it.
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
    canvas._DOTS_PER_INCH = 150
    os.environ.clear()
    os.environ.update(before)


@pytest.fixture(scope="session")
def server_log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("server") / "log"


@pytest.fixture(scope="session")
def address(server_log: Path) -> Iterator[str]:
    """The address of a running server."""
    pytest.importorskip("gradio", reason="the page needs Gradio: pip install 'multicut[app]'")
    options = ["--max-upload-mb", UPLOAD_MB, "--max-pixels", PIXELS, "--max-edges", EDGES]
    with running_server(server_log, *options, "--time-limit", SECONDS) as found:
        yield found


@pytest.fixture(scope="module")  # while it runs, no other test could run an event loop
def browser() -> Iterator[Any]:
    """A running Chromium."""
    if find_chromium() is None:
        pytest.skip("no Chromium found; install it or point MULTICUT_CHROMIUM at it")
    pytest.importorskip("playwright", reason="needs playwright, of the extra multicut[dev]")
    with running_browser() as found:
        yield found
