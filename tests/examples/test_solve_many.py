"""The example of examples/solve_many.py, shortened."""

from __future__ import annotations

from tests.examples.load import load_example


def test_quality_of_all_solvers(capsys, tmp_path):
    example = load_example("solve_many")
    table = example.main(num_graphs=10, picture=tmp_path / "frontier.png")
    ratios = {solver: ratio for solver, (ratio, _) in table.items()}
    assert set(ratios) == set(example.SOLVERS)
    assert 0.8 < ratios["gnn"] < ratios["gaec"] < ratios["klj"] < ratios["fusion"] <= 1
    assert "10 graphs" in capsys.readouterr().out
    assert (tmp_path / "frontier.png").stat().st_size > 5_000
