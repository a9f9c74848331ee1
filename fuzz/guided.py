"""Run one target of :mod:`fuzz.readers` under Atheris: ``python -m fuzz.guided lpmp CORPUS``.

Takes the arguments of libFuzzer after the name of the target.
"""

from __future__ import annotations

import inspect
import json
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import atheris
from numpy.lib import format as npy_format

from fuzz.readers import TARGETS
from fuzz.seeds import CORPUS

# Parsers of the standard library and of numpy, which lead to much of what a reader has to handle.
_OTHERS: tuple[ModuleType, ...] = (
    json.decoder,
    json.scanner,
    npy_format,
    tomllib._parser,  # type: ignore[attr-defined]
    zipfile,
)
# What a target calls over and over, with nothing to decide.
_PLAIN = ("multicut._core",)


def main() -> None:
    """Fuzz the target that the first argument names."""
    names = ", ".join(TARGETS)
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        raise SystemExit(f"name a target first: {names}")
    name = sys.argv.pop(1)
    target = TARGETS[name]
    # What is imported late is imported now, and then instrumented. Atheris' own hook for imports
    # does not see packages that are installed in development mode.
    for path in sorted((CORPUS / name).iterdir()):
        target(path.read_bytes())
    count = sum(_instrument(function) for function in _functions())
    print(f"{count} functions are instrumented")
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()


def _functions() -> Iterator[FunctionType]:
    """Yield the functions of the package that are imported, and of the parsers that it calls."""
    own = [
        module
        for key, module in list(sys.modules.items())
        if key.startswith("multicut") and key not in _PLAIN
    ]
    seen: set[int] = set()
    for module in (*own, *_OTHERS):
        for value in list(vars(module).values()):
            members = list(vars(value).values()) if inspect.isclass(value) else [value]
            for member in members:
                function = _plain(member)
                if (
                    isinstance(function, FunctionType)
                    and function.__module__ == module.__name__
                    and id(function) not in seen
                ):
                    seen.add(id(function))
                    yield function


def _plain(member: Any) -> Any:
    """Return the function behind a property, a method or a decorator."""
    for name in ("fget", "__func__", "func", "__wrapped__"):
        member = getattr(member, name, None) or member
    return member


def _instrument(function: FunctionType) -> bool:
    try:
        atheris.instrument_func(function)
    except Exception:  # code that Atheris cannot rewrite stays as it is
        return False
    return True


if __name__ == "__main__":
    main()
