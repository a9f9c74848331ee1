"""The tests themselves: they end in any shell, and say what they have left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def run_tests(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run tests as a job in the background does: with SIGINT ignored."""
    shell = ["/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"]
    return subprocess.run(
        [*shell, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
    )


@pytest.mark.parametrize(
    "test",
    [
        "tests/test_solve.py::test_ctrl_c_returns_the_best_so_far",
        "tests/cli/test_cli_solve.py::test_interrupt_saves_the_best_so_far",
    ],
)
def test_ctrl_c_is_heard_where_the_shell_ignores_it(test):
    outcome = run_tests("--timeout", "120", test)
    assert outcome.returncode == 0, outcome.stdout + outcome.stderr


def test_a_test_that_hangs_in_native_code_fails_and_names_itself(tmp_path):
    hanging = tmp_path / "test_hanging.py"
    hanging.write_text(
        "import multicut as mc\n\n\n"
        "def test_hanging():\n"
        "    problem = mc.datasets.randommp(2000, seed=0)\n"
        "    mc.solve(problem, 'fusion', patience=10**9, max_proposals=10**9)\n"
    )
    outcome = run_tests("-c", str(ROOT / "pyproject.toml"), "--timeout", "5", str(hanging))
    assert outcome.returncode != 0
    assert "in test_hanging" in outcome.stdout + outcome.stderr


def test_every_test_has_a_limit_and_skips_give_reasons(pytestconfig):
    assert float(pytestconfig.getini("timeout")) > 0
    assert pytestconfig.getini("timeout_method") == "thread"
    assert "-rs" in pytestconfig.getini("addopts")


def test_modules_whose_package_is_missing_are_skipped_with_a_reason():
    hidden = (
        "import sys, importlib.util as util; find = util.find_spec\n"
        "util.find_spec = lambda name, *rest: None if name == 'gradio' else find(name, *rest)\n"
        "import pytest; sys.exit(pytest.main(sys.argv[1:]))"
    )
    outcome = subprocess.run(
        [
            sys.executable,
            "-c",
            hidden,
            "-p",
            "no:cacheprovider",
            "-p",
            "no:benchmark",  # where it is installed, it warns of pytest-xdist
            "tests/app",
            "tests/docs/test_app_page.py",
        ],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert "error" not in outcome.stdout, outcome.stdout
    assert "needs gradio, of the extra multicut[dev]" in outcome.stdout
