"""What the page does on events, without a browser."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PIL import Image

import multicut as mc
from multicut.app.samples import make_sample, sample_names
from multicut.app.segmenting import ImageChoices, offered_superpixels, takes
from multicut.app.solving import Choices, describe_solver, offered_solvers
from multicut.app.subjects import GraphSubject, ImageSubject
from multicut.app.visits import Visit, VisitorFolders, forget

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


def context(page: Any, visit: Visit | None = None, dark: bool = False) -> Any:
    """Return what an event of a visitor knows."""
    from multicut.app.page.session import EventContext

    return EventContext(visit or Visit(), VisitorFolders(page.storage), dark)


def take_sample(page: Any, name: str, visit: Visit | None = None) -> Visit:
    updates = page.events.take_sample(context(page, visit), name)
    found: Visit = updates[page.session.visit]
    return found


def solve(page: Any, visit: Visit, **choices: Any) -> dict[Any, Any]:
    values = {
        "solver": "gaec",
        "other": "",
        "seconds": "5",
        "bound": True,
        "seed": 0,
        "superpixels": "slic",
        "num_superpixels": 100,
        "scale": 30.0,
        "bias": 0.4,
        "sigma": 0.2,
    } | choices
    updates: dict[Any, Any] = page.events.solve(context(page, visit), **values)
    return updates


@pytest.mark.parametrize("name", sample_names())
def test_every_sample_can_be_solved_and_looked_at(page: Any, name: str) -> None:
    visit = take_sample(page, name)
    assert visit.subject is not None
    updates = solve(page, visit, other="klj")
    assert updates[page.outputs.message] == ""
    solved = updates[page.session.visit].solved
    assert [result.solver for result in solved.results] == ["gaec", "klj"]
    assert solved.results[1].objective <= solved.results[0].objective
    for view in updates[page.outputs.view]["choices"]:
        looked = page.events.look(context(page, updates[page.session.visit]), view)
        assert looked[page.outputs.message] == ""
        with Image.open(looked[page.outputs.picture]) as picture:
            assert min(picture.size) > 100
    files = updates[page.session.visit].files
    labels = np.load(files["npy"])
    if isinstance(visit.subject, ImageSubject):
        assert labels.shape == visit.subject.image.shape[: 3 if visit.subject.is_volume else 2]
        assert np.array_equal(labels, solved.results[0].labels[solved.segmentations[0].superpixels])
    else:
        assert np.array_equal(labels, solved.results[0].labels)


def test_samples_are_the_same_each_time() -> None:
    for name in sample_names():
        first, second = make_sample(name), make_sample(name)
        if isinstance(first, ImageSubject):
            assert isinstance(second, ImageSubject)
            assert np.array_equal(first.image, second.image)
        else:
            assert isinstance(second, GraphSubject)
            assert first.problem == second.problem


@pytest.mark.parametrize("superpixels", ["watershed", "slic", "felzenszwalb"])
def test_superpixels_follow_the_choice(page: Any, superpixels: str) -> None:
    visit = take_sample(page, "Image: coins (grey)")
    counts = []
    for number, scale in ((60, 300.0), (600, 5.0)):
        updates = solve(page, visit, superpixels=superpixels, num_superpixels=number, scale=scale)
        counts.append(updates[page.session.visit].solved.problem.num_nodes)
    assert counts[0] < counts[1]


def test_more_bias_means_more_segments(page: Any) -> None:
    visit = take_sample(page, "Image: coffee")
    counts = [
        solve(page, visit, bias=bias)[page.session.visit].solved.results[0].num_clusters
        for bias in (0.1, 0.5, 0.9)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


def test_time_is_bounded_by_the_server(page: Any) -> None:
    graph = mc.datasets.randommp(3000, seed=0)
    visit = Visit(subject=GraphSubject("large", graph))
    updates = solve(page, visit, solver="fusion", seconds="1e9")
    result = updates[page.session.visit].solved.results[0]
    assert result.stopped_by in ("time_limit", "converged")
    assert result.runtime < 3 * page.limits.time_limit


@pytest.mark.parametrize(
    ("choices", "line"),
    [
        ({"solver": "magic"}, "unknown solver 'magic'"),
        ({"seconds": "soon"}, "the time limit must be a number of seconds, got 'soon'"),
        ({"seed": -1}, "seed must be at least 0"),
        ({"bias": 2.0}, "the bias must lie between 0.001 and 0.999, got 2.0"),
        ({"num_superpixels": None}, "the number of superpixels must lie between 2 and 20000"),
        ({"superpixels": "/etc"}, "superpixels must be one of"),
    ],
)
def test_bad_choices_are_told_in_one_line(page: Any, choices: dict[str, Any], line: str) -> None:
    visit = take_sample(page, "Image: painted")
    updates = solve(page, visit, **choices)
    assert list(updates) == [page.outputs.message]
    assert line in updates[page.outputs.message].replace("&#x27;", "'")


def test_unexpected_errors_hide_what_they_say(
    page: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise OSError("/a/path/of/the/machine")

    monkeypatch.setattr("multicut.app.visits.solve_subject", fail)
    updates = solve(page, take_sample(page, "Graph: IrisMP"))
    assert "internal error (OSError)" in updates[page.outputs.message]
    assert "/a/path" not in updates[page.outputs.message]
    assert "/a/path" in caplog.text  # whoever runs the server can find out


def test_visits_are_apart(page: Any) -> None:
    first = take_sample(page, "Graph: IrisMP")
    second = take_sample(page, "Graph: grid")
    first = solve(page, first)[page.session.visit]
    second = solve(page, second)[page.session.visit]
    assert first.folder != second.folder
    assert len(first.solved.results[0].labels) == first.subject.problem.num_nodes
    forget(first, page.storage)
    assert not first.folder.exists()
    assert second.folder.exists()
    # Files of the last result stay for one step, as a browser may still be reading them.
    third = take_sample(page, "Graph: IrisMP", second)
    assert second.folder.exists()
    take_sample(page, "Graph: IrisMP", third)
    assert not second.folder.exists()
    assert third.folder.exists()


def test_one_of_several_problems_is_chosen(page: Any) -> None:
    path = page.storage.new_folder("somebody") / "many.npz"
    problems = {"a": mc.Problem([[0, 1]], [1.0]), "b": mc.Problem([[0, 1], [1, 2]], [1.0, -1.0])}
    mc.io.write_all(problems, path)
    taken = page.events.take_upload(context(page), str(path))
    assert taken[page.inputs.member]["choices"] == ["a", "b"]
    assert taken[page.inputs.member]["visible"]
    assert taken[page.session.visit].subject.problem == problems["a"]
    other = page.events.take_member(context(page, taken[page.session.visit]), "b")
    assert other[page.session.visit].subject.problem == problems["b"]


def test_graphs_too_large_to_draw_are_shown_as_numbers(page: Any) -> None:
    visit = Visit(subject=GraphSubject("large", mc.datasets.randommp(4000, seed=0)))
    assert visit.subject is not None
    updates = solve(page, visit)
    assert updates[page.outputs.message] == ""
    assert Path(updates[page.outputs.picture]).is_file()


def test_empty_problems_do_no_harm(page: Any) -> None:
    for problem in (mc.Problem([], []), mc.Problem([], [], num_nodes=3)):
        updates = solve(page, Visit(subject=GraphSubject("empty", problem)))
        assert updates[page.outputs.message] == ""
        for view in updates[page.outputs.view]["choices"]:
            assert (
                page.events.look(context(page, updates[page.session.visit]), view)[
                    page.outputs.message
                ]
                == ""
            )


def test_pictures_lie_where_nobody_can_guess(page: Any) -> None:
    first = page.events.take_sample(context(page), "Graph: IrisMP")
    second = page.events.take_sample(context(page), "Graph: IrisMP")
    paths = [Path(updates[page.outputs.picture]) for updates in (first, second)]
    assert paths[0].read_bytes() == paths[1].read_bytes()
    assert paths[0].parent != paths[1].parent
    assert {path.parent.parent for path in paths} == {page.uploads}


def test_plots_follow_the_theme(page: Any) -> None:
    visit = solve(page, take_sample(page, "Graph: IrisMP"))[page.session.visit]

    def shade(updates: dict[Any, Any], place: Any) -> float:
        with Image.open(updates[place]) as picture:
            pixels = np.asarray(picture, dtype=float)
        assert pixels[0, 0, 3] == 0  # the background is that of the page
        visible = pixels[pixels[..., 3] > 200][:, :3]
        return float(visible[np.ptp(visible, axis=1) < 25].mean())  # of greys alone

    light = page.events.redraw(context(page, visit, dark=False), "Costs", "")
    dark = page.events.redraw(context(page, visit, dark=True), "Costs", "")
    for place in (page.outputs.picture, page.outputs.trace):
        assert shade(light, place) < 130 < shade(dark, place)


def test_defaults_are_those_of_the_command_line(page: Any) -> None:
    from multicut.cli.segment.command import segment
    from multicut.cli.solve.command import solve as solve_command

    defaults = {
        name: parameter.default
        for command in (solve_command, segment)
        for name, parameter in inspect.signature(command).parameters.items()
    }
    choices = Choices()
    for name in ("solver", "time_limit", "seed"):
        assert getattr(choices, name) == defaults[name], name
    assert choices.bound == inspect.signature(solve_command).parameters["bound"].default
    assert choices.image.bias == defaults["bias"]
    shown = (
        page.inputs.solver,
        page.inputs.bound,
        page.inputs.seed,
        page.inputs.bias,
        page.inputs.seconds,
    )
    assert [box.value for box in shown] == ["auto", False, 0, 0.5, ""]


def test_an_image_is_segmented_as_by_the_library(page: Any) -> None:
    visit = take_sample(page, "Image: coins (grey)")
    image = ImageChoices()
    updates = solve(
        page,
        visit,
        seconds="",
        superpixels=image.superpixels,
        num_superpixels=image.num_superpixels,
        bias=image.bias,
        sigma=image.sigma,
        scale=image.scale,
    )
    expected = mc.vision.segment(visit.subject.image, solver="gaec")
    assert np.array_equal(
        updates[page.session.visit].solved.segmentations[0].labels, expected.labels
    )


def test_every_control_has_a_line_of_help(page: Any) -> None:
    inputs = page.inputs
    controls = [inputs.sample, inputs.member, *inputs.choices, page.outputs.model]
    for control in controls:
        assert 5 < len(control.info or "") < 90, control.label


def test_solve_gets_what_it_expects(page: Any) -> None:
    expected = list(inspect.signature(page.events.solve).parameters)[1:]
    assert [box.elem_id.replace("-", "_") for box in page.inputs.choices] == expected


def test_one_visitor_does_not_fill_the_queue(page: Any) -> None:
    class Queue:
        queue = [SimpleNamespace(request=SimpleNamespace(scope={"client": ("192.0.2.1", 1)}))] * 32

    page.blocks._queue.event_queue_per_concurrency_id["flood"] = Queue()
    try:
        assert page.count_queued("192.0.2.1") == 32 == page.max_waiting
        assert page.count_queued("192.0.2.2") == 0
    finally:
        del page.blocks._queue.event_queue_per_concurrency_id["flood"]


def test_what_is_offered_exists() -> None:
    assert {"auto", "gaec", "ilp", "gnn"} <= set(offered_solvers())
    assert Choices().solver in offered_solvers()
    assert ImageChoices().superpixels in offered_superpixels()
    assert [takes(name, "num_regions") for name in ("slic", "felzenszwalb", "")] == [1, 0, 0]


def test_solvers_are_described_for_users_of_the_page() -> None:
    assert describe_solver(None) == ""
    for name in offered_solvers():
        note = describe_solver(name)
        assert note.endswith(".")
        # Not the terms of the library: arguments, and names of the parts of a solver.
        assert not set("`_()") & set(note)
        assert note != mc.list_solvers(name)[0].description
