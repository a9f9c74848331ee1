"""The documentation site builds without a warning, and holds what it should."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from types import ModuleType
from urllib.parse import unquote

import pytest
import yaml

import multicut as mc
from tests.docs.snippets import PAGES, ROOT
from tests.docs.tools import load_tool

reference = load_tool("reference")
commands = load_tool("commands")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Build as `make docs` does; pages without navigation and broken links end it."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert done.returncode == 0, done.stdout
    return folder


class Page(HTMLParser):
    """What a page loads by itself, where it links to, and the names of its places."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value for name, value in attrs if value is not None}
        if "src" in found:
            self.loaded.append(found["src"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preconnect", "preload"):
            self.loaded.append(found["href"])
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if "id" in found:
            self.places.add(found["id"])


@pytest.fixture(scope="module")
def pages(site):
    return {
        path.relative_to(site).as_posix(): path.read_text(encoding="utf-8")
        for path in site.rglob("*.html")
    }


@pytest.fixture(scope="module")
def parsed(pages):
    return {name: Page(text) for name, text in pages.items()}


def test_pages_out_of_the_navigation_and_broken_links_are_warnings():
    class Loader(yaml.SafeLoader):
        """Passes over what names a function of Python."""

    Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda *_: None)
    settings = yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)
    assert settings["strict"] is True
    assert set(settings["validation"]["nav"].values()) == {"warn"}
    assert set(settings["validation"]["links"].values()) == {"warn"}


def test_every_page_is_there(pages):
    sources = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert len(sources) >= 20
    for source in sources:
        assert source.with_suffix(".html").as_posix() in pages
    for path in (ROOT / "docs" / "notebooks").glob("*.ipynb"):
        assert f"notebooks/{path.stem}.html" in pages
    assert {"changelog.html", "contributing.html", "benchmarks.html"} <= pages.keys()


def test_nothing_is_loaded_from_elsewhere(parsed, site):
    for name, page in parsed.items():
        for address in page.loaded:
            assert not re.match(r"(https?:)?//", address), f"{name} loads {address}"
            path = (site / name).parent / unquote(address.partition("?")[0])
            assert path.exists() or address.startswith(("data:", "/")), f"{name} lacks {address}"


def test_links_within_the_site_lead_somewhere(parsed, site):
    for name, page in parsed.items():
        for link in page.links:
            address, _, place = unquote(link).partition("#")
            if re.match(r"[a-z]+:|/", address) or name == "404.html":
                continue
            target = ((site / name).parent / address).resolve() if address else site / name
            assert target.exists(), f"{name} links to {link}"
            if place and target.suffix == ".html":
                places = parsed[target.relative_to(site).as_posix()].places
                assert place in places, f"{name} links to {link}"


def test_links_hold_in_the_checkout_too():
    """Pages are also read where the project is hosted, without the site."""
    number = 0
    for page in PAGES:
        for target in re.findall(r"\]\((?![a-z]+:|#)([^)#\s]+)", text_without_code(page)):
            if target.startswith("reference/"):  # generated while the site is built
                continue
            assert ((ROOT / page).parent / target).exists(), f"{page} links to {target}"
            number += 1
    assert number > 100


def text_without_code(page: str) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


def test_every_page_begins_with_what_it_is_for():
    for path in sorted((ROOT / "docs").glob("*.md")):
        text = re.sub(r"^---\n.*?\n---\n", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        title, introduction = text.strip().split("\n\n")[:2]
        assert re.fullmatch(r"# .+", title), path.name
        assert re.match(r"[A-Z`<[]", introduction), f"{path.name} begins with {introduction[:40]!r}"
        assert not introduction.startswith("```"), f"{path.name} begins with code"


def test_formulas_are_mathml(pages):
    for name, text in pages.items():
        assert "arithmatex" not in text, name
    assert pages["problem.html"].count('<math xmlns="http://www.w3.org/1998/Math/MathML"') > 20


def test_a_formula_that_is_not_understood_is_an_error():
    maths = load_tool("maths")
    text = r'<span class="arithmatex">\(\nosuchthing x\)</span>'
    with pytest.raises(ValueError, match=r"page\.md: .nosuchthing"):
        maths.render_maths(text, "page.md")


@pytest.mark.parametrize(
    ("address", "text", "mended"),
    [
        ("training.md", "[a](../CHANGELOG.md#b)", "[a](changelog.md#b)"),
        ("training.md", "[examples](../examples/learn_costs.py)", "examples"),
        ("index.md", "[n](notebooks/first-steps.ipynb)", "[n](notebooks/first-steps.md)"),
        ("notebooks/first-steps.md", "[t](../tutorial.md)", None),
        (
            "notebooks/first-steps.md",
            "[n](train-a-network.ipynb)",
            "[n](train-a-network.md)",
        ),
        ("training.md", "[n](networks.md) [h](https://x.org/y) [p](#p)", None),
        ("contributing.md", "[a](docs/architecture.md)", "[a](architecture.md)"),
        ("benchmarks.md", "![p](../../docs/images/demo.png)", "![p](images/demo.png)"),
    ],
)
def test_links_out_of_the_folder_of_pages_are_mended(address, text, mended):
    outside = load_tool("outside")
    assert outside.links_of_site(text, ROOT, address) == (mended or text)


def test_a_link_to_a_file_that_does_not_exist_is_an_error():
    outside = load_tool("outside")
    with pytest.raises(ValueError, match=r"'\.\./nothing\.md' does not exist"):
        outside.links_of_site("[a](../nothing.md)", ROOT, "training.md")


def test_the_reference_has_every_public_name(parsed):
    for name in mc.__all__:
        value = getattr(mc, name)
        if isinstance(value, ModuleType):
            assert value.__name__ in reference.MODULES, f"{name} has no page in the reference"
    for module in reference.MODULES:
        places = parsed[f"reference/{module.rpartition('.')[2]}.html"].places
        names = reference.public_names(module)
        assert names
        for name in names:
            path = f"{module}.{name}"
            assert path in places or f"{path}.{name}" in places, path


def test_docstrings_are_rendered(pages):
    for name, text in pages.items():
        if name.startswith("reference/"):
            visible = re.sub(r"<[^>]+>", "", text)
            left_over = re.search(r":(?:func|class|meth|mod|attr):|::\s*$|-{4,}", visible, re.M)
            assert left_over is None, f"{name}: {left_over}"


def test_every_command_and_option_is_listed(pages):
    page = pages["reference/commands.html"]
    found = list(commands.leaf_commands())
    assert len(found) >= 13
    for path, command in found:
        assert f">{path}<" in page
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--") and not parameter.hidden:
                    assert f"<code>{option}" in page, f"{path} {option}"
