"""The appendix's example: an image as a multicut problem, and the cuts of two networks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from multicut.benchmark.markdown import ratio
from multicut.models import list_models
from multicut.partition import objective
from paper.evaluation_sets import EASIER, column_title
from paper.section import Section, listed, wrapped
from paper.settings import PaperSettings

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from multicut.problem import Problem
    from multicut.vision.region_problem import RegionProblem

IMAGE = "coffee"
PRESET = "paper-squared"
SOLVERS = {"ilp": "optimal", "gaec": "GAEC"}
_TRAINED_ON = {"gcn_w_bn-irismp": "IrisMP", "gcn_w_bn-randommp": "RandomMP"}
MODELS = {name: f"GCN_W_BN, {column_title(title)}" for name, title in _TRAINED_ON.items()}
#: Ratios of the published example, an image of BSDS300.
PUBLISHED = {"gaec": 0.9961, "gcn_w_bn-irismp": 0.8948, "gcn_w_bn-randommp": 0.9899}
_STAND_IN = f"Stand-in for the published image: sample:{IMAGE}"
# The number counts changes of the drawings, which the cache does not see.
_KEY = "image example, drawing 3"
_FONT = 12
_COSTS = "(e) blue attracts,\nred repels; the wider\na line, the larger\nits absolute cost"
_REINSTATED = "#d1422f"


@dataclass(frozen=True)
class Cut:
    """A partition, and the edges that were cut in vain and reinstated by rounding."""

    labels: NDArray[Any]
    reinstated: NDArray[np.bool_]


def key() -> str | None:
    """Return what the drawings depend on; None if a network is missing."""
    hashes = {record.name: str(record.card["sha256"])[:8] for record in list_models()}
    if not hashes.keys() >= MODELS.keys():
        return None
    return ", ".join([_KEY, IMAGE, PRESET, *(f"{name} {hashes[name]}" for name in MODELS)])


def picture(settings: PaperSettings, name: str) -> Path:
    """Return where a drawing is; they show photographs, which are smaller as JPEG."""
    return settings.picture(f"example-{name}").with_suffix(".jpg")


def measure(settings: PaperSettings, part: str) -> None:
    """Solve and draw what is not drawn yet."""
    store = settings.open_cache(part)
    drawn = all(picture(settings, name).exists() for name in ("graph", "cuts"))
    name = key()
    if name is None or (drawn and name in store.cells):
        return
    from multicut.vision.region_problem import region_problem
    from multicut.vision.samples import sample_image

    settings.report("drawing the image example")
    regions = region_problem(sample_image(IMAGE), preset=PRESET)
    cuts = find_cuts(regions.problem)
    best = objective(regions.problem, cuts["ilp"].labels)
    ratios = {each: objective(regions.problem, cut.labels) / best for each, cut in cuts.items()}
    draw_graph(regions, picture(settings, "graph"))
    draw_cuts(regions, cuts, ratios, picture(settings, "cuts"))
    found = {
        "num_nodes": regions.problem.num_nodes,
        "num_edges": regions.problem.num_edges,
        "optimum": best,
        "ratios": ratios,
        "reinstated": {each: int(cuts[each].reinstated.sum()) for each in MODELS},
    }
    store.put(name, found)


def find_cuts(problem: Problem) -> dict[str, Cut]:
    """Solve by classical solvers, and by one pass of networks with the paper's rounding."""
    import torch

    from multicut.models import load_model
    from multicut.nn.batch import GraphBatch
    from multicut.nn.rounding import round_scores
    from multicut.solve import solve

    nothing = np.zeros(problem.num_edges, dtype=bool)
    cuts = {name: Cut(np.asarray(solve(problem, name).labels), nothing) for name in SOLVERS}
    for name in MODELS:
        model = load_model(name)
        batch = GraphBatch.from_problems(problem)
        with torch.no_grad():
            scores = torch.sigmoid(model.logits(batch).float())
        rounding = round_scores(batch, scores)
        reinstated = (scores >= 0.5) & ~rounding.cut
        cuts[name] = Cut(rounding.labels.numpy(), reinstated.numpy())
    return cuts


def _new_figure(rows: int, columns: int, shape: tuple[int, ...]) -> tuple[Any, Any]:
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    height, width = shape[:2]
    size = (3.6 * columns, rows * (3.6 * height / width + 0.4))
    figure = Figure(figsize=size, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure, figure.subplots(rows, columns, squeeze=False)


def _mean_colours(regions: RegionProblem, labels: NDArray[Any]) -> NDArray[Any]:
    from multicut.plotting.picture import as_colours
    from multicut.vision.regions import region_means

    of_pixels = np.asarray(labels)[regions.superpixels]
    colours = as_colours(regions.image)
    return np.asarray(region_means(colours, of_pixels, int(of_pixels.max()) + 1)[of_pixels])


def draw_graph(regions: RegionProblem, path: Path) -> None:
    """Draw the image, superpixels, their mean colours, similarities, and log-odds beside them."""
    from multicut.plotting import plot_image_cut, plot_region_graph
    from multicut.plotting.picture import as_colours, show_image
    from multicut.plotting.saving import save_figure

    figure, axes = _new_figure(2, 3, regions.superpixels.shape)
    panels = axes.flat
    alone = np.arange(regions.problem.num_nodes)
    show_image(panels[0], as_colours(regions.image))
    plot_image_cut(regions.image, regions.superpixels, alone, panels[1])
    show_image(panels[2], _mean_colours(regions, alone))
    _draw_similarities(regions, panels[3], panels[5])
    plot_region_graph(regions.image, regions.superpixels, regions.problem, ax=panels[4])
    panels[5].set_axis_off()
    panels[5].text(0.4, 0.5, _COSTS, va="center", fontsize=_FONT)
    titles = (
        "(a) image",
        "(b) superpixels",
        "(c) mean colours",
        "(d) similarities",
        "(e) log-odds, the costs",
    )
    for ax, title in zip(panels, titles, strict=False):
        ax.set_title(title, fontsize=_FONT)
    figure.suptitle(_STAND_IN, fontsize=_FONT)
    save_figure(figure, path, dpi=100)


def _draw_similarities(regions: RegionProblem, ax: Axes, beside: Axes) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    from multicut.plotting.canvas import add_lines
    from multicut.plotting.picture import as_colours, faded, show_image

    similarities = 1 / (1 + np.exp(-regions.problem.costs))
    show_image(ax, faded(as_colours(regions.image), 0.4))
    points = _centres(regions)
    order = np.argsort(similarities)
    edges = regions.problem.edges[order]
    scale = ScalarMappable(Normalize(0, 1), "viridis")
    colours = scale.to_rgba(similarities[order])
    add_lines(ax, points, edges, colours, 2.0, order=2)
    # An inset, since a bar of its own would narrow the panel above.
    bar = beside.inset_axes((0.02, 0.1, 0.05, 0.8))
    beside.figure.colorbar(scale, cax=bar).set_label("(d) similarity", fontsize=_FONT)


def _centres(regions: RegionProblem) -> NDArray[Any]:
    from multicut.vision.regions import region_centres

    return np.asarray(region_centres(regions.superpixels, regions.problem.num_nodes)[:, ::-1])


def draw_cuts(
    regions: RegionProblem, cuts: dict[str, Cut], ratios: dict[str, float], path: Path
) -> None:
    """Draw each cut on the graph, with reinstated edges, and the segments below it."""
    from multicut.plotting import plot_region_graph
    from multicut.plotting.canvas import add_lines
    from multicut.plotting.picture import show_image
    from multicut.plotting.saving import save_figure

    problem = regions.problem
    figure, axes = _new_figure(2, len(cuts), regions.superpixels.shape)
    for (name, cut), (above, below) in zip(cuts.items(), axes.T, strict=True):
        plot_region_graph(regions.image, regions.superpixels, problem, cut.labels, above)
        edges = problem.edges[cut.reinstated]
        add_lines(above, _centres(regions), edges, _REINSTATED, 2.2, order=5)
        title = (SOLVERS | MODELS)[name]
        above.set_title(f"{title}\nratio {ratios[name]:.4f}", fontsize=_FONT)
        show_image(below, _mean_colours(regions, cut.labels))
    figure.suptitle(_STAND_IN, fontsize=_FONT)
    save_figure(figure, path, dpi=100)


def render(settings: PaperSettings, section: Section, part: str) -> None:
    """Write the example, if it was drawn for the present weights."""
    cells = settings.open_cache(part).cells
    name = key()
    if name is None or name not in cells:
        return
    found = cells[name]
    reinstated = listed([str(found["reinstated"][each]) for each in MODELS])
    text = (
        "An image as a multicut problem, after the appendix. The published image is not at hand; "
        f"this **stand-in** is `sample:{IMAGE}` of scikit-image: {found['num_nodes']} superpixels, "
        f"{found['num_edges']} edges. The preset `{PRESET}` squares distances of colours, which "
        "the printed formula does not ([why](vision.md))."
    )
    section.write(wrapped(text))
    section.show(
        picture(settings, "graph"), "Superpixels, similarities and log-odds of a stand-in image"
    )
    text = (
        "Cuts of solvers and of two networks. Red edges are cut by a network without separating "
        f"their ends, {reinstated} of them; rounding reinstates these. One network was trained on "
        "our IrisMP, which is easier than the published one."
    )
    section.write(wrapped(text))
    section.show(picture(settings, "cuts"), "Cuts and segments of a stand-in image")
    records = [
        {"solver": each, "ratio": value, "is_stand_in": True, "image": f"sample:{IMAGE}"}
        | {"trained_on": _TRAINED_ON.get(each), "is_easier": _TRAINED_ON.get(each) in EASIER}
        | {"published_ratio": PUBLISHED.get(each)}
        | {"num_reinstated": found["reinstated"].get(each)}
        for each, value in found["ratios"].items()
    ]
    texts = [
        [_row_title(each), ratio(value), ratio(PUBLISHED.get(each))]
        for each, value in found["ratios"].items()
        if each in PUBLISHED
    ]
    columns = ["solver", "ratio on the stand-in", "published, another image"]
    section.tabulate("image_example", records, columns, texts)


def _row_title(solver: str) -> str:
    """Return what a row is called, with what a network was trained on."""
    trained_on = _TRAINED_ON.get(solver)
    if trained_on is None:
        return (SOLVERS | MODELS)[solver]
    return f"{MODELS[solver].partition(',')[0]}, trained on {column_title(trained_on)}"
