"""Figures: samples of the datasets, and what the network's embeddings look like."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.models import list_models
from multicut.partition import objective
from paper.evaluation_sets import column_title
from paper.graph_drawings import (
    distinct_colours,
    draw_cut,
    draw_states,
    matched_colours,
    separate_numbers,
)
from paper.line_plots import scalable
from paper.runs.validation_sets import TITLES
from paper.section import Section, wrapped
from paper.settings import PaperSettings
from paper.studies import aggregation, image_example

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from multicut._arrays import FloatArray, IntArray
    from multicut.datasets import LabelledProblem
    from multicut.nn.model import Model

TITLE = "Figures"
PART = "pictures"
#: The numbers of the test instances of IrisMP that the appendix shows.
INSTANCES = (0, 1, 16, 17)
#: The best network of the published Table 1, whose embeddings it shows.
MODEL = "gcn_w_bn-randommp"
_NUM_SAMPLES = 3
# Counts changes of these drawings, which the cache does not see.
_DRAWING = 2
_DPI = 90
# Numbers of nodes may be above a panel.
_TITLE_STYLE: dict[str, Any] = {"fontsize": 10, "pad": 10}


def measure(settings: PaperSettings) -> None:
    """Draw what is not drawn yet."""
    from multicut.datasets import open_dataset

    store = settings.open_cache(PART)
    for name, title in TITLES.items():
        picture = settings.picture(f"samples-{name}")
        key = f"samples of {name}, drawing {_DRAWING}"
        if not picture.exists() or key not in store.cells:
            settings.report(f"drawing samples of {name}")
            graphs = list(open_dataset(name, "test")[:_NUM_SAMPLES])
            draw_samples(graphs, column_title(title), picture)
            store.put(key, {"graphs": len(graphs)})
    picture = settings.picture("aggregation")
    if not scalable(picture).exists():
        aggregation.draw(picture)
    image_example.measure(settings, PART)
    record = next((r for r in list_models() if r.name == MODEL), None)
    if record is None:
        return
    from multicut.models import load_model

    store = settings.open_cache(PART)
    model = load_model(MODEL)
    test_graphs = open_dataset("irismp", "test")
    for number in INSTANCES:
        picture = settings.picture(f"embedding-{number}")
        key = f"embedding {number}, drawing {_DRAWING}, {MODEL} {record.card['sha256'][:8]}"
        if not picture.exists() or key not in store.cells:
            settings.report(f"drawing the embedding of instance {number}")
            about = f"Instance {number} of {column_title('IrisMP')}, {MODEL}"
            share = draw_embedding(model, test_graphs[number], about, picture)
            store.put(key, {"ratio": share})


def draw_samples(graphs: Sequence[LabelledProblem], about: str, path: Path) -> None:
    """Draw graphs with their costs, and below them their optimal solutions."""
    from multicut.plotting import plot_problem
    from multicut.plotting.saving import save_figure

    figure, axes = _new_figure(2, len(graphs), about)
    for number, (problem, (above, below)) in enumerate(zip(graphs, axes.T, strict=True)):
        labels, points = _labels_of(problem), _points_of(problem)
        plot_problem(problem, points, above)
        title = f"graph {number}: {problem.num_nodes} nodes, {problem.num_edges} edges"
        above.set_title(title, **_TITLE_STYLE)
        draw_cut(below, problem, labels, distinct_colours(problem, labels), points)
        title = f"optimum {problem.objective:,.2f}, {labels.max() + 1} clusters"
        below.set_title(title, **_TITLE_STYLE)
    separate_numbers(figure)
    save_figure(figure, path, dpi=_DPI)


def draw_embedding(model: Model, problem: LabelledProblem, about: str, path: Path) -> float:
    """Draw cut, optimal cut, clusters, embedding and its similarities; return the ratio."""
    import torch

    from multicut.nn import MulticutNetwork
    from multicut.nn.batch import GraphBatch
    from multicut.nn.rounding import round_scores
    from multicut.plotting import plot_similarity
    from multicut.plotting.saving import save_figure

    network = model.network
    assert isinstance(network, MulticutNetwork)
    with torch.no_grad():
        batch = model.scaled(GraphBatch.from_problems(problem))
        states = network.embed(batch).double().numpy()
        scores = torch.sigmoid(network(batch).float())
        labels = round_scores(batch, scores).labels.numpy()
    optimal, points = _labels_of(problem), _points_of(problem)
    assert problem.objective is not None
    share = max(0.0, objective(problem, labels) / problem.objective)
    colours, optimal_colours = matched_colours(labels, optimal)
    figure, ((cut, best), (embedding, similarity)) = _new_figure(2, 2, about)
    draw_cut(cut, problem, labels, colours, points)
    cut.set_title(f"the network's cut, ratio {share:.4f}", **_TITLE_STYLE)
    draw_cut(best, problem, optimal, optimal_colours, points)
    best.set_title("the optimal cut", **_TITLE_STYLE)
    draw_states(embedding, problem, states, labels, colours)
    embedding.set_title("embeddings (PCA), the network's clusters", **_TITLE_STYLE)
    plot_similarity(states, similarity)
    similarity.set_title("cosine similarity, ordered", **_TITLE_STYLE)
    separate_numbers(figure)
    save_figure(figure, path, dpi=_DPI)
    return share


def _new_figure(rows: int, columns: int, about: str) -> tuple[Figure, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 0.4 + 3.7 * rows), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    figure.suptitle(about, x=0.01, ha="left", fontsize=12)
    return figure, figure.subplots(rows, columns)


def _labels_of(problem: LabelledProblem) -> IntArray:
    assert problem.labels is not None
    return problem.labels


def _points_of(problem: LabelledProblem) -> FloatArray:
    from multicut.plotting.layout import spread_out

    return problem.positions if problem.positions is not None else spread_out(problem)


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    text = (
        "One step of message passing from states that are all 1. Means of neighbours leave all "
        "states equal. The sum that Eq. 7 adds is positive for the four nodes that attract each "
        "other, and negative for the two that they repel."
    )
    section.write(wrapped(text))
    section.show(scalable(settings.picture("aggregation")), "Aggregation without and with costs")
    image_example.render(settings, section, PART)
    text = (
        "Samples of the datasets: negative edges red; below, optimal solutions, cut edges grey, "
        "single nodes black. Numbers of nodes are left out where there is no room for them."
    )
    section.write(wrapped(text))
    for name, title in TITLES.items():
        section.show(settings.picture(f"samples-{name}"), f"Samples of {column_title(title)}")
    text = (
        f"Test instances of {column_title('IrisMP')} as `{MODEL}` sees them. Instances are "
        "numbered as in the paper's figures, but of our test split, whose graphs are easier "
        "([measurements](#datasets)). Colours of nodes are clusters, the same ones in all "
        "panels, and single nodes are black. So the first two panels show what the paper's panels "
        "(a) to (d) do."
    )
    section.write(wrapped(text))
    for number in INSTANCES:
        section.show(settings.picture(f"embedding-{number}"), f"Instance {number}")
    return section
