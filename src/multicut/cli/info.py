"""``multicut info``: what is in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._words import count
from multicut.cli.arguments import Format, Instance, Json, input_of, name_of
from multicut.cli.console import (
    answer,
    answer_block,
    output,
    plain_value,
    print_json,
    table,
    working,
)
from multicut.cli.dataset_table import is_dataset, show_datasets

if TYPE_CHECKING:
    from multicut.problem import Problem


def info(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A problem in any format, a dataset, a folder of problems, or the name of a "
            "shipped set; - reads stdin.",
        ),
    ],
    instance: Instance = None,
    format_name: Format = None,
    statistics_wanted: Annotated[
        bool,
        typer.Option(
            "--statistics", help="Also for a file of problems: the statistics of a dataset."
        ),
    ] = False,
    corpus: Annotated[
        str | None,
        typer.Option(
            "--corpus", metavar="NAME", help="FILE is the folder of bsds300, cremi or knott."
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Describe the problem or problems in FILE; for datasets also the published statistics."""
    from multicut.io import open_file

    wants_table = statistics_wanted or corpus is not None
    if wants_table or (is_dataset(file) and instance is None):
        if instance is not None or format_name is not None:
            raise ValueError(
                f"--instance and --format are for single problems, not for the table of {file}"
            )
        show_datasets(file, corpus, as_json=as_json)
        return
    with working(f"reading {name_of(file)}"):
        opened = open_file(input_of(file), format_name)
        names = list(opened) if instance is None else [opened.choose(instance)]
        statistics = {name: describe(opened[name]) for name in names}
    if as_json:
        entries = [{"name": name, **entry} for name, entry in statistics.items()]
        print_json({"file": name_of(file), "format": opened.format_name, "problems": entries})
    elif len(statistics) == 1:
        _print_one(name_of(file), opened.format_name, statistics[names[0]])
    else:
        _print_many(name_of(file), opened.format_name, statistics)


def describe(problem: Problem) -> dict[str, Any]:
    """Collect counts and statistics of a problem as plain values."""
    import numpy as np

    from multicut.partition import labels_of_cut

    costs = problem.costs
    finite = costs[np.isfinite(costs)]
    degrees = np.bincount(problem.edges.ravel(), minlength=problem.num_nodes)
    components = labels_of_cut(problem, np.zeros(problem.num_edges, dtype=bool))
    sizes = np.bincount(components)
    return {
        "num_nodes": problem.num_nodes,
        "num_edges": problem.num_edges,
        "num_attractive": int(np.count_nonzero(finite > 0)),
        "num_repulsive": int(np.count_nonzero(finite < 0)),
        "num_zero": int(np.count_nonzero(finite == 0)),
        "num_must_link": int(np.count_nonzero(costs == np.inf)),
        "num_cannot_link": int(np.count_nonzero(costs == -np.inf)),
        "cost_min": float(finite.min()) if finite.size else None,
        "cost_mean": float(finite.mean()) if finite.size else None,
        "cost_max": float(finite.max()) if finite.size else None,
        **_describe_lifted(problem),
        "num_components": len(sizes),
        "largest_component": int(sizes.max()) if len(sizes) else 0,
        "num_isolated": int(np.count_nonzero(degrees == 0)),
        "degree_min": int(degrees.min()) if len(degrees) else None,
        "degree_mean": float(degrees.mean()) if len(degrees) else None,
        "degree_max": int(degrees.max()) if len(degrees) else None,
        "num_self_loops_dropped": problem.num_self_loops,
        "num_duplicates_merged": problem.num_duplicates,
        "has_own_ids": problem.has_own_ids,
        "id_first": plain_value(problem.node_ids[0]) if problem.num_nodes else None,
        "id_last": plain_value(problem.node_ids[-1]) if problem.num_nodes else None,
    }


def _describe_lifted(problem: Problem) -> dict[str, Any]:
    import numpy as np

    costs = problem.lifted_costs
    finite = costs[np.isfinite(costs)]
    return {
        "num_lifted_edges": problem.num_lifted_edges,
        "num_lifted_attractive": int(np.count_nonzero(finite > 0)),
        "num_lifted_repulsive": int(np.count_nonzero(finite < 0)),
        "num_lifted_must_link": int(np.count_nonzero(costs == np.inf)),
        "num_lifted_cannot_link": int(np.count_nonzero(costs == -np.inf)),
        "lifted_cost_min": float(finite.min()) if finite.size else None,
        "lifted_cost_mean": float(finite.mean()) if finite.size else None,
        "lifted_cost_max": float(finite.max()) if finite.size else None,
    }


def _lifted_rows(entry: dict[str, Any]) -> dict[str, str]:
    if entry["num_lifted_edges"] == 0:
        return {}
    counts = (
        f"{entry['num_lifted_edges']:,}: {entry['num_lifted_attractive']:,} attractive, "
        f"{entry['num_lifted_repulsive']:,} repulsive"
    )
    links = entry["num_lifted_must_link"], entry["num_lifted_cannot_link"]
    if any(links):
        counts += f", {count(links[0], 'must-link')}, {count(links[1], 'cannot-link')}"
    return {"lifted edges": counts, "lifted costs": _range_of(entry, "lifted_cost")}


def _range_of(entry: dict[str, Any], key: str) -> str:
    if entry[f"{key}_min"] is None:
        return "none"
    low, high, mean = (entry[f"{key}_{what}"] for what in ("min", "max", "mean"))
    return f"{low:.6g} … {high:.6g}, mean {mean:.6g}"


def _print_one(file: str, format_name: str, entry: dict[str, Any]) -> None:
    ids = f"{entry['id_first']} … {entry['id_last']}"
    ids = f"{ids}, mapped to indices" if entry["has_own_ids"] else f"indices {ids}"
    rows = {
        "file": f"{file}, format {format_name}",
        "nodes": f"{entry['num_nodes']:,}",
        "edges": f"{entry['num_edges']:,}",
        "attractive": f"{entry['num_attractive']:,}",
        "repulsive": f"{entry['num_repulsive']:,}",
        "cost zero": f"{entry['num_zero']:,}",
        "must-links": f"{entry['num_must_link']:,}",
        "cannot-links": f"{entry['num_cannot_link']:,}",
        "costs": _range_of(entry, "cost"),
        **_lifted_rows(entry),
        "components": f"{entry['num_components']:,}, the largest of "
        f"{count(entry['largest_component'], 'node')}",
        "isolated": count(entry["num_isolated"], "node"),
        "degrees": "none"
        if entry["degree_min"] is None
        else f"{entry['degree_min']} … {entry['degree_max']:,}, mean {entry['degree_mean']:.4g}",
        "dropped": f"{count(entry['num_self_loops_dropped'], 'self-loop')}; "
        f"{count(entry['num_duplicates_merged'], 'duplicate')} merged",
        "node ids": ids if entry["num_nodes"] else "none",
    }
    answer_block(rows)


def _print_many(file: str, format_name: str, statistics: dict[str, dict[str, Any]]) -> None:
    columns = ["instance", "nodes", "edges", "attractive", "repulsive", "components", "mean degree"]
    has_lifted = any(entry["num_lifted_edges"] for entry in statistics.values())
    if has_lifted:
        columns.append("lifted edges")
    listing = table(None, *columns, left=("instance",))
    answer(f"{file}: {count(len(statistics), 'problem')}, format {format_name}")
    for name, entry in statistics.items():
        degree = entry["degree_mean"]
        listing.add_row(
            name,
            f"{entry['num_nodes']:,}",
            f"{entry['num_edges']:,}",
            f"{entry['num_attractive']:,}",
            f"{entry['num_repulsive']:,}",
            f"{entry['num_components']:,}",
            "-" if degree is None else f"{degree:.2f}",
            *([f"{entry['num_lifted_edges']:,}"] if has_lifted else []),
        )
    output().print(listing)
