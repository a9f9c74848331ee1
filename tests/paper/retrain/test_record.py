"""Records of retrained runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from multicut.training.config import TrainingConfig
from multicut.training.curves import VALIDATION_COLUMNS
from paper.retrain import record as module
from paper.retrain.earlier import configurations
from paper.retrain.jobs import plan
from paper.retrain.pool import run_jobs
from paper.retrain.record import record, record_beginning
from paper.retrain.shipped import as_toml
from paper.runs.curves import read_runs
from tests.paper.retrain.conftest import config

NAME = "gcn_w_bn-irismp-published-seed-0"


def make_trunk(folder: Path, instances: int, stopped_by: str = "time limit") -> Path:
    """Write what the beginning of a run leaves behind."""
    folder.mkdir(parents=True)
    summary = {"instances": instances, "stopped_by": stopped_by, "seconds": 1.0}
    (folder / "summary.json").write_text(json.dumps(summary))
    (folder / "model.json").write_text(json.dumps({"training": {"instances": instances}}))
    row = dict.fromkeys(VALIDATION_COLUMNS, "0.5") | {"instances": str(instances)}
    text = ",".join(row) + "\n" + ",".join(row.values()) + "\n"
    (folder / "validation.csv").write_text(text)
    (folder / "training.csv").write_text("instances,loss\n")
    return folder


@pytest.mark.parametrize(
    ("recorded", "is_replaced"),
    [
        (None, True),
        ({"instances": 100_000, "test": {}}, True),
        ({"instances": 300_000, "test": {}}, False),
        ({"instances": 150_000, "test": {"IrisMP": 0.99}}, False),
    ],
)
def test_a_beginning_does_not_replace_a_record_that_came_farther(
    tmp_path: Path, recorded: dict[str, object] | None, is_replaced: bool
) -> None:
    trunk = make_trunk(tmp_path / "trunk", 200_000)
    path = tmp_path / "records" / f"{NAME}.json"
    if recorded is not None:
        path.parent.mkdir()
        path.write_text(json.dumps(recorded))
    before = path.read_text() if recorded else ""

    config = TrainingConfig(train="irismp")
    assert record_beginning(trunk, NAME, config, path.parent) == is_replaced

    if is_replaced:
        assert json.loads(path.read_text())["instances"] == 200_000
    else:
        assert path.read_text() == before


@pytest.mark.parametrize(
    ("trunk_ended", "run_ended"), [("finished", "not continued"), ("time limit", "time limit")]
)
def test_a_whole_beginning_is_no_whole_run(
    tmp_path: Path, trunk_ended: str, run_ended: str
) -> None:
    trunk = make_trunk(tmp_path / "trunk", 200_000, trunk_ended)
    config = TrainingConfig(train="irismp", instances=300_000)

    assert record_beginning(trunk, NAME, config, tmp_path / "records")

    found = json.loads((tmp_path / "records" / f"{NAME}.json").read_text())
    assert found["stopped_by"] == run_ended
    assert (found["instances"], found["planned_instances"]) == (200_000, 300_000)


def make_run(folder: Path, bce: str = "0.5") -> Path:
    """Write what a run that has ended leaves behind when its weights stayed elsewhere."""
    make_trunk(folder, 200_000)
    row = dict.fromkeys(VALIDATION_COLUMNS, "0.5") | {"instances": "200000", "bce": bce}
    text = ",".join(row) + "\n" + ",".join(row.values()) + "\n"
    (folder / "validation.csv").write_text(text)
    ratios = {"irismp": {"objective_ratio": 0.9}, "randommp": {"objective_ratio": 0.8}}
    (folder / "tests.json").write_text(json.dumps({"best": ratios, "last": ratios}))
    return folder


@pytest.mark.parametrize("is_same_run", [True, False])
def test_values_on_absent_sets_are_kept_for_the_same_run_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], is_same_run: bool
) -> None:
    config = TrainingConfig(train="irismp")
    path = tmp_path / "records" / "gcn-seed-0.json"
    assert record(make_run(tmp_path / "a" / path.stem), config, path.parent)
    stored = json.loads(path.read_text())
    stored["test"]["Knott"] = 0.7
    stored["stand_ins"] = ["Knott"]
    path.write_text(json.dumps(stored))

    run = make_run(tmp_path / "b" / path.stem, "0.5" if is_same_run else "0.4")
    assert record(run, config, path.parent)

    found = json.loads(path.read_text())
    own = {"IrisMP": 0.9, "RandomMP": 0.8}
    assert found["test"] == (own | {"Knott": 0.7} if is_same_run else own)
    assert found["stand_ins"] == (["Knott"] if is_same_run else [])
    assert ("values on Knott were of other weights" in capsys.readouterr().out) != is_same_run
    curve = path.with_suffix(".csv").read_text()
    assert curve == (run / "validation.csv").read_text()


def test_earlier_and_finetuned_runs_and_recorded_shipped_ones_are_kept_as_a_whole(
    tmp_path: Path,
    data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "find_sets", lambda _data: [])
    runs, configs, records = tmp_path / "runs", tmp_path / "configs", tmp_path / "records"
    places = {
        "earlier": runs / "earlier" / "first",
        "finetuning": runs / "second",
        "shipped": runs / "third",
    }
    settings = [config(data, place, alpha=0.0, instances=20) for place in places.values()]
    assert run_jobs(plan(settings, runs), runs / "graphs", tests=(), slots=2)
    for kind, run in zip(places, settings, strict=True):
        path = configs / kind / f"{Path(run.output).name}.toml"
        path.parent.mkdir(parents=True)
        path.write_text(as_toml("A run.", run.to_dict()))

    def kept() -> list[str]:
        module.record_all(runs, configs=configs, output=records)
        return sorted(path.stem for path in records.glob("*.json"))

    assert kept() == ["first", "second"]
    record = json.loads((records / "first.json").read_text())
    assert (record["planned_instances"], record["stopped_by"]) == (20, "finished")

    # A shipped network has a record here if it has one already.
    own = json.loads((records / "second.json").read_text())
    (records / "third.json").write_text(json.dumps({**own, "seconds": -1.0}))
    (records / "third.csv").write_text((records / "second.csv").read_text())
    assert kept() == ["first", "second", "third"]
    assert json.loads((records / "third.json").read_text())["seconds"] > 0

    capsys.readouterr()
    (runs / "second" / "model.safetensors").unlink()
    kept()
    assert "second: not recorded, since its weights are not there" in capsys.readouterr().out


def finetuned(data: str, runs: Path, configs: Path, name: str) -> Path:
    """Finetune a shipped network, and write the configuration as one of readings of CCL."""
    start = {"finetune": "lr-irismp", "network": {"architecture": "lr"}}
    run = config(data, runs / name, alpha=0.0, instances=20, **start)
    assert run_jobs(plan([run], runs), runs / "graphs", tests=(), slots=1)
    path = configs / "readings" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(as_toml("A run.", run.to_dict()))
    return runs / name


def test_what_a_run_finetunes_is_recorded_with_it(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_sets", lambda _data: [])
    runs, configs, records = tmp_path / "runs", tmp_path / "configs", tmp_path / "records"
    finetuned(data, runs, configs, "irismp-from-shipped")

    module.record_all(runs, configs=configs, output=records)

    found = json.loads((records / "readings" / "irismp-from-shipped.json").read_text())
    assert (found["started_from"], found["scale_free"]) == ("lr-irismp", True)
    assert found["before"]["objective_ratio"] > 0
    (run,) = read_runs(records / "readings").values()
    assert configurations(run, [configs / "readings"])


def test_a_run_that_cannot_be_recorded_does_not_keep_others_from_it(
    tmp_path: Path,
    data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(module, "find_sets", lambda _data: [])
    runs, configs, records = tmp_path / "runs", tmp_path / "configs", tmp_path / "records"
    for name in ("a", "b"):
        finetuned(data, runs, configs, name)
    card = runs / "a" / "model.json"
    content = json.loads(card.read_text())
    content["training"]["train"] = "build/finetuning/cremi"
    card.write_text(json.dumps(content))
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match="could not be recorded; see above"):
        module.record_all(runs, configs=configs, output=records)

    assert [path.stem for path in (records / "readings").glob("*.json")] == ["b"]
    assert "build/finetuning/cremi, which is not there" in capsys.readouterr().out


@pytest.mark.parametrize("changed", [{"alpha": 0.5}, {"network": {"width": 4}}, {}])
def test_a_run_with_other_settings_than_its_configuration_is_not_recorded(
    tmp_path: Path,
    data: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    changed: dict[str, Any],
) -> None:
    monkeypatch.setattr(module, "find_sets", lambda _data: [])
    runs, configs, records = tmp_path / "runs", tmp_path / "configs", tmp_path / "records"
    before = config(data, runs / "a", alpha_start=0, instances=20)
    # As with --set; where checkpoints are written does not matter.
    assert run_jobs(
        plan([before.updated({"checkpoint_every": 20})], runs), runs / "graphs", tests=(), slots=1
    )
    path = configs / "readings" / "a.toml"
    path.parent.mkdir(parents=True)
    path.write_text(as_toml("A run.", before.updated(changed).to_dict()))

    if not changed:
        module.record_all(runs, configs=configs, output=records)
        assert (records / "readings" / "a.json").exists()
        return
    with pytest.raises(ValueError, match="could not be recorded; see above"):
        module.record_all(runs, configs=configs, output=records)

    assert not records.exists()
    (name,) = changed
    said = capsys.readouterr().out
    assert f"{runs / 'a'}: not recorded: trained with other {name} than" in said


def test_a_record_tells_the_precision_that_a_run_had(
    tmp_path: Path, data: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "find_sets", lambda _data: [])
    runs, configs, records = tmp_path / "runs", tmp_path / "configs", tmp_path / "records"
    before = config(data, runs / "a", alpha_start=0, instances=20)
    trained = before.updated({"precision": "bf16-mixed"})
    assert run_jobs(plan([trained], runs), runs / "graphs", tests=(), slots=1)
    path = configs / "readings" / "a.toml"
    path.parent.mkdir(parents=True)
    path.write_text(as_toml("A run.", before.to_dict()))
    module.record_all(runs, configs=configs, output=records)
    written = json.loads((records / "readings" / "a.json").read_text(encoding="utf-8"))
    assert written["precision"] == "bf16-mixed"
