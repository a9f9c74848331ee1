"""The package as a whole: import, version, the stub of the native module."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(
    "name", ["", "datasets", "io", "models", "nn", "plotting", "training", "vision"]
)
def test_completion_shows_public_names_and_no_others(name):
    module = import_module(f"multicut.{name}".rstrip("."))
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, public) for public in dir(module))


def test_completion_imports_nothing():
    code = "import sys, multicut; dir(multicut); print('torch' in sys.modules, *dir(multicut))"
    told = run_python(code).split()
    assert told[0] == "False"
    assert {"MulticutClustering", "nn", "plotting", "vision"} <= set(told)
    assert not {"interchange", "watch", "stop", "annotations", "Any"} & set(told)


def test_reprs_are_one_line():
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    dataset = mc.Dataset.from_problems([problem])
    assert repr(problem) == "Problem(3 nodes, 3 edges: 2 attractive, 1 repulsive)"
    assert repr(mc.Problem([[0, 1]], [1])) == "Problem(2 nodes, 1 edge: 1 attractive, 0 repulsive)"
    assert repr(dataset) == "Dataset(dataset: 1 graph, 0 labelled, 0 proven optimal)"
    assert repr(dataset.arrays()) == "DatasetArrays(1 graph, 3 edges, no labels)"
    assert repr(mc.reduce(mc.Problem([[0, 1]], [1.0]))) == (
        "Reduction(2 nodes to 1 node, 0 edges; offset 0)"
    )
    assert repr(mc.list_models("universal")[0]).startswith("ModelRecord(universal: ")
    for thing in (problem, dataset, dataset[0], mc.solve(problem), mc.reduce(problem)):
        assert "\n" not in repr(thing)
        assert len(repr(thing)) < 120


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


def test_datasets_and_training_are_imported_when_they_are_used():
    code = (
        "import sys, multicut as mc\n"
        "before = [n for n in ('datasets', 'training') if f'multicut.{n}' in sys.modules]\n"
        "assert mc.Dataset is mc.datasets.Dataset and mc.training.TrainingConfig\n"
        "print(before, {'Dataset', 'datasets', 'training'} <= set(dir(mc)))"
    )
    assert run_python(code) == "[] True"


def test_the_core_prints_without_streams():
    """They crash beside another C++ library, as that of some builds of torch."""
    core = ROOT / "cpp"
    files = [*core.glob("multicut/**/*.?pp"), *core.glob("bindings/*.?pp")]
    assert len(files) > 100
    assert [each.name for each in files if re.search(r"sstream|iostream", each.read_text())] == []
