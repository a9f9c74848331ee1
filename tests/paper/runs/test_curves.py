"""Records of runs as they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paper.runs.curves import note_on_precision, read_runs
from tests.paper.made_runs import write_run

_COMMITTED = Path(__file__).parents[3] / "benchmarks" / "results" / "training"
_CORPORA = {"BSDS300", "CREMI", "Knott"}


def test_a_record_must_name_its_stand_ins(tmp_path):
    write_run(tmp_path, "a", [(100, 0, 0, 0.5)], stand_ins=["CREMI"])
    assert read_runs(tmp_path)["a"].stand_ins == ("CREMI",)
    settings = json.loads((tmp_path / "a.json").read_text())
    del settings["stand_ins"]
    (tmp_path / "a.json").write_text(json.dumps(settings))
    with pytest.raises(ValueError, match=r"a\.json lacks stand_ins, the list of its sets"):
        read_runs(tmp_path)


@pytest.mark.parametrize("folder", ["", "published", "readings", "table3"])
def test_committed_records_name_the_sets_that_are_not_the_published_ones(folder):
    runs = read_runs(_COMMITTED / folder)
    assert runs
    for run in runs.values():
        assert set(run.stand_ins) <= _CORPORA
        # No published graphs of these were at hand when the committed records were made.
        assert _CORPORA & set(run.tested) <= set(run.stand_ins), run.name
        name = Path(run.train).name
        trained_on = {title for title in _CORPORA if title.lower() == name}
        assert trained_on <= set(run.stand_ins), run.name


def test_runs_of_a_lower_precision_are_named_and_compare_with_no_others(tmp_path):
    write_run(tmp_path, "exact", [(100, 0, 0, 0.5)])  # older records know no precision
    write_run(tmp_path, "mixed", [(100, 0, 0, 0.5)], precision="bf16-mixed")
    runs = read_runs(tmp_path)
    assert note_on_precision([runs["exact"]]) == ""
    note = "Products of matrices are in bfloat16 in `mixed`, elsewhere in float32. "
    assert note_on_precision(runs.values()) == note
    assert runs["exact"].recipe() != runs["mixed"].recipe()
    assert runs["exact"].recipe({"precision"}) == runs["mixed"].recipe({"precision"})
