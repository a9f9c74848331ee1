"""What the tab for corrections does on events, and pages that are loaded again; no browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from multicut.app.proofs.scene import VIEWS
from multicut.app.returning import Returning
from multicut.app.visits import Visit, VisitorFolders
from tests.app.test_page import context, solve, take_sample

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
TOKEN = "0123456789abcdef" * 2


def opened(page: Any, name: str = "Image: painted") -> Visit:
    visit = solve(page, take_sample(page, name), bound=False)[page.session.visit]
    found: Visit = page.events.proof.open(context(page, visit), VIEWS[0])[page.session.visit]
    return found


def gesture(page: Any, visit: Visit, *numbers: Any, mode: str = "Join") -> dict[Any, Any]:
    updates: dict[Any, Any] = page.events.proof.take_gesture(
        context(page, visit), json.dumps(numbers), mode, VIEWS[0]
    )
    return updates


def click(page: Any, visit: Visit, x: float, y: float) -> dict[Any, Any]:
    return gesture(page, visit, x, y, x, y)


def two_segments(visit: Visit) -> list[tuple[float, float]]:
    """Return the places of two segments."""
    labels = visit.desk.labels()
    rows, columns = np.indices(labels.shape)
    other = np.flatnonzero((labels != labels[5, 5]).ravel())[0]
    height, width = labels.shape
    row, column = rows.flat[other], columns.flat[other]
    return [((5 + 0.5) / width, (5 + 0.5) / height), ((column + 0.5) / width, (row + 0.5) / height)]


def test_clicks_answer_with_a_picture_and_a_line(page: Any) -> None:
    tab = page.outputs.proof
    visit = opened(page)
    first, second = two_segments(visit)
    before = visit.desk.proof.num_clusters
    assert "Selected a segment" in click(page, visit, *first)[tab.status]
    updates = click(page, visit, *second)
    assert "Joined" in updates[tab.status]
    assert visit.desk.proof.num_clusters < before
    with Image.open(updates[tab.picture]) as picture:
        assert picture.size == (1080, 720)  # three times the image
    for step in ("undo", "redo"):
        taken = page.events.proof.do(
            lambda desk, step=step: getattr(desk, step)(), context(page, visit), VIEWS[0]
        )
        assert "correction" in taken[tab.status]
        assert taken[tab.picture] != updates[tab.picture]
    # Pictures of earlier steps do not pile up.
    for _ in range(10):
        click(page, visit, *first)
        visit.desk.drop_selection()
    assert len(list(visit.folder.glob("proof-*"))) <= 6


def test_gestures_that_make_no_sense_are_told(page: Any) -> None:
    visit = opened(page, "Graph: IrisMP")
    for numbers in ((), (0.5,), (0.5, 0.5, None, 1), ("a",) * 4, (1e999,) * 4):
        updates = gesture(page, visit, *numbers)
        assert list(updates) == [page.outputs.proof.status]
        assert "click again" in updates[page.outputs.proof.status]


def test_without_a_solution_there_is_a_way_to_begin(page: Any) -> None:
    tab = page.outputs.proof
    visit = take_sample(page, "Graph: IrisMP")
    shown = page.events.proof.open(context(page, visit), VIEWS[0])
    assert shown[tab.start]["visible"]
    assert not shown[tab.desk]["visible"]
    assert "press Segment and proofread" in click(page, visit, 0.5, 0.5)[tab.status]
    values = [box.value for box in page.inputs.choices]
    begun = page.events.solve_and_proofread(context(page, visit), *values)
    assert begun[page.outputs.tabs]["selected"] == "proofread"
    assert begun[page.session.visit].desk is not None
    assert Path(begun[tab.picture]).is_file()
    failed = page.events.solve_and_proofread(context(page, visit), "magic", *values[1:])
    assert "unknown solver" in failed[tab.status]


@pytest.mark.parametrize("name", ["Image: painted", "Volume: cells", "Graph: grid"])
def test_files_are_exported(page: Any, name: str) -> None:
    tab = page.outputs.proof
    visit = opened(page, name)
    shown = page.events.proof.open(context(page, visit), VIEWS[0])
    offered = {kind for kind in ("png", "csv") if shown[tab.exports[kind]]["visible"]}
    assert offered == {"Image": {"png"}, "Volume": set(), "Graph": {"csv"}}[name.split(":")[0]]
    for kind in ("npy", "jsonl", *offered):
        path = Path(page.events.proof.export(kind, context(page, visit))[tab.file])
        assert path.parent == visit.folder
        assert path.stat().st_size > 0
        if kind in ("npy", "png"):
            labels = np.load(path) if kind == "npy" else np.asarray(Image.open(path))
            assert np.array_equal(labels, visit.desk.labels())


def test_slices_are_looked_at(page: Any) -> None:
    tab = page.outputs.proof
    visit = opened(page, "Volume: cells")
    shown = page.events.proof.open(context(page, visit), VIEWS[0])
    assert shown[tab.slice]["maximum"] == visit.desk.places.num_slices - 1
    first = page.events.proof.look_at(context(page, visit), 0, VIEWS[0])[tab.picture]
    last = page.events.proof.look_at(context(page, visit), 15, VIEWS[0])[tab.picture]
    assert Path(first).read_bytes() != Path(last).read_bytes()


def test_corrections_are_loaded_from_an_upload(page: Any) -> None:
    tab = page.outputs.proof
    visit = opened(page, "Graph: grid")
    desk = visit.desk
    folder = page.storage.new_folder("somebody")
    path = folder / "mine.jsonl"
    u, v = desk.problem.edges[0].tolist()
    heading = {"format": "multicut corrections", "version": 1}
    lines = [{**heading, "num_nodes": desk.problem.num_nodes}, {"kind": "join", "pairs": [[u, v]]}]
    path.write_text("\n".join(map(json.dumps, lines)))
    loaded = page.events.proof.load(context(page, visit), str(path), VIEWS[0])
    assert "Made 1 correction of the file" in loaded[tab.status]
    assert desk.proof.labels[u] == desk.proof.labels[v]
    outside = page.events.proof.load(context(page, visit), "/etc/hostname", VIEWS[0])
    assert "not an uploaded file" in outside[tab.status]
    assert (
        "no file was uploaded" in page.events.proof.load(context(page, visit), None, "")[tab.status]
    )


def test_corrections_stay_while_the_nodes_do(page: Any) -> None:
    visit = opened(page)
    for place in two_segments(visit):
        click(page, visit, *place)
    again = solve(page, visit, solver="klj", bound=False)[page.session.visit]
    assert again.desk is visit.desk
    # A file that cannot be read is no reason to lose corrections.
    bad = page.events.take_upload(context(page, visit), "/nowhere/bad.png")
    assert page.session.visit not in bad
    assert "no longer there" in bad[page.outputs.message]
    finer = solve(page, visit, num_superpixels=300, bound=False)[page.session.visit]
    assert finer.desk is None


def test_a_page_that_is_loaded_again_finds_its_visit(page: Any) -> None:
    visit = opened(page)
    for place in two_segments(visit):
        click(page, visit, *place)
    returning = page.events.wiring.returning
    returning.keep(TOKEN, "somebody", visit)
    from multicut.app.page.session import EventContext

    def load(token: str) -> dict[Any, Any]:
        known = EventContext(Visit(), VisitorFolders(page.storage), token=token)
        updates: dict[Any, Any] = page.events.welcome(known, "Graph: IrisMP")
        return updates

    shown = load(TOKEN)
    found = shown[page.session.visit]
    assert found.desk is visit.desk
    assert found.folder != visit.folder  # that of the session that ended will be removed
    assert shown[page.outputs.tabs]["selected"] == "proofread"
    assert shown[page.inputs.sample] == "Image: painted"
    assert "1 correction" in shown[page.outputs.proof.status]
    assert all(path.exists() for path in found.files.values())
    for other in ("", "f" * 32, TOKEN[:-1]):
        assert load(other)[page.session.visit].subject.name == "IrisMP"


def test_few_visits_are_kept(page: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    returning, folders = Returning(), VisitorFolders(page.storage)
    for number in range(12):
        returning.keep(f"{number:032x}", "one", Visit())
    assert len(returning) == 8
    assert returning.find(f"{0:032x}", folders) is None
    assert returning.find(f"{11:032x}", folders) is not None
    for number in range(100, 160):
        returning.keep(f"{number:032x}", str(number), Visit())
    assert len(returning) == 32
    returning.keep("../../etc", "one", Visit())
    assert returning.find("../../etc", folders) is None
    import time

    later = time.monotonic() + 4000
    monkeypatch.setattr("multicut.app.returning.time.monotonic", lambda: later)
    assert returning.find(f"{159:032x}", folders) is None
    assert len(returning) == 0


def test_controls_of_the_tab_have_a_line_of_help(page: Any) -> None:
    tab = page.outputs.proof
    for control in (tab.mode, tab.view, tab.slice):
        assert 5 < len(control.info or "") < 90, control.label
