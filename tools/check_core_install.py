"""What a plain ``pip install multicut`` must do, in an environment with nothing else in it.

Run by the tests, by ``make wheel`` and by cibuildwheel on every platform, each time with the Python
of a fresh environment: solve, prove, bound, read, write, the command line, and the one line that
each missing extra gets.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import multicut as mc

OPTIONAL = (
    *("torch", "torch_geometric", "safetensors", "matplotlib", "skimage", "PIL"),
    *("imageio", "tifffile", "sklearn", "h5py", "tensorstore", "distributed", "gradio", "networkx"),
)
SOLVERS = (
    "gaec",
    "dual-greedy",
    "greedy-fixation",
    "gasp",
    "mutex-watershed",
    "klj",
    "fusion",
    "memetic",
    "lp",
    "ilp",
    "learned",
    "auto",
)
# Two triangles that repel each other, and the cheapest partition of them.
EDGES = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5], [2, 3], [0, 5]]
COSTS = [2.0, 1.5, -0.5, 2.0, 1.0, 0.25, -1.0, 0.5]
OPTIMUM = -0.5


def main() -> None:
    """Check everything; the first thing that is wrong raises."""
    installed = [name for name in OPTIONAL if importlib.util.find_spec(name) is not None]
    assert not installed, f"not a plain installation: it has {', '.join(installed)}"
    where = Path(mc.__file__).resolve().parent
    assert "site-packages" in where.parts, f"not the installed package: {where}"
    problem = mc.Problem(EDGES, COSTS)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        check_solvers(problem)
        check_proofs()
        check_files(problem, Path(folder))
        check_data()
        check_command_line(problem, Path(folder))
        check_missing_in_python(problem, Path(folder))
        check_missing_on_the_command_line(Path(folder))
    print(f"multicut {mc.__version__} does without extras what it must")


def check_solvers(problem: mc.Problem) -> None:
    """Solve a small problem to its optimum with every solver but the network."""
    assert sorted(SOLVERS) == sorted(
        record.name for record in mc.list_solvers() if record.is_ready()
    )
    for solver in SOLVERS:
        result = mc.solve(problem, solver, seed=1)
        assert result.objective == mc.objective(problem, result.labels), solver
        assert mc.is_feasible(problem, result.cut), solver
        assert result.objective == OPTIMUM, (solver, result.objective)
    batch = mc.solve_batch([problem, problem], "learned")
    assert [result.objective for result in batch] == [OPTIMUM, OPTIMUM]
    print(f"solved with {', '.join(SOLVERS)}")


def check_proofs() -> None:
    """Prove an optimum, and compare bounds and what the other solvers find with it."""
    problem = mc.datasets.randommp(60, seed=3)
    best = mc.solve(problem, "ilp", time_limit=120)
    assert best.gap == 0.0, best.summary()
    assert best.lower_bound is not None
    for solver in ("gaec", "fusion", "learned", "auto"):
        assert mc.solve(problem, solver).objective >= best.objective - 1e-9 * abs(best.objective)
    bound = mc.lower_bound(problem)
    value = float(getattr(bound, "value", bound))
    assert value <= best.objective * (1 - 1e-12) <= 0.5 * value, (value, best.objective)
    relaxed = mc.solve(problem, "lp")
    assert relaxed.lower_bound is not None
    assert relaxed.lower_bound <= best.objective + 1e-9
    print(f"proved {best.objective:.6g}, bound {value:.6g}")


def check_files(problem: mc.Problem, folder: Path) -> None:
    """Problems survive every format that needs no other package."""
    for name in ("problem.txt", "problem.csv", "problem.npz", "problem.txt.gz"):
        mc.write(problem, folder / name)
        again = mc.read(folder / name)
        assert np.array_equal(again.edges, problem.edges), name
        assert np.array_equal(again.costs, problem.costs), name
    print("wrote and read txt, csv, npz, txt.gz")


def check_data() -> None:
    """Shipped weights and labels are there, and are listed without torch."""
    assert len(mc.list_models()) >= 10
    assert mc.list_models("universal")[0].path.is_file()
    graphs = mc.datasets.RandomMP("test")
    assert len(graphs) >= 1000
    assert graphs[0].objective < 0
    segments = mc.vision.region_graph(np.array([[0, 0, 1], [2, 2, 1]]))
    assert segments.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    print("models, labels and region graphs are there")


def check_command_line(problem: mc.Problem, folder: Path) -> None:
    """Run the commands that need no extra."""
    file = str(folder / "problem.txt")
    solved = json.loads(run("solve", file, "--solver", "ilp", "--json"))
    assert solved["objective"] == OPTIMUM, solved
    (shown,) = json.loads(run("info", file, "--json"))["problems"]
    assert shown["num_edges"] == problem.num_edges
    run("convert", file, str(folder / "converted.npz"))
    assert np.array_equal(mc.read(folder / "converted.npz").costs, problem.costs)
    assert "andres" in run("formats")
    assert "learned" in run("solvers")
    assert "universal" in run("models")
    assert mc.__version__ in run("--version")
    print("ran solve, info, convert, formats, solvers, models")


def check_missing_in_python(problem: mc.Problem, folder: Path) -> None:
    """Each feature whose extra is missing says so, in one line with the command."""
    image = np.zeros((8, 8, 3), dtype=np.uint8)
    (folder / "problem.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(64))
    (folder / "volume.zarr").mkdir()
    (folder / "volume.zarr" / ".zarray").write_text("{}")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    (folder / "volume.tif").write_bytes(b"II*\0")
    job = mc.datasets.Job(generator="randommp", num=40, solver="gaec")
    features: list[tuple[str, str, Callable[[], Any]]] = [
        ("torch", "nn", lambda: mc.load_model("universal")),
        ("torch", "nn", lambda: mc.nn.GraphBatch),
        ("torch", "nn", lambda: mc.solve(problem, "gnn")),
        ("torch", "nn", lambda: mc.solve_batch([problem], "gnn")),
        ("torch", "nn", lambda: mc.solve(problem, "learned", use_network=True)),
        ("torch", "nn", lambda: problem.to_pyg()),
        ("torch", "nn", lambda: mc.datasets.RandomMP("test")[:2].to_pyg()),
        ("torch", "nn", lambda: mc.datasets.RandomMP("test")[:2].to_batch()),
        ("torch", "train", lambda: mc.training),
        ("scikit-learn", "sklearn", lambda: mc.MulticutClustering()),
        ("scikit-learn", "sklearn", lambda: mc.datasets.irismp()),
        ("scikit-image", "vision", lambda: mc.vision.segment(image)),
        ("scikit-image", "vision", lambda: mc.vision.sample_image("coffee")),
        ("imageio", "vision", lambda: mc.vision.read_image(folder / "picture.png")),
        ("imageio", "vision", lambda: mc.vision.write_image(folder / "new.png", image)),
        ("tifffile", "vision", lambda: mc.vision.read_image(folder / "volume.tif")),
        ("scikit-image", "vision", lambda: mc.Problem.from_image(image)),
        ("matplotlib", "plot", lambda: mc.plotting.plot_problem(problem)),
        ("h5py", "hdf5", lambda: mc.read(folder / "problem.h5")),
        ("h5py", "hdf5", lambda: mc.write(problem, folder / "new.h5")),
        ("h5py", "hdf5", lambda: mc.vision.read_volume(folder / "problem.h5")),
        ("tensorstore", "zarr", lambda: mc.vision.read_volume(folder / "volume.zarr")),
        ("dask", "dask", lambda: mc.datasets.run_job(job, folder / "set", num_workers=2)),
        ("Gradio", "app", lambda: importlib.import_module("multicut.app")),
    ]
    for number, (package, extra, use) in enumerate(features):
        try:
            use()
        except ImportError as error:
            check_message(str(error), package, extra)
        else:
            raise AssertionError(f"feature {number}: nothing said that {package} is missing")
    assert not (folder / "new.h5").exists()
    print(f"{len(features)} uses of missing extras are told in Python")


def check_missing_on_the_command_line(folder: Path) -> None:
    """Look for the same on the command line: one line, exit code 2."""
    problem, picture = str(folder / "problem.txt"), str(folder / "figure.png")
    config = folder / "config.toml"
    config.write_text("")
    for package, extra, arguments in (
        ("torch", "nn", ["solve", problem, "--solver", "gnn"]),
        ("torch", "nn", ["evaluate", "universal", "randommp"]),
        ("torch", "train", ["train", str(config)]),
        ("scikit-learn", "sklearn", ["generate", "irismp", "-o", str(folder / "iris.npz")]),
        ("scikit-image", "vision", ["segment", "sample:coffee"]),
        ("imageio", "vision", ["segment", str(folder / "picture.png")]),
        ("matplotlib", "plot", ["plot", "problem", problem, "-o", picture]),
        ("matplotlib", "plot", ["demo", "--picture", picture]),
        ("h5py", "hdf5", ["info", str(folder / "problem.h5")]),
        ("h5py", "hdf5", ["convert", problem, str(folder / "new.h5")]),
        ("Gradio", "app", ["app"]),
    ):
        outcome = subprocess.run(
            [sys.executable, "-m", "multicut", *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
        shown = f"{arguments}: {outcome.stdout}{outcome.stderr}"
        assert outcome.returncode == 2, shown
        lines = outcome.stderr.splitlines()
        assert lines[-1].startswith("error: "), shown
        assert sum(line.startswith(("error: ", "Traceback")) for line in lines) == 1, shown
        check_message(lines[-1].removeprefix("error: "), package, extra)
    print("and on the command line")


def check_message(text: str, package: str, extra: str) -> None:
    """One line that names the package, and the command that installs it."""
    assert "\n" not in text, text
    expected = (
        f'needs {package}, which is not installed; install it with: pip install "multicut[{extra}]"'
    )
    assert text.endswith(expected), f"{text!r} does not end in {expected!r}"


def run(*arguments: str) -> str:
    """Run a command that must succeed, and return what it prints."""
    command = [sys.executable, "-m", "multicut", *arguments]
    outcome = subprocess.run(command, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, f"{arguments}: {outcome.stderr}"
    return outcome.stdout


if __name__ == "__main__":
    main()
