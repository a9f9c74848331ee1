"""Serving the page: on this machine alone unless told otherwise, and without the network."""

from __future__ import annotations

import errno
import importlib.util
import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.app.limits import AppLimits

if TYPE_CHECKING:
    from multicut.app.page import Page

_SESSIONS = 32
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_INSTALL = 'the page needs Gradio; install it with: pip install "multicut[app]"'


@contextmanager
def serve(
    host: str = "127.0.0.1", port: int = 7860, limits: AppLimits | None = None
) -> Iterator[str]:
    """Serve the page while the context lasts; yields its address.

    A process serves one page at a time: Gradio takes the folder of uploads from the environment.

    Parameters
    ----------
    host
        The address to listen on. By default only this machine can reach the page; whoever can
        reach it may use the processors and the memory that `limits` allow.
    port
        The port to listen on.
    limits
        What visitors may ask for.
    """
    if importlib.util.find_spec("gradio") is None:
        raise ImportError(_INSTALL)
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 2**16:
        raise ValueError(f"port must be a number from 1 to 65535, got {port!r}")
    _check_free(host, port)
    folder = Path(tempfile.mkdtemp(prefix="multicut-app-"))
    try:
        page = make_page(folder, limits or AppLimits())
        try:
            yield _launch(page, host, port)
        finally:
            page.blocks.close(verbose=False)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _check_free(host: str, port: int) -> None:
    """Complain about an address that cannot be listened on, before Gradio is even imported."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise ValueError(f"host {host!r} is no address; this machine is 127.0.0.1") from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(place)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise ValueError(f"port {port} is taken; choose another one") from None
            if error.errno == errno.EACCES:
                raise ValueError(f"port {port} is not yours; choose one above 1023") from None
            raise ValueError(
                f"host {host} is no address of this machine; 127.0.0.1 is this machine alone"
            ) from None


def make_page(folder: Path, limits: AppLimits) -> Page:
    """Lay out the page, with everything that visitors leave behind below `folder`."""
    uploads, results = folder / "uploads", folder / "results"
    uploads.mkdir()
    results.mkdir()
    _prepare_environment(uploads)
    from multicut.app.page import Page

    return Page(limits, uploads, results)


def _prepare_environment(uploads: Path) -> None:
    """Tell Gradio, before it is imported, to stay at home."""
    os.environ["GRADIO_TEMP_DIR"] = str(uploads)
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    # Settings of other programs must not open this one.
    for name in ("GRADIO_ALLOWED_PATHS", "GRADIO_SHARE", "GRADIO_ROOT_PATH", "GRADIO_NUM_WORKERS"):
        os.environ.pop(name, None)
    # Gradio asks its own server whether it runs; a proxy could not tell.
    names = [name for name in (os.environ.get("NO_PROXY"), *_LOOPBACK) if name]
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(names)


def _launch(page: Page, host: str, port: int) -> str:
    from starlette.middleware import Middleware

    from multicut.app import style
    from multicut.app.guard import Guard

    hosts = _LOOPBACK if host in _LOOPBACK else None
    options: dict[str, Any] = {
        "share": False,
        "quiet": True,
        "show_error": False,
        "prevent_thread_lock": True,
        "server_name": host,
        "server_port": port,
        "footer_links": [],
        "run_history": False,
        "allowed_paths": [],
        "state_session_capacity": _SESSIONS,
        "max_file_size": page.limits.max_upload_bytes,
        "enable_monitoring": False,
        "ssr_mode": False,
        "pwa": False,
        "mcp_server": False,
        "theme": style.make_theme(),
        "css": style.CSS,
        "app_kwargs": {
            "middleware": [Middleware(Guard, hosts=hosts, room=page.has_room)],
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
        },
    }
    page.blocks.launch(**options)
    return f"http://{'[' + host + ']' if ':' in host else host}:{port}"
