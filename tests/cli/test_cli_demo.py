from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

import multicut as mc
from multicut.cli import demo as command
from multicut.demo import Example, Row, list_entrants


def test_demo_compares_all_solvers_and_draws(multicut, tmp_path):
    picture = tmp_path / "demo.png"
    outcome = multicut("demo", "--picture", picture)
    assert outcome.code == 0
    for record in mc.list_solvers():
        if record.is_ready():
            assert (outcome.stdout.count(f" {record.name} ") >= 3) == record.minimises
    assert "1.00000" in outcome.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 100_000


def test_picture_of_an_unknown_kind_is_refused_at_once(multicut):
    outcome = multicut("demo", "--picture", "demo.docx")
    assert outcome.code == 2
    assert "--picture" in outcome.stderr
    assert ".png" in outcome.stderr


@pytest.mark.parametrize("width", [80, 120])
def test_the_table_fits_a_terminal(width):
    problem = mc.datasets.randommp(20_000, seed=0)
    example = Example("a random graph of 20,000 nodes", (problem,), mc.datasets.randommp_points(9))
    result = mc.solve(problem, "gaec")
    details = {"found_by": "fusion", "network": "not used: no GPU"}
    results = [replace(result, details=details)] * 9 + [replace(result, details={})]
    results[0] = replace(result, details=details | {"found_by": "gaec"})
    rows = [Row(example, entrant, tuple(results)) for entrant in list_entrants()]
    console = Console(file=io.StringIO(), width=width)
    console.print(command._comparison(rows))
    lines = console.file.getvalue().splitlines()
    assert max(map(len, lines)) <= width
    cells = [line.split()[0] for line in lines if "-" in line[17:]]
    assert cells == [entrant.name for entrant in list_entrants()]
    assert len(lines) <= 5 + (2 if width == 80 else 1) * len(rows)
