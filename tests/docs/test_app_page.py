"""What docs/app.md says is so."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest
import typer.main

from multicut.app import AppLimits
from multicut.app.subjects import MOST_EDGES_DRAWN, MOST_NODES_DRAWN
from multicut.cli.program import app
from tests.app.browsing import free_port

PAGE = Path(__file__).parents[2] / "docs" / "app.md"


def test_options_and_defaults() -> None:
    rows = dict(re.findall(r"^\| `(--[a-z-]+)[^|]*\| ([^|]+) \|", PAGE.read_text(), re.MULTILINE))
    command = typer.main.get_command(app).commands["app"]  # type: ignore[attr-defined]
    options = {p.opts[0]: p.default for p in command.params if p.opts[0] != "--help"}
    shown = {
        name: "none" if value is None else value if isinstance(value, str) else f"{value:.0f}"
        for name, value in options.items()
    }
    assert {name: value.replace(",", "") for name, value in rows.items()} == shown


def test_defaults_of_the_command_are_those_of_the_library() -> None:
    command = typer.main.get_command(app).commands["app"]  # type: ignore[attr-defined]
    defaults = {p.name: p.default for p in command.params}
    assert asdict(AppLimits()).items() <= defaults.items()


def test_quotas() -> None:
    pytest.importorskip("gradio")
    from multicut.app import guard, returning, storage
    from multicut.app.page import page

    text = " ".join(PAGE.read_text().split())
    assert f"may hold {page._UPLOADS_OF_ONE} files of the largest size" in text
    assert f"all together {page._UPLOADS_OF_ALL}." in text
    assert f"Bodies other than uploads may have {guard.MAX_BODY_BYTES:,} bytes" in text
    kept = f"{returning._MOST} tabs, {returning._MOST_OF_ONE} of one visitor, for an hour"
    assert f"the last visits of {kept}" in text
    assert storage.KEPT_SECONDS == 3600
    assert f"{storage._UPLOADS_AT_ONCE} uploads under way" in text
    assert f"{page._MOST_WAITING_OF_ONE} of the {page._MOST_WAITING} places in the queue" in text


def test_defaults_of_images() -> None:
    from multicut.app.segmenting import ImageChoices

    image = ImageChoices()
    text = " ".join(PAGE.read_text().split())
    wanted = f"a {image.superpixels}, a bias of {image.bias} and a tolerance of {image.sigma}"
    assert f"starts with {wanted}" in text


def test_sizes_of_pictures() -> None:
    text = " ".join(PAGE.read_text().split())
    assert f"up to {MOST_NODES_DRAWN:,} nodes and {MOST_EDGES_DRAWN:,} edges are drawn" in text


def test_the_python_snippet_serves_the_page() -> None:
    pytest.importorskip("gradio")
    snippet = re.search(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert snippet is not None
    port = str(free_port())
    # In a process of its own: Gradio leaves event loops open.
    code = snippet[1].replace("7861", port) + (
        "    import urllib.request\n    print(urllib.request.urlopen(address).status)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [f"http://127.0.0.1:{port}", "200"]
