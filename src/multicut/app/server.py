"""The server of the page: on this machine alone by default, and without internet access."""

from __future__ import annotations

import errno
import ipaddress
import os
import secrets
import socket
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from multicut.app.folder import folder_of_server
from multicut.app.limits import AppLimits

if TYPE_CHECKING:
    from fastapi import FastAPI

    from multicut.app.page import Page

_SESSIONS = 32
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@contextmanager
def serve(
    host: str = "127.0.0.1",
    port: int = 7860,
    limits: AppLimits | None = None,
    *,
    public_url: str | None = None,
    proxies: Sequence[str] = (),
) -> Iterator[str]:
    """Serve the page while the context lasts; yields its address.

    A process serves one page at a time: Gradio takes the folder of uploads from the environment.

    Parameters
    ----------
    host
        The address to listen on. By default only this machine can reach the page. Everyone who can
        reach it may use the processors and the memory that `limits` allow.
    port
        The port to listen on.
    limits
        What visitors may ask for.
    public_url
        The address that browsers use, such as ``"https://example.org/multicut"``, if a web server
        stands in front of this one. Requests must then name its host, `host` or this machine.
        Headers of requests cannot change it.
    proxies
        Addresses of web servers in front whose header ``X-Forwarded-For`` is trusted. It tells
        their visitors apart, each of whom has a share of the disk and of the queue.
    """
    if not isinstance(port, int) or isinstance(port, bool) or not 0 < port < 2**16:
        raise ValueError(f"port must be a number from 1 to 65535, got {port!r}")
    _check_public_url(public_url)
    _check_proxies(proxies)
    _check_free(host, port)
    with folder_of_server() as folder:
        page = make_page(folder, limits or AppLimits(), proxies)
        try:
            yield _launch(page, host, port, public_url)
        finally:
            page.blocks.close(verbose=False)


def _check_public_url(url: str | None) -> None:
    if url is None:
        return
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
        raise ValueError(
            f"public_url must be an address such as https://example.org/multicut, got {url!r}"
        )


def _check_proxies(proxies: Sequence[str]) -> None:
    for proxy in proxies:
        try:
            ipaddress.ip_network(proxy)
        except ValueError:
            raise ValueError(
                f"proxies must be addresses or networks such as 127.0.0.1 or 10.0.0.0/8, "
                f"got {proxy!r}"
            ) from None


def _check_free(host: str, port: int) -> None:
    """Raise if the address cannot be listened on, before the slow import of Gradio."""
    try:
        family, kind, _, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError):
        raise ValueError(
            f"host {host!r} is not an address; use 127.0.0.1 for this machine"
        ) from None
    with socket.socket(family, kind) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(place)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                raise ValueError(f"port {port} is in use; choose another one") from None
            if error.errno == errno.EACCES:
                raise ValueError(f"port {port} is reserved; choose one above 1023") from None
            raise ValueError(
                f"host {host} is not an address of this machine; use 127.0.0.1"
            ) from None


def make_page(folder: Path, limits: AppLimits, proxies: Sequence[str] = ()) -> Page:
    """Lay out the page, with all files of visitors below `folder`."""
    uploads = (folder / "uploads").resolve()
    uploads.mkdir()
    _prepare_environment(uploads, proxies)
    _hide_names()
    from multicut.app.page import Page

    return Page(limits, uploads)


def _prepare_environment(uploads: Path, proxies: Sequence[str]) -> None:
    """Configure Gradio before its import: no internet access, uploads in the given folder."""
    os.environ["GRADIO_TEMP_DIR"] = str(uploads)
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    # By default Uvicorn trusts X-Forwarded-For from every program on this machine.
    os.environ["FORWARDED_ALLOW_IPS"] = ",".join(proxies)
    # These settings would make more files or addresses reachable.
    for name in ("GRADIO_ALLOWED_PATHS", "GRADIO_SHARE", "GRADIO_ROOT_PATH", "GRADIO_NUM_WORKERS"):
        os.environ.pop(name, None)
    # Gradio sends a request to its own server, which must not go through a proxy.
    names = [name for name in (os.environ.get("NO_PROXY"), *_LOOPBACK) if name]
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = ",".join(names)


def _hide_names() -> None:
    """Make Gradio choose the folder of each upload at random.

    By default it is a hash of the content. A visitor with the same file could then find out
    whether another visitor has uploaded it.
    """
    from gradio import processing_utils, route_utils

    if not getattr(route_utils.GradioUploadFile, "is_secret", False):

        class SecretUpload(route_utils.GradioUploadFile):
            is_secret = True

            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                self.sha.update(secrets.token_bytes(32))

        setattr(route_utils, "GradioUploadFile", SecretUpload)  # noqa: B010
    # Other files are named by their content and this seed, which Gradio would keep between runs.
    processing_utils.hash_seed = secrets.token_bytes(32)


def _host_names(host: str, public: str | None) -> list[str] | None:
    """Return the host names that requests may name; None for any.

    A page that listens on a network without a public address has names that are not known here.
    """
    if public is None:
        return list(_LOOPBACK) if host in _LOOPBACK else None
    # Gradio requests its own address at the start.
    return [*_LOOPBACK, host.lower(), public]


def _launch(page: Page, host: str, port: int, public_url: str | None) -> str:
    from starlette.middleware import Middleware

    from multicut.app import style
    from multicut.app.guard import Guard
    from multicut.app.proofs.script import PROOF_SCRIPT

    public = urlsplit(public_url or "")
    guard = Middleware(
        Guard,
        hosts=_host_names(host, public.hostname),
        origin=f"{public.scheme}://{public.netloc}".lower() if public_url else None,
        storage=page.storage,
        max_upload_bytes=page.limits.max_upload_bytes,
        count_queued=page.count_queued,
        max_waiting=page.max_waiting,
        functions=page.functions,
    )

    @asynccontextmanager
    async def guarded(application: FastAPI) -> AsyncIterator[None]:
        # Middleware given to Gradio would come after its own, which answers the preflight requests
        # of other pages.
        application.user_middleware.insert(0, guard)
        application.middleware_stack = application.build_middleware_stack()
        yield

    options: dict[str, Any] = {
        "share": False,
        "quiet": True,
        "show_error": False,
        "prevent_thread_lock": True,
        "server_name": host,
        "server_port": port,
        "root_path": public_url,
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
        "head": style.SCRIPT + PROOF_SCRIPT,
        "app_kwargs": {
            "lifespan": guarded,
            "docs_url": None,
            "redoc_url": None,
            "openapi_url": None,
        },
    }
    page.blocks.launch(**options)
    return f"http://{'[' + host + ']' if ':' in host else host}:{port}"
