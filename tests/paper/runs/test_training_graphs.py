"""Records of runs that were trained on a corpus or on its stand-in."""

from __future__ import annotations

import json
import shutil

import pytest

from multicut.training import train
from paper.runs.record import main, record
from paper.runs.training_graphs import corpus_of
from tests.training.conftest import labelled


def save(folder, is_stand_in, family="irismp"):
    """Write a dataset as ``benchmarks/finetuning_data.py`` does."""
    for part, count in (("train", 10), ("valid", 4)):
        graphs = labelled(count, part, family)
        graphs.info |= {} if is_stand_in is None else {"is_stand_in": is_stand_in}
        (folder / part).parent.mkdir(exist_ok=True)
        graphs.save(folder / part, overwrite=True)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A run that was trained on CREMI, of which the tests change the dataset."""
    folder = tmp_path_factory.mktemp("finetuning")
    save(folder / "cremi", True)
    train(
        train=str(folder / "cremi"),
        validation=str(folder / "cremi"),
        network={"architecture": "lr"},
        instances=10,
        batch_size=5,
        validate_every=10,
        log_every=5,
        max_cycle_length=3,
        alpha=0.0,
        accelerator="cpu",
        output=str(folder / "cremi-from-scratch"),
    )
    return folder


def recorded(made, folder, tests=(), stand_ins=()):
    graphs = labelled(2, "test")
    path = record(made / "cremi-from-scratch", folder, dict.fromkeys(tests, graphs), stand_ins)
    return json.loads(path.read_text())


@pytest.mark.parametrize("is_stand_in", [True, False])
def test_what_a_run_was_trained_on_decides_without_test_sets(made, tmp_path, is_stand_in):
    save(made / "cremi", is_stand_in)
    found = recorded(made, tmp_path, ["IrisMP"])
    assert found["stand_ins"] == ["CREMI"] * is_stand_in
    assert set(found["test"]) == {"IrisMP"}


@pytest.mark.parametrize("is_stand_in", [True, False])
def test_test_sets_of_the_same_kind_are_measured(made, tmp_path, is_stand_in, capsys):
    save(made / "cremi", is_stand_in)
    found = recorded(made, tmp_path, ["CREMI", "Knott"], ["Knott"] + ["CREMI"] * is_stand_in)
    assert found["stand_ins"] == ["Knott"] + ["CREMI"] * is_stand_in
    assert set(found["test"]) == {"CREMI", "Knott"}
    assert not capsys.readouterr().out


@pytest.mark.parametrize(
    ("is_stand_in", "at_hand"),
    [(True, "published, its own are a stand-in"), (False, "a stand-in, its own are published")],
)
def test_a_test_set_of_the_other_kind_is_left_out(made, tmp_path, is_stand_in, at_hand, capsys):
    save(made / "cremi", is_stand_in)
    found = recorded(made, tmp_path, ["CREMI", "Knott"], [] if is_stand_in else ["CREMI"])
    assert found["stand_ins"] == ["CREMI"] * is_stand_in
    assert set(found["test"]) == {"Knott"}
    line = f"not tested on CREMI: the graphs at hand are {at_hand}\n"
    assert capsys.readouterr().out.endswith(line)


def test_a_dataset_that_does_not_say_what_it_is_is_an_error(made, tmp_path):
    save(made / "cremi", None)
    with pytest.raises(ValueError, match="does not say whether it is a stand-in; make it with"):
        recorded(made, tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_dataset_that_is_gone_is_an_error(made, tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("MULTICUT_DATA", raising=False)
    shutil.rmtree(made / "cremi")
    run = str(made / "cremi-from-scratch")
    assert main([run, "-o", str(tmp_path), "--num-test", "1"]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert f"was trained on {made / 'cremi'}, which is not there; make it with" in line


def test_a_dataset_that_was_replaced_since_is_an_error(made, tmp_path):
    # The run was trained on the stand-in; the published graphs came later.
    save(made / "cremi", False, "randommp")
    with pytest.raises(ValueError, match="was validated on other graphs than are there now"):
        recorded(made, tmp_path)


@pytest.mark.parametrize(
    ("trained_on", "corpus"),
    [
        ("build/finetuning/bsds300", "BSDS300"),
        ("build/finetuning/knott", "Knott"),
        ("irismp", None),
        ("given:0123", None),
        ({"irismp": 0.5, "randommp": 0.5}, None),
    ],
)
def test_which_corpus_a_run_was_trained_on(trained_on, corpus):
    assert corpus_of(trained_on) == corpus


def test_values_on_sets_that_are_not_at_hand_are_kept_for_the_same_run(made, tmp_path):
    save(made / "cremi", True)
    first = recorded(made, tmp_path, ["IrisMP", "Knott"], ["Knott"])
    again = recorded(made, tmp_path, ["IrisMP"])
    assert again["test"] == first["test"]
    assert sorted(again["stand_ins"]) == ["CREMI", "Knott"]
