"""Records of retrained runs."""

import json
from pathlib import Path

import pytest

from multicut.training.config import TrainingConfig
from multicut.training.curves import VALIDATION_COLUMNS
from paper.retrain.record import record_beginning

NAME = "gcn_w_bn-irismp-published-seed-0"


def make_trunk(folder: Path, instances: int) -> Path:
    """Write what the beginning of a run leaves behind."""
    folder.mkdir(parents=True)
    summary = {"instances": instances, "stopped_by": "time limit", "seconds": 1.0}
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
