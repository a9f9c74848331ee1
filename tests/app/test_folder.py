"""Folders of servers that were killed are removed by the next one; no others are."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile

import pytest

from multicut.app.folder import folder_of_server

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no locks on Windows")

_SERVER = """
import sys
from multicut.app.folder import folder_of_server
with folder_of_server() as folder:
    (folder / "secret").write_text("of a visitor")
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """An empty folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def start():
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip()
    return process


def test_a_killed_server_leaves_nothing_for_long(place):
    killed, alive = start(), start()
    assert len(list(place.iterdir())) == 2
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    with folder_of_server() as own:
        assert len(list(place.iterdir())) == 2  # that of the one which runs, and the new one
        assert own in place.iterdir()
    alive.communicate("")
    assert alive.returncode == 0
    assert list(place.iterdir()) == []


def test_what_is_not_ours_stays(place):
    (place / "other").mkdir()
    (place / "other" / "lock").touch()
    (place / "multicut-app-link").symlink_to(place / "other")
    (place / "multicut-app-new").mkdir()  # whose server has not locked it yet
    (place / "multicut-app-file").touch()
    with folder_of_server():
        pass
    assert sorted(path.name for path in place.iterdir()) == [
        "multicut-app-file",
        "multicut-app-link",
        "multicut-app-new",
        "other",
    ]
    assert (place / "other" / "lock").is_file()
