from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from tests.app.browsing import free_port


def test_bad_limits_are_told_in_one_line(multicut):
    pytest.importorskip("gradio")
    outcome = multicut("app", "--max-pixels", 0)
    assert (outcome.code, outcome.stdout) == (2, "")
    assert outcome.stderr == "error: max_pixels must be positive and finite, got 0\n"
    assert multicut("app", "--time-limit", "inf").code == 2
    assert multicut("app", "--port", 70_000).code == 2


def test_an_address_of_another_machine_is_refused(multicut):
    pytest.importorskip("gradio")
    assert "not an address of this machine" in multicut("app", "--host", "192.0.2.1").stderr


def test_a_missing_extra_is_told_in_one_line(multicut, monkeypatch):
    monkeypatch.setitem(sys.modules, "gradio", None)
    monkeypatch.delitem(sys.modules, "multicut.app", raising=False)
    outcome = multicut("app")
    assert outcome.code == 2
    assert outcome.stderr == (
        "error: the web page needs Gradio, which is not installed; "
        'install it with: pip install "multicut[app]"\n'
    )


def test_ctrl_c_ends_the_page_and_leaves_nothing_behind(tmp_path):
    pytest.importorskip("gradio")
    port = free_port()
    command = [sys.executable, "-m", "multicut", "app", "--port", str(port)]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    assert process.stderr is not None
    line = process.stderr.readline()
    assert line == f"The page is at http://127.0.0.1:{port}; press Ctrl-C to stop.\n"
    assert len(list(tmp_path.glob("multicut-app-*"))) == 1
    process.send_signal(signal.SIGINT)
    rest = process.communicate(timeout=30)[1]
    assert process.returncode == 0
    assert "Traceback" not in rest
    assert list(tmp_path.glob("multicut-app-*")) == []


def end_after(tmp_path, setup, mark):
    """Run the page after some other code, end it with SIGTERM once a line begins with `mark`.

    Returns the exit code and the rest of the lines.
    """
    pytest.importorskip("gradio")
    code = f"{setup}\nimport sys\nfrom multicut.cli.program import main\nsys.exit(main())"
    command = [sys.executable, "-c", code, "app", "--port", str(free_port())]
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        while not process.stderr.readline().startswith(mark):
            assert process.poll() is None
        process.terminate()
        rest = process.communicate(timeout=60)[1]
    finally:
        process.kill()
        process.wait()
    return process.returncode, rest


def test_sigterm_ends_the_page_when_the_start_ignores_the_interrupt(tmp_path):
    setup = """
import sys, time
import multicut.app.server as server
make_page = server.make_page
def ignoring(*arguments):
    print("starting", file=sys.stderr, flush=True)
    try:
        time.sleep(600)
    except KeyboardInterrupt:
        pass
    return make_page(*arguments)
server.make_page = ignoring
"""
    code, rest = end_after(tmp_path, setup, "starting")
    assert code in (0, -signal.SIGALRM)  # the latter where importing Gradio takes too long
    assert "Traceback" not in rest
    if code == 0:
        assert rest.endswith("ended\n")
        assert list(tmp_path.glob("multicut-app-*")) == []


def test_sigterm_during_the_start_removes_all_files(tmp_path):
    setup = """
import sys, time
import multicut.app.server as server
def slow(*arguments):
    print("starting", file=sys.stderr, flush=True)
    time.sleep(600)
server.make_page = slow
"""
    assert end_after(tmp_path, setup, "starting") == (0, "ended\n")
    assert list(tmp_path.glob("multicut-app-*")) == []


def test_sigterm_ends_the_page_without_waiting_for_threads(tmp_path):
    setup = """
import threading, time
threading.Thread(target=time.sleep, args=(600,)).start()
"""
    assert end_after(tmp_path, setup, "The page is at") == (0, "ended\n")


def test_sigterm_ends_a_page_that_cannot_clean_up(tmp_path):
    setup = """
import shutil, time
shutil.rmtree = lambda *_, **__: time.sleep(600)
"""
    assert end_after(tmp_path, setup, "The page is at")[0] == -signal.SIGALRM
