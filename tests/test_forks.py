"""Solving in processes that were forked off after solving."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys

import pytest

import multicut as mc
from multicut.models import devices

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")

# The parent computes with two threads, which the child does not have.
_IN_BOTH = """
import os, sys, warnings
warnings.simplefilter("ignore")
import torch, multicut as mc
from multicut.nn import threads
torch.set_num_threads(2)
threads._NUMBERS_PER_THREAD = 1
threads._free_processors = lambda: 2
problem = mc.datasets.randommp(2000, seed=0)
def work():
    {work}
before = work()
child = os.fork()
if child == 0:
    ok = work() == before
    os._exit(0 if ok else 1)
print(os.waitpid(child, 0)[1])
"""


def run_in_both(work: str) -> None:
    """Do something in a process and in a child of it; a child that hangs fails the test."""
    code = _IN_BOTH.format(work=work)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=120)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert output.strip() == "0"


@pytest.mark.parametrize(
    "work",
    [
        "return mc.solve(problem, 'gnn', device='cpu').objective",
        "return mc.solve(problem, 'learned', use_network=True, device='cpu').objective",
        "return mc.solve_batch([problem] * 3, 'gnn', device='cpu')[2].objective",
        "return mc.load_model('universal')(problem).sum().item()",
    ],
    ids=["gnn", "learned", "solve_batch", "model"],
)
def test_networks_work_in_a_forked_child(work):
    run_in_both(work)


def test_a_child_trains_after_its_parent_has_used_a_network():
    import torch

    if torch.cuda.is_available():
        pytest.skip("training looks for GPUs, which a forked child cannot use")
    run_in_both(
        "import tempfile; from multicut.training import train; "
        "mc.solve(problem, 'gnn', device='cpu'); graphs = mc.datasets.generate('randommp', 8); "
        "graphs = graphs.with_results(mc.solve_batch(graphs, 'gaec')); "
        "network = dict(architecture='gcn_w', width=128, depth=2); "
        "return train(train=graphs, validation=None, instances=16, batch_size=8, alpha=0.0, "
        "output=tempfile.mkdtemp(), accelerator='cpu', network=network).instances"
    )


@pytest.mark.parametrize("solver", ["gaec", "klj", "fusion", "lp", "ilp", "auto", "learned"])
def test_solvers_of_the_core_work_in_a_forked_child(solver):
    problem = mc.datasets.randommp(150, seed=0)
    options = {"num_threads": 4} if solver in ("fusion", "auto", "learned") else {}
    expected = mc.solve(problem, solver, **options).labels.tolist()
    mc.solve_batch([problem] * 4, solver, num_workers=4)
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        batch = mc.solve_batch([problem] * 4, solver, num_workers=4)
        again = mc.solve(problem, solver, **options)
        sender.send((again.labels.tolist(), batch[3].objective == again.objective))

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    try:
        assert receiver.poll(100)
        assert receiver.recv() == (expected, True)
    finally:
        child.kill()
        child.join()


def test_a_child_of_a_fork_during_an_import_says_so():
    code = (
        "import os, multicut as mc\n"
        "problem = mc.datasets.randommp(100, seed=0)\n"
        "result = mc.solve(problem, 'gnn', time_limit=0.01)\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    assert mc.solve(problem, 'klj').objective < 0\n"
        "    try:\n"
        "        mc.solve(problem, 'gnn', device='cpu')\n"
        "    except RuntimeError as error:\n"
        "        os._exit(0 if 'forked while its parent imported torch' in str(error) else 1)\n"
        "    os._exit(2)\n"
        "print(os.waitpid(child, 0)[1], flush=True)\n"
        "os._exit(0)\n"
    )
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "0"


def test_cuda_after_a_fork_gives_one_clear_line(monkeypatch):
    def fail(*_given, **_named):
        raise RuntimeError(
            "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you "
            "must use the 'spawn' start method"
        )

    monkeypatch.setattr("torch.empty", fail)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    problem = mc.datasets.randommp(20)
    with pytest.raises(RuntimeError, match=r"multiprocessing.get_context\('spawn'\)") as caught:
        mc.solve(problem, "gnn")
    assert "\n" not in str(caught.value)
    assert isinstance(caught.value, devices.ForkedGpuError)
    with pytest.raises(RuntimeError, match="CUDA cannot be used in a forked process"):
        mc.solve(problem, "learned", use_network=True, device="cuda")


def test_solvers_that_choose_do_without_a_gpu_after_a_fork(monkeypatch):
    def fail(_device):
        raise devices.ForkedGpuError

    monkeypatch.setattr(devices, "as_device", fail)
    monkeypatch.setattr("multicut.models.ready.as_device", fail)
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("multicut.solvers.learned.place._FEW_EDGES_FOR_GPU", 0)
    monkeypatch.setattr("multicut.solvers.auto._EDGES_FOR_GPU", 0)
    problem = mc.datasets.randommp(50)
    result = mc.solve(problem, "learned")
    assert result.details["network"].startswith("not used: CUDA cannot be used in a forked process")
    assert mc.solve(problem, "auto", time_limit=20).solver != "learned"
