from __future__ import annotations

import subprocess
import sys

import multicut as mc
from multicut.io import list_formats


def test_solvers_are_those_of_the_registry(multicut):
    outcome = multicut("solvers")
    entries = multicut("solvers", "--json").json()
    assert [entry["name"] for entry in entries] == [r.name for r in mc.list_solvers()]
    for record, entry in zip(mc.list_solvers(), entries, strict=True):
        assert record.name in outcome.stdout
        assert entry["description"] == record.description
        assert {name: each["meaning"] for name, each in entry["options"].items()} == (
            record.option_meanings
        )
        assert [each["default"] for each in entry["options"].values()] == list(
            record.option_defaults.values()
        )
        assert all(f"{name}=" in outcome.stdout for name in record.option_defaults)


def test_formats_are_those_of_the_registry(multicut):
    entries = multicut("formats", "--json").json()
    assert [entry["name"] for entry in entries] == [r.name for r in list_formats()]
    assert all(entry["name"] in multicut("formats").stdout for entry in entries)


def test_version(multicut):
    assert multicut("--version").stdout == f"multicut {mc.__version__}\n"


def test_help_without_a_command(multicut):
    outcome = multicut()
    assert outcome.code == 0
    assert all(name in outcome.stdout for name in ("solve", "info", "convert", "demo", "bench"))


def test_listing_starts_without_heavy_imports():
    code = (
        "import sys; from multicut.cli import main; main(['solvers', '--json']); "
        "heavy = {'matplotlib', 'scipy', 'h5py', 'torch'} & set(sys.modules); "
        "sys.exit(', '.join(heavy) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_solvers_tell_what_they_return_and_need(multicut):
    listing = {row["name"]: row for row in multicut("solvers", "--json").json()}
    assert listing["ilp"]["returns"] == ["labels", "lower_bound", "optimal"]
    assert listing["ilp"]["needs"] == ["highspy"]
    assert listing["gaec"]["returns"] == ["labels"]
    assert "lower_bound" in multicut("solvers").stdout
