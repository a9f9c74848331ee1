"""Proofreading in a real browser: clicks, lines, keys, suggestions, files, reload, two visitors."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.app.browsing import NARROW, choose, open_tab, visiting, wait_until_idle
from tests.app.screenshots import place
from tests.app.test_browser import WATCH, wait_for_text

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def visitor(browser: Any, address: str) -> Iterator[Any]:
    with visiting(browser, address) as page:
        begin(page, "Image: painted")
        yield page  # one test goes on where the last one ended


def begin(page: Any, sample: str) -> None:
    choose(page, "sample", sample)
    wait_for_text(page, "#about", sample.split(": ")[1])
    wait_until_idle(page)
    open_tab(page, "Proofread")
    page.wait_for_timeout(300)  # a narrow window may lay its tabs out once more
    if not page.locator("#proof-start").is_visible():
        open_tab(page, "Proofread")
    page.click("#proof-start")
    page.wait_for_selector("#proof-picture img")
    wait_for_text(page, "#proof-status", "0 corrections")
    wait_until_idle(page)


def downloaded(page: Any, kind: str) -> Path:
    with page.expect_download() as caught:
        page.click(f"#proof-{kind}")
    return Path(caught.value.path())


def load(page: Any, name: str, content: bytes) -> None:
    with page.expect_file_chooser() as caught:
        page.click("#proof-load")
    caught.value.set_files({"name": name, "mimeType": "text/plain", "buffer": content})


def labels_of(page: Any) -> np.ndarray:
    return np.load(downloaded(page, "npy"), allow_pickle=False)


def two_places(labels: np.ndarray) -> list[tuple[float, float]]:
    """Return the middle of a row in the two largest segments that it has."""
    height, width = labels.shape
    row = height // 2
    found = []
    for label in np.unique(labels[row])[:2]:
        columns = np.flatnonzero(labels[row] == label)
        found.append(((columns[len(columns) // 2] + 0.5) / width, (row + 0.5) / height))
    return found


def join_two(page: Any) -> None:
    for share in two_places(labels_of(page)):
        page.mouse.click(*place(page, *share))
        wait_until_idle(page)


def test_clicks_keys_lines_and_reload(visitor: Any) -> None:
    assert labels_of(visitor).shape == (240, 360)
    before = labels_of(visitor)
    join_two(visitor)
    wait_for_text(visitor, "#proof-status", "1 correction")
    first, second = (
        (int(y * before.shape[0]), int(x * before.shape[1])) for x, y in two_places(before)
    )
    after = labels_of(visitor)
    assert before[first] != before[second]
    assert after[first] == after[second]
    visitor.keyboard.press("z")
    wait_for_text(visitor, "#proof-status", "0 corrections")
    assert np.array_equal(labels_of(visitor), before)
    visitor.keyboard.press("Shift+Z")
    wait_for_text(visitor, "#proof-status", "1 correction")
    # A line through the whole picture cuts all that it crosses.
    visitor.keyboard.press("s")
    wait_until_idle(visitor)
    visitor.mouse.move(*place(visitor, 0.01, 0.3))
    visitor.mouse.down()
    visitor.mouse.move(*place(visitor, 0.99, 0.3), steps=3)
    assert visitor.locator("#proof-line").is_visible()
    visitor.mouse.up()
    wait_for_text(visitor, "#proof-status", "2 corrections")
    assert visitor.locator("#proof-line").count() == 0
    visitor.keyboard.press("n")
    wait_for_text(visitor, "#proof-status", "pink line")
    visitor.keyboard.press("x")
    wait_for_text(visitor, "#proof-status", "3 corrections")
    lines = downloaded(visitor, "jsonl").read_text().splitlines()
    assert len(lines) == 4
    expected = labels_of(visitor)
    visitor.reload()
    wait_for_text(visitor, "#proof-status", "3 corrections")
    wait_until_idle(visitor)
    wait_for_text(visitor, "#about", "painted image")
    assert np.array_equal(labels_of(visitor), expected)
    for left in (2, 1, 0):
        visitor.click("#proof-undo")
        wait_for_text(visitor, "#proof-status", f"{left} correction")
    assert np.array_equal(labels_of(visitor), before)


def test_bad_clicks_and_bad_files_are_told(visitor: Any) -> None:
    visitor.keyboard.press("j")
    visitor.mouse.click(*place(visitor, -0.05, 0.5))
    wait_for_text(visitor, "#proof-status .mc-refused", "no superpixel at this place")
    visitor.click("#proof-undo")
    wait_for_text(visitor, "#proof-status .mc-refused", "no correction to undo")
    visitor.mouse.click(*place(visitor, 0.5, 0.5))
    wait_for_text(visitor, "#proof-status", "Selected a segment")
    wait_until_idle(visitor)
    visitor.mouse.click(*place(visitor, 0.5, 0.5))
    wait_for_text(visitor, "#proof-status .mc-refused", "belong to the same segment")
    load(visitor, "bad.jsonl", b"nonsense")
    wait_for_text(visitor, "#proof-status .mc-refused", "bad.jsonl has no corrections")
    heading = {"format": "multicut corrections", "version": 1, "num_nodes": 600}
    good = "\n".join(map(json.dumps, [heading, {"kind": "join", "pairs": [[0, 599]]}]))
    load(visitor, "good.jsonl", good.encode())
    wait_for_text(visitor, "#proof-status", "Made 1 correction of the file")


def test_a_click_gets_a_sign_of_work_at_once(visitor: Any) -> None:
    visitor.evaluate(WATCH)
    blocked: list[Any] = []
    visitor.route("**/gradio_api/queue/join*", lambda route: blocked.append(route))
    visitor.mouse.click(*place(visitor, 0.5, 0.5))
    wait_for_text(visitor, "#working", "Correcting …")
    (words, delay) = visitor.evaluate("window.delays")[0]
    assert words == "Correcting …"
    assert delay < 200, delay
    for route in blocked:
        route.continue_()
    visitor.unroute("**/gradio_api/queue/join*")
    wait_until_idle(visitor)


def test_two_visitors_proofread_at_once(browser: Any, address: str) -> None:
    with visiting(browser, address) as first, visiting(browser, address, NARROW) as second:
        for page in (first, second):
            begin(page, "Image: painted")
        join_two(first)
        wait_for_text(first, "#proof-status", "1 correction")
        wait_for_text(second, "#proof-status", "0 corrections")
        assert second.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        second.locator("#proof-picture").scroll_into_view_if_needed()
        join_two(second)
        wait_for_text(second, "#proof-status", "1 correction")
        first.click("#proof-undo")
        wait_for_text(first, "#proof-status", "0 corrections")
        second.reload()
        wait_for_text(second, "#proof-status", "1 correction")
