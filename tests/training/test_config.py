from __future__ import annotations

import re
from pathlib import Path

import pytest

from multicut.nn import NetworkConfig
from multicut.training import TrainingConfig


def test_defaults_are_the_paper() -> None:
    config = TrainingConfig()
    assert config.network == NetworkConfig("gcn_w", width=128, depth=20, batch_norm=True)
    assert (config.learning_rate, config.weight_decay, config.batch_size) == (1e-3, 5e-4, 200)
    assert (config.alpha_start, config.alpha_ramp) == (3_000_000, 100_000)
    # The paper has 0.01, which ruins networks as losses are reduced here; see docs/training.md.
    assert (config.alpha, config.ccl_reduction) == (0.001, "graph")
    assert config.num_steps == 15_750


def test_a_file_and_back(tmp_path: Path) -> None:
    path = tmp_path / "small.toml"
    path.write_text('train = "irismp"\nalpha = 0\n[network]\narchitecture = "gin0_w"\ndepth = 3\n')
    config = TrainingConfig.from_file(path)
    assert config.network == NetworkConfig("gin0_w", depth=3)
    assert config.output == "runs/small"
    assert config.alpha == 0.0
    assert isinstance(config.alpha, float)
    assert TrainingConfig.from_dict(config.to_dict()) == config


def test_settings_of_the_network_are_kept_one_by_one() -> None:
    config = TrainingConfig().updated({"network": {"width": 16}})
    assert config.network == NetworkConfig("gcn_w", width=16, depth=20)
    # Another architecture starts from its own defaults.
    other = config.updated({"network": {"architecture": "mlp"}})
    assert other.network == NetworkConfig("mlp")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("learning_rat = 1", "unknown setting 'learning_rat'; did you mean 'learning_rate'?"),
        ("[network]\ndept = 3", "network has no setting 'dept'"),
        ('[network]\narchitecture = "gcnw"', "unknown architecture 'gcnw'"),
        ("network = 3", "network must be a table of settings, got 3"),
        ("batch_size = 0", "batch_size must be at least 1"),
        ("batch_size = 2.5", "batch_size must be an integer, got 2.5"),
        ("alpha = -1", "alpha must be at least 0, got -1"),
        ('alpha = "x"', "alpha must be a number, got 'x'"),
        ('loss = "mse"', "loss must be one of bce, decisions, polynomial; got 'mse'"),
        ("max_cycle_length = 9", "max_cycle_length must be from 3 to 8, got 9"),
        ('precision = "half"', "precision must be one of 32-true, bf16-mixed, 16-mixed"),
        ('freeze = "convolutions"', "name it with finetune"),
        ('accelerator = "abacus"', "accelerator must be one of auto, cpu, cuda; got"),
        ("alpha = inf", "alpha must be finite, got inf"),
        ('ccl_reduction = "mean"', "ccl_reduction must be one of graph, edge, length; got 'mean'"),
        ('labels = "ilp"', "labels = 'ilp' is for fresh graphs, not for 'randommp'; omit it"),
        ('train = "irismp:fresh"\nnum_train = 5', "num_train takes the first of stored graphs"),
        ("devices = 3", "batch_size must be a multiple of devices"),
        ("train = 3", "train must be text or a table of shares, got 3"),
        ("scale_free = 1", "scale_free must be true or false, got 1"),
        ("cuda_graph = true", "cuda_graph must be one of auto, on, off; got True"),
        ('output = ""', "output must name a folder"),
        ("a = = 3", "not TOML"),
    ],
)
def test_mistakes_are_told_in_one_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "wrong.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        TrainingConfig.from_file(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("**/*.toml"))


def test_there_are_configurations() -> None:
    assert len(CONFIGS) >= 20


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configurations_of_the_paper_are_valid(path: Path) -> None:
    TrainingConfig.from_file(path)
