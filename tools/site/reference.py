"""The reference of the Python interface: a page for each public module, from its docstrings."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import griffe
from roles import Roles

SOURCES = Path(__file__).parents[2] / "src"

# Page, module, and what it is about.
MODULES = {
    "multicut": "Problems, results, solving",
    "multicut.vision": "Images and volumes",
    "multicut.proofreading": "Corrections, margins, suggestions",
    "multicut.io": "Files",
    "multicut.datasets": "Datasets, generators, labels",
    "multicut.models": "Trained networks by name",
    "multicut.nn": "Networks, layers, rounding",
    "multicut.training": "Training and evaluation",
    "multicut.plotting": "Figures",
}

# What most programs need comes first on its page; the rest follows by alphabet.
_FIRST = ("Problem", "solve", "Result", "solve_batch", "lower_bound", "list_solvers", "segment")

_NOT_SHOWN = ("__version__",)


def reference_pages() -> dict[str, str]:
    """Return the text of each page by its address in the site."""
    pages = {"reference/index.md": _index()}
    for module in MODULES:
        pages[f"reference/{_page(module)}.md"] = _module_page(module)
    return pages


def public_names(module: str) -> list[str]:
    """List what a module offers, without submodules, which have pages of their own."""
    found = _package()[module.partition(".")[2]] if "." in module else _package()
    submodules = {name.rpartition(".")[2] for name in MODULES}
    names = {str(name) for name in found.exports or ()} - submodules - set(_NOT_SHOWN)
    first = [name for name in _FIRST if name in names]
    return first + sorted(names - set(first), key=str.lower)


@cache
def _package() -> griffe.Module:
    """Read the sources, without importing them: torch takes seconds."""
    loader = griffe.GriffeLoader(extensions=griffe.load_extensions(Roles), search_paths=[SOURCES])
    package = loader.load("multicut")
    loader.resolve_aliases(implicit=False)
    assert isinstance(package, griffe.Module)
    return package


def _page(module: str) -> str:
    return module.rpartition(".")[2]


def _index() -> str:
    lines = [
        "# Reference",
        "",
        "Everything public, by module. Functions of the first table are what most programs need; "
        "`import multicut as mc` is how the other pages call it.",
        "",
    ]
    for module, title in MODULES.items():
        lines += [f"## [`{module}`]({_page(module)}.md)", "", f"{title}.", "", *_table(module), ""]
    return "\n".join(lines)


def _table(module: str) -> list[str]:
    rows = ["| name | |", "|---|---|"]
    for name in public_names(module):
        path, item = _find(module, name)
        rows.append(f"| [`{name}`][{path}] | {_summary(item)} |")
    return rows


def _find(module: str, name: str) -> tuple[str, griffe.Object | griffe.Alias]:
    """Find a public object: where it is, and what is known about it."""
    path = f"{module}.{name}"
    item = _package()[path.partition(".")[2]]
    if isinstance(item, griffe.Module):  # multicut.solve is a function, but in a file of its name
        path = f"{path}.{name}"
        item = item[name]
    return path, item


def _summary(item: griffe.Object | griffe.Alias) -> str:
    text = item.docstring.value if item.docstring is not None else ""
    return " ".join(text.partition("\n\n")[0].split()).replace("|", "\\|")


def _module_page(module: str) -> str:
    found = _package()[module.partition(".")[2]] if "." in module else _package()
    lines = [f"# {module}", "", _summary(found), ""]
    for name in public_names(module):
        lines += [f"::: {_find(module, name)[0]}", ""]
    return "\n".join(lines)
