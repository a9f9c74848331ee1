"""``multicut plot embedding``."""

from __future__ import annotations

from typing import Annotated

import typer

from multicut._words import count
from multicut.cli.arguments import Format, Instance, ProblemFile
from multicut.cli.console import say, working
from multicut.cli.plot.arguments import (
    Picture,
    check_picture,
    new_figure,
    read_problem,
    save_figure,
)

# Ordering nodes by similarity takes memory and time that grow with the square and more.
_MOST_NODES = 3_000


def plot_embedding_command(
    file: ProblemFile,
    picture: Picture,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="NAME", help="A model by name or path."),
    ] = None,
    instance: Instance = None,
    format_name: Format = None,
) -> None:
    """Draw a network's embeddings of the nodes in FILE (PCA), and their similarity."""
    check_picture(picture, file)
    from multicut.models import DEFAULT_MODEL
    from multicut.plotting import plot_embedding, plot_similarity
    from multicut.solvers.gnn.embedding import embed_nodes

    name = model or DEFAULT_MODEL
    problem = read_problem(file, format_name, instance)
    if not 0 < problem.num_nodes <= _MOST_NODES:
        raise ValueError(
            f"{file}: similarities of {count(problem.num_nodes, 'node')} cannot be drawn, "
            f"only of 1 to {_MOST_NODES:,}"
        )
    with working(f"embedding with {name}"):
        states, labels = embed_nodes(name, problem)
    with working("drawing"):
        figure, axes = new_figure(10.4, 4.6, columns=2)
        plot_embedding(problem, states, labels, axes[0])
        axes[0].set_title("embeddings (PCA), clusters of the network", fontsize=10)
        plot_similarity(states, axes[1])
        axes[1].set_title("cosine similarity, ordered", fontsize=10)
        save_figure(figure, picture)
    say(f"Drawn {count(len(states), 'embedding')} of {name} to {picture}.")
