"""Configurations of shipped weights agree with their cards."""

from __future__ import annotations

import pytest

from multicut.models import ModelRecord, list_models
from paper.retrain.shipped import FOLDER, compare, config_of, settings_of

RECORDS = [record for record in list_models() if isinstance(record.card.get("training"), list)]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_each_phase_has_a_configuration_that_says_what_the_card_says(record: ModelRecord) -> None:
    rows = compare([record])
    assert len(rows) == len(record.card["training"])
    assert all(row["is_as_card"] for row in rows)


def test_a_second_phase_finetunes_the_first() -> None:
    (record,) = [record for record in RECORDS if record.name == "gcn_w_bn-general"]
    first, second = map(config_of, settings_of(record).values())
    assert second.finetune == "runs/gcn_w_bn-general-phase-1/model"
    assert (first.alpha, second.alpha) == (0.0, 0.003)
    assert (FOLDER / "gcn_w_bn-general-phase-1.toml").exists()


def test_a_card_may_name_the_weights_of_validation_and_how_many_graphs_of_each_set() -> None:
    (known,) = [record for record in RECORDS if record.name == "gcn_w_bn-general"]
    phase = known.card["training"][-1]
    weights = {"irismp": 1.0, "randommp": 3.0}
    phase = {
        **phase,
        "num_validation": 300,
        "validate_every": 25_000,
        "validation": {**phase["validation"], "weights": weights},
    }
    card = {**known.card, "training": [phase]}
    (settings,) = settings_of(ModelRecord("made", "", known.path, card)).values()
    config = config_of(settings)
    assert (config.validation, config.num_validation) == (weights, 300)
    assert config.validate_every == 25_000
