from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import multicut as mc
from multicut import _dask
from multicut.datasets import Dataset, Job, generate, run_job
from multicut.datasets.labelling.chunk import Chunk, label_graphs
from multicut.datasets.labelling.store import Store

SMALL = {"min_nodes": 5, "max_nodes": 7}


def job(**changes):
    values = {"num": 20, "solver": "ilp", "chunk_size": 3, "options": SMALL} | changes
    return Job("irismp", **values)


def content(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("reference") / "set"
    run_job(job(), path)
    return path


def test_labels_are_those_of_the_solver(reference):
    dataset = Dataset.load(reference, verify=True)
    assert dataset.optimal.all()
    drawn = generate("irismp", 20, **SMALL)
    assert dataset.arrays().fingerprint() == drawn.arrays().fingerprint()
    for problem in dataset[::6]:
        result = mc.solve(problem, "ilp")
        assert problem.objective == result.objective
        assert np.array_equal(problem.cut, result.cut)
    assert not reference.with_name("set.partial").exists()
    assert dataset.info["labels"]["solver"] == "ilp"


def test_a_run_that_was_stopped_goes_on(reference, tmp_path):
    target = tmp_path / "set"
    seen = []

    def stop_half_way(labelled, _unproven):
        seen.append(labelled)
        if labelled >= 9:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_job(job(), target, report=stop_half_way)
    assert not target.exists()
    assert seen == [0, 3, 6, 9]
    run_job(job(), target, report=lambda labelled, _: seen.append(labelled))
    assert seen[4:] == [9, 12, 15, 18, 20]
    assert content(target) == content(reference)


def test_chunks_that_are_damaged_are_done_again(reference, tmp_path):
    store = Store(job(), tmp_path / "set")
    with store.opened():
        for name in ("0000000000.npz", "0000000003.npz.part"):
            (store.folder / name).write_bytes(b"PK\x03\x04 cut short")
    run_job(job(), tmp_path / "set")
    assert content(tmp_path / "set") == content(reference)


def test_being_killed_while_packing_does_no_harm(reference, tmp_path, monkeypatch):
    target = tmp_path / "set"

    def fail(*_):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", fail)
        with pytest.raises(MemoryError):
            run_job(job(), target)
    assert (tmp_path / "set.partial" / "packed").exists()
    run_job(job(), target)
    assert content(target) == content(reference)


def test_what_is_complete_is_not_done_again(reference):
    before = {f: f.stat().st_mtime_ns for f in reference.iterdir()}
    run_job(job(), reference, report=lambda *_: pytest.fail("worked again"))
    assert {f: f.stat().st_mtime_ns for f in reference.iterdir()} == before


def test_other_jobs_are_refused(reference, tmp_path):
    for other in (job(num=21), job(seed=1), job(start=1), job(solver="gaec"), job(options={})):
        with pytest.raises(FileExistsError, match="contains another dataset"):
            run_job(other, reference)
    busy = pytest.raises(ValueError, match="another process is using it")
    with Store(job(), tmp_path / "set").opened(), busy:
        run_job(job(), tmp_path / "set")
    store = Store(job(), tmp_path / "set")
    with store.opened():
        store.put(label_graphs(job(), 0, 3))
    with pytest.raises(ValueError, match="was started with seed 0, not 1; continue with that"):
        run_job(job(seed=1), tmp_path / "set")
    (store.folder / "job.json").write_text("{")
    with pytest.raises(ValueError, match=r"job\.json: is damaged; remove"):
        run_job(job(), tmp_path / "set")
    (tmp_path / "plain").mkdir()
    with pytest.raises(FileExistsError, match="exists already"):
        run_job(job(), tmp_path / "plain")
    with pytest.raises(FileNotFoundError, match="there is no folder"):
        run_job(job(), tmp_path / "nowhere" / "set")


def test_a_run_that_did_nothing_does_not_bind_the_next(tmp_path):
    with Store(job(seed=1), tmp_path / "set").opened():
        pass
    run_job(job(num=3), tmp_path / "set")
    assert Dataset.load(tmp_path / "set").info["generator"]["seed"] == 0


def test_what_others_put_beside_is_left_alone(reference, tmp_path):
    thesis = tmp_path / "set.partial" / "thesis.txt"
    thesis.parent.mkdir()
    thesis.write_text("years of work")
    with pytest.raises(FileExistsError, match=r"set\.partial: is needed .*holds 'thesis\.txt'"):
        run_job(job(), tmp_path / "set")
    assert not (tmp_path / "set").exists()
    shutil.copytree(reference, tmp_path / "set")
    assert len(run_job(job(), tmp_path / "set")) == 20
    assert thesis.read_text() == "years of work"


def test_another_process_may_finish_while_one_waits_for_the_lock(reference, tmp_path, monkeypatch):
    """Between looking for the dataset and taking the lock, somebody else completes it."""
    target = tmp_path / "set"
    look, answers = Store.is_complete, []

    def look_then_finish(store):
        answers.append(look(store))
        if len(answers) == 1:
            shutil.copytree(reference, target)
        return answers[-1]

    monkeypatch.setattr(Store, "is_complete", look_then_finish)
    run_job(job(), target, report=lambda *_: pytest.fail("worked again"))
    assert answers[0] is False
    assert content(target) == content(reference)
    assert not (tmp_path / "set.partial").exists()


@pytest.mark.parametrize("name", [".", "..", ""])
def test_a_dataset_needs_a_name(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="is not a valid name for a dataset; name a folder"):
        run_job(job(), name)


@pytest.mark.parametrize("place", [0, 8, 20, 60, 100, -30])
def test_no_damage_to_a_chunk_stops_a_run(place):
    whole = label_graphs(job(), 0, 3).to_bytes()
    for value in range(0, 256, 5):
        damaged = bytearray(whole)
        damaged[place] = value
        Chunk.of_bytes(bytes(damaged))
    assert Chunk.of_bytes(whole[:place]) is None


def test_labels_of_other_graphs_are_refused(tmp_path, monkeypatch):
    target = tmp_path / "set"
    real = Chunk.of_bytes

    def altered(data):
        from dataclasses import replace

        chunk = real(data)
        return None if chunk is None else replace(chunk, fingerprint="0" * 64)

    store = Store(job(num=3), target)
    with store.opened():
        store.put(label_graphs(job(num=3), 0, 3))
    monkeypatch.setattr(Chunk, "of_bytes", altered)
    with pytest.raises(
        ValueError, match="the labels belong to other graphs than those generated now"
    ):
        run_job(job(num=3), target)


def test_what_is_not_proven_is_kept_and_says_its_gap(tmp_path):
    dataset = run_job(job(num=4, solver="gaec"), tmp_path / "greedy")
    assert dataset.labelled.all()
    assert not dataset.optimal.any()
    assert np.isinf(dataset.gap).all()
    assert all(problem.lower_bound is None for problem in dataset)
    limited = run_job(
        Job("randommp", num=2, solver="ilp", time_limit=0.0, chunk_size=1), tmp_path / "limited"
    )
    assert limited.labelled.all()
    for problem in limited:
        assert mc.is_feasible(problem, problem.cut)
        assert problem.optimal or problem.gap > 0


def test_graphs_without_labels(tmp_path):
    dataset = run_job(job(solver=None), tmp_path / "bare")
    assert not dataset.labelled.any()
    assert dataset.arrays().cut is None


def test_two_workers_give_the_same_bytes(reference, tmp_path):
    pytest.importorskip("distributed")
    # Workers import the main module; that of pytest is none they could use.
    code = (
        "import sys, json; from multicut.datasets import Job, run_job\n"
        "if __name__ == '__main__':\n"
        "    run_job(Job(**json.loads(sys.argv[1])), sys.argv[2], num_workers=2)\n"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    command = [sys.executable, script, json.dumps(job().to_dict()), tmp_path / "set"]
    subprocess.run(command, check=True, timeout=50)
    assert content(tmp_path / "set") == content(reference)


def test_without_dask_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r'needs dask, .* pip install "multicut\[dask\]"$'):
        run_job(job(), tmp_path / "set", num_workers=2)
    run_job(job(num=2), tmp_path / "one", num_workers=1)


def test_a_cluster_that_is_not_there_is_named(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(_dask, "_SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(ValueError, match=r"cluster 'tcp://127\.0\.0\.1:9' cannot be reached"):
        run_job(job(), tmp_path / "set", cluster="tcp://127.0.0.1:9")


def test_kill_and_resume(tmp_path):
    arguments = ["generate", "randommp", "--num", "96", "--label", "klj", "-o"]
    command = [sys.executable, "-m", "multicut", *arguments]
    for _ in range(2):
        process = subprocess.Popen([*command, tmp_path / "killed"], stderr=subprocess.DEVNULL)
        partial = tmp_path / "killed.partial"
        before = len(list(partial.glob("*.npz")))
        while process.poll() is None and len(list(partial.glob("*.npz"))) <= before:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    subprocess.run([*command, tmp_path / "killed"], check=True, stderr=subprocess.DEVNULL)
    run_job(Job("randommp", num=96, solver="klj"), tmp_path / "whole")
    assert content(tmp_path / "killed") == content(tmp_path / "whole")


def test_jobs_are_checked():
    with pytest.raises(ValueError, match="num must be at least 1"):
        job(num=0)
    with pytest.raises(ValueError, match="unknown solver 'ipl'; choose from"):
        job(solver="ipl")
    with pytest.raises(ValueError, match="time_limit is for labelling"):
        job(solver=None, time_limit=1)
    assert Job(**json.loads(json.dumps(job().to_dict()))) == job()


def test_jobs_hold_plain_values(tmp_path):
    plain = job(num=3, seed=1, time_limit=None)
    assert job(num=np.int64(3), seed=np.uint8(1), time_limit=float("inf")).to_dict() == (
        plain.to_dict()
    )
    run_job(job(num=np.int32(3), time_limit=np.inf), tmp_path / "set")
    assert Dataset.load(tmp_path / "set").info["labels"]["time_limit"] is None
