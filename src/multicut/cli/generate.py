"""``multicut generate``: datasets of random problems, with proven labels if wanted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from multicut._target import check_target
from multicut._words import count
from multicut.cli.arguments import Json, Seed, parse_option, parse_seconds
from multicut.cli.console import errors, output, print_json, say
from multicut.cli.failures import InterruptedCommandError
from multicut.cli.option_lists import option_table, plain_options
from multicut.cli.progress import bar_with_estimate

if TYPE_CHECKING:
    from multicut.datasets import Dataset

# Enough to try things on, and drawn in a second. The published sets have 20,000 and 1,000.
_DEFAULT_NUM = 100
# The ending of a name that people take for that of a file: .json, .parquet, but not .5 or .v2.
_LIKE_A_FILE = re.compile(r"\.[A-Za-z]{2,7}")


def generate(
    generator: Annotated[
        str, typer.Argument(metavar="GENERATOR", help="One of `multicut generators`.")
    ],
    folder: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The folder to write, a dataset; or a file such as one.txt, for one problem.",
        ),
    ],
    split: Annotated[
        str, typer.Option("--split", metavar="NAME", help="train, valid or test.")
    ] = "train",
    num: Annotated[
        int | None,
        typer.Option(
            "--num", metavar="N", help=f"How many graphs; by default {_DEFAULT_NUM}, for a file 1."
        ),
    ] = None,
    start: Annotated[
        int, typer.Option("--start", metavar="I", help="The index of the first graph.")
    ] = 0,
    seed: Seed = 0,
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="KEY=VALUE", help="An option of the generator; repeatable."
        ),
    ] = None,
    label: Annotated[
        str | None,
        typer.Option(
            "--label", metavar="SOLVER", help="Solve every graph; `ilp` proves optimality."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            metavar="S",
            parser=parse_seconds,
            help="Time limit per graph in seconds; then its best solution is stored, with its gap.",
        ),
    ] = None,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", metavar="N", help="Number of processes; more than one requires Dask."
        ),
    ] = 1,
    cluster: Annotated[
        str | None,
        typer.Option("--cluster", metavar="ADDRESS", help="Use this Dask cluster instead."),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace an existing problem file.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Generate graphs from a seed, and write a dataset or a problem file; --label solves them.

    The output does not depend on the number of workers. If the command is stopped or killed, run it
    again to resume.
    """
    from multicut.datasets import Job, run_job
    from multicut.datasets.shipped import SIZES

    options = {}
    for text in option or []:
        key, value = parse_option(text)
        if key in options:
            raise ValueError(f"--option {key} is given twice")
        options[key] = value
    if label is None and (cluster is not None or workers != 1):
        raise ValueError("--workers and --cluster are for labelling; add --label ilp")
    if cluster is not None and workers != 1:
        raise ValueError("--workers is for this machine, --cluster for others; leave one out")
    if split not in SIZES:
        raise ValueError(f"--split must be one of {', '.join(SIZES)}, got {split!r}")
    if names_a_file(folder):
        if label is not None:
            raise ValueError(f"--label needs a dataset, {folder} is a file; give -o a folder")
        drawing = {"split": split, "seed": seed, "start": start, **options}
        _write_file(generator, folder, num, as_json, overwrite, **drawing)
        return
    if overwrite:
        raise ValueError("--overwrite is for a problem file; name another folder")
    job = Job(
        generator,
        num=_DEFAULT_NUM if num is None else num,
        split=split,
        seed=seed,
        start=start,
        solver=label,
        time_limit=time_limit,
        options=options,
    )
    place = f"on {cluster}" if cluster else f"with {count(workers, 'worker')}"
    labelling = "" if label is None else f", labelled by {label} {place}"
    say(f"Generating {count(job.num, 'graph')} of {generator}, {split}{labelling}.", quiet=as_json)
    counts = [0, 0]
    try:
        with _progress(job.num, shown=not as_json) as show:

            def report(labelled: int, unproven: int) -> None:
                counts[:] = labelled, unproven
                show(labelled, unproven)

            dataset = run_job(job, folder, num_workers=workers, cluster=cluster, report=report)
    except KeyboardInterrupt:
        raise InterruptedCommandError(
            f"{counts[0]:,} of {count(job.num, 'graph')} labelled; run the same command again "
            f"to resume"
        ) from None
    if as_json:
        print_json(_describe(folder, dataset))
    else:
        _tell(folder, dataset)


def names_a_file(path: Path) -> bool:
    """Whether a name is that of a problem file; one that looks like another file is refused.

    Folders go without an ending: one that is called like a file would surprise.
    """
    from multicut.io import list_formats
    from multicut.io.source import bare_name

    if path.is_dir():
        return False
    bare = bare_name(path)
    endings = [suffix for record in list_formats() for suffix in record.suffixes]
    if any(bare.lower().endswith(suffix) for suffix in endings):
        return True
    if bare != path.name or _LIKE_A_FILE.fullmatch(path.suffix):
        raise ValueError(
            f"--output {path}: looks like a file, but its suffix does not name a format; use one "
            f"of "
            f"{', '.join(dict.fromkeys(endings))}, or the name of a folder without a suffix"
        )
    return False


def _write_file(
    generator: str,
    path: Path,
    num: int | None,
    as_json: bool,
    overwrite: bool,
    **arguments: Any,
) -> None:
    """Write one problem to a file, or several if its format holds them."""
    from multicut.datasets import generate as draw
    from multicut.datasets import get_generator
    from multicut.io import write, write_all
    from multicut.io.registry import format_to_write

    wanted = 1 if num is None else num
    record, _ = format_to_write(path, None)
    if wanted != 1 and not (record.holds_many and wanted > 1):
        raise ValueError(
            f"--num must be 1 for the file {path}, got {wanted}; for more give -o a folder, or a "
            f"file that ends in .npz"
        )
    get_generator(generator)
    check_target(path)
    if path.is_file() and not overwrite:
        raise ValueError(
            f"--output {path}: exists already; choose another name, or add --overwrite"
        )
    say(f"Generating {count(wanted, 'graph')} of {generator}, {arguments['split']}.", quiet=as_json)
    dataset = draw(generator, wanted, **arguments)
    if wanted == 1:
        write(dataset[0], path)
    else:
        write_all(dict(zip(dataset.names, dataset, strict=True)), path)
    if as_json:
        print_json(_describe(path, dataset))
    else:
        _tell(path, dataset)


def generators(as_json: Json = False) -> None:
    """List all generators with their options and defaults."""
    from multicut.datasets import list_generators

    records = list_generators()
    if as_json:
        print_json(
            [
                {
                    "name": record.name,
                    "description": record.description,
                    "options": plain_options(record),
                }
                for record in records
            ]
        )
        return
    output().print(option_table("generator", records, lambda record: record.description))


@contextmanager
def _progress(total: int, *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """Show how many graphs are labelled, on a terminal only."""
    console = errors()
    if not shown or not console.is_terminal:
        yield lambda *_: None
        return
    with bar_with_estimate(console, transient=True) as progress:
        task = progress.add_task("labelling", total=total)

        def show(labelled: int, unproven: int) -> None:
            text = f"labelling, {unproven:,} not proven" if unproven else "labelling"
            progress.update(task, completed=labelled, description=text)

        yield show


def _describe(path: Path, dataset: Dataset) -> dict[str, object]:
    return {
        "folder" if path.is_dir() else "file": str(path),
        "num_graphs": len(dataset),
        "num_nodes": int(dataset.num_nodes.sum()),
        "num_edges": int(dataset.num_edges.sum()),
        "num_lifted_edges": int(dataset.num_lifted_edges.sum()),
        "num_labelled": int(dataset.labelled.sum()),
        "num_optimal": int(dataset.optimal.sum()),
        "fingerprint": dataset.arrays().fingerprint(),
    }


def _tell(folder: Path, dataset: Dataset) -> None:
    edges = count(int(dataset.num_edges.sum()), "edge")
    sizes = f"{count(len(dataset), 'graph')}, {edges}"
    if dataset.is_lifted:
        sizes += f", {count(int(dataset.num_lifted_edges.sum()), 'lifted edge')}"
    labels = ""
    if dataset.labelled.any():
        optimal, known = int(dataset.optimal.sum()), int(dataset.labelled.sum())
        labels = f", {optimal:,} proven optimal"
        if optimal < known:
            worst = float(dataset.gap[dataset.labelled & ~dataset.optimal].max())
            gap = f"gap up to {worst:.2%}" if worst < float("inf") else "no bound"
            labels += f", {known - optimal:,} not proven ({gap})"
    say(f"Written to {folder}: {sizes}{labels}.")
