"""The registry of file formats."""

from __future__ import annotations

from pathlib import Path
from typing import IO

from multicut._registry import Registry
from multicut.io import andres, cplib, edges, lpmp, npz, opengm, pace
from multicut.io.errors import Advice, AdvisedError
from multicut.io.record import FormatRecord
from multicut.io.source import Source, bare_name

# Files are tried in this order: formats with characteristic first bytes, then texts with a
# characteristic first line. Any text may be a list of edges, so that comes last.
_FORMATS: Registry[FormatRecord] = Registry(
    "format",
    (
        npz.RECORD,
        opengm.RECORD,
        andres.RECORD,
        lpmp.RECORD,
        pace.RECORD,
        cplib.RECORD,
        edges.RECORD,
    ),
)


_NAME_IT = Advice("or else name the format", "format")


def list_formats(pattern: str = "*") -> list[FormatRecord]:
    """Return the records of all file formats whose name matches a pattern."""
    return _FORMATS.matching(pattern)


def get_format(name: str) -> FormatRecord:
    """Return the record of one file format."""
    return _FORMATS.get(name)


def recognise(source: Source) -> FormatRecord:
    """Return the format that a file has, by its content."""
    if len(source.head) == 0:
        raise source.error("the file is empty; expected a problem")
    for record in _FORMATS:
        if record.recognises(source):
            return record
    if source.is_utf16:
        raise source.error("the text is UTF-16; save it as UTF-8")
    raise source.error(
        f"not recognised as any of: {_FORMATS.names}; the file may be damaged",
        advice=_NAME_IT,
    )


def format_to_write(target: Path | IO[bytes], name: str | None) -> tuple[FormatRecord, str]:
    """Return the format to write, by its name or else by the ending of a path; and that ending."""
    if not isinstance(target, Path):
        if name is None:
            raise AdvisedError(
                "the format of a stream cannot be told from a name", Advice("name it", "format")
            )
        return get_format(name), ""
    if name is not None:
        return get_format(name), Path(bare_name(target)).suffix.lower()
    bare = bare_name(target).lower()
    endings = [(suffix, record) for record in _FORMATS for suffix in record.suffixes]
    for suffix, record in sorted(endings, key=lambda ending: -len(ending[0])):
        if bare.endswith(suffix):
            return record, suffix
    known = ", ".join(suffix for suffix, _ in endings)
    raise AdvisedError(
        f"{target}: the ending is not that of a format; end the name in one of {known} (and .gz to "
        f"compress)",
        _NAME_IT,
    )
