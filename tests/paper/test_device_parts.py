"""Columns of a GPU, with the processor in its place."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

import multicut as mc
from multicut.benchmark.cache import Cache
from multicut.models import registry
from paper import Part, measure_parts
from paper.device_parts import measured_devices, open_device
from paper.section import Section
from paper.table1 import device as table1_device
from paper.table1 import processor as table1
from paper.table1 import rows as table1_rows
from paper.table2 import device as table2_device
from paper.table2 import rows as table2_rows
from tests.networks import save_small_model
from tests.paper.pages import rows_of

# Measures without what a machine with a GPU may lack: the exact solvers, the cluster, figures.
_BARE = """
import sys
for name in ("highspy", "dask", "bioimage_cpp", "hypothesis", "gradio"):
    sys.modules[name] = None
from pathlib import Path
from paper import PARTS, PaperSettings, write_page
folder = Path(sys.argv[1])
settings = PaperSettings(output=folder, cache=folder, curves=folder, sizes=(10,), num_graphs=1)
for name in ("table1", "table2"):
    PARTS.get(name).measure_on_device(settings)
write_page(settings)
"""


def pretend(settings, part):
    """Turn what the processor measured into what a GPU would have left."""
    path = settings.cache / f"{part}-cpu.json"
    store = Cache(path.rename(settings.cache / f"{part}-cuda.json"))
    name = {"device": "cuda", "device_name": "Some GPU", "torch": "2.11"}
    store.put("environment", store.environment | name)
    return store.cells


def test_growing_graphs(settings):
    table2_device.measure(settings)
    cells = pretend(settings, "table2")
    section = table2_rows.render(settings)
    problem = mc.datasets.randommp(60, seed=0)
    gaec = mc.solve(problem, "gaec").objective
    for setting in ("fastest", "fast", "balanced", "best"):
        (row,) = rows_of(section.lines, f"`learned`, {setting}", "cuda")
        assert len(row) == len(settings.sizes)
        found = {r["num_nodes"]: r for r in section.tables["table2"] if r["setting"] == setting}
        assert found[60]["objective"] <= gaec + 1e-9
        assert row[1].endswith(f"/ {found[60]['objective']:,.0f}")
    expected = mc.solve(problem, "gnn", device="cpu")
    if "fallback" not in expected.details:
        (cell,) = [c for key, c in cells.items() if key.startswith("gnn, ") and "60 nodes" in key]
        assert cell["objective"] == pytest.approx(expected.objective, rel=1e-4)
    assert len(rows_of(section.lines, "`nn.partition`", "cuda")) == 1
    for record in section.tables["table2"]:
        if record["solver"] != "learned":
            assert 0 < record["transfer_seconds"] < record["seconds"]
    text = "\n".join(section.lines)
    assert "- cuda: Some GPU, beside" in text
    assert "torch 2.11" in text
    # Nothing of the processor was measured, and its rows say so.
    assert rows_of(section.lines, "`gaec`", "cpu") == [["–", "–"]]  # noqa: RUF001
    # One row of published times for both devices.
    assert len(rows_of(section.lines, "published", "GPU")) == 1


@pytest.mark.slow
def test_little_is_needed_beside_the_gpu(tmp_path):
    command = [sys.executable, "-c", _BARE, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "`learned`, balanced" in (tmp_path / "results.md").read_text()
    assert Cache(tmp_path / "table1-cpu.json").environment["device"] == "cpu"


def test_measurements_of_other_weights_are_not_shown(settings):
    small = replace(settings, sizes=(10,))
    table2_device.measure(small)
    pretend(small, "table2")
    for name in ("gcn_w_bn-general", "universal"):
        save_small_model(registry.WEIGHTS, name, seed=5)
    text = "\n".join(table2_rows.render(small).lines)
    assert "`table2-cuda.json` holds measurements of other weights, which are not shown" in text
    assert "--part table2 --device cuda" in text
    lines = text.splitlines()
    assert not rows_of(lines, "`gnn`", "cuda")
    assert not rows_of(lines, "`nn.partition`", "cuda")
    # The solver has no weights.
    assert rows_of(lines, "`learned`, fast", "cuda")


def test_too_little_memory_is_said(settings, monkeypatch):
    class Full:
        """Fails on all but the graph of the warm-up."""

        def __call__(self, make, device):
            if make().num_nodes == 10:
                raise torch.OutOfMemoryError
            return table2_device.network_cell(make, device)

    entrant = table2_device.Entrant("gnn", "", Full(), "gcn_w_bn-general", "float32")
    monkeypatch.setattr(table2_device, "ENTRANTS", (entrant,))
    table2_device.measure(settings)
    pretend(settings, "table2")
    (row,) = rows_of(table2_rows.render(settings).lines, "`gnn`", "cuda")
    assert row[0] == "out of memory"
    assert "/" in row[1]


def test_networks(settings):
    table1.measure(settings)
    table1_device.measure(settings)
    cells = pretend(settings, "table1")
    section = table1_rows.render(settings)
    records = {each["solver"]: each for each in section.tables["table1_cuda"]}
    assert list(records) == ["gcn_w_bn-general", "gcn_w_bn-randommp"]
    record = records["gcn_w_bn-randommp"]
    mine = [cell for key, cell in cells.items() if key.startswith("gcn_w_bn-randommp")]
    assert len(mine) == 2
    assert record["total_seconds"] == pytest.approx(sum(cell["seconds"] for cell in mine))
    usual = [r for r in section.tables["table1"] if r["solver"] == "gcn_w_bn-randommp"]
    assert record["processor_total_seconds"] == pytest.approx(sum(r["seconds"] for r in usual))
    assert sorted(cell["ratio"] for cell in mine) == pytest.approx(
        sorted(r["ratio"] for r in usual), abs=1e-5
    )
    assert record["published_total_seconds"] == 4.8
    assert "3 IrisMP (easier) and 3 RandomMP graphs" in "\n".join(section.lines)
    (row,) = [row for row in rows_of(section.lines, "`gcn_w_bn-randommp`") if len(row) == 9]
    assert row[5] == "4.8"
    assert row[8] == f"{1 - record['published_forward_seconds'] / 4.8:.0%}"


def test_older_weights_stand_for_newer_ones(settings):
    table1_device.measure(settings)
    cells = pretend(settings, "table1")
    older = {re.sub(r"^(gcn_w_bn-randommp) \w+", r"\1 00000000", k): c for k, c in cells.items()}
    (settings.cache / "table1-cuda.json").write_text(json.dumps(older))
    section = table1_rows.render(settings)
    records = {each["solver"]: each for each in section.tables["table1_cuda"]}
    assert records["gcn_w_bn-randommp"]["has_older_weights"]
    assert not records["gcn_w_bn-general"]["has_older_weights"]
    assert rows_of(section.lines, "`gcn_w_bn-randommp`, older weights")


def test_parts_on_the_processor_and_elsewhere(settings):
    measured = []
    both = Part("a", "", lambda _: measured.append("a"), Section, lambda _: measured.append("A"))
    one = Part("b", "", lambda _: measured.append("b"), Section)
    measure_parts([both, one], settings)
    measure_parts([both, one], replace(settings, device="cuda:1"))
    assert measured == ["a", "b", "A"]


def test_a_device_is_known_by_its_kind(settings):
    assert open_device(replace(settings, device="cuda:1"), "table2").path.stem == "table2-cuda"
    assert measured_devices(settings, "table2") == {}
    settings.open_cache("table2").put("a", {})
    settings.open_cache("table2-cuda").put("a", {})
    assert list(measured_devices(settings, "table2")) == ["cuda"]
