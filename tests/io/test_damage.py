"""No damage to a file leads to anything but a problem or a clear error."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import multicut as mc
from multicut.io import FormatError, FormatRecord, list_formats

every_format = pytest.mark.parametrize("record", list_formats(), ids=lambda record: record.name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damage")


def read_damaged(path: Path, content: bytes, format_name: str | None) -> None:
    path.write_bytes(content)
    complaint = f"{path}:"
    try:
        mc.read_all(path, format=format_name)
    except FormatError as error:
        complaint = str(error)
    assert complaint.startswith(f"{path}:")
    assert "\n" not in complaint


@every_format
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_changed_bytes(folder: Path, record: FormatRecord, data: st.DataObject) -> None:
    path = folder / f"problem{record.suffixes[0]}"
    mc.write(mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1]), path)
    content = bytearray(path.read_bytes())
    places = st.integers(0, len(content) - 1)
    for position, value in data.draw(
        st.dictionaries(places, st.integers(0, 255), max_size=4)
    ).items():
        content[position] = value
    kept = data.draw(st.just(len(content)) | st.integers(0, len(content)))
    by_name = data.draw(st.booleans())
    read_damaged(folder / "damaged", bytes(content[:kept]), record.name if by_name else None)


@every_format
@settings(max_examples=60, deadline=None)
@given(content=st.binary(max_size=200) | st.text("0123456789 ,.;-+e\n\t#cpMULTICUT", max_size=60))
def test_rubbish(folder: Path, record: FormatRecord, content: bytes | str) -> None:
    data = content.encode() if isinstance(content, str) else content
    read_damaged(folder / "rubbish", data, None)
    read_damaged(folder / "rubbish", data, record.name)


@every_format
def test_cut_short(folder: Path, record: FormatRecord) -> None:
    path = folder / f"long{record.suffixes[0]}.gz"
    mc.write(mc.Problem([[0, 1], [0, 2], [1, 2]], [1, -1, 1]), path)
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(FormatError, match="the gzip data is damaged or cut short"):
        mc.read(path)


@every_format
def test_empty(folder: Path, record: FormatRecord) -> None:
    path = folder / "empty"
    path.write_bytes(b"")
    with pytest.raises(FormatError, match="the file is empty"):
        mc.read(path)
    with pytest.raises(FormatError):
        mc.read(path, format=record.name)


@every_format
def test_gzip_header_alone(folder: Path, record: FormatRecord) -> None:
    path = folder / "header.gz"
    path.write_bytes(b"\x1f\x8b")
    with pytest.raises(FormatError, match="the gzip data is damaged or cut short"):
        mc.read(path, format=record.name)
