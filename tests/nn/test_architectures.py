"""What the registry says of architectures is what their networks do."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch

from multicut.nn import (
    ContractionNetwork,
    GraphBatch,
    MulticutNetwork,
    NetworkConfig,
    build_network,
    get_architecture,
    list_architectures,
)
from multicut.nn.convolutions import CONVOLUTIONS
from multicut.nn.model import Model, config_from_dict
from multicut.training import TrainingConfig
from multicut.training.losses import LOSSES
from tests.problems import random_problem

every_architecture = pytest.mark.parametrize("record", list_architectures(), ids=lambda r: r.name)


@every_architecture
def test_its_record_builds_the_network_of_its_solver(record):
    network = build_network(config_from_dict({"architecture": record.name}))
    kinds = {"gnn": MulticutNetwork, "learned": ContractionNetwork}
    assert type(network) is kinds[record.solver]
    assert network.config.architecture == record.name
    assert Model(network).architecture is record
    assert network.classifier_layers[-1].out_features == 1


@every_architecture
def test_predictions_depend_on_the_unit_of_costs_as_it_says(record):
    torch.manual_seed(0)
    network = build_network(config_from_dict({"architecture": record.name})).double().eval()
    batch = GraphBatch.from_problems(random_problem(12, 0.4, seed=0), dtype=torch.float64)
    one, other = network(batch), network(batch.with_costs(1000 * batch.costs))
    # Signs and degrees do not depend on the unit, either, where an architecture sees nothing else.
    if record.is_scale_free:
        torch.testing.assert_close(one, other)
    else:
        assert not torch.allclose(one, other)
    assert Model(network).is_scale_free == record.is_scale_free


@every_architecture
def test_it_is_trained_with_its_losses_alone(record):
    network = {"architecture": record.name}
    for loss in (each.name for each in LOSSES):
        if loss in record.losses:
            assert TrainingConfig().updated({"network": network, "loss": loss}).loss == loss
        else:
            with pytest.raises(ValueError, match=f"{record.name!r} is trained with loss = "):
                TrainingConfig().updated({"network": network, "loss": loss})


def test_every_convolution_belongs_to_an_architecture():
    used = {record.name for record in list_architectures() if record.convolution is not None}
    assert used == set(CONVOLUTIONS)


def test_they_are_listed_by_pattern_and_by_solver():
    assert [record.name for record in list_architectures("gin0*")] == ["gin0_w", "gin0"]
    assert [record.name for record in list_architectures(solver="learned")] == ["contraction"]
    assert len(list_architectures(solver="gnn")) == len(list_architectures()) - 1
    with pytest.raises(ValueError, match="unknown architecture 'gcnw'; did you mean"):
        get_architecture("gcnw")


def test_a_network_that_contracts_has_a_configuration_of_its_own():
    with pytest.raises(ValueError, match="one that classifies edges once, got 'contraction'"):
        NetworkConfig("contraction")


def test_they_are_listed_without_torch():
    code = (
        "import sys; sys.modules['torch'] = None; import multicut as mc; "
        "print(len(mc.nn.list_architectures()), *(each.solver for each in mc.list_models()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    number, *solvers = done.stdout.split()
    assert int(number) == len(list_architectures())
    assert set(solvers) == {"gnn", "learned"}
