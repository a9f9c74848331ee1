"""Proofreading on the page, without a page: clicks, lines, colours, suggestions, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import multicut as mc
from multicut.app import AppLimits
from multicut.app.failures import VisitorError, describe_failure
from multicut.app.proofs import Desk, open_desk
from multicut.app.proofs.colours import KeptColours
from multicut.app.proofs.desk import JOIN, SEPARATE
from multicut.app.proofs.files import read_corrections, write_export
from multicut.app.proofs.graph_places import GraphPlaces
from multicut.app.proofs.scene import VIEWS, crossings, doubt_colours
from multicut.app.segmenting import ImageChoices
from multicut.app.solving import Choices, Solved, solve_subject
from multicut.app.subjects import GraphSubject, ImageSubject
from multicut.proofreading import ContradictionError

# Three stripes of flat colours, so the three segments are known.
STRIPES = np.repeat(np.array([40, 130, 220], np.uint8), 40)[None].repeat(60, axis=0)
# Places in them: shares of width and height.
LEFT, MIDDLE, RIGHT = (0.1, 0.2), (0.5, 0.5), (0.9, 0.8)
# Two squares that repel each other, nodes 0 … 3 and 4 … 7.
POINTS = np.array([[0, 0], [0, 1], [1, 0], [1, 1], [3, 0], [3, 1], [4, 0], [4, 1]], float)
SQUARES = mc.Problem(
    [[0, 1], [0, 2], [1, 3], [2, 3], [4, 5], [4, 6], [5, 7], [6, 7], [2, 4], [3, 5]],
    [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -0.5, -0.5],
)


def solved(subject: Any) -> Solved:
    image = ImageChoices("slic", 60)
    return solve_subject(subject, Choices("klj", image=image), AppLimits())


def image_desk(image: np.ndarray = STRIPES) -> Desk:
    return open_desk(solved(ImageSubject("stripes", image)))


def graph_desk(problem: mc.Problem = SQUARES) -> Desk:
    return open_desk(solved(GraphSubject("squares", problem, POINTS)))


def place_of(desk: Desk, node: int) -> tuple[float, float]:
    """Return where a node of a graph is drawn."""
    places = desk.places
    assert isinstance(places, GraphPlaces)
    x, y = places._points[node]
    return x / 1100, y / 700


def refusal(act: Any, *values: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011  (the caller looks at the line)
        act(*values)
    return describe_failure(caught.value)


def test_two_clicks_join_two_segments() -> None:
    desk = image_desk()
    assert desk.proof.num_clusters == 3
    assert "now click on the segment to join it with" in desk.click(LEFT, JOIN)
    assert desk.selected is not None
    assert desk.click(MIDDLE, JOIN).startswith("Joined; ")
    assert desk.selected is None
    labels = desk.labels()
    assert labels.shape == STRIPES.shape
    assert np.array_equal(labels, np.where(STRIPES == 220, 1, 0))


def test_two_clicks_separate_two_parts() -> None:
    desk = image_desk()
    desk.click((0.1, 0.1), SEPARATE)
    assert desk.click((0.1, 0.9), SEPARATE).startswith("Separated; ")
    labels = desk.labels()
    assert labels[6, 12] != labels[54, 12]
    # What was not clicked on is as before.
    assert all(len(np.unique(labels[shade == STRIPES])) == 1 for shade in (130, 220))


def test_a_line_cuts_what_it_crosses_as_one_correction() -> None:
    desk = image_desk()
    assert desk.draw_line((0.02, 0.5), (0.31, 0.5), SEPARATE).startswith("Cut along the line")
    assert len(desk.proof.history) == 1
    labels = desk.labels()
    above, below = labels[:15, :40], labels[45:, :40]
    assert not set(np.unique(above)) & set(np.unique(below))
    desk.undo()
    assert desk.proof.num_clusters == 3
    assert desk.draw_line(LEFT, RIGHT, JOIN).startswith("Joined; ")
    assert desk.labels()[0, 0] == desk.labels()[0, -1] != desk.labels()[0, 60]


@pytest.mark.parametrize(
    ("clicks", "mode", "line"),
    [
        ([LEFT, (0.2, 0.9)], JOIN, "these belong to the same segment"),
        ([LEFT, RIGHT], SEPARATE, "these are two segments already"),
        ([LEFT, LEFT], SEPARATE, "both clicks hit the same superpixel"),
        ([LEFT, (1.5, 0.5)], JOIN, "there is no superpixel at this place"),
        ([LEFT, (-0.01, 0.5)], JOIN, "there is no superpixel at this place"),
        ([LEFT, MIDDLE], "Erase", "clicks either Join or Separate, got 'Erase'"),
    ],
)
def test_bad_clicks_change_nothing(clicks: list[Any], mode: str, line: str) -> None:
    desk = image_desk()
    desk.click(clicks[0], JOIN)
    before, selected = desk.labels(), desk.selected
    assert line in refusal(desk.click, clicks[1], mode)
    assert desk.selected == selected is not None
    assert np.array_equal(desk.labels(), before)
    assert desk.proof.history == ()


def test_bad_lines_change_nothing() -> None:
    desk = image_desk()
    assert "crosses nothing" in refusal(desk.draw_line, (0.1, 0.1), (0.11, 0.1), SEPARATE)
    assert "same segment" in refusal(desk.draw_line, LEFT, (0.2, 0.9), JOIN)
    assert desk.proof.history == ()


def test_contradictions_name_the_correction() -> None:
    desk = image_desk()
    for place in (LEFT, MIDDLE):
        desk.click(place, JOIN)
    desk.click(LEFT, SEPARATE)
    with pytest.raises(ContradictionError, match=r"contradicts join\(.*correction 1"):
        desk.click(MIDDLE, SEPARATE)
    assert desk.selected is not None
    assert len(desk.proof.history) == 1


def test_undo_and_redo_bring_labels_and_colours_back() -> None:
    desk = image_desk()
    pictures = [desk.draw(VIEWS[0], False)]
    for first, second in ((LEFT, MIDDLE), (MIDDLE, RIGHT)):
        desk.click(first, JOIN)
        desk.click(second, JOIN)
        pictures.append(desk.draw(VIEWS[0], False))
    assert not np.array_equal(pictures[0], pictures[1])
    for expected in (pictures[1], pictures[0]):
        desk.undo()
        assert np.array_equal(desk.draw(VIEWS[0], False), expected)
    assert refusal(desk.undo) == "there is no correction to undo"
    for expected in pictures[1:]:
        desk.redo()
        assert np.array_equal(desk.draw(VIEWS[0], False), expected)
    assert "no undone correction" in refusal(desk.redo)


def test_segments_that_do_not_change_keep_their_colour() -> None:
    desk = image_desk()
    before = desk.draw(VIEWS[0], False)
    desk.click(LEFT, JOIN)
    desk.click(MIDDLE, JOIN)
    after = desk.draw(VIEWS[0], False)
    third = slice(int(0.7 * before.shape[1]), None)
    assert np.array_equal(before[:, third], after[:, third])


def test_neighbours_have_different_colours() -> None:
    problem = mc.datasets.draw_graph("voronoi", 3, split="test").to_problem()
    labels = mc.solve(problem, "klj").labels
    colours = KeptColours()
    first = colours.of(labels, problem.edges)
    ends = labels[problem.edges]
    cut = problem.edges[ends[:, 0] != ends[:, 1]]
    assert (first[cut[:, 0]] != first[cut[:, 1]]).any(axis=1).mean() > 0.95
    # A new segment with a number of its own: all others look as before.
    grown = labels.copy()
    grown[0] = labels.max() + 5
    second = colours.of(grown, problem.edges)
    assert np.array_equal(first[1:], second[1:])
    assert np.array_equal(colours.of(labels, problem.edges), first)


def test_suggestions_come_one_after_the_other() -> None:
    problem = mc.datasets.draw_graph("voronoi", 0, split="test")
    desk = open_desk(solved(GraphSubject("cells", problem.to_problem(), problem.positions)))
    assert "no suggestion to answer" in refusal(desk.answer, True)
    seen = []
    for _ in range(4):
        assert "pink" in desk.next_suggestion()
        assert desk.suggestion is not None
        seen.append((desk.suggestion.u, desk.suggestion.v))
    assert len(set(seen)) == 4
    kind, before = desk.suggestion.kind, desk.proof.labels.copy()
    desk.answer(False)
    assert np.array_equal(desk.proof.labels, before)
    assert desk.proof.history[-1].kind != kind
    assert desk.suggestion is None
    desk.next_suggestion()
    wanted = desk.suggestion
    desk.answer(True)
    together = desk.proof.labels[wanted.u] == desk.proof.labels[wanted.v]
    assert together == (wanted.kind == "join")


def test_what_was_corrected_is_learned() -> None:
    graph = mc.datasets.draw_graph("voronoi", 0, split="test")
    desk = open_desk(solved(GraphSubject("cells", graph.to_problem(), graph.positions)))
    assert "nothing to learn from" in refusal(desk.learn)
    for _ in range(3):
        desk.next_suggestion()
        desk.answer(True)
    assert desk.learn().startswith("Learned from the corrections")
    assert desk.proof.history[-1].kind == "learn"
    assert not np.allclose(desk.proof.problem.costs[:20], desk.problem.costs[:20])
    desk.undo()
    assert len(desk.proof.history) == 3


def test_nodes_and_edges_of_a_graph_are_hit() -> None:
    desk = graph_desk()
    assert desk.proof.num_clusters == 2
    for node in range(8):
        assert desk.places.hit(place_of(desk, node), 0) == node
    (x, y), (z, _) = place_of(desk, 2), place_of(desk, 4)
    between = ((x + z) / 2, y)
    assert desk.places.hit(between, 0) == (2, 4)
    assert "no node at this place" in refusal(desk.click, (0.5, 0.02), JOIN)
    desk.click(between, JOIN)  # one click on an edge is enough
    assert desk.proof.num_clusters == 1
    line = (between[0], 0.0), (between[0], 1.0), SEPARATE
    assert "contradicts join(2, 4) (correction 1)" in refusal(desk.draw_line, *line)
    desk.undo()
    desk.click(place_of(desk, 0), JOIN)
    desk.click(place_of(desk, 6), JOIN)
    desk.draw_line(*line)
    assert desk.proof.labels[:4].tolist() != desk.proof.labels[4:].tolist()


def test_node_ids_of_a_file_are_used() -> None:
    names = mc.Problem([["a", "b"], ["b", "c"], ["c", "d"]], [1.0, -1.0, 1.0])
    desk = open_desk(solved(GraphSubject("names", names, POINTS[:4])))
    desk.click(place_of(desk, 0), JOIN)
    desk.click(place_of(desk, 2), JOIN)
    assert desk.proof.history[0].pairs[0] == ("a", "c")
    desk.next_suggestion()
    for view in VIEWS:
        desk.draw(view, True)


def test_slices_of_a_volume() -> None:
    volume = np.repeat(np.array([30, 200], np.uint8), 4)[:, None, None] + np.zeros((8, 24, 32))
    desk = image_desk(volume.astype(np.uint8))
    assert desk.places.num_slices == 8
    assert desk.proof.num_clusters == 2
    desk.look_at(0)
    desk.click(MIDDLE, JOIN)
    desk.look_at(99)
    assert desk.slice == 7
    desk.click(MIDDLE, JOIN)
    assert desk.labels().shape == volume.shape
    assert desk.proof.num_clusters == 1


@pytest.mark.parametrize("view", VIEWS)
def test_pictures_show_the_view(view: str) -> None:
    desk = image_desk()
    plain = desk.draw(view, False)
    assert plain.shape == (480, 960, 3)
    desk.click(LEFT, JOIN)
    assert not np.array_equal(desk.draw(view, False), plain)
    desk.drop_selection()
    assert np.array_equal(desk.draw(view, False), plain)


def test_doubt_is_told_by_colours() -> None:
    red, green, blue = doubt_colours(np.array([0.0, 0.25, 0.5])).astype(int).T
    assert blue[0] > red[0]  # rather sure
    assert red[1] > 200 < green[1]  # yellow
    assert red[2] > 200 > 100 > green[2]  # red


def test_lines_cross_or_not() -> None:
    points = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]])
    edges = np.array([[0, 1], [1, 2], [0, 2]])
    found = crossings(points, edges, np.array([1.0, -1.0]), np.array([1.0, 1.0]))
    assert found.tolist() == [True, False, False]


def test_corrections_are_saved_and_loaded(tmp_path: Path) -> None:
    desk = image_desk()
    desk.click(LEFT, JOIN)
    desk.click(MIDDLE, JOIN)
    desk.draw_line((0.7, 0.5), (0.98, 0.5), SEPARATE)
    path = write_export(desk, "jsonl", tmp_path)
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line.get("kind") for line in lines[1:]] == ["join", "add_edges"]
    other = image_desk()
    count = other.problem.num_nodes
    corrections = read_corrections(str(path), tmp_path, AppLimits(), count)
    assert other.load(corrections, 30.0).startswith("Made 2 corrections of the file")
    assert np.array_equal(other.labels(), desk.labels())
    exported = np.load(write_export(other, "npy", tmp_path))
    assert np.array_equal(exported, desk.labels())


def test_a_file_that_contradicts_is_refused_as_a_whole(tmp_path: Path) -> None:
    desk = graph_desk()
    for node in (0, 4):
        desk.click(place_of(desk, node), JOIN)
    desk.undo()
    desk.redo()
    desk.undo()
    path = tmp_path / "bad.jsonl"
    other = mc.Proofreader(SQUARES)
    other.join(0, 1)
    other.save(path)
    with path.open("a") as file:
        file.write('{"kind": "separate", "pairs": [[0, 1]]}\n')
    corrections = read_corrections(str(path), tmp_path, AppLimits(), 8)
    before = desk.proof.labels.copy()
    assert "contradicts join(0, 1)" in refusal(desk.load, corrections, 30.0)
    assert np.array_equal(desk.proof.labels, before)
    desk.redo()  # not even what was undone is lost
    assert len(desk.proof.history) == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"\xff\xfe", "bad.jsonl: not a text file"),
        (b"", "bad.jsonl has no corrections of version 1"),
        (b'{"format": "multicut corrections", "version": 1, "num_nodes": 9}\n', "of 9 nodes"),
        (
            b'{"format": "multicut corrections", "version": 1, "num_nodes": 8}\n[]\n',
            "bad.jsonl, line 2: not a correction",
        ),
    ],
)
def test_bad_files_of_corrections_are_told(tmp_path: Path, content: bytes, line: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(content)
    told = refusal(read_corrections, str(path), tmp_path, AppLimits(), 8)
    assert line in told
    assert str(tmp_path) not in told


def test_what_cannot_be_proofread_is_told() -> None:
    assert "press Segment and proofread" in refusal(open_desk, None)
    empty = solved(GraphSubject("empty", mc.Problem([], [])))
    assert "has no nodes" in refusal(open_desk, empty)
    large = solved(GraphSubject("large", mc.datasets.randommp(4000, seed=0)))
    assert "too large to be drawn" in refusal(open_desk, large)


def test_an_image_of_one_colour_can_be_proofread() -> None:
    desk = image_desk(np.zeros((20, 30), np.uint8))
    assert desk.proof.num_clusters == 1
    assert "no more suggestions" in desk.next_suggestion() or desk.suggestion is not None
    with pytest.raises(VisitorError, match="same segment"):
        desk.draw_line((0.1, 0.1), (0.9, 0.9), JOIN)
