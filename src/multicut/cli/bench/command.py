"""``multicut bench``: measurements, side by side with other packages."""

from __future__ import annotations

import typer

from multicut.cli.bench.frontier import bench_frontier
from multicut.cli.bench.lifted import bench_lifted
from multicut.cli.bench.solvers import bench_solvers

app = typer.Typer(help="Measure solvers, side by side with other packages.")
app.command("frontier")(bench_frontier)
app.command("lifted")(bench_lifted)
app.command("solvers")(bench_solvers)


@app.callback()
def _bench() -> None:
    """Measure solvers, side by side with other packages."""
