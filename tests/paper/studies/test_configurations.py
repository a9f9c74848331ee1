from __future__ import annotations

import pytest

from paper.section import Section
from paper.studies import configurations
from tests.paper.made_runs import write_run
from tests.paper.pages import rows_of

NAMES = ("gcn-irismp-a", "gcn-irismp-b", "gcn-irismp-c", "gin-randommp-a")


@pytest.fixture(autouse=True)
def planned(tmp_path, monkeypatch):
    """Four configurations of long runs, and one of finetuning."""
    monkeypatch.chdir(tmp_path)
    for name in (*(f"published/{name}" for name in NAMES), "finetuning/knott-finetuned"):
        path = tmp_path / "configs" / f"{name}.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")


def write_record(settings, name, instances, **changes):
    folder = settings.curves / "published"
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(100, 0, 0, 0.6), (instances, 0, 0, 0.5)]
    schedule = {"alpha": 0.01, "alpha_start": 300, "planned_instances": 400}
    write_run(folder, name, rows, **(schedule | changes))


def test_configurations_without_a_run_are_grouped(settings):
    write_record(settings, "gcn-irismp-b", 400)
    section = Section()
    names = configurations.unrecorded(settings.curves)
    configurations.write_unrecorded(section, names)
    assert [each["configuration"] for each in section.tables["unrecorded"]] == [
        "published/gcn-irismp-a",
        "published/gcn-irismp-c",
        "published/gin-randommp-a",
        "finetuning/knott-finetuned",
    ]
    assert rows_of(section.lines, "`published`", "`gcn-irismp`") == [["`a`, `c`"]]
    assert rows_of(section.lines, "`finetuning`", "`knott`") == [["`finetuned`"]]
    text = " ".join("\n".join(section.lines).split())
    assert "of 4 configurations" in text
    assert "`configs/published/gcn-irismp-a.toml`" in text


def test_a_run_that_did_not_come_to_its_end_is_listed_apart(settings):
    write_record(settings, "gcn-irismp-a", 300, stopped_by="not continued")
    write_record(settings, "gcn-irismp-b", 350, stopped_by="time limit")
    write_record(settings, "gcn-irismp-c", 400)
    assert "published/gcn-irismp-a" not in configurations.unrecorded(settings.curves)
    section = Section()
    configurations.write_unfinished(section, configurations.unfinished(settings.curves))
    assert rows_of(section.lines, "`published/gcn-irismp-a`") == [
        ["stopped before CCL", "300", "400", "0.6000", "0.5000"]
    ]
    assert rows_of(section.lines, "`published/gcn-irismp-b`")[0][0] == "time limit"
    records = section.tables["unfinished"]
    assert [each["configuration"][-1] for each in records] == ["a", "b"]
    assert [each["is_before_cycles"] for each in records] == [True, False]


def test_nothing_is_said_where_all_runs_are_recorded():
    section = Section()
    configurations.write_unrecorded(section, [])
    configurations.write_unfinished(section, {})
    assert not section.lines
    assert not section.tables
