"""Take pictures of the page: ``python -m tests.app.screenshots FOLDER``.

With ``docs/images/app.png`` in place of a folder, the one picture of the documentation.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.app.browsing import (
    NARROW,
    WINDOW,
    choose,
    open_tab,
    running_browser,
    running_server,
    visiting,
    wait_until_idle,
)


def wait_for_redraw(page: Any) -> None:
    page.wait_for_timeout(300)
    wait_until_idle(page)
    page.wait_for_timeout(1500)


def wait_for_result(page: Any) -> None:
    page.wait_for_function(
        "!document.querySelector('#metrics .mc-value').textContent.includes('\\u2013')"
    )
    page.wait_for_timeout(1500)


def take_all(folder: Path, address: str, browser: Any, scheme: str, window: Any = WINDOW) -> None:
    """Go through the page, light or dark; of a narrow window all of its length."""
    with visiting(browser, address, window, color_scheme=scheme) as page:
        page.wait_for_timeout(1000)
        _walk_through(page, folder, f"{scheme}-narrow" if window is NARROW else scheme)


def _walk_through(page: Any, folder: Path, kind: str) -> None:
    def shoot(name: str) -> None:
        page.screenshot(path=folder / f"{name}-{kind}.png", full_page="narrow" in kind)

    shoot("start")
    page.click("#solve")
    wait_for_result(page)
    shoot("image")
    for view in ("Boundaries", "Superpixels", "Region graph"):
        page.click(f"#view label:has-text('{view}')")
        wait_for_redraw(page)
        shoot(f"image-{view.split()[0].lower()}")
    choose(page, "sample", "Graph: RandomMP")
    page.wait_for_timeout(2500)
    choose(page, "solver", "klj")
    page.click("#solve")
    wait_for_result(page)
    shoot("graph")
    choose(page, "other", "ilp")
    page.click("#solve")
    page.wait_for_selector("#second img")
    page.wait_for_timeout(1500)
    shoot("comparison")
    open_tab(page, "Network")
    page.click("#ask")
    page.wait_for_selector("#probabilities img")
    page.wait_for_timeout(1500)
    shoot("network")
    open_tab(page, "Details")
    page.wait_for_timeout(1000)
    shoot("details")
    bad = folder / "triangle.txt"
    bad.write_text("0 1 1\n1 2 two\n")
    page.set_input_files("#upload input[type=file]", bad)
    page.wait_for_selector("#message .mc-message")
    page.wait_for_timeout(1000)
    shoot("error")


def take_one(path: Path, address: str, browser: Any) -> None:
    """Take the picture of the documentation, in few colours, which makes it small."""
    from PIL import Image

    with visiting(browser, address, color_scheme="light") as page:
        page.click("#solve")
        wait_for_result(page)
        page.click("#view label:has-text('Region graph')")
        wait_for_redraw(page)
        page.mouse.move(5, 795)
        page.screenshot(path=path)
    with Image.open(path) as picture:
        few = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    few.save(path, optimize=True)


if __name__ == "__main__":
    target = Path(sys.argv[1])
    log = Path(tempfile.mkdtemp()) / "log"
    with running_server(log) as server, running_browser() as chromium:
        if target.suffix == ".png":
            take_one(target, server, chromium)
        else:
            for wanted in ("light", "dark"):
                take_all(target, server, chromium, wanted)
                take_all(target, server, chromium, wanted, NARROW)
        print(log.read_text())
