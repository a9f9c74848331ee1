"""An extension of griffe: ``:func:`multicut.solve` `` in a docstring becomes a link."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Any

import griffe

_ROLE = re.compile(r":(?:attr|class|func|meth|mod):`~?\.?([\w.]+)`")


class Roles(griffe.Extension):
    """Turn roles of Sphinx into cross-references of mkdocstrings."""

    def on_package(self, *, pkg: griffe.Module, **_: Any) -> None:
        """Look at every docstring of the package."""
        _link(pkg, set())


def _link(item: griffe.Object, seen: set[str]) -> None:
    seen.add(item.path)
    if item.docstring is not None:
        item.docstring.value = _ROLE.sub(
            lambda found: _reference(item, found[1]), item.docstring.value
        )
    for member in item.members.values():
        if not member.is_alias and member.path not in seen:
            _link(member, seen)


def _reference(item: griffe.Object, name: str) -> str:
    try:
        path = item.resolve(name)
    except griffe.NameResolutionError:
        path = name
    # A function in a file of its name is hidden by it: multicut.solve is multicut.solve.solve.
    with suppress(KeyError):
        path = item.package[f"{path}.{path.rpartition('.')[2]}".partition(".")[2]].path
    return f"[`{name}`][{path}]"
