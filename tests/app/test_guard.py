"""Which requests are passed on, and which are refused."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from multicut.app.guard import MAX_BODY_BYTES, POLICY, Guard
from multicut.app.storage import Storage


async def _answer(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        return
    body = b""
    if scope["method"] == "POST":
        while True:
            message = await receive()
            body += message["body"]
            if not message["more_body"]:
                break
    heard = [(name, value) for name, value in scope["headers"] if name != b"host"]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b"), *heard]})
    await send({"type": "http.response.body", "body": body or b"page"})


def run(guard: Guard, scope: dict[str, Any], *chunks: bytes) -> list[dict[str, Any]]:
    """Pass a request through a guard; return what is sent back."""
    sent: list[dict[str, Any]] = []
    waiting = [
        {"type": "http.request", "body": chunk, "more_body": number < len(chunks)}
        for number, chunk in enumerate(chunks, start=1)
    ]

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    coroutine = guard(scope, receive, send)
    with pytest.raises(StopIteration):  # nothing in it waits, so one step is all of it
        coroutine.send(None)
    return sent


def request(
    path: str, host: str = "127.0.0.1:7860", method: str = "POST", **headers: str
) -> dict[str, Any]:
    pairs = [(b"host", host.encode())]
    pairs += [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    client = ("192.0.2.7", 5000)
    return {"type": "http", "method": method, "path": path, "headers": pairs, "client": client}


def ask(guard: Guard, path: str, host: str) -> tuple[int, dict[bytes, bytes]]:
    sent = run(guard, request(path, host, method="GET"), b"")
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


@pytest.mark.parametrize(
    "origin",
    ["https://evil.example", "http://127.0.0.1:9999", "http://localhost:7860", "null", "http://["],
)
def test_requests_of_other_pages_are_refused(origin: str) -> None:
    guard = Guard(_answer)
    for path in ("/gradio_api/upload", "/gradio_api/queue/join", "/gradio_api/reset"):
        assert run(guard, request(path, origin=origin), b"")[0]["status"] == 403
    assert run(guard, request("/config", method="GET", origin=origin))[0]["status"] == 403
    socket = {**request("/queue", origin=origin), "type": "websocket"}
    assert run(guard, socket, b"")[0]["type"] == "websocket.close"


def test_requests_of_the_page_itself_and_of_programs_pass() -> None:
    guard = Guard(_answer)
    path = "/gradio_api/queue/join"
    for origin in ("http://127.0.0.1:7860", "https://127.0.0.1:7860"):
        assert run(guard, request(path, origin=origin), b"{}")[0]["status"] == 200
    assert run(guard, request(path), b"{}")[0]["status"] == 200
    socket = {**request("/queue", origin="http://127.0.0.1:7860"), "type": "websocket"}
    assert run(guard, socket, b"")[0]["type"] == "websocket.accept"


def test_behind_a_proxy_the_public_origin_passes() -> None:
    guard = Guard(_answer, origin="https://example.org")
    path = "/gradio_api/queue/join"
    assert run(guard, request(path, origin="https://example.org"), b"{}")[0]["status"] == 200
    assert run(guard, request(path, origin="https://example.net"), b"")[0]["status"] == 403


def test_links_of_other_sites_lead_to_the_page_and_not_into_it() -> None:
    guard = Guard(_answer)
    outside = {"method": "GET", "sec_fetch_site": "cross-site"}
    assert run(guard, request("/", **outside))[0]["status"] == 200
    assert run(guard, request("/gradio_api/queue/data", **outside))[0]["status"] == 403


def test_no_request_says_where_the_page_is() -> None:
    forged = {
        "x_forwarded_host": "evil.example",
        "x_forwarded_proto": "https",
        "x_gradio_server": "http://evil.example",
        "forwarded": "host=evil.example",
    }
    sent = run(Guard(_answer), request("/", method="GET", accept="text/html", **forged))
    heard = dict(sent[0]["headers"])
    assert heard[b"accept"] == b"text/html"
    assert b"evil.example" not in b" ".join(heard.values())


def test_uploads_are_passed_on_whole_or_not_at_all(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=1000, total=1000)
    guard = Guard(_answer, storage=storage, max_upload_bytes=100_000)
    path = "/gradio_api/upload"
    sent = run(guard, request(path), b"first ", b"second")
    assert (sent[0]["status"], sent[1]["body"]) == (200, b"first second")
    sent = run(guard, request(path), *[bytes(50_000)] * 5)
    assert sent[0]["status"] == 413
    assert b"exceeded the limit of 100,000 bytes" in sent[1]["body"]
    gone = request(path)
    assert run(guard, gone) == []  # the client has gone
    assert run(Guard(_answer), request(path), b"")[0]["status"] == 403


def test_uploads_are_counted_as_their_visitor_s(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=1000, total=1000)
    folder = tmp_path / "secret"
    folder.mkdir()
    (folder / "file").write_bytes(bytes(10))

    async def keep(_scope: Any, receive: Any, send: Any) -> None:
        while (await receive())["more_body"]:
            pass
        body = json.dumps([str(folder / "file")]).encode()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    guard = Guard(keep, storage=storage, max_upload_bytes=100)
    run(guard, request("/gradio_api/upload"), b"")
    assert storage.held_by("192.0.2.7") == 10


def test_answers_about_uploads_are_not_compressed(tmp_path: Path) -> None:
    """Gradio compresses long answers, and the guard reads the paths of uploads in them."""
    guard = Guard(_answer, storage=Storage(tmp_path, 1000, 1000), max_upload_bytes=100)
    encoded = request("/gradio_api/upload", accept_encoding="br, gzip", accept="*/*")
    heard = dict(run(guard, encoded, b"")[0]["headers"])
    assert b"accept-encoding" not in heard
    assert heard[b"accept"] == b"*/*"


def test_the_queue_has_room_for_others() -> None:
    guard = Guard(_answer, count_queued=lambda visitor: 32 * (visitor == "192.0.2.7"))
    sent = run(guard, request("/gradio_api/queue/join"), b"{}")
    assert sent[0]["status"] == 429
    other = {**request("/gradio_api/queue/join"), "client": ("192.0.2.8", 1)}
    assert run(guard, other, b"{}")[0]["status"] == 200


def test_requests_that_are_not_yet_queued_count_as_waiting() -> None:
    guard = Guard(_answer, max_waiting=2)
    statuses = []

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    async def join() -> None:
        # A body that arrives later: meanwhile all the others have entered.
        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0)
            return {"type": "http.request", "body": b"{}", "more_body": False}

        await guard(request("/gradio_api/queue/join"), receive, send)

    async def burst() -> None:
        await asyncio.gather(*(join() for _ in range(5)))

    asyncio.run(burst())
    assert sorted(statuses) == [200, 200, 429, 429, 429]
    assert run(guard, request("/gradio_api/queue/join"), b"{}")[0]["status"] == 200
    assert not guard._joining


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/call/_take_sample",
        "/gradio_api/call/v2/_take_sample/",
        "/cut/gradio_api/call/_take_sample",
        "/gradio_api/run/_take_sample",
        "/gradio_api/api/_take_sample",
        "/gradio_api/call/x%2Fgradio_api%2Fqueue%2Fjoin",
        "/gradio_api/vibe-edit",
        "/login",
    ],
)
def test_what_the_page_never_sends_is_not_found(path: str) -> None:
    assert run(Guard(_answer), request(path), b"{}")[0]["status"] == 404


def test_results_of_calls_are_not_found() -> None:
    path = "/gradio_api/call/_take_sample/1"
    assert run(Guard(_answer), request(path, method="GET"))[0]["status"] == 404


@pytest.mark.parametrize(
    "event",
    [
        b'{"fn_index": 2}',
        b'{"fn_index": "1"}',
        b'{"fn_index": true}',
        b"{}",
        b"[]",
        b"1",
        b"{",
        b"",
    ],
)
def test_events_that_the_page_does_not_have_are_refused_in_one_line(event: bytes) -> None:
    guard = Guard(_answer, functions={0, 1})
    sent = run(guard, request("/gradio_api/queue/join"), event)
    assert sent[0]["status"] == 400
    assert json.loads(sent[1]["body"])["detail"].count("\n") == 0
    known = b'{"fn_index": 1}'
    sent = run(guard, request("/gradio_api/queue/join"), known)
    assert (sent[0]["status"], sent[1]["body"]) == (200, known)


@pytest.mark.parametrize("name", ["queue/join", "cancel", "reset"])
def test_bodies_other_than_uploads_are_small(name: str) -> None:
    guard = Guard(_answer)
    path = f"/gradio_api/{name}"
    largest = b"[" + b" " * (MAX_BODY_BYTES - 2) + b"]"
    sent = run(guard, request(path), largest[:400_000], largest[400_000:])
    assert (sent[0]["status"], sent[1]["body"]) == (200, largest)
    # No header tells the size of a body in chunks.
    sent = run(guard, request(path), *[bytes(100_000)] * 11)
    assert sent[0]["status"] == 413
    assert b"exceeded the limit of 1,000,000 bytes" in sent[1]["body"]


def test_the_preflight_request_of_another_page_is_refused() -> None:
    asked = {"method": "OPTIONS", "access_control_request_method": "POST"}
    scope = request("/gradio_api/upload", origin="https://evil.example", **asked)
    assert run(Guard(_answer), scope)[0]["status"] == 403


def test_nothing_comes_from_elsewhere() -> None:
    assert "http" not in POLICY
    assert "*" not in POLICY
