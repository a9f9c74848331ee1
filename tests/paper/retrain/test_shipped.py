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
