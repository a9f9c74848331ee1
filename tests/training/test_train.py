"""Runs from begin to end: curves, checkpoints, resumption, finetuning, processes."""

from __future__ import annotations

import itertools
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import multicut as mc
from multicut.training import DeviceDataset, TrainingConfig, train
from multicut.training.curves import read_curve

TIMING = "instances_per_second"


def curves(folder: str | Path) -> list[list[dict[str, str]]]:
    rows = [read_curve(Path(folder) / name) for name in ("training.csv", "validation.csv")]
    return [[{k: v for k, v in row.items() if k != TIMING} for row in part] for part in rows]


def weights_of(path: Path) -> dict[str, torch.Tensor]:
    return dict(mc.load_model(path).network.state_dict())


def assert_same_weights(one: Path, other: Path) -> None:
    first, second = weights_of(one), weights_of(other)
    assert first.keys() == second.keys()
    for name, tensor in first.items():
        torch.testing.assert_close(tensor, second[name], rtol=0, atol=0, msg=name)


class Killed(BaseException):
    """Ends training as abruptly as a signal would, as far as files are concerned."""


def kill_after(instances: int) -> Any:
    def progress(seen: int, values: dict[str, float]) -> None:
        if seen >= instances and "loss" in values:
            raise Killed

    return progress


def test_a_run_learns_and_leaves_everything_behind(settings: dict[str, Any]) -> None:
    settings = {**settings, "instances": 400, "learning_rate": 0.01, "alpha": 0.0}
    result = train(**settings)
    training, validation = curves(result.folder)
    assert [int(row["instances"]) for row in training] == list(range(20, 401, 20))
    assert float(training[-1]["loss"]) < 0.7 * float(training[0]["loss"])
    assert [int(row["instances"]) for row in validation] == list(range(40, 401, 40))
    assert result.stopped_by == "finished"
    assert result.instances == 400
    assert result.instances_per_second is not None
    summary = json.loads((result.folder / "summary.json").read_text())
    assert summary["validation"] == result.validation

    # The model on disk is the one of the best validation.
    model = mc.load_model(result.model_path)
    best = max(float(row["objective_ratio"]) for row in validation)
    assert model.card["validation"]["objective_ratio"] == pytest.approx(best)
    assert model.card["training"]["learning_rate"] == 0.01
    assert list((result.folder / "tensorboard").iterdir())


def test_alpha_rises_and_cycles_count(settings: dict[str, Any]) -> None:
    result = train(**settings)
    training, validation = curves(result.folder)
    assert [float(row["cycle_weight"]) for row in training] == pytest.approx(
        [0, 0, 0.0025, 0.0075, 0.01, 0.01]
    )
    assert training[0]["ccl"] == training[1]["ccl"] == ""
    for row in training[4:]:
        total = float(row["bce"]) + float(row["cycle_weight"]) * float(row["ccl"])
        assert float(row["loss"]) == pytest.approx(total, rel=1e-5)
    assert all(row["ccl"] for row in validation)


@pytest.mark.parametrize("killed_at", [40, 60, 100])
def test_a_killed_run_goes_on_exactly(
    settings: dict[str, Any], tmp_path: Path, killed_at: int
) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "killed")
    with pytest.raises(Killed):
        train(**settings, progress=kill_after(killed_at))
    assert (tmp_path / "killed" / "last.ckpt").exists() == (killed_at > 50)
    resumed = train(**settings)
    assert curves(resumed.folder) == curves(straight.folder)
    assert_same_weights(resumed.model_path, straight.model_path)
    for name, tensor in straight.network.state_dict().items():
        torch.testing.assert_close(resumed.network.state_dict()[name], tensor, rtol=0, atol=0)


def test_a_time_limit_stops_with_a_checkpoint(settings: dict[str, Any], tmp_path: Path) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "short")
    sessions = [train(**settings, time_limit=0.0) for _ in range(3)]
    assert [session.instances for session in sessions] == [10, 20, 30]
    assert {session.stopped_by for session in sessions} == {"time limit"}
    finished = train(**settings)
    assert finished.stopped_by == "finished"
    assert curves(finished.folder) == curves(straight.folder)
    assert_same_weights(finished.model_path, straight.model_path)


def test_ctrl_c_stops_with_a_checkpoint(settings: dict[str, Any], tmp_path: Path) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "interrupted")

    def interrupt(seen: int, _values: dict[str, float]) -> None:
        if seen == 60:
            signal.raise_signal(signal.SIGINT)

    handler = signal.getsignal(signal.SIGINT)
    stopped = train(**settings, progress=interrupt)
    assert signal.getsignal(signal.SIGINT) is handler
    assert (stopped.stopped_by, stopped.instances) == ("interrupt", 60)
    finished = train(**settings)
    assert curves(finished.folder) == curves(straight.folder)


def test_a_run_that_is_stopped_early_leaves_a_model(settings: dict[str, Any]) -> None:
    result = train(**settings, time_limit=0.0)
    assert result.validation is None
    assert mc.load_model(result.model_path).card["validation"] is None


def test_a_restart_forgets_the_checkpoint(settings: dict[str, Any]) -> None:
    train(**settings)
    with pytest.raises(Killed):
        train(**settings, restart=True, progress=kill_after(20))
    assert not Path(settings["output"], "last.ckpt").exists()


def test_a_finished_run_can_be_made_longer(settings: dict[str, Any], tmp_path: Path) -> None:
    straight = train(**settings)
    settings["output"] = str(tmp_path / "longer")
    first = train(**{**settings, "instances": 60})
    assert first.instances == 60
    again = train(**{**settings, "instances": 60})
    assert again.instances == 60
    assert again.instances_per_second is None
    assert again.validation == first.validation
    longer = train(**settings)
    assert longer.instances == 120
    assert curves(longer.folder)[0] == curves(straight.folder)[0]


def test_a_checkpoint_of_another_run_is_refused(settings: dict[str, Any]) -> None:
    train(**{**settings, "instances": 20})
    with pytest.raises(ValueError, match=r"holds a run with alpha = 0.01, not 0.5; restart, or"):
        train(**{**settings, "instances": 20, "alpha": 0.5})
    restarted = train(**{**settings, "instances": 20, "alpha": 0.5}, restart=True)
    assert restarted.instances == 20
    (restarted.folder / "last.ckpt").write_bytes(b"no checkpoint")
    with pytest.raises(ValueError, match="is not a checkpoint of a training run"):
        train(**{**settings, "instances": 20, "alpha": 0.5})


def test_a_run_is_not_taken_up_with_other_graphs(
    settings: dict[str, Any], graphs: mc.Dataset
) -> None:
    train(**{**settings, "instances": 20})
    with pytest.raises(ValueError, match=r"holds a run with train = 'given:\w+', not 'given:"):
        train(**{**settings, "instances": 20, "train": graphs[:20]})
    assert train(**{**settings, "instances": 30, "train": graphs[:]}).instances == 30


def test_a_setting_unknown_to_a_checkpoint_was_as_by_default(settings: dict[str, Any]) -> None:
    folder = train(**{**settings, "instances": 20}).folder
    content = torch.load(folder / "last.ckpt", weights_only=True)
    del content["multicut"]["config"]["ccl_reduction"]
    torch.save(content, folder / "last.ckpt")
    with pytest.raises(ValueError, match="a run with ccl_reduction = 'graph', not 'edge'"):
        train(**settings, ccl_reduction="edge")
    assert train(**{**settings, "instances": 30}).instances == 30


def test_cycle_consistency_per_graph_or_per_edge(
    settings: dict[str, Any], graphs: mc.Dataset, tmp_path: Path
) -> None:
    # One step over all graphs: both runs see the same, with the same weights.
    settings = {**settings, "instances": 30, "batch_size": 30, "log_every": 30, "alpha_start": 0}
    settings = {**settings, "alpha_ramp": 0, "network": {**settings["network"], "depth": 1}}
    mean_edges = len(graphs.arrays().costs) / len(graphs)
    runs = {
        "graph": train(**settings),
        "edge": train(
            **{**settings, "alpha": 0.01 * mean_edges, "output": str(tmp_path / "edge")},
            ccl_reduction="edge",
        ),
    }
    (graph,), (edge,) = (curves(run.folder)[0] for run in runs.values())
    assert float(graph["ccl"]) > 0
    assert float(edge["ccl"]) == pytest.approx(float(graph["ccl"]) / mean_edges, rel=1e-5)
    assert float(edge["loss"]) == pytest.approx(float(graph["loss"]), rel=1e-5)
    torch.testing.assert_close(
        dict(runs["edge"].network.state_dict()), dict(runs["graph"].network.state_dict())
    )


def test_batches_without_edges_change_nothing_for_the_worse(settings: dict[str, Any]) -> None:
    lonely = mc.Problem(np.empty((0, 2), dtype=np.int64), [], num_nodes=4)
    problems = [lonely, mc.datasets.irismp(seed=0), lonely]
    some = mc.Dataset.from_problems(problems, mc.solve_batch(problems, "gaec", num_workers=1))
    small = {**settings, "train": some, "validation": some, "batch_size": 1, "instances": 9}
    result = train(**{**small, "log_every": 1, "alpha_start": 0})
    losses = [float(row["loss"]) for row in curves(result.folder)[0]]
    assert sorted(loss == 0 for loss in losses) == [False] * 3 + [True] * 6
    assert all(tensor.isfinite().all() for tensor in result.network.state_dict().values())
    with pytest.raises(ValueError, match="train must contain graphs with edges, got none"):
        train(**{**settings, "train": [lonely]}, restart=True)
    with pytest.raises(ValueError, match="train must contain graphs with edges, got none"):
        train(**{**settings, "train": []}, restart=True)


@pytest.mark.parametrize("part", ["train", "validation"])
def test_too_many_cycles_come_to_light_at_once(
    settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    # A complete graph of 40 nodes has 9,880 triangles; those of IrisMP have at most 2,024.
    complete = mc.Problem(list(itertools.combinations(range(40), 2)), np.ones(780))
    many = mc.Dataset.from_problems([complete], [mc.solve(complete, "gaec")])
    init = DeviceDataset.__init__
    monkeypatch.setattr(
        DeviceDataset, "__init__", lambda *a, **options: init(*a, **options, max_cycles=5000)
    )
    seen: list[int] = []
    with pytest.raises(ValueError, match="more than 5000 chordless cycles"):
        train(**{**settings, part: many}, progress=lambda instances, _: seen.append(instances))
    assert not seen


def test_validation_may_be_none(settings: dict[str, Any]) -> None:
    assert train(**{**settings, "validation": None, "instances": 10}).validation is None
    with pytest.raises(TypeError, match=r"train must be the name of a dataset, .* got NoneType"):
        train(**{**settings, "train": None})


def test_without_labels_the_objective_gets_better(settings: dict[str, Any]) -> None:
    problems = list(mc.datasets.generate("irismp", 30))
    result = train(
        **{
            **settings,
            "train": problems,
            "loss": "polynomial",
            "penalty_start": 100,
            "penalty_ramp": 100,
            "instances": 300,
            "learning_rate": 0.01,
        }
    )
    training, _ = curves(result.folder)
    weights = [float(row["cycle_weight"]) for row in training]
    assert weights[0] == 0.01
    assert weights[-1] == 0.1
    assert weights[:6] == sorted(weights)[:6]
    assert float(training[-1]["loss"]) < float(training[0]["loss"]) - 0.01
    assert training[-1]["bce"] == ""
    assert result.validation is not None


def test_fresh_graphs_with_labels(settings: dict[str, Any], tmp_path: Path) -> None:
    settings = {**settings, "train": "irismp:fresh", "labels": "gaec", "instances": 40}
    straight = train(**settings)
    settings["output"] = str(tmp_path / "stopped")
    train(**settings, time_limit=0.0)
    resumed = train(**settings)
    assert curves(resumed.folder) == curves(straight.folder)


def test_fresh_graphs_without_labels(settings: dict[str, Any]) -> None:
    settings = {**settings, "train": "irismp:fresh", "instances": 20}
    result = train(**{**settings, "loss": "polynomial", "validation": ""})
    assert result.validation is None
    assert result.model_path.exists()
    with pytest.raises(ValueError, match="'irismp:fresh' has no labels; name a solver in labels"):
        train(**settings, restart=True)


def test_labels_are_needed_for_cross_entropy(settings: dict[str, Any]) -> None:
    unlabelled = mc.datasets.generate("irismp", 5)
    with pytest.raises(ValueError, match="the training graphs have no labels"):
        train(**{**settings, "train": unlabelled})
    with pytest.raises(ValueError, match="the validation graphs have no labels"):
        train(**{**settings, "validation": unlabelled})
    with pytest.raises(FileNotFoundError, match="nowhere: neither a file, a folder nor a shipped"):
        train(**{**settings, "train": "nowhere"})
    with pytest.raises(TypeError, match="train must be the name of a dataset, a Dataset or a list"):
        train(**{**settings, "train": 3})


def test_a_stored_dataset_is_named_by_its_folder(
    settings: dict[str, Any], graphs: mc.Dataset, tmp_path: Path
) -> None:
    graphs.save(tmp_path / "stored")
    stored = {**settings, "train": str(tmp_path / "stored"), "instances": 20}
    from_folder = train(**stored)
    given = train(**{**settings, "instances": 20, "output": str(tmp_path / "given")})
    assert curves(from_folder.folder) == curves(given.folder)
    fewer = train(**{**stored, "num_train": 10, "output": str(tmp_path / "fewer")})
    assert curves(fewer.folder) != curves(given.folder)


def test_models_without_a_scale(settings: dict[str, Any], graphs: mc.Dataset) -> None:
    result = train(**{**settings, "scale_free": True})
    model = mc.load_model(result.model_path)
    assert model.card["cost_scale"] == pytest.approx(np.abs(graphs.arrays().costs).mean())
    problem = mc.datasets.irismp(seed=9)
    scaled = mc.Problem(problem.edges, 1000 * problem.costs)
    torch.testing.assert_close(model(problem), model(scaled), rtol=1e-4, atol=1e-5)


def test_mixed_precision(settings: dict[str, Any], tmp_path: Path) -> None:
    full = train(**settings)
    mixed = train(**{**settings, "precision": "bf16-mixed", "output": str(tmp_path / "mixed")})
    losses = [[float(row["loss"]) for row in curves(run.folder)[0]] for run in (full, mixed)]
    assert losses[0] != losses[1]
    assert losses[0] == pytest.approx(losses[1], rel=0.05)


@pytest.mark.parametrize(
    ("freeze", "trained"),
    [
        ("nothing", ("convolutions.", "edge_classifier.")),
        ("convolutions", ("edge_classifier.",)),
        ("all-but-last-layer", ("edge_classifier.layers.2.",)),
    ],
)
def test_finetuning(
    settings: dict[str, Any], tmp_path: Path, freeze: str, trained: tuple[str, ...]
) -> None:
    before = train(**{**settings, "instances": 40})
    tuned = train(
        **{
            **settings,
            "instances": 40,
            "finetune": str(before.model_path),
            "freeze": freeze,
            "network": {"depth": 7},  # that of the model counts
            "output": str(tmp_path / "tuned"),
        }
    )
    old = weights_of(before.model_path)
    new = tuned.network.state_dict()
    assert old.keys() == new.keys()
    for name, tensor in new.items():
        if tensor.is_floating_point() and "running" not in name:
            assert torch.equal(old[name], tensor) != name.startswith(trained), name
        if freeze != "nothing" and ("running" in name or "num_batches" in name):
            assert torch.equal(old[name], tensor), name
    # A stopped run goes on from its checkpoint, not from the model.
    resumed = train(
        **{
            **settings,
            "instances": 60,
            "finetune": str(before.model_path),
            "freeze": freeze,
            "network": {"depth": 7},
            "output": str(tmp_path / "tuned"),
        }
    )
    assert resumed.instances == 60


def test_finetuning_keeps_the_scale_of_a_model(
    settings: dict[str, Any], graphs: mc.Dataset, tmp_path: Path
) -> None:
    before = train(**{**settings, "scale_free": True, "instances": 40})
    problems = [mc.Problem(graph.edges, 100 * graph.costs) for graph in graphs]
    larger = mc.Dataset.from_problems(problems, mc.solve_batch(problems, "gaec", num_workers=1))
    tuned = train(
        **{
            **settings,
            "train": larger,
            "finetune": str(before.model_path),
            "freeze": "convolutions",
            "learning_rate": 0.0,
            "instances": 10,
            "output": str(tmp_path / "tuned"),
        }
    )
    old, new = mc.load_model(before.model_path), mc.load_model(tuned.model_path)
    assert new.cost_scale == old.cost_scale
    # With a learning rate of 0, it is the same model.
    torch.testing.assert_close(new(problems[0]), old(problems[0]))


def write_config(path: Path, settings: dict[str, Any]) -> Path:
    plain = {key: value for key, value in settings.items() if key != "network"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in plain.items()]
    lines += ["[network]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in settings["network"].items()]
    path.write_text("\n".join(lines) + "\n")
    TrainingConfig.from_file(path)
    return path


@pytest.fixture
def stored(
    settings: dict[str, Any], graphs: mc.Dataset, validation: mc.Dataset, tmp_path: Path
) -> dict[str, Any]:
    graphs.save(tmp_path / "graphs")
    validation.save(tmp_path / "validation")
    return {
        **settings,
        "train": str(tmp_path / "graphs"),
        "validation": str(tmp_path / "validation"),
    }


def run_command(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "multicut", *arguments]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=500, check=True
    )


@pytest.mark.slow
def test_two_processes_compute_what_one_does(stored: dict[str, Any], tmp_path: Path) -> None:
    # Batch normalisation over all processes is for GPUs only.
    stored = {**stored, "network": {**stored["network"], "batch_norm": False}}
    one = train(**stored)
    two = write_config(
        tmp_path / "two.toml", {**stored, "devices": 2, "output": str(tmp_path / "two")}
    )
    run_command("train", str(two))
    for alone, together in zip(curves(one.folder), curves(tmp_path / "two"), strict=True):
        assert len(alone) == len(together) > 0
        for expected, found in zip(alone, together, strict=True):
            assert expected.keys() == found.keys()
            for name, value in expected.items():
                if value:
                    assert float(found[name]) == pytest.approx(float(value), rel=1e-4), name


@pytest.mark.slow
def test_a_process_that_is_killed_goes_on_exactly(stored: dict[str, Any], tmp_path: Path) -> None:
    stored = {**stored, "instances": 20_000, "checkpoint_every": 100, "validate_every": 1000}
    path = write_config(tmp_path / "killed.toml", {**stored, "output": str(tmp_path / "killed")})
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "multicut", "train", str(path)]
    process = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 500
    while not (tmp_path / "killed" / "last.ckpt").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    state = torch.load(tmp_path / "killed" / "last.ckpt", weights_only=True)
    stop = 10 * (state["global_step"] + 20)
    assert stop < 20_000
    run_command("train", str(path), "--set", f"instances={stop}")
    straight = train(**{**stored, "instances": stop, "output": str(tmp_path / "straight")})
    assert curves(tmp_path / "killed")[0] == curves(straight.folder)[0]
