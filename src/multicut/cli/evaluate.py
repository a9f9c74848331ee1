"""``multicut evaluate``: how good a model is on labelled graphs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut.cli.arguments import Instance, Json
from multicut.cli.console import output, print_json, table, working

if TYPE_CHECKING:
    from multicut.datasets import Dataset
    from multicut.nn.model import Model

_COLUMNS = (
    "dataset",
    "graphs",
    "objective ratio",
    "optimal",
    "feasible",
    "BCE",
    "CCL",
    "ms per graph",
)


def evaluate(
    model: Annotated[
        str,
        typer.Argument(
            metavar="MODEL", help="One of `multicut models`, a path, or a training run."
        ),
    ],
    datasets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="DATASET",
            help="Labelled graphs: a name such as randommp or randommp:valid, or a folder; by "
            "default those that the model's card names.",
        ),
    ] = None,
    num: Annotated[
        int, typer.Option("--num", metavar="N", min=0, help="Only the first N graphs; 0 takes all.")
    ] = 0,
    instance: Instance = None,
    cycles: Annotated[
        int | None,
        typer.Option(
            "--cycles",
            metavar="L",
            min=3,
            max=8,
            help="Also CCL, on chordless cycles of at most L edges (3 to 8).",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            "--device", metavar="NAME", help="Device; by default the GPU if there is one."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Evaluate MODEL on each DATASET against known optima, without any classical solver.

    A network of the paper runs once, and its output is rounded. A contraction network contracts
    edges in rounds.
    """
    from multicut.models.ready import ready_model

    if instance is not None and num:
        raise ValueError("--instance and --num: use only one of them")
    names = datasets or _own_datasets(model)
    loaded = ready_model(model, device)
    rows = [_measure(loaded, name, num, instance, cycles) for name in names]
    if as_json:
        print_json({"model": model, "device": str(loaded.device), "datasets": rows})
        return
    listing = table(f"{model} on {loaded.device}", *_COLUMNS, left=("dataset",))
    for row in rows:
        listing.add_row(
            row["dataset"],
            f"{row['num_graphs']:,}",
            f"{row['objective_ratio']:.4f}",
            f"{row['optimal_ratio']:.3f}",
            f"{row['feasible_ratio']:.3f}",
            "-" if row["bce"] is None else f"{row['bce']:.4f}",
            "-" if row["ccl"] is None else f"{row['ccl']:.4g}",
            f"{row['milliseconds_per_graph']:.2f}",
        )
    output().print(listing)


def _own_datasets(model: str) -> list[str]:
    """Return the graphs that the card of a model names: those of its test, or of its validation."""
    from multicut.datasets.shipped import SHIPPED
    from multicut.models.registry import find_model

    card = find_model(model).card
    if card.get("test"):  # of a model that ships
        return list(card["test"])
    training = card.get("training")
    validation = training.get("validation") if isinstance(training, dict) else None
    names = list(validation) if isinstance(validation, dict) else [validation or ""]
    # Graphs that were given as objects have a checksum in place of a name.
    if not all(names) or names[0].startswith("given:"):
        raise ValueError(
            f"the card of {model} names no graphs to measure on; name a DATASET, such as randommp "
            f"or a folder"
        )
    chosen = []
    for name in names:
        part = Path(name) / "valid"
        is_shipped = name in SHIPPED and not Path(name).exists()
        chosen.append(f"{name}:valid" if is_shipped else str(part) if part.is_dir() else name)
    return chosen


def _choose(graphs: Dataset, instance: str | None, num: int, name: str) -> Dataset:
    """Return one graph, by name or position, or the first ones."""
    if instance is None:
        return graphs[: num or None]
    from multicut.datasets.folder import problems_of

    problems = problems_of(graphs, Path(name))
    return graphs[[list(problems).index(problems.choose(instance))]]


def _measure(
    model: Model, name: str, num: int, instance: str | None, cycles: int | None
) -> dict[str, Any]:
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import cut_finder
    from multicut.training.evaluation import evaluate as evaluate_model
    from multicut.training.named_graphs import named_graphs

    with working(f"measuring on {name}"):
        graphs = _choose(named_graphs(name, "test"), instance, num, name)
        dataset = DeviceDataset(graphs.arrays(), model.device)
        if cycles is not None:
            dataset.list_cycles(cycles)
        started = time.perf_counter()
        result = evaluate_model(
            model.logits, dataset, max_cycle_length=cycles, find_cut=cut_finder(model.network)
        )
        seconds = time.perf_counter() - started
    return {
        "dataset": name,
        **result.to_dict(),
        "milliseconds_per_graph": 1000 * seconds / result.num_graphs,
    }
