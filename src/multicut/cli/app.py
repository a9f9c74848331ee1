"""``multicut app``: the web page."""

from __future__ import annotations

import threading
from typing import Annotated

import typer

from multicut.cli.arguments import time_limit_option
from multicut.cli.console import say
from multicut.cli.ending import end_at_once, stopped_by_signals


def app(
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            help="The address to listen on; by default only this machine can reach it.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", metavar="N", min=1, max=65535, help="The port to listen on.")
    ] = 7860,
    max_upload_mb: Annotated[
        float,
        typer.Option("--max-upload-mb", metavar="MB", help="Maximum size of an uploaded file."),
    ] = 32.0,
    max_pixels: Annotated[
        int, typer.Option("--max-pixels", metavar="N", help="Maximum number of pixels of an image.")
    ] = 4_000_000,
    max_edges: Annotated[
        int, typer.Option("--max-edges", metavar="N", help="Maximum number of edges of a problem.")
    ] = 1_000_000,
    time_limit: Annotated[
        float,
        time_limit_option("Maximum time limit of a solver, in seconds."),
    ] = 30.0,
    concurrency: Annotated[
        int,
        typer.Option(
            "--concurrency", metavar="N", help="Number of visitors served at the same time."
        ),
    ] = 2,
    public_url: Annotated[
        str | None,
        typer.Option(
            "--public-url",
            metavar="URL",
            help="The address that browsers use, behind a reverse proxy.",
        ),
    ] = None,
    proxy: Annotated[
        list[str] | None,
        typer.Option(
            "--proxy",
            metavar="ADDRESS",
            help="A web server in front whose X-Forwarded-For is trusted; repeatable.",
        ),
    ] = None,
) -> None:
    """Serve a web page that segments images, solves problems and shows the results."""
    from multicut.app import AppLimits
    from multicut.app.server import serve
    from multicut.app.warming import warm_up

    limits = AppLimits(max_upload_mb, max_pixels, max_edges, time_limit, concurrency)
    with stopped_by_signals() as stopping:
        try:
            with serve(host, port, limits, public_url=public_url, proxies=proxy or ()) as address:
                say(f"The page is at {address}; press Ctrl-C to stop.")
                if host not in ("127.0.0.1", "localhost", "::1"):
                    say("Everyone who can reach this address may use it within the limits.")
                # Not in this thread: modules that a signal interrupts while they are imported may
                # ignore it, or crash when the process ends.
                threading.Thread(target=warm_up, args=(limits,), daemon=True).start()
                stopping.wait()
        except KeyboardInterrupt:
            pass
        except Exception:
            # A module whose import was interrupted may raise any error.
            if not stopping.is_set():
                raise
        say("ended")
        # The page is closed and its files are removed. Python would wait for solvers and imports.
        if stopping.is_set():
            end_at_once(0)
