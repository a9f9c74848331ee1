"""``multicut models``: which networks there are, and what is known of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._words import count
from multicut.cli.arguments import Json
from multicut.cli.console import answer, answer_block, output, print_json, table

if TYPE_CHECKING:
    from multicut.models import ModelRecord


def models(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            help="Print the card of this one: a name, a path, or the folder of a training run.",
        ),
    ] = None,
    path: Annotated[
        bool, typer.Option("--path", help="Print where the weights are, and nothing else.")
    ] = False,
    as_json: Json = False,
) -> None:
    """List the models that come with the package, or print the card of one."""
    from multicut.models import list_models
    from multicut.models.registry import find_model

    if path and as_json:
        raise ValueError("--path and --json: use only one of them")
    records = list_models() if name is None else [find_model(name)]
    if path:
        answer("\n".join(str(record.path) for record in records))
    elif as_json and name is None:
        print_json([_entry(record) for record in records])
    elif as_json:
        print_json(_entry(records[0]) | {"card": records[0].card})
    elif name is None:
        _print_list(records)
    else:
        _print_card(records[0])


def _entry(record: ModelRecord) -> dict[str, Any]:
    return {
        "name": record.name,
        "description": record.description,
        "solver": record.solver,
        "path": str(record.path),
        "bytes": record.path.stat().st_size,
    }


def _print_list(records: list[ModelRecord]) -> None:
    from multicut.models import DEFAULT_MODEL, UNIVERSAL_MODEL

    columns = ("model", "solver", "description")
    listing = table(None, *columns, left=columns)
    listing.columns[0].no_wrap = listing.columns[1].no_wrap = True
    for record in records:
        listing.add_row(f"[bold]{record.name}[/]", record.solver, record.description)
    output().print(listing)
    answer(f"By default gnn uses {DEFAULT_MODEL} and learned uses {UNIVERSAL_MODEL}.")
    answer("multicut models NAME prints the card; multicut solve FILE --model NAME uses one.")


def _print_card(record: ModelRecord) -> None:
    card = record.card
    network = card.get("network")
    shape = network if isinstance(network, dict) else {}
    rows = {
        "model": record.name,
        "description": record.description,
        "solver": record.solver,
        "path": str(record.path),
        "size": count(record.path.stat().st_size, "byte"),
        "network": ", ".join(f"{key.replace('_', ' ')} {value}" for key, value in shape.items()),
    }
    if card.get("note"):
        rows["note"] = str(card["note"])
    phases = card.get("training")
    for number, phase in enumerate(phases if isinstance(phases, list) else [phases], start=1):
        if isinstance(phase, dict):
            ending = f" {number}" if isinstance(phases, list) and len(phases) > 1 else ""
            rows[f"training{ending}"] = _training_in_words(phase)
    rows |= dict(_measures(card))
    for key in ("version", "date", "sha256"):
        if key in card:
            rows[key] = str(card[key])
    answer_block(rows)


def _training_in_words(phase: dict[str, Any]) -> str:
    graphs = phase.get("train")
    if isinstance(graphs, dict):
        graphs = count(len(graphs), "dataset")
    parts = [f"on {graphs}", count(int(phase.get("instances", 0)), "instance")]
    parts += [
        f"{key.replace('_', ' ')} {phase[key]}"
        for key in ("loss", "alpha_reached", "learning_rate", "batch_size", "seed")
        if phase.get(key) is not None
    ]
    return ", ".join(parts)


def _measures(card: dict[str, Any]) -> list[tuple[str, str]]:
    """Return how good the model is, on its validation and its test graphs."""
    tests = card.get("test")
    found = [("validation", card.get("validation"))]
    found += list(tests.items()) if isinstance(tests, dict) else []
    names = {"objective_ratio": "ratio", "optimal_ratio": "optimal", "feasible_ratio": "feasible"}
    return [
        (
            title,
            ", ".join(
                f"{short} {measures[key]:.4f}"
                for key, short in names.items()
                if isinstance(measures.get(key), int | float)
            ),
        )
        for title, measures in found
        if isinstance(measures, dict)
    ]
