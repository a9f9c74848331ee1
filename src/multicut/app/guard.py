"""What passes between browsers and the server: nothing from elsewhere, nothing to elsewhere."""

from __future__ import annotations

import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from multicut.app.failures import VisitorError
from multicut.app.storage import name_visitor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from multicut.app.storage import Storage

    Message = dict[str, Any]
    Send = Callable[[Message], Awaitable[None]]
    Receive = Callable[[], Awaitable[Message]]
    Application = Callable[[Message, Receive, Send], Awaitable[None]]

# Gradio's own scripts are written inline, and some are made of strings.
POLICY = (
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
)
# Gradio fetches addresses that follow these, on behalf of whoever asks.
_FETCHING = ("/proxy=", "/file=http:", "/file=https:", "/stream/http")
# Gradio would build the addresses of the page from these, and anybody can send them.
_ROUTING = (b"forwarded", b"x-gradio-server")
# Headers and boundaries around the file in the body of an upload.
_AROUND_A_FILE = 64 * 1024
# Of a body that is too large, what is read and dropped, so that browsers see the answer.
_DRAINED = 8
_CHUNK = 256 * 1024


class Guard:
    """Middleware that refuses requests of other pages, and what no visitor may ask for.

    Parameters
    ----------
    app
        What comes next.
    hosts
        Names that browsers may know this server by; None for any. A page of elsewhere whose name is
        made to lead to this machine (DNS rebinding) gives another one.
    origin
        The origin of the page as browsers see it, where that differs from the header ``Host``.
    storage
        Counts what visitors upload; None for no uploads.
    max_upload_bytes
        The size of the largest file.
    may_wait
        Tells whether a visitor may have one more event in the queue.
    """

    def __init__(
        self,
        app: Application,
        hosts: Sequence[str] | None = None,
        origin: str | None = None,
        storage: Storage | None = None,
        max_upload_bytes: int = 0,
        may_wait: Callable[[str], bool] = lambda _: True,
    ) -> None:
        self.application = app
        self.hosts = None if hosts is None else frozenset(hosts)
        self.origin = origin
        self.storage = storage
        self.max_upload_bytes = max_upload_bytes
        self.may_wait = may_wait

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on a request, unless it is refused."""
        if scope["type"] not in ("http", "websocket"):
            await self.application(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if scope["type"] == "websocket":
            if refusal is not None:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": refusal})
                return
            await self.application(_without_routing(scope), receive, send)
            return
        if refusal is not None:
            await _refuse(send, 403, refusal)
            return
        scope = _without_routing(scope)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        path = _path_of(scope)
        if scope["method"] == "POST" and path.endswith("/upload"):
            await self._upload(scope, receive, send_on, send)
        elif path.endswith("/queue/join") and not self.may_wait(visitor_of(scope)):
            await _refuse(send, 429, "too many of your requests are waiting; try again in a minute")
        else:
            await self.application(scope, receive, send_on)

    def refusal(self, scope: Message) -> str | None:
        """Tell why a request is refused, if it is."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self.hosts is not None and name.strip("[]").lower() not in self.hosts:
            return "this page is served under another name"
        path = _path_of(scope)
        if any(mark in path for mark in _FETCHING):
            return "addresses are not fetched here"
        # Programs other than browsers send no origin, and no page can make them act.
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(origin.decode("latin-1"), host):
            return "requests of other pages are refused"
        site = headers.get(b"sec-fetch-site", b"")
        if origin is None and "/gradio_api/" in path and site in (b"cross-site", b"same-site"):
            return "requests of other pages are refused"
        return None

    def _is_own(self, origin: str, host: str) -> bool:
        """Whether an origin is that of this page; a proxy in front may have added encryption."""
        if origin.lower() == self.origin:
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower() != ""

    async def _upload(
        self, scope: Message, receive: Receive, send_on: Send, refuse_by: Send
    ) -> None:
        """Receive all of an upload before it is passed on, and count it as its visitor's.

        An upload that ends halfway or is too large thus leaves nothing behind.
        """
        storage = self.storage
        if storage is None:
            await _refuse(refuse_by, 403, "uploads are not taken here")
            return
        visitor = visitor_of(scope)
        try:
            with storage.uploading(visitor), tempfile.TemporaryFile() as body:
                most = self.max_upload_bytes + _AROUND_A_FILE
                size = await _receive_body(receive, body, most)
                if size is None:
                    return
                if size > most:
                    limit = f"{self.max_upload_bytes:,}"
                    await _refuse(refuse_by, 413, f"the file exceeded the limit of {limit} bytes")
                    return
                body.seek(0)
                answer = bytearray()

                left = size

                async def replay() -> Message:
                    nonlocal left
                    if left < 0:
                        return await receive()  # to hear whether the client has gone
                    chunk = body.read(_CHUNK)
                    left -= len(chunk)
                    is_last = left == 0
                    left = -1 if is_last else left
                    return {"type": "http.request", "body": chunk, "more_body": not is_last}

                async def count(message: Message) -> None:
                    answer.extend(message.get("body", b""))
                    if message["type"] == "http.response.body" and not message.get("more_body"):
                        for folder in _folders_in(bytes(answer)):
                            with suppress(ValueError):  # not an upload after all
                                storage.add(visitor, folder)
                    await send_on(message)

                await self.application(scope, replay, count)
        except VisitorError as error:
            await _refuse(refuse_by, 429, str(error))


def visitor_of(scope: Message) -> str:
    """Return the name that the visitor behind a request goes by: that of their address."""
    client = scope.get("client")
    return name_visitor(client[0] if client else None)


def _path_of(scope: Message) -> str:
    return unquote(scope["path"]).lower().replace(" ", "").rstrip("/")


def _without_routing(scope: Message) -> Message:
    """Drop the headers by which a request could say where the page is."""
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name not in _ROUTING and not name.startswith(b"x-forwarded-")
    ]
    return {**scope, "headers": headers}


async def _receive_body(receive: Receive, file: Any, most: int) -> int | None:
    """Write the body of a request to a file; return its size, None if the client has gone.

    What is beyond `most` bytes is not written.
    """
    size = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if size <= most:
            file.write(chunk)
        if not message.get("more_body", False) or size > _DRAINED * most:
            return size


def _folders_in(answer: bytes) -> list[Path]:
    """Return the folders of the uploads that Gradio's answer lists."""
    try:
        paths = json.loads(answer)
    except ValueError:
        return []
    if not isinstance(paths, list):
        return []
    return [Path(path).parent for path in paths if isinstance(path, str)]


async def _refuse(send: Send, status: int, reason: str) -> None:
    # Gradio's scripts show what is called "detail".
    body = json.dumps({"detail": reason}, ensure_ascii=False)
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [(b"content-type", b"application/json"), *_HEADERS],
        }
    )
    await send({"type": "http.response.body", "body": f"{body}\n".encode()})
