"""Files: problems in the formats people have.

A format is a frozen record in a registry; its module holds all that is known about it. The content
of a file tells its format, so that :func:`read` needs only a path.
"""

from multicut.io.errors import FormatError
from multicut.io.files import open_file, read, read_all, write, write_all
from multicut.io.limits import ReadLimits
from multicut.io.opened import ProblemCollection, ProblemFile
from multicut.io.record import FormatRecord
from multicut.io.registry import get_format, list_formats

__all__ = [
    "FormatError",
    "FormatRecord",
    "ProblemCollection",
    "ProblemFile",
    "ReadLimits",
    "get_format",
    "list_formats",
    "open_file",
    "read",
    "read_all",
    "write",
    "write_all",
]


def __dir__() -> list[str]:
    """List what is public, and not the modules that it happens to come from."""
    return sorted(__all__)
