"""The server: what it hands out, what it refuses, how it fails."""

from __future__ import annotations

import http.client
import importlib
import json
import socket
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from multicut.app.samples import sample_names
from multicut.app.server import serve
from tests.app.browsing import running_server


def get(url: str, **headers: str) -> tuple[int, bytes, Any]:
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as answer:
            return answer.status, answer.read(), answer.headers
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers


def test_files_of_the_machine_are_not_handed_out(address: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    for path in (secret, Path("/etc/passwd"), Path("pyproject.toml").resolve(), Path(__file__)):
        for prefix in ("/gradio_api/file=", "/file="):
            status, body, _ = get(f"{address}{prefix}{path}")
            assert status in (403, 404)
            assert b"secret" not in body.replace(str(path).encode(), b"")
    assert get(f"{address}/gradio_api/file=http://127.0.0.1:1/")[0] == 403
    assert get(f"{address}/gradio_api/proxy=http://127.0.0.1:1/")[0] == 403


def test_a_path_in_place_of_an_upload_is_refused(address: str, tmp_path: Path) -> None:
    """A browser is not the only thing that can talk to the server."""
    secret = tmp_path / "secret.txt"
    secret.write_text("0 1 1\n")
    config = json.loads(get(f"{address}/config")[1])
    number = next(
        entry["id"]
        for entry in config["dependencies"]
        if any(target[1] == "upload" for target in entry["targets"])
    )
    own = send(address, "own.txt", b"0 1 1\n")
    assert "2 nodes, 1 edge" in call(address, number, own)  # this is how it would go
    for path in (str(secret), "/etc/passwd", "http://127.0.0.1:1/secret", f"{own}/../../../x"):
        answer = call(address, number, path)
        assert '"success":false' in answer or "upload it again" in answer
        assert "1 edge" not in answer


def post(
    address: str, name: str, content: bytes, headers: dict[str, str] | None = None
) -> tuple[int, bytes]:
    """Upload a file as a browser does; return status and body of the answer."""
    mark = "multicut-boundary"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
    request = urllib.request.Request(
        f"{address}/gradio_api/upload",
        body,
        {"Content-Type": f"multipart/form-data; boundary={mark}", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def send(address: str, name: str, content: bytes, headers: dict[str, str] | None = None) -> str:
    """Upload a file; return the path that the server gives it."""
    status, body = post(address, name, content, headers)
    assert status == 200, body
    path: str = json.loads(body)[0]
    return path


def call(address: str, number: int, path: str) -> str:
    """Say that a file was uploaded, as the page's scripts do; return all that comes back."""
    file = {"path": path, "meta": {"_type": "gradio.FileData"}, "orig_name": "x"}
    event = {"data": [None, file, "", False], "fn_index": number, "session_hash": "stranger"}
    body = json.dumps(event).encode()
    url = f"{address}/gradio_api/queue/join"
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        assert answer.status == 200
    lines = []
    with urllib.request.urlopen(f"{address}/gradio_api/queue/data?session_hash=stranger") as stream:
        for line in stream:
            lines.append(line.decode())
            if "close_stream" in lines[-1] or "process_completed" in lines[-1]:
                break
    return "".join(lines)


def test_the_page_names_no_other_host_to_load_from(address: str) -> None:
    status, _, headers = get(address)
    assert status == 200
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "fonts.googleapis" not in get(f"{address}/theme.css")[1].decode()
    assert get(address, Host="evil.example")[0] == 403


def test_other_pages_can_upload_and_ask_nothing(address: str) -> None:
    for origin in ("https://evil.example", "http://127.0.0.1:1", "null"):
        assert post(address, "a.txt", b"0 1 1\n", {"Origin": origin})[0] == 403
        event = json.dumps({"data": [], "fn_index": 0, "session_hash": "x"}).encode()
        headers = {"Content-Type": "application/json", "Origin": origin}
        url = f"{address}/gradio_api/queue/join"
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(urllib.request.Request(url, event, headers))
    assert post(address, "a.txt", b"0 1 1\n", {"Origin": address})[0] == 200


def test_no_header_says_where_the_page_is(address: str) -> None:
    forged = {
        "X-Forwarded-Host": "evil.example",
        "X-Forwarded-Proto": "https",
        "X-Gradio-Server": "http://evil.example",
    }
    for path in ("/", "/config"):
        assert b"evil.example" not in get(f"{address}{path}", **forged)[1]
    assert json.loads(get(f"{address}/config", **forged)[1])["root"] == address


def test_places_of_uploads_do_not_follow_from_their_content(address: str) -> None:
    first, second = send(address, "a.txt", b"0 1 1\n"), send(address, "b.txt", b"0 1 1\n")
    assert Path(first).parent != Path(second).parent
    # Whoever uploads the same file learns nothing about the first one.
    assert get(f"{address}/gradio_api/file={Path(second).parent / 'a.txt'}")[0] == 403
    assert get(f"{address}/gradio_api/file={first}")[:2] == (200, b"0 1 1\n")


def test_a_flood_of_uploads_locks_nobody_out(tmp_path: Path) -> None:
    pytest.importorskip("gradio")
    public = "https://example.org/cut"
    options = ["--max-upload-mb", "0.05", "--public-url", public, "--proxy", "127.0.0.1"]
    with running_server(tmp_path / "log", *options) as address:
        loud, quiet = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
        kept = send(address, "kept.txt", b"0 1 1\n", quiet)
        flood = [send(address, f"{i}.txt", bytes(49_000), loud) for i in range(110)]
        assert Path(kept).exists()
        assert sum(Path(path).stat().st_size for path in flood if Path(path).exists()) <= 1_000_000
        assert Path(flood[-1]).exists()
        # Not even a proxy says where the page is; whoever starts the server does.
        assert (
            json.loads(get(f"{address}/config", **{"X-Forwarded-Host": "evil.example"})[1])["root"]
            == public
        )
        assert post(address, "a.txt", b"0 1 1\n", {"Origin": "https://example.org"})[0] == 200


def join(
    address: str, body: bytes, headers: dict[str, str] | None = None, path: str = "queue/join"
) -> tuple[int, bytes]:
    """Send a POST request with JSON; return status and body of the answer."""
    request = urllib.request.Request(
        f"{address}/gradio_api/{path}",
        body,
        {"Content-Type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_burst_of_events_leaves_room_in_the_queue_for_others(tmp_path: Path) -> None:
    pytest.importorskip("gradio")
    log = tmp_path / "log"
    data = [None, sample_names()[0], "", False]
    event = {"data": data, "fn_index": 0, "session_hash": "burst"}
    body = json.dumps(event).encode()
    one, other = {"X-Forwarded-For": "192.0.2.1"}, {"X-Forwarded-For": "192.0.2.2"}
    with (
        running_server(log, "--concurrency", "1", "--proxy", "127.0.0.1") as address,
        ThreadPoolExecutor(80) as clients,
    ):
        answers = list(clients.map(lambda _: join(address, body, one)[0], range(80)))
        assert join(address, body, other)[0] == 200
        assert set(answers) == {200, 429}
        assert answers.count(429) >= 16  # a few places become free during the burst
        for path in ("call/_take_sample", "call/v2/_take_sample"):
            assert join(address, body, other, path)[0] == 404
    assert "Traceback" not in log.read_text()


def test_unknown_functions_are_refused_in_one_line(address: str, server_log: Path) -> None:
    before = server_log.read_text()
    for number in (9999, -1, "x", None):
        event = {"data": [], "fn_index": number, "session_hash": "x"}
        status, body = join(address, json.dumps(event).encode())
        assert status == 400
        assert b"fn_index must be the number of a function" in body
    for name in ("nothing", "9999"):
        assert join(address, b'{"data": []}', path=f"call/{name}")[0] == 404
        assert join(address, b'{"data": []}', path=f"run/{name}")[0] == 404
    assert server_log.read_text() == before


def test_large_bodies_are_refused(address: str) -> None:
    whole = json.dumps({"data": ["x" * 1_100_000], "fn_index": 0, "session_hash": "x"}).encode()
    for path in ("queue/join", "cancel", "reset"):
        assert join(address, whole, path=path)[0] == 413
    host = address.removeprefix("http://")
    connection = http.client.HTTPConnection(host, timeout=60)
    chunks = (whole[start : start + 100_000] for start in range(0, len(whole), 100_000))
    headers = {"Content-Type": "application/json"}
    connection.request("POST", "/gradio_api/queue/join", chunks, headers, encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_preflight_requests_of_other_pages_are_refused(address: str) -> None:
    for origin, expected in (("https://evil.example", 403), (address, 200)):
        headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
        request = urllib.request.Request(
            f"{address}/gradio_api/upload", headers=headers, method="OPTIONS"
        )
        try:
            status = urllib.request.urlopen(request).status
        except urllib.error.HTTPError as error:
            status = error.code
        assert status == expected


def test_with_a_public_address_other_host_names_are_refused(tmp_path: Path) -> None:
    pytest.importorskip("gradio")
    options = ["--host", "0.0.0.0", "--public-url", "https://example.org/cut"]
    with running_server(tmp_path / "log", *options) as address:
        assert get(address, Host="evil.example")[0] == 403
        for name in ("example.org", "localhost:7860", "127.0.0.1"):
            assert get(address, Host=name)[0] == 200


def test_a_taken_port_is_told() -> None:
    pytest.importorskip("gradio")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port} is in use"), serve(port=port):
            pass


def test_bad_addresses() -> None:
    with pytest.raises(ValueError, match=r"host 192\.0\.2\.1 is not an address of this machine"):
        serve(host="192.0.2.1").__enter__()
    with pytest.raises(ValueError, match="host 'no such name' is not an address"):
        serve(host="no such name").__enter__()


def test_bad_ports() -> None:
    with pytest.raises(ValueError, match="port must be a number from 1 to 65535, got 0"):
        serve(port=0).__enter__()


def test_bad_places_behind_a_proxy() -> None:
    with pytest.raises(ValueError, match="public_url must be an address such as"):
        serve(public_url="example.org").__enter__()
    with pytest.raises(ValueError, match="proxies must be addresses or networks"):
        serve(proxies=["everybody"]).__enter__()


def test_without_gradio_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gradio", None)
    monkeypatch.delitem(sys.modules, "multicut.app")
    with pytest.raises(ImportError, match=r'^the web page needs Gradio.*"multicut\[app\]"$'):
        importlib.import_module("multicut.app")
