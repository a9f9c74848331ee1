"""Reading and writing of problems in the usual file formats.

Each format is a frozen record in a registry, defined in a module of its own. :func:`read`
recognises the format of a file by its content.
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
