"""A plain installation: the wheel, with the core dependencies alone, in a fresh environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# What the index of packages takes to upload without asking.
MOST_BYTES = 100 * 2**20


def run(*command: object, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
    return subprocess.run(
        list(map(str, command)),
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=environment | {"PIP_DISABLE_PIP_VERSION_CHECK": "1"},
    )


def install(python: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return run(
        sys.executable, "-m", "pip", "--python", python, "install", "--no-compile", *arguments
    )


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel as it is released; the build folder stays, so that only changes cost time."""
    pytest.importorskip("scikit_build_core")
    folder = tmp_path_factory.mktemp("wheel")
    built = run(
        *(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation"),
        *("--config-settings", "build-dir=build/test-wheel", "--wheel-dir", folder, "."),
    )
    assert built.returncode == 0, built.stdout + built.stderr
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the Python of an environment to which packages can be installed."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    python = scripts / ("python.exe" if os.name == "nt" else "python")
    probe = install(python, "--no-deps", "--retries", 1, "rich>=13.7")
    if probe.returncode != 0:
        pytest.skip(f"no package can be installed here: {probe.stderr.strip().splitlines()[-1]}")
    return python


@pytest.fixture(scope="module")
def python(empty: Path, wheel: Path) -> Path:
    """Return the Python of an environment that holds the wheel and what it depends on."""
    installed = install(empty, wheel)
    assert installed.returncode == 0, installed.stderr
    return empty


def test_a_plain_installation_does_what_it_must(python: Path, tmp_path: Path) -> None:
    checked = run(python, ROOT / "tools" / "check_core_install.py", cwd=tmp_path)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert checked.stdout.endswith("does without extras what it must\n")


def test_the_program_is_installed(python: Path, tmp_path: Path) -> None:
    outcome = run(python.with_stem("multicut"), "--version", cwd=tmp_path)
    assert re.fullmatch(r"multicut \d+\.\d+\.\d+\S*\n", outcome.stdout), outcome.stderr


def test_the_wheel_holds_the_product_and_nothing_else(wheel: Path) -> None:
    assert wheel.stat().st_size < MOST_BYTES
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith("dist-info/METADATA"))
        headers = Parser().parsestr(archive.read(metadata).decode())
    assert {name.split("/")[0] for name in names if "dist-info" not in name} == {
        "multicut",
        "multicut_command",
    }
    shipped = {
        path.relative_to(ROOT / "src").as_posix()
        for folder in ("models/weights", "datasets/labels")
        for path in (ROOT / "src" / "multicut" / folder).iterdir()
        if path.suffix in (".safetensors", ".json", ".npz")
    }
    assert len(shipped) > 30
    assert shipped < set(names)
    assert "multicut/py.typed" in names
    assert sum("/_core." in name and name.endswith((".so", ".pyd")) for name in names) == 1
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    plain = [each for each in headers.get_all("Requires-Dist") if "extra ==" not in each]
    assert {re.match(r"[\w-]+", each)[0] for each in plain} == {
        re.match(r"[\w-]+", each)[0] for each in project["dependencies"]
    }
    assert set(headers.get_all("Provides-Extra")) == set(project["optional-dependencies"])


def test_the_stable_interface_of_python_is_named_where_it_is_used(wheel: Path) -> None:
    """From Python 3.12 on one wheel serves all later versions; before, each has its own."""
    tag = wheel.stem.split("-")[2:4]
    with zipfile.ZipFile(wheel) as archive:
        (module,) = (name for name in archive.namelist() if "/_core." in name and "pyi" not in name)
    if sys.version_info >= (3, 12):
        assert tag == ["cp312", "abi3"]
        assert module.endswith((".abi3.so", ".pyd"))
    else:
        own = f"cp{sys.version_info.major}{sys.version_info.minor}"
        assert tag == [own, own]
        assert "abi3" not in module
