from __future__ import annotations

from multicut.io import list_formats, read, read_all


def test_round_trip_loses_nothing(multicut, problem, problem_file, tmp_path):
    packed = tmp_path / "packed.npz"
    back = tmp_path / "back.txt"
    first = multicut("convert", problem_file, packed)
    assert first.code == 0
    assert str(packed) in first.stdout
    assert multicut("convert", packed, back).code == 0
    assert read(packed) == problem
    assert read(back) == problem


def test_takes_one_of_several(multicut, packed_file, tmp_path):
    target = tmp_path / "pair.txt"
    assert multicut("convert", packed_file, target, "--instance", "pair").code == 0
    assert read(target).costs.tolist() == [-1.5]


def test_several_problems_stay_together(multicut, packed_file, tmp_path):
    target = tmp_path / "copy.npz"
    outcome = multicut("convert", packed_file, target)
    assert "2 problems" in outcome.stdout
    assert read_all(target) == read_all(packed_file)


def test_several_problems_do_not_fit_every_format(multicut, packed_file, tmp_path):
    outcome = multicut("convert", packed_file, tmp_path / "copy.txt")
    assert outcome.code == 2
    assert "one problem per file, got 2" in outcome.stderr


def test_folder_must_exist(multicut, problem_file):
    outcome = multicut("convert", problem_file, "nowhere/target.txt")
    assert outcome.code == 2
    assert "no folder 'nowhere'" in outcome.stderr


def test_unknown_format(multicut, problem_file, tmp_path):
    outcome = multicut("convert", problem_file, tmp_path / "x.txt", "--to", "docx")
    assert outcome.code == 2
    assert outcome.stdout == ""
    assert "docx" in outcome.stderr
    assert list_formats()[0].name in outcome.stderr
