"""Checks of all requests: their origin, their path, their size and how many of them wait."""

from __future__ import annotations

import io
import json
import tempfile
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from multicut.app.failures import VisitorError
from multicut.app.storage import name_visitor

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Sequence

    from multicut.app.storage import Storage

    Message = dict[str, Any]
    Send = Callable[[Message], Awaitable[None]]
    Receive = Callable[[], Awaitable[Message]]
    Application = Callable[[Message, Receive, Send], Awaitable[None]]

# Gradio's scripts are inline, and some are built from strings.
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
# Gradio fetches addresses that follow these.
_FETCHING = ("/proxy=", "/file=http:", "/file=https:", "/stream/http")
# Gradio would build the addresses of the page from these headers, which any client can send.
_ROUTING = (b"forwarded", b"x-gradio-server")
_UPLOAD, _JOIN = "/gradio_api/upload", "/gradio_api/queue/join"
# The POST requests that the scripts of the page send. Gradio has others that add to the queue.
_POSTS = (_UPLOAD, _JOIN, "/gradio_api/cancel", "/gradio_api/reset")
_CALL = "/gradio_api/call/"
# The largest body of a POST request that is not an upload.
MAX_BODY_BYTES = 1_000_000
# Headers and boundaries around the file in the body of an upload.
_AROUND_A_FILE = 64 * 1024
# A body that is too large is read and dropped up to this multiple of the limit. Browsers show the
# answer only once they have sent the body.
_DRAINED = 8
_CHUNK = 256 * 1024


class Guard:
    """Middleware that refuses requests of other pages, and requests that the page never sends.

    Parameters
    ----------
    app
        The application to pass requests on to.
    hosts
        Host names that requests may name; None for any. They prevent DNS rebinding, where another
        page makes its own name resolve to this machine.
    origin
        The origin of the page in browsers, where it differs from the header ``Host``.
    storage
        Counts uploads by visitor; None refuses uploads.
    max_upload_bytes
        The size of the largest file.
    count_queued
        Returns how many events of a visitor are in the queue.
    max_waiting
        How many events of one visitor may wait, including those that are about to be queued.
    functions
        Numbers of the functions that events may call; None for any.
    """

    def __init__(
        self,
        app: Application,
        hosts: Sequence[str] | None = None,
        origin: str | None = None,
        storage: Storage | None = None,
        max_upload_bytes: int = 0,
        count_queued: Callable[[str], int] = lambda _: 0,
        max_waiting: int = 32,
        functions: Collection[int] | None = None,
    ) -> None:
        self.application = app
        self.hosts = None if hosts is None else frozenset(hosts)
        self.origin = origin
        self.storage = storage
        self.max_upload_bytes = max_upload_bytes
        self.count_queued = count_queued
        self.max_waiting = max_waiting
        self.functions = functions
        # Requests to join the queue that have not been answered yet, by visitor.
        self._joining: Counter[str] = Counter()

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
        # Not decoded a second time: this must be the path that Gradio looks up.
        path = scope["path"].rstrip("/")
        if _CALL in f"{path}/" or (scope["method"] == "POST" and not path.endswith(_POSTS)):
            await _refuse(send, 404, "this page does not exist")
            return
        scope = _without_routing(scope)

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        if scope["method"] != "POST":
            await self.application(scope, receive, send_on)
        elif path.endswith(_UPLOAD):
            await self._upload(scope, receive, send_on, send)
        elif path.endswith(_JOIN):
            await self._join(scope, receive, send_on, send)
        else:
            body = await _receive_small_body(receive, send)
            if body is not None:
                await self.application(scope, _replay(io.BytesIO(body), receive), send_on)

    def refusal(self, scope: Message) -> str | None:
        """Return why a request is refused; None if it is not."""
        headers = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self.hosts is not None and name.strip("[]").lower() not in self.hosts:
            return "this page has another host name"
        path = _path_of(scope)
        if any(mark in path for mark in _FETCHING):
            return "this server does not fetch addresses"
        # Programs other than browsers send no origin, and no page can make them act.
        origin = headers.get(b"origin")
        if origin is not None and not self._is_own(origin.decode("latin-1"), host):
            return "requests from other sites are rejected"
        site = headers.get(b"sec-fetch-site", b"")
        if origin is None and "/gradio_api/" in path and site in (b"cross-site", b"same-site"):
            return "requests from other sites are rejected"
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

    async def _join(self, scope: Message, receive: Receive, send_on: Send, refuse_by: Send) -> None:
        """Let an event join the queue, if its visitor may have one more there.

        The request counts from here until it is answered, and its event from then on in the queue.
        Nothing is awaited between the check and the count, so that a burst cannot pass the check.
        """
        visitor = visitor_of(scope)
        if self._joining[visitor] + self.count_queued(visitor) >= self.max_waiting:
            await _refuse(
                refuse_by, 429, "too many of your requests are waiting; try again in a minute"
            )
            return
        self._joining[visitor] += 1
        try:
            body = await _receive_small_body(receive, refuse_by)
            if body is None:
                return
            refusal = self._refusal_of_event(body)
            if refusal is not None:
                await _refuse(refuse_by, 400, refusal)
                return
            await self.application(scope, _replay(io.BytesIO(body), receive), send_on)
        finally:
            self._joining[visitor] -= 1
            if self._joining[visitor] == 0:
                del self._joining[visitor]

    def _refusal_of_event(self, body: bytes) -> str | None:
        """Return why an event is refused; None if it is not. Gradio would log a traceback."""
        try:
            event = json.loads(body)
        except (ValueError, RecursionError):
            return "the body is not JSON"
        number = event.get("fn_index") if isinstance(event, dict) else None
        if self.functions is None:
            return None
        if type(number) is not int or number not in self.functions:
            return "fn_index must be the number of a function of this page; reload the page"
        return None

    async def _upload(
        self, scope: Message, receive: Receive, send_on: Send, refuse_by: Send
    ) -> None:
        """Receive all of an upload before it is passed on, and count it as its visitor's.

        An upload that is too large or incomplete thus leaves no file.
        """
        storage = self.storage
        if storage is None:
            await _refuse(refuse_by, 403, "this page takes no uploads")
            return
        visitor = visitor_of(scope)
        # The answer is read here, so it must not be compressed.
        headers = [pair for pair in scope["headers"] if pair[0] != b"accept-encoding"]
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

                async def count(message: Message) -> None:
                    answer.extend(message.get("body", b""))
                    if message["type"] == "http.response.body" and not message.get("more_body"):
                        for folder in _folders_in(bytes(answer)):
                            with suppress(ValueError):  # not the folder of an upload
                                storage.add(visitor, folder)
                    await send_on(message)

                await self.application({**scope, "headers": headers}, _replay(body, receive), count)
        except VisitorError as error:
            await _refuse(refuse_by, 429, str(error))


def visitor_of(scope: Message) -> str:
    """Return the name of the visitor who sent a request, from their address."""
    client = scope.get("client")
    return name_visitor(client[0] if client else None)


def _path_of(scope: Message) -> str:
    return unquote(scope["path"]).lower().replace(" ", "").rstrip("/")


def _without_routing(scope: Message) -> Message:
    """Drop the headers from which Gradio would build the addresses of the page."""
    headers = [
        (name, value)
        for name, value in scope["headers"]
        if name not in _ROUTING and not name.startswith(b"x-forwarded-")
    ]
    return {**scope, "headers": headers}


async def _receive_body(receive: Receive, file: Any, most: int) -> int | None:
    """Write the body of a request to a file; return its size, None if the client disconnected.

    Bytes beyond the first `most` are not written.
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


async def _receive_small_body(receive: Receive, refuse_by: Send) -> bytes | None:
    """Return the body of a request; None, with the request answered, if it is too large."""
    body = io.BytesIO()
    size = await _receive_body(receive, body, MAX_BODY_BYTES)
    if size is not None and size > MAX_BODY_BYTES:
        await _refuse(refuse_by, 413, f"the request exceeded the limit of {MAX_BODY_BYTES:,} bytes")
        return None
    return None if size is None else body.getvalue()


def _replay(body: IO[bytes], receive: Receive) -> Receive:
    """Return a source of messages that starts with a body received before."""
    is_sent = False

    async def replay() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()  # reports when the client disconnects
        chunk = body.read(_CHUNK)
        is_sent = len(chunk) < _CHUNK
        return {"type": "http.request", "body": chunk, "more_body": not is_sent}

    return replay


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
