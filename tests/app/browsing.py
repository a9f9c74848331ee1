"""A server of its own and the system's Chromium, for tests and screenshots of the page."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WINDOW: Any = {"width": 1280, "height": 800}
NARROW: Any = {"width": 375, "height": 800}
PATIENCE = 60_000  # milliseconds; the machine may be busy, and torch is imported once


def find_chromium() -> str | None:
    """Return the path of Chromium: that of MULTICUT_CHROMIUM, or one of the system."""
    given = os.environ.get("MULTICUT_CHROMIUM")
    return given or next((found for name in NAMES if (found := shutil.which(name))), None)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running_server(log: Path, *options: str) -> Iterator[str]:
    """Run ``multicut app`` as a user would; yields its address."""
    port = free_port()
    command = [sys.executable, "-m", "multicut", "app", "--port", str(port), *options]
    with log.open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait_for(address, process, log)
            yield address
        finally:
            process.terminate()
            code = process.wait(30)
    assert code == 0, f"{code}: {log.read_text()}"


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(600):
        if process.poll() is not None:
            raise RuntimeError(f"the server ended: {log.read_text()}")
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the server does not answer: {log.read_text()}")


@contextmanager
def running_browser() -> Iterator[Any]:
    """Run Chromium without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visiting(browser: Any, address: str, window: Any = WINDOW, **options: Any) -> Iterator[Any]:
    """Open the page as a visitor with a session of their own; no other host may be asked."""
    context = browser.new_context(viewport=window, accept_downloads=True, **options)
    hosts: set[str | None] = set()
    context.on("request", lambda request: hosts.add(urlparse(request.url).hostname))
    try:
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.wait_for_selector("#picture img")
        yield page
    finally:
        context.close()
    assert hosts <= {"127.0.0.1", None}, "the page asks other hosts"


def choose(page: Any, field: str, text: str) -> None:
    """Choose the first entry of a list that holds a text."""
    page.click(f"#{field} input")
    page.locator(f"#{field} ul[role=listbox] li", has_text=text).first.click()


def open_tab(page: Any, name: str) -> None:
    """Open a tab, which in a narrow window may be behind a button."""
    if page.locator(f"button[role=tab]:has-text('{name}')").count() == 0:
        page.click("button[aria-label='More tabs']")
        page.click(f".overflow-dropdown button:has-text('{name}')")
        return
    page.click(f"button[role=tab]:has-text('{name}')")


def wait_until_idle(page: Any) -> None:
    """Wait until the sign of work is gone."""
    page.wait_for_function("document.getElementById('working').textContent === ''")
