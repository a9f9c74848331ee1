"""Whose files are kept, and whose go."""

from __future__ import annotations

from pathlib import Path

import pytest

from multicut.app import storage as module
from multicut.app.failures import VisitorError
from multicut.app.storage import Storage, name_visitor


def fill(storage: Storage, visitor: str, size: int) -> Path:
    folder = storage.new_folder(visitor)
    (folder / "file").write_bytes(bytes(size))
    storage.tidy()
    return folder


def test_a_flood_of_one_visitor_costs_no_other_anything(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=100, total=500)
    kept = [fill(storage, "quiet", 10), fill(storage, "other", 90)]
    flood = [fill(storage, "loud", 10) for _ in range(200)]
    assert all(folder.exists() for folder in kept)
    # Their own oldest ones are gone, the latest ones are there.
    assert [folder.exists() for folder in flood] == [False] * 190 + [True] * 10
    assert storage.held_by("loud") == 100
    assert fill(storage, "quiet", 10).exists()


def test_all_together_are_bounded_at_the_cost_of_who_holds_most(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=100, total=250)
    small = fill(storage, "small", 10)
    large = [fill(storage, visitor, 50) for visitor in "abc" for _ in range(2)]
    assert small.exists()
    assert sum(folder.exists() for folder in large) == 4
    held = sum(path.stat().st_size for path in tmp_path.rglob("file"))
    assert held <= 250


def test_the_only_folder_of_a_visitor_stays(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=100, total=150)
    assert fill(storage, "one", 140).exists()


def test_folders_end_after_an_hour(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    storage = Storage(tmp_path, share=100, total=100)
    now = 1000.0
    monkeypatch.setattr(module.time, "monotonic", lambda: now)
    old = fill(storage, "one", 10)
    now += 3500
    young = fill(storage, "one", 10)
    now += 200
    storage.tidy()
    assert not old.exists()
    assert young.exists()


def test_folders_have_names_that_nobody_can_guess(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=100, total=100)
    first, second = storage.new_folder("one"), storage.new_folder("one")
    assert first != second
    assert first.stat().st_mode & 0o077 == 0
    storage.remove(first)
    assert not first.exists()
    storage.restore("two", first)
    (first / "file").write_bytes(bytes(7))
    assert (storage.held_by("one"), storage.held_by("two")) == (0, 7)
    with pytest.raises(ValueError, match="folder must lie in"):
        storage.add("one", Path("/etc"))


def test_uploads_at_once_are_counted_for_each_visitor(tmp_path: Path) -> None:
    storage = Storage(tmp_path, share=100, total=100)
    under_way = [storage.uploading("one") for _ in range(4)]
    for upload in under_way:
        upload.__enter__()
    with pytest.raises(VisitorError, match="4 of your uploads are in progress"):
        storage.uploading("one").__enter__()
    with storage.uploading("two"):
        pass
    under_way[0].__exit__(None, None, None)
    with storage.uploading("one"):
        pass


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8::ffff:2", "2001:db8::/64"),
        (None, "unknown"),
        ("testclient", "testclient"),
    ],
)
def test_visitors_are_told_apart_by_address(address: str | None, name: str) -> None:
    assert name_visitor(address) == name
