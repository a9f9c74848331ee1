"""Files outside of docs/: pages that are made of them, and links to them."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Where a page stands in the site, and the file it is made of.
OUTSIDE = {
    "benchmarks.md": "benchmarks/results/solvers.md",
    "lifted-benchmarks.md": "benchmarks/results/lifted.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "measuring.md": "benchmarks/README.md",
    "segmentation.md": "benchmarks/results/segmentation.md",
}

# Pages whose tables need the place of the table of contents.
_WIDE = ("benchmarks.md", "lifted-benchmarks.md", "segmentation.md")

_LINK = re.compile(r"(!?)\[([^\]]*)\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")


def outside_page(root: Path, address: str) -> str:
    """Return the text of a page of `OUTSIDE`."""
    text = (root / OUTSIDE[address]).read_text(encoding="utf-8")
    if address in _WIDE:
        text = f"---\nhide: [toc]\n---\n\n{text}"
    return text


def links_of_site(text: str, root: Path, address: str) -> str:
    """Turn links that hold in the project's folder into links that hold in the site.

    A link to a file that the site does not have keeps its text alone; a file that does not
    exist is an error. A link to a notebook leads to the page that shows it.
    """
    source = OUTSIDE.get(address, f"docs/{address}")
    pages = {file: page for page, file in OUTSIDE.items()}

    def replaced(found: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), found[3]))
        if not (root / target).exists():
            if target.startswith("docs/") and source.startswith("docs/"):
                return found[0]  # a page that is generated, or a mistake that mkdocs reports
            raise ValueError(f"{source}: {found[3]!r} does not exist")
        if target.endswith(".ipynb"):
            folder = posixpath.dirname(source.removeprefix("docs/"))
            page = posixpath.relpath(target.removeprefix("docs/"), folder or ".")
            return f"{found[1]}[{found[2]}]({page.removesuffix('.ipynb')}.md)"
        if target.startswith("docs/") and source.startswith("docs/"):
            return found[0]
        page = pages.get(target, target.removeprefix("docs/"))
        if page == target:
            return found[2]
        return f"{found[1]}[{found[2]}]({page}{found[4] or ''})"

    return _LINK.sub(replaced, text)
