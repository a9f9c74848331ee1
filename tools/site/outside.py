"""Pages whose text lies outside of docs/, with their links turned into links of the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Where a page stands in the site, and the file it is made of.
OUTSIDE = {
    "benchmarks.md": "benchmarks/results/solvers.md",
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
}


def outside_page(root: Path, address: str) -> str:
    """Return the text of a page of `OUTSIDE`."""
    text = (root / OUTSIDE[address]).read_text(encoding="utf-8")
    if "| speed-up |" in text:  # its table is wide
        text = f"---\nhide: [toc]\n---\n\n{text}"
    return re.sub(r"\]\((?:\.\./)*docs/", "](", text)
