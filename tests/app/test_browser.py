"""The page in a real browser: load, upload, solve, compare, bad files, two visitors at once."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import multicut as mc
from multicut.app import AppLimits
from multicut.app.samples import make_sample, sample_names
from multicut.app.solving import Choices, solve_subject
from tests.app.browsing import NARROW, WINDOW, choose, open_tab, visiting, wait_until_idle

pytestmark = pytest.mark.browser

PROBLEM = mc.datasets.randommp(60, seed=7)
OPTIMUM = mc.solve(PROBLEM, "ilp").objective


@pytest.fixture
def visitor(browser: Any, address: str) -> Iterator[Any]:
    """The page of a visitor."""
    with visiting(browser, address) as page:
        yield page


def upload(page: Any, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    page.set_input_files("#upload input[type=file]", file)


def text_of(problem: mc.Problem) -> bytes:
    stream = io.BytesIO()
    mc.write(problem, stream, "edges")
    return stream.getvalue()


def take_sample(page: Any, name: str) -> None:
    choose(page, "sample", f"Graph: {name}")
    wait_for_text(page, "#about", name)


def downloaded(page: Any, kind: str) -> Path:
    with page.expect_download() as caught:
        page.click(f"#download-{kind}")
    return Path(caught.value.path())


def wait_for_other_picture(page: Any, act: Callable[[], object]) -> None:
    """Do something, and wait until the picture has changed."""
    before = page.get_attribute("#picture img", "src")
    act()
    page.wait_for_function(
        "before => document.querySelector('#picture img').src !== before", arg=before
    )


def wait_for_text(page: Any, place: str, text: str) -> None:
    page.locator(place, has_text=text).first.wait_for()


def shown(value: float) -> str:
    from multicut.app.tables import _number

    return _number(value)


def is_visible_at_once(page: Any, place: str) -> bool:
    """Whether all of an element can be seen without scrolling."""
    box = page.locator(place).bounding_box()
    return bool(box and box["y"] >= 0 and box["y"] + box["height"] <= WINDOW["height"])


def test_a_sample_is_there_and_solved_with_one_click(visitor: Any) -> None:
    wait_for_text(visitor, "#about", "coffee")
    assert is_visible_at_once(visitor, "#solve")
    visitor.click("#solve")
    visitor.locator("#view label", has_text="Segments").wait_for()
    expected = solve_subject(make_sample(sample_names()[0]), Choices(), AppLimits()).results[0]
    wait_for_text(visitor, "#metrics", shown(expected.objective))
    wait_for_text(visitor, "#metrics", f"of {len(expected.labels)} nodes")
    for place in ("#metrics", "#picture", "#download-png"):
        assert is_visible_at_once(visitor, place)
    wait_for_other_picture(visitor, lambda: visitor.click("#view label:has-text('Superpixels')"))
    assert visitor.locator("#message .mc-message").count() == 0


def test_an_uploaded_problem_is_solved_and_its_labels_come_back(visitor: Any) -> None:
    upload(visitor, "mine.csv", text_of(PROBLEM))
    wait_for_text(visitor, "#about", f"60 nodes, {PROBLEM.num_edges} edges")
    choose(visitor, "solver", "ilp")
    visitor.click("#solve")
    wait_for_text(visitor, "#metrics", shown(OPTIMUM))
    wait_for_text(visitor, "#metrics", "optimal")
    labels = np.load(downloaded(visitor, "npy"), allow_pickle=False)
    assert mc.objective(PROBLEM, labels) == pytest.approx(OPTIMUM, rel=1e-9)
    document = json.loads(downloaded(visitor, "json").read_text())
    assert document["objective"] == pytest.approx(OPTIMUM, rel=1e-9)


def test_an_uploaded_image_is_segmented(visitor: Any) -> None:
    image = np.zeros((60, 80, 3), np.uint8)
    image[:, :40] = (200, 40, 40)
    image[:, 40:] = (40, 60, 200)
    stream = io.BytesIO()
    Image.fromarray(image).save(stream, "PNG")
    upload(visitor, "flag.png", stream.getvalue())
    wait_for_text(visitor, "#about", "80 by 60 pixels, colour")
    choose(visitor, "superpixels", "slic")
    visitor.click("#solve")
    wait_for_text(visitor, "#metrics", "optimal")
    labels = np.load(downloaded(visitor, "npy"), allow_pickle=False)
    # Two flat colours are two segments, whatever the superpixels were.
    assert np.array_equal(labels, (np.arange(80) >= 40)[None].repeat(60, axis=0))


def test_two_solvers_are_compared(visitor: Any) -> None:
    take_sample(visitor, "RandomMP")
    choose(visitor, "solver", "gaec")
    choose(visitor, "other", "ilp")
    visitor.click("#solve")
    wait_for_text(visitor, "#comparison", "ilp is cheaper by")
    visitor.wait_for_selector("#second img")
    problem = mc.datasets.draw_graph("randommp", 0, split="test").to_problem()
    for name in ("gaec", "ilp"):
        expected = shown(mc.solve(problem, name).objective)
        row = visitor.locator("#comparison tr", has_text=name).first.inner_text()
        assert expected in row
    for place in ("#first", "#second", "#comparison"):
        assert is_visible_at_once(visitor, place)


def test_a_comparison_names_what_was_chosen(visitor: Any) -> None:
    take_sample(visitor, "RandomMP")
    choose(visitor, "other", "klj")
    visitor.click("#solve")
    wait_for_text(visitor, "#comparison", "auto \N{RIGHTWARDS ARROW} ")
    rows = visitor.locator("#comparison tbody tr")
    bounds = [rows.nth(number).locator("td").nth(1).inner_text() for number in range(2)]
    assert bounds[0] == bounds[1] != "\N{EN DASH}"


# Remembers when the sign of work appears after a click, by the clock of the browser.
WATCH = """() => {
  const place = document.getElementById("working");
  window.delays = [];
  addEventListener("pointerdown", () => { window.pressed = performance.now(); }, true);
  new MutationObserver(() => {
    if (place.textContent) window.delays.push([place.textContent, performance.now() - pressed]);
  }).observe(place, { childList: true, characterData: true, subtree: true });
}"""


def test_every_click_gets_a_sign_of_work_at_once(visitor: Any) -> None:
    wait_until_idle(visitor)
    visitor.evaluate(WATCH)
    # From here on nothing comes back: the sign is there without an answer of the server.
    blocked: list[Any] = []
    visitor.route("**/gradio_api/queue/join*", lambda route: blocked.append(route))
    visitor.click("#solve")
    wait_for_text(visitor, "#working", "Solving …")
    open_tab(visitor, "Network")
    visitor.click("#ask")
    wait_for_text(visitor, "#working", "Asking the network …")
    choose(visitor, "sample", "Graph: IrisMP")
    wait_for_text(visitor, "#working", "Loading …")
    assert visitor.locator("#working").is_visible()
    assert len(visitor.evaluate("window.delays")) >= 3
    for route in blocked:
        route.continue_()
    visitor.unroute("**/gradio_api/queue/join*")
    wait_until_idle(visitor)  # and it goes


def test_a_network_is_looked_into(visitor: Any) -> None:
    open_tab(visitor, "Network")
    visitor.click("#ask")
    wait_for_text(visitor, "#message", "press Solve first")
    take_sample(visitor, "IrisMP")
    visitor.click("#solve")
    wait_for_text(visitor, "#metrics", "optimal")
    open_tab(visitor, "Network")
    visitor.click("#ask")
    wait_for_text(visitor, "#insight", "the network agrees with")
    for name in ("embedding", "similarity", "probabilities", "prediction"):
        visitor.wait_for_selector(f"#{name} img")


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("bad.txt", b"0 1 1\n1 2 two\n", "bad.txt:2: the cost must be a number, got 'two'"),
        ("bad.png", b"\x89PNG\r\n\x1a\nrubbish", "bad.png: the PNG image is damaged"),
        ("<b>x.bin", bytes(range(256)), "not recognised as any of"),
        ("huge.gr", b"p cep 14000 0\n", "97,993,000 edges are more than the limit of 20,000"),
    ],
)
def test_bad_files_are_told_in_the_page(
    visitor: Any, server_log: Path, name: str, content: bytes, line: str
) -> None:
    upload(visitor, name, content)
    wait_for_text(visitor, "#message .mc-message", line)
    wait_for_text(visitor, "#about", "Nothing loaded yet")
    assert visitor.locator("#message b").count() == 0  # no markup from the name of a file
    visitor.click("#solve")
    wait_for_text(visitor, "#message .mc-message", "nothing to solve yet")
    take_sample(visitor, "IrisMP")
    assert visitor.locator("#message .mc-message").count() == 0
    assert "Traceback" not in visitor.content()
    # Of the server's own log only what concerns the file: a visitor who left may be in it as well.
    told = server_log.read_text().split("Traceback")[1:]
    assert not any(name in part for part in told)


def test_large_files_are_refused(visitor: Any) -> None:
    upload(visitor, "large.txt", b"0 1 1\n" * 400_000)
    visitor.get_by_text(re.compile("exceeded|too large|maximum", re.I)).first.wait_for()
    wait_for_text(visitor, "#about", "coffee")


def test_the_page_is_readable_in_the_dark(browser: Any, address: str) -> None:
    with visiting(browser, address, color_scheme="dark") as page:
        for place in ("body", ".mc-title", ".mc-value"):
            style = f"getComputedStyle(document.querySelector('{place}'))"
            colour = re.findall(r"\d+", page.evaluate(f"{style}.color"))
            assert min(map(int, colour[:3])) > 140, place


def mean_of_greys(page: Any, place: str) -> float:
    """Return the mean shade of what is drawn in a plot, without its colours."""
    source = page.get_attribute(f"{place} img", "src")
    with Image.open(io.BytesIO(page.request.get(source).body())) as picture:
        pixels = np.asarray(picture.convert("RGBA"), dtype=float)
    visible = pixels[pixels[..., 3] > 200][:, :3]
    return float(visible[np.ptp(visible, axis=1) < 25].mean())


def test_plots_follow_dark_mode(visitor: Any) -> None:
    take_sample(visitor, "IrisMP")
    visitor.click("#solve")
    wait_for_text(visitor, "#metrics", "optimal")
    wait_until_idle(visitor)
    light = mean_of_greys(visitor, "#picture")
    wait_for_other_picture(visitor, lambda: visitor.emulate_media(color_scheme="dark"))
    assert light > 150 > mean_of_greys(visitor, "#picture")  # lines of cut edges


def test_a_narrow_window_shows_all(browser: Any, address: str) -> None:
    with visiting(browser, address, NARROW) as page:
        take_sample(page, "RandomMP")
        choose(page, "other", "greedy-fixation")
        page.click("#solve")
        wait_for_text(page, "#comparison", "greedy-fixation")
        page.wait_for_selector("#second img")
        # The page itself does not scroll sideways, the table does, up to its last column.
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        box = "document.querySelector('#comparison .mc-scroll')"
        assert page.evaluate(f"{box}.scrollWidth > {box}.clientWidth")
        page.evaluate(f"{box}.scrollLeft = 9999")
        last = page.locator("#comparison thead th").last.bounding_box()
        assert last["x"] + last["width"] <= NARROW["width"]
        for place in (".mc-name", ".mc-note", ".mc-value", ".mc-subtitle", ".mc-hint"):
            clipped = page.evaluate(
                "place => [...document.querySelectorAll(place)].filter("
                "one => one.scrollWidth > one.clientWidth + 1 && one.offsetParent && "
                "getComputedStyle(one).display !== 'inline').map(one => one.textContent)",
                place,
            )
            assert clipped == [], place


def test_two_visitors_do_not_see_each_other(browser: Any, address: str) -> None:
    other = mc.datasets.randommp(40, seed=8)
    with visiting(browser, address) as first, visiting(browser, address) as second:
        upload(first, "first.csv", text_of(PROBLEM))
        upload(second, "second.csv", text_of(other))
        for page, count in ((first, 60), (second, 40)):
            wait_for_text(page, "#about", f"{count} nodes")
            choose(page, "solver", "ilp")
        first.click("#solve")
        second.click("#solve")
        wait_for_text(first, "#metrics", "of 60 nodes")
        wait_for_text(second, "#metrics", "of 40 nodes")
        wait_for_text(first, "#metrics", shown(OPTIMUM))
        wait_for_text(second, "#metrics", shown(mc.solve(other, "ilp").objective))
        for page, own, foreign in ((first, "first.csv", "second"), (second, "second.csv", "first")):
            wait_for_text(page, "#about", own)
            assert f"{foreign}.csv" not in page.content()
        assert len(np.load(downloaded(second, "npy"))) == 40
