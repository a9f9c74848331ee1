"""What passes between browsers and the server."""

from __future__ import annotations

from typing import Any

import pytest

from multicut.app.guard import POLICY, Guard


async def _answer(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
    await send({"type": "http.response.body", "body": b"page"})


def ask(guard: Guard, path: str, host: str) -> tuple[int, dict[bytes, bytes]]:
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return {}

    headers = [(b"host", host.encode())]
    scope = {"type": "http", "method": "POST", "path": path, "headers": headers}
    coroutine = guard(scope, receive, send)
    with pytest.raises(StopIteration):  # nothing in it waits, so one step is all of it
        coroutine.send(None)
    return sent[0]["status"], dict(sent[0]["headers"])


@pytest.mark.parametrize("host", ["127.0.0.1:7860", "localhost", "[::1]:7860", "LOCALHOST:1"])
def test_this_machine_is_served(host: str) -> None:
    status, headers = ask(Guard(_answer, ["127.0.0.1", "localhost", "::1"]), "/", host)
    assert status == 200
    assert headers[b"content-security-policy"] == POLICY.encode()
    assert headers[b"a"] == b"b"


@pytest.mark.parametrize("host", ["evil.example:7860", "", "127.0.0.1.evil.example"])
def test_other_names_are_refused(host: str) -> None:
    assert ask(Guard(_answer, ["127.0.0.1", "localhost", "::1"]), "/", host)[0] == 403
    assert ask(Guard(_answer), "/", host)[0] == 200


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/proxy=http://example.org",
        "/gradio_api/file=https://example.org/a",
        "/gradio_api/file=HTTP://example.org/a",
        "/gradio_api/file=%68ttp://example.org/a",
    ],
)
def test_addresses_are_not_fetched(path: str) -> None:
    assert ask(Guard(_answer), path, "127.0.0.1")[0] == 403


def test_uploads_stop_where_there_is_no_room() -> None:
    full = Guard(_answer, room=lambda: False)
    assert ask(full, "/gradio_api/upload", "127.0.0.1")[0] == 403
    assert ask(full, "/gradio_api/queue/join", "127.0.0.1")[0] == 200
    assert ask(Guard(_answer), "/gradio_api/upload", "127.0.0.1")[0] == 200


def test_nothing_comes_from_elsewhere() -> None:
    assert "http" not in POLICY
    assert "*" not in POLICY
