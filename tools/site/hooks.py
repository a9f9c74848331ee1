"""What mkdocs calls while it builds the site: pages that are generated, and formulas.

Generated pages exist in the built site alone, so they cannot be out of date: the reference comes
from docstrings, the options from the command line itself, and some pages from files that lie
outside of docs/ or are no Markdown.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands import commands_page
from maths import render_maths
from mkdocs.structure.files import File
from notebooks import notebook_pages
from outside import OUTSIDE, links_of_site, outside_page
from reference import reference_pages

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those of docs/."""
    root = Path(config.config_file_path).parent
    pages: dict[str, str | bytes] = {"reference/commands.md": commands_page(), **reference_pages()}
    pages |= {address: outside_page(root, address) for address in OUTSIDE}
    pages |= notebook_pages(root / "docs" / "notebooks")
    for address, text in pages.items():
        files.append(File.generated(config, address, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: Any) -> str:
    """Mend links that lead out of docs/, or come from outside."""
    if page.file.src_uri.startswith("reference/"):
        return markdown
    return links_of_site(markdown, Path(config.config_file_path).parent, page.file.src_uri)


def on_page_content(html: str, page: Page, **_: Any) -> str:
    """Turn formulas into MathML, which browsers show without any script."""
    return render_maths(html, page.file.src_uri)
