"""What passes between browsers and the server: nothing from elsewhere, nothing to elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

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
    (b"referrer-policy", b"no-referrer"),
)
# Gradio fetches addresses that follow these, on behalf of whoever asks.
_FETCHING = ("/proxy=", "/file=http:", "/file=https:", "/stream/http")


class Guard:
    """Middleware that lets pages load nothing from other hosts, and fetches nothing for them.

    Parameters
    ----------
    app
        What comes next.
    hosts
        Names that browsers may know this server by; None for any. A page of elsewhere whose name is
        made to lead to this machine (DNS rebinding) gives another one.
    room
        Tells whether there is room for one more upload.
    """

    def __init__(
        self,
        app: Application,
        hosts: Sequence[str] | None = None,
        room: Callable[[], bool] = lambda: True,
    ) -> None:
        self.application = app
        self.room = room
        self.hosts = None if hosts is None else frozenset(hosts)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass on a request, unless it is refused."""
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        refusal = self.refusal(scope)
        if refusal is not None:
            await _refuse(send, refusal)
            return

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        await self.application(scope, receive, send_on)

    def refusal(self, scope: Message) -> str | None:
        """Tell why a request is refused, if it is."""
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if self.hosts is not None and name.strip("[]").lower() not in self.hosts:
            return "this page is served under another name"
        path = unquote(scope["path"]).lower().replace(" ", "")
        if any(mark in path for mark in _FETCHING):
            return "addresses are not fetched here"
        if scope["method"] == "POST" and path.endswith("/upload") and not self.room():
            return "too many uploads at the moment; try again in an hour"
        return None


async def _refuse(send: Send, reason: str) -> None:
    await send(
        {
            "type": "http.response.start",
            "status": 403,
            "headers": [(b"content-type", b"text/plain; charset=utf-8"), *_HEADERS],
        }
    )
    await send({"type": "http.response.body", "body": f"{reason}\n".encode()})
