"""Figures: samples of the datasets, and what the network's embeddings look like."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from multicut.models import list_models
from multicut.partition import objective
from paper.evaluation_sets import column_title
from paper.line_plots import scalable
from paper.runs.validation_sets import TITLES
from paper.section import Section, wrapped
from paper.settings import PaperSettings
from paper.studies import aggregation, image_example

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem
    from multicut.nn.model import Model

TITLE = "Figures"
PART = "pictures"
#: The numbers of the test instances of IrisMP that the appendix shows.
INSTANCES = (0, 1, 16, 17)
#: The best network of the published Table 1, whose embeddings it shows.
MODEL = "gcn_w_bn-randommp"


def measure(settings: PaperSettings) -> None:
    """Draw what is not drawn yet."""
    from multicut.datasets import open_dataset
    from multicut.plotting import plot_dataset
    from multicut.plotting.saving import save_figure

    for name in TITLES:
        picture = settings.picture(f"samples-{name}")
        if not picture.exists():
            settings.report(f"drawing samples of {name}")
            save_figure(plot_dataset(open_dataset(name, "test")[:3]), picture, dpi=60)
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
    graphs = open_dataset("irismp", "test")
    for number in INSTANCES:
        picture = settings.picture(f"embedding-{number}")
        key = f"embedding {number}, {MODEL} {record.card['sha256'][:8]}"
        if not picture.exists() or key not in store.cells:
            settings.report(f"drawing the embedding of instance {number}")
            share = draw_embedding(model, graphs[number], picture)
            store.put(key, {"ratio": share})


def draw_embedding(model: Model, problem: LabelledProblem, path: Path) -> float:
    """Draw cut, optimal cut, clusters, embedding and its similarities; return the ratio."""
    import torch
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    from multicut.nn import MulticutNetwork
    from multicut.nn.batch import GraphBatch
    from multicut.nn.rounding import round_scores
    from multicut.plotting import plot_embedding, plot_similarity, plot_solution
    from multicut.plotting.layout import spread_out
    from multicut.plotting.saving import save_figure

    network = model.network
    assert isinstance(network, MulticutNetwork)
    with torch.no_grad():
        batch = model.scaled(GraphBatch.from_problems(problem))
        states = network.embed(batch).double().numpy()
        scores = torch.sigmoid(network(batch).float())
        labels = round_scores(batch, scores).labels.numpy()
    optimal = problem.labels
    assert optimal is not None
    assert problem.objective is not None
    positions = problem.positions if problem.positions is not None else spread_out(problem)
    share = max(0.0, objective(problem, labels) / problem.objective)
    figure = Figure(figsize=(15, 3.6), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, 4)
    plot_solution(problem, labels, positions, axes[0])
    axes[0].set_title(f"the network's cut, ratio {share:.4f}", fontsize=10)
    plot_solution(problem, optimal, positions, axes[1])
    axes[1].set_title("the optimal cut", fontsize=10)
    plot_embedding(problem, states, labels, axes[2])
    axes[2].set_title("embeddings (PCA), the network's clusters", fontsize=10)
    plot_similarity(states, axes[3])
    axes[3].set_title("cosine similarity, ordered", fontsize=10)
    save_figure(figure, path, dpi=75)
    return share


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
    section.write(
        "Samples of the datasets: negative edges red; below, optimal solutions, cut edges grey."
    )
    for name, title in TITLES.items():
        section.show(settings.picture(f"samples-{name}"), f"Samples of {column_title(title)}")
    text = (
        f"Test instances of {column_title('IrisMP')} as `{MODEL}` sees them. Instances are "
        "numbered as in the paper's figures, but of our test split, whose graphs are easier "
        "([measurements](#datasets)). Colours of nodes are clusters, so the first two panels show "
        "what the paper's panels (a) to (d) do."
    )
    section.write(wrapped(text))
    for number in INSTANCES:
        section.show(settings.picture(f"embedding-{number}"), f"Instance {number}")
    return section
