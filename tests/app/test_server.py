"""The server: what it hands out, what it refuses, how it fails."""

from __future__ import annotations

import importlib.util
import json
import socket
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from multicut.app.server import serve


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
    assert "2 nodes, 1 edges" in call(address, number, own)  # this is how it would go
    for path in (str(secret), "/etc/passwd", "http://127.0.0.1:1/secret", f"{own}/../../../x"):
        answer = call(address, number, path)
        assert '"success":false' in answer or "upload it again" in answer
        assert "1 edges" not in answer


def send(address: str, name: str, content: bytes) -> str:
    """Upload a file as a browser does; return the path that the server gives it."""
    mark = "multicut-boundary"
    head = f'--{mark}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{mark}--\r\n".encode()
    request = urllib.request.Request(
        f"{address}/gradio_api/upload",
        body,
        {"Content-Type": f"multipart/form-data; boundary={mark}"},
    )
    with urllib.request.urlopen(request) as answer:
        path: str = json.load(answer)[0]
        return path


def call(address: str, number: int, path: str) -> str:
    """Say that a file was uploaded, as the page's scripts do; return all that comes back."""
    file = {"path": path, "meta": {"_type": "gradio.FileData"}, "orig_name": "x"}
    event = {"data": [None, file], "fn_index": number, "session_hash": "stranger"}
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


def test_a_taken_port_is_told() -> None:
    pytest.importorskip("gradio")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ValueError, match=f"port {port} is taken"), serve(port=port):
            pass


def test_bad_addresses() -> None:
    with pytest.raises(ValueError, match=r"host 192\.0\.2\.1 is no address of this machine"):
        serve(host="192.0.2.1").__enter__()
    with pytest.raises(ValueError, match="host 'no such name' is no address"):
        serve(host="no such name").__enter__()


def test_bad_ports() -> None:
    with pytest.raises(ValueError, match="port must be a number from 1 to 65535, got 0"):
        serve(port=0).__enter__()


def test_without_gradio_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "gradio" else find(name)
    )
    with pytest.raises(ImportError, match=r'pip install "multicut\[app\]"'):
        serve().__enter__()
