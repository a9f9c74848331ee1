"""``multicut app``: the web page."""

from __future__ import annotations

import signal
import time
from typing import Annotated

import typer

from multicut.cli.arguments import parse_seconds
from multicut.cli.console import say


def app(
    host: Annotated[
        str,
        typer.Option(
            "--host", metavar="ADDRESS", help="Where to listen; by default this machine alone."
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="The port to listen on.")
    ] = 7860,
    max_upload_mb: Annotated[
        float, typer.Option("--max-upload-mb", metavar="MB", help="Largest file to upload.")
    ] = 32.0,
    max_pixels: Annotated[
        int, typer.Option("--max-pixels", metavar="N", help="Most pixels of an image.")
    ] = 4_000_000,
    max_edges: Annotated[
        int, typer.Option("--max-edges", metavar="N", help="Most edges of a problem.")
    ] = 1_000_000,
    time_limit: Annotated[
        float,
        typer.Option(
            "--time-limit",
            "-t",
            metavar="S",
            parser=parse_seconds,
            help="Longest time that visitors may give a solver.",
        ),
    ] = 30.0,
    concurrency: Annotated[
        int, typer.Option("--concurrency", metavar="N", help="Visitors served at once.")
    ] = 2,
) -> None:
    """Serve a web page to solve images and problems and to look at them."""
    from multicut.app import AppLimits
    from multicut.app.server import serve

    # Whoever ends the process in another way wants it to clean up, too.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    limits = AppLimits(max_upload_mb, max_pixels, max_edges, time_limit, concurrency)
    try:
        with serve(host, port, limits) as address:
            say(f"The page is at {address}; Ctrl-C ends it.")
            if host not in ("127.0.0.1", "localhost", "::1"):
                say("Whoever reaches this address may use this machine within the limits given.")
            while True:
                time.sleep(3600)
    except KeyboardInterrupt:
        say("ended")
