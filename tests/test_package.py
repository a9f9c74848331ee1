"""The package as a whole: import, version, the stub of the native module."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import multicut as mc

ROOT = Path(__file__).parents[1]


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_stays_light():
    heavy = [
        "torch",
        "scipy",
        "h5py",
        "highspy",
        "matplotlib",
        "networkx",
        "pandas",
        "sklearn",
        "distributed",
        "torch_geometric",
        "typer",
        "rich",
        "skimage",
    ]
    code = f"import sys, multicut; print([m for m in {heavy} if m in sys.modules])"
    assert run_python(code) == "[]"


def test_everything_public_exists():
    assert all(hasattr(mc, name) for name in mc.__all__)


def test_version_has_one_source():
    from importlib.metadata import version

    assert mc.__version__ == version("multicut")
    assert f"version: {mc.__version__}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_stub_of_the_native_module_is_up_to_date(tmp_path):
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "multicut._core", "-o", fresh]
    subprocess.run(command, check=True)
    committed = ROOT / "src" / "multicut" / "_core.pyi"
    assert fresh.read_text() == committed.read_text(), "run `make stub`"
