"""``multicut evaluate``: how good a model is on labelled graphs."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut.cli.arguments import Json
from multicut.cli.console import output, print_json, table, working

if TYPE_CHECKING:
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
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model by name or path.")],
    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET...",
            help="Labelled graphs: a name such as randommp or randommp:valid, or a folder.",
        ),
    ],
    num: Annotated[
        int, typer.Option("--num", metavar="N", min=0, help="Only the first N graphs; 0 takes all.")
    ] = 0,
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
        typer.Option("--device", metavar="NAME", help="Where to compute; the GPU if there is one."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure MODEL on each DATASET, against known optima: without any classical solver.

    A network of the paper is asked once and rounded; a contraction network contracts in rounds.
    """
    from multicut.models.inference import ready_model

    loaded = ready_model(model, device)
    rows = [_measure(loaded, name, num, cycles) for name in datasets]
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


def _measure(model: Model, name: str, num: int, cycles: int | None) -> dict[str, Any]:
    from multicut.training.device_dataset import DeviceDataset
    from multicut.training.evaluation import cut_finder
    from multicut.training.evaluation import evaluate as evaluate_model
    from multicut.training.graphs import named_graphs

    with working(f"measuring on {name}"):
        graphs = named_graphs(name, "test")[: num or None]
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
