"""An extension of griffe: what docstrings have of reStructuredText becomes Markdown.

A role such as ``:func:`multicut.solve` `` becomes a link, and the ``::`` before code a colon.
"""

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
        text = _ROLE.sub(lambda found: _reference(item, found[1]), item.docstring.value)
        item.docstring.value = text.replace("::\n\n", ":\n\n")
    for member in item.members.values():
        if not member.is_alias and member.path not in seen:
            _link(member, seen)


def _reference(item: griffe.Object, name: str) -> str:
    try:
        path = item.resolve(name)
    except griffe.NameResolutionError:
        path = name
    # A function in a file of its name is hidden by it: multicut.solve is multicut.solve.solve.
    if not path.startswith(f"{item.package.path}."):  # of another package: no page here has it
        return f"`{name}`"
    with suppress(KeyError):
        path = item.package[f"{path}.{path.rpartition('.')[2]}".partition(".")[2]].path
    return f"[`{name}`][{path}]"
