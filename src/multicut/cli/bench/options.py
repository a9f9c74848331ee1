"""Options that the benchmarks beside another package have in common."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import typer

Quick: TypeAlias = Annotated[
    bool, typer.Option("--quick", help="Small graphs and few repetitions; takes seconds.")
]
WithPeer: TypeAlias = Annotated[
    bool, typer.Option("--peer/--no-peer", help="Also measure bioimage-cpp.")
]
