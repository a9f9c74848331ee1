"""Packages that only some features need: declared, asked for before use, and named if missing."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

from multicut._extras import EXTRA_OF, NETWORKS, MissingExtraError, is_installed, needed

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "multicut"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
# Where the name of a package is not the one that it is imported by.
DISTRIBUTIONS = {
    "PIL": "pillow",
    "bioimage_cpp": "bioimage-cpp",
    "distributed": "dask",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "torch_geometric": "torch-geometric",
}
# Imported where it is there, and not asked for: builds of torch for GPUs bring it.
UNDECLARED = {"triton"}
# Modules that are reached only through another one that has asked: solvers and models ask before a
# network is loaded, and multicut.plotting asks when it is imported.
BEHIND_A_CHECK = {
    "models/loading.py": "torch",
    "solvers/auto.py": "torch",
    "solvers/gnn/embedding.py": "torch",
    "solvers/gnn/inference.py": "torch",
    "solvers/learned/gaec_certificate.py": "torch",  # solvers/learned/gpu_stage.py
    "solvers/learned/network_search.py": "torch",  # solvers/learned/stages.py
    "solvers/learned/tensors.py": "torch",  # a GraphBatch has tensors
    "solvers/learned/packing_search.py": "torch",  # solvers/learned/gpu_stage.py
    "benchmark/contests.py": "bioimage_cpp",
    "benchmark/lifted/contests.py": "bioimage_cpp",
    "benchmark/frontier/page.py": "matplotlib",
    "cli/plot/arguments.py": "matplotlib",
    "demo/picture.py": "matplotlib",
}


def names_of(requirements: list[str]) -> set[str]:
    return {re.match(r"[\w-]+", each)[0] for each in requirements}


def with_extras(extra: str) -> set[str]:
    """Return the packages of an extra, those of extras in it included."""
    found = set()
    for each in EXTRAS[extra]:
        inner = re.fullmatch(r"multicut\[(.*)\]", each)
        if inner is None:
            found |= names_of([each])
        else:
            found = found.union(*map(with_extras, inner[1].split(",")))
    return found


def imports(tree: ast.AST) -> list[tuple[str, int]]:
    """List the packages that a module imports, with the lines, those for types alone left out."""
    found = []
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            found += [(each.name.partition(".")[0], node.lineno) for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.append((node.module.partition(".")[0], node.lineno))
        elif not (isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"):
            found += imports(node)
    return found


def checked(tree: ast.AST) -> set[str]:
    """Return the packages that `needed` is called with."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "needed":
            for argument in node.args:
                found |= set(NETWORKS) if isinstance(argument, ast.Starred) else {argument.value}
    return found


@pytest.mark.parametrize(
    ("folder", "extras"), [("src", ("bench", "napari")), ("paper", ()), ("tools", ("dev",))]
)
def test_everything_that_is_imported_is_declared(folder, extras):
    declared = names_of(PROJECT["dependencies"]).union(*map(with_extras, ("all", *extras)))
    known = {*sys.stdlib_module_names, *UNDECLARED, "multicut", "multicut_command"}
    known |= {folder}
    if folder == "tools":  # modules beside each other, and what mkdocstrings[python] brings
        known |= {"griffe", *(path.stem for path in (ROOT / "tools" / "site").iterdir())}
    for path in (ROOT / folder).rglob("*.py"):
        for name, line in imports(ast.parse(path.read_text())):
            package = DISTRIBUTIONS.get(name, name)
            assert name in known or package in declared, f"{path}:{line} imports {name}"


def test_a_plain_installation_has_few_packages():
    assert names_of(PROJECT["dependencies"]) == {"highspy", "numpy", "rich", "scipy", "typer"}


def test_each_package_is_of_the_extra_that_messages_name():
    for module, extra in EXTRA_OF.items():
        assert DISTRIBUTIONS.get(module, module) in with_extras(extra), module


def test_all_holds_every_extra_for_users():
    # The plugin brings the toolkit of a desktop program, which few who want all else need.
    users = set(EXTRAS) - {"all", "bench", "dev", "docs", "napari"}
    assert with_extras("all") == set().union(*map(with_extras, users))
    assert with_extras("all") | with_extras("bench") | with_extras("docs") <= with_extras("dev")


@pytest.mark.parametrize("package", ["highspy", "gradio"])
def test_what_uses_private_names_of_a_package_is_capped(package):
    (found,) = [
        each for each in (*PROJECT["dependencies"], *EXTRAS["app"]) if names_of([each]) == {package}
    ]
    assert "<" in found
    pytest.importorskip(package)
    limit = found.rpartition("<")[2].split(".")
    installed = metadata.version(package).split(".")
    assert [int(part) for part in installed[:2]] < [int(part) for part in limit]


def test_packages_of_extras_are_asked_for_where_they_are_imported():
    """In the same module, or when the package around it is imported."""
    asked = {path: checked(ast.parse(path.read_text())) for path in SOURCE.rglob("*.py")}
    for path in asked:
        place = path.relative_to(SOURCE).as_posix()
        gates = [folder / "__init__.py" for folder in path.parents]
        passed = set(BEHIND_A_CHECK.get(place, "").split()).union(
            *(asked.get(each, ()) for each in (path, *gates))
        )
        for name, line in imports(ast.parse(path.read_text())):
            assert name not in EXTRA_OF or name in passed, (
                f"{place}:{line} imports {name}; call needed({name!r}, by=...) before"
            )


def test_places_behind_a_check_still_import_what_they_did():
    for place, names in BEHIND_A_CHECK.items():
        found = {name for name, _ in imports(ast.parse((SOURCE / place).read_text()))}
        assert set(names.split()) <= found, place


def test_a_missing_package_is_one_line_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    assert not is_installed("h5py")
    with pytest.raises(MissingExtraError) as caught:
        needed("numpy", "h5py", by="an HDF5 file")
    assert str(caught.value) == (
        "an HDF5 file needs h5py, which is not installed; "
        'install it with: pip install "multicut[hdf5]"'
    )
    assert caught.value.name == "h5py"
    with pytest.raises(ImportError, match=r'"multicut\[app\]"$'):
        needed("h5py", by="the web page", extra="app")


def test_errors_within_a_package_stay_what_they_are(monkeypatch, tmp_path):
    (tmp_path / "sklearn.py").write_text("import package_that_is_nowhere\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "sklearn"]:
        monkeypatch.delitem(sys.modules, name)
    needed("sklearn", by="MulticutClustering")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'package_that_is_nowhere'$"):
        import sklearn  # noqa: F401


def test_solvers_do_without_torch(monkeypatch):
    """Where there is a GPU but no torch, ``learned`` and ``auto`` go on without a network."""
    import multicut as mc
    from multicut.models import devices
    from multicut.solvers.learned import place

    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(devices, "_has_driver", lambda: True)
    monkeypatch.setattr(place, "may_have_gpu", lambda: True)
    monkeypatch.setattr(place, "_FEW_EDGES_FOR_GPU", 0)
    problem = mc.Problem([[0, 1], [1, 2], [0, 2]], [1.0, 2.0, -4.0])
    learned = mc.solve(problem, "learned")
    assert learned.objective == -3.0
    assert learned.details["network"] == 'not used: it needs torch; pip install "multicut[nn]"'
    assert mc.solve(problem, "auto").objective == -3.0
    assert mc.solve(problem, "auto", device="cpu").objective == -3.0
    assert not mc.list_solvers("gnn")[0].is_ready()
    with pytest.raises(MissingExtraError, match=r"^the solver 'gnn' needs torch"):
        mc.solve(problem, "gnn")
    with pytest.raises(MissingExtraError, match=r"^the network of the solver 'learned' needs"):
        mc.solve(problem, "learned", use_network=True)
