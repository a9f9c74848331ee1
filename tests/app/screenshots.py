"""Take pictures of the page: ``python -m tests.app.screenshots FOLDER``.

With ``docs/images/app.png`` in place of a folder, the one picture of the documentation; with
``docs/images/proofreading.jpg`` the pictures of five corrections.
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


def place(page: Any, x: float, y: float) -> tuple[float, float]:
    """Return where on the screen a place of the proofread picture is, given by its shares."""
    page.wait_for_function("document.querySelector('#proof-picture img').naturalWidth > 0")
    left, top, width, height = page.evaluate(
        """() => {
          const image = document.querySelector("#proof-picture img");
          const box = image.getBoundingClientRect();
          const scale = Math.min(
            box.width / image.naturalWidth, box.height / image.naturalHeight);
          const [width, height] = [scale * image.naturalWidth, scale * image.naturalHeight];
          return [box.left + (box.width - width) / 2, box.top + (box.height - height) / 2,
                  width, height];
        }"""
    )
    return left + x * width, top + y * height


def take_proofreading(path: Path, address: str, browser: Any) -> None:
    """Take pictures before, during and after five corrections, of the tab alone."""
    with visiting(browser, address, color_scheme="light") as page:
        open_tab(page, "Proofread")
        page.click("#proof-start")
        page.wait_for_selector("#proof-picture img")
        wait_for_redraw(page)
        number = 0

        def shoot() -> None:
            nonlocal number
            number += 1
            wait_for_redraw(page)
            top = page.locator("#proof-status").bounding_box()
            low = page.locator("#proof-picture").bounding_box()
            page.screenshot(
                path=path.with_stem(f"{path.stem}-{number}"),
                type="jpeg",
                quality=78,
                clip={
                    "x": top["x"] - 6,
                    "y": top["y"] - 6,
                    "width": top["width"] + 12,
                    "height": low["y"] + low["height"] - top["y"] + 12,
                },
            )

        def click(x: float, y: float) -> None:
            page.mouse.click(*place(page, x, y))
            wait_until_idle(page)
            page.wait_for_timeout(500)

        shoot()  # before
        click(0.45, 0.2)
        shoot()  # the first click
        click(0.52, 0.57)
        page.keyboard.press("s")
        page.mouse.move(*place(page, 0.02, 0.62))
        page.mouse.down()
        page.mouse.move(*place(page, 0.3, 0.98), steps=4)
        page.mouse.up()
        shoot()  # after a join and a cut
        for _ in range(2):
            page.keyboard.press("n")
            wait_for_redraw(page)
            page.keyboard.press("y")
            wait_for_redraw(page)
        page.keyboard.press("n")
        shoot()  # a suggestion
        page.keyboard.press("y")
        shoot()  # after five corrections
        page.keyboard.press("u")
        shoot()  # what is left in doubt


if __name__ == "__main__":
    target = Path(sys.argv[1])
    log = Path(tempfile.mkdtemp()) / "log"
    with running_server(log) as server, running_browser() as chromium:
        if target.suffix == ".png":
            take_one(target, server, chromium)
        elif target.suffix == ".jpg":
            take_proofreading(target, server, chromium)
        else:
            for wanted in ("light", "dark"):
                take_all(target, server, chromium, wanted)
                take_all(target, server, chromium, wanted, NARROW)
        print(log.read_text())
