from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys

import pytest

from tests.app.browsing import free_port


@pytest.fixture(autouse=True)
def _keep_signals():
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_bad_limits_are_told_in_one_line(multicut):
    outcome = multicut("app", "--max-pixels", 0)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr == "error: max_pixels must be positive and finite, got 0\n"
    assert multicut("app", "--time-limit", "inf").code == 2
    assert multicut("app", "--port", 70_000).code == 2
    assert "no address of this machine" in multicut("app", "--host", "192.0.2.1").stderr


def test_a_missing_extra_is_told_in_one_line(multicut, monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "gradio" else find(name)
    )
    outcome = multicut("app")
    assert outcome.code == 2
    assert outcome.stderr == (
        'error: the page needs Gradio; install it with: pip install "multicut[app]"\n'
    )


def test_ctrl_c_ends_the_page_and_leaves_nothing_behind(tmp_path):
    pytest.importorskip("gradio")
    port = free_port()
    command = [sys.executable, "-m", "multicut", "app", "--port", str(port)]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line == f"The page is at http://127.0.0.1:{port}; Ctrl-C ends it.\n"
    assert len(list(tmp_path.glob("multicut-app-*"))) == 1
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=30)[1]
    assert process.returncode == 0
    assert "Traceback" not in rest
    assert list(tmp_path.glob("multicut-app-*")) == []
