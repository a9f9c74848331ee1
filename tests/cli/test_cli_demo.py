from __future__ import annotations

import multicut as mc


def test_demo_compares_all_solvers_and_draws(multicut, tmp_path):
    picture = tmp_path / "demo.png"
    outcome = multicut("demo", "--picture", picture)
    assert outcome.code == 0
    for record in mc.list_solvers():
        assert not record.is_ready() or outcome.stdout.count(f" {record.name} ") >= 3
    assert "1.00000" in outcome.stdout
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert picture.stat().st_size > 100_000


def test_picture_of_an_unknown_kind_is_refused_at_once(multicut):
    outcome = multicut("demo", "--picture", "demo.docx")
    assert outcome.code == 2
    assert "--picture" in outcome.stderr
    assert ".png" in outcome.stderr
