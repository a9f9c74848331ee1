"""Layers import from below alone, as pyproject.toml and docs/architecture.md both say."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONFIGURATION = ROOT / "pyproject.toml"


def layers() -> list[list[str]]:
    contracts = tomllib.loads(CONFIGURATION.read_text())["tool"]["importlinter"]["contracts"]
    (found,) = (each["layers"] for each in contracts if each.get("containers") == ["multicut"])
    return [layer.split(" | ") for layer in found]


def check_imports(folder: Path, source: Path) -> subprocess.CompletedProcess[str]:
    code = (
        f"import sys; sys.path.insert(0, {str(source)!r})\n"
        # An editable installation would lead to the files that are not broken.
        "sys.meta_path[:] = [f for f in sys.meta_path if 'editable' not in type(f).__module__]\n"
        "from importlinter.cli import lint_imports_command as check; check()"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--config", str(CONFIGURATION)],
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )


@pytest.fixture
def copied(tmp_path):
    """A copy of the Python files, to be broken."""
    for package in ("multicut", "multicut_command"):
        shutil.copytree(
            ROOT / "src" / package,
            tmp_path / package,
            ignore=lambda folder, names: [
                name for name in names if not name.endswith(".py") and Path(folder, name).is_file()
            ],
        )
    return tmp_path


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("problem.py", "def late():\n    import multicut.vision\n"),
        ("io/files.py", "def late():\n    from multicut.datasets.folder import open_folder\n"),
        ("models/files.py", "from multicut.solvers.gnn import inference\n"),
        ("nn/batch.py", "from multicut.nn.search import moves\n"),
        ("solvers/gaec.py", "from multicut.solvers import klj\n"),
        ("solve.py", "import paper\n"),
    ],
)
def test_an_import_from_above_is_found_also_within_a_function(copied, module, line):
    with (copied / "multicut" / module).open("a") as file:
        file.write(f"\n{line}")
    outcome = check_imports(copied, copied)
    assert outcome.returncode == 1, outcome.stderr
    assert "BROKEN" in outcome.stdout


def test_the_layers_hold(copied):
    outcome = check_imports(copied, copied)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_of_the_package_itself_only_modules_are_imported():
    """What the package offers to users would be a way around the layers, except for the topmost."""
    source = ROOT / "src" / "multicut"
    for path in source.rglob("*.py"):
        if path.is_relative_to(source / "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                assert all(each.name != "multicut" for each in node.names), path
            elif isinstance(node, ast.ImportFrom) and node.module == "multicut":
                for each in node.names:
                    is_module = (source / each.name).exists() or (
                        source / f"{each.name}.py"
                    ).exists()
                    assert each.name == "_core" or is_module, (path, each.name)


def test_the_page_about_architecture_lists_these_layers():
    page = (ROOT / "docs" / "architecture.md").read_text()
    table = page.partition("## Layers")[2].partition("## ")[0]
    rows = [line.split("|")[2] for line in table.splitlines() if line.startswith("| ")][1:]
    listed = [re.findall(r"`([a-z_]+)(?:/|\.py)`", row) for row in rows]
    assert [set(row) for row in listed if row] == [set(layer) for layer in layers()[::-1]]
