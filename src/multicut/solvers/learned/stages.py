"""How the solver ``learned`` works: the stages, and what each of them found."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from multicut import _core
from multicut._arrays import IntArray
from multicut._extras import NETWORKS, is_installed, needed
from multicut._threads import check_threads
from multicut.models.devices import ForkedGpuError, may_have_gpu
from multicut.models.loading import GpuLoader, Loader, is_shortage
from multicut.models.registry import UNIVERSAL_MODEL
from multicut.problem import Problem
from multicut.solvers import fusion
from multicut.solvers.attempt import Attempt
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.learned.attempt import LearnedAttempt
from multicut.solvers.learned.beside import Beside
from multicut.solvers.learned.solver import PROPOSALS_ON_GPU, LearnedOptions
from multicut.solvers.protocol import Outcome, check_labels, grouped
from multicut.stop import StopReason

if TYPE_CHECKING:
    import torch

    from multicut.nn.model import Model
    from multicut.stop import Stop

# Fusion moves by effort: how many proposals, and after how many in vain it ends. Those of balanced
# reach 0.9995 on validation graphs of RandomMP.
_FUSION = {"balanced": (26, 26), "best": (1000, 40)}
# From here on, a GPU that has found more than ``gaec`` is left alone with the problem.
_MANY_EDGES_FOR_KLJ = 1_000_000
# States of so many edges fit the cache.
_EDGES_PER_PASS_ON_CPU = 2**13
# With fewer edges a processor is faster: kernels of a GPU have to be started, however small a graph
# is. At 113,000 edges the fastest effort takes half as long on a GPU, and finds more; the others
# find less there, until there are about five times as many (benchmarks/learned_inference.py).
_FEW_EDGES_FOR_GPU = 100_000
_TIMES_AS_MANY_FOR_SEARCH = 5
# For each edge, what it takes to compare the network's partition with the best so far.
_SECONDS_TO_COMPARE = 1.5e-7
# And, on a large graph, what follows a search on a GPU: labels come back, and what they cost.
_SECONDS_TO_EVALUATE = 2.5e-8
_ON_CPU = "not used: on a CPU it is not worth its time"
_ON_GPU = "not used: on a GPU a packing of short cycles finds more in less time"


class LearnedSolve:
    """Solves problems together: one stage after the other, each for all of them.

    Parameters
    ----------
    problems, options, stop, seed
        As the solver gets them.
    interrupted
        Set once Ctrl-C was pressed: then only partitions are wanted, quickly.
    num_edges
        Of all problems that there are, of which these may be a part.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        options: LearnedOptions,
        stop: Stop,
        seed: int,
        interrupted: threading.Event,
        num_edges: int,
    ) -> None:
        self._interrupted = interrupted
        self._num_edges = num_edges
        self._options = options
        self._seed = seed
        self._stop = stop
        self._attempts = [
            LearnedAttempt(problem, stop, interrupted, check_labels(problem, options.initial))
            for problem in problems
        ]
        self._num_threads = check_threads(options.num_threads)

    def run(self) -> list[Outcome]:
        """Solve; after Ctrl-C with what there is by then."""
        self._run_stages()
        return [attempt.finish() for attempt in self._attempts]

    def _run_stages(self) -> None:
        reason = self._why_without_network()
        is_found = False
        if reason == _ON_GPU:
            is_found, reason = self._run_beside_gpu()
        else:
            # What always has a partition: then there is one if loading a network takes too long.
            self._run_stage("gaec", self._attempts, Attempt.gaec_task, Attempt.take_floor)
        model = None
        if reason is None:
            model, reason = self._load_network()
        if not is_found:
            reason = self._run_on_processor(model, reason)
        for attempt in self._attempts:
            attempt.details["network"] = reason
        self._improve()

    def _run_on_processor(self, model: Model | None, reason: str) -> str:
        """Contract, guided by a dual or by a network; return how things went with the latter."""
        # Local search, or a network on a GPU, is faster than a reduction.
        on_cpu = model is not None and model.device.type == "cpu"
        if on_cpu or self._options.effort not in ("fastest", "fast"):
            self._reduce()
        for attempt in self._attempts:
            attempt.note_start()
        if model is None or on_cpu:
            attempts = [one for one in self._going_on() if one.seconds_for_dual_greedy > 0.0]
            self._run_stage(
                "dual_greedy",
                attempts,
                lambda attempt: attempt.dual_greedy_task(self._threads_of_one),
                Attempt.take_regions,
                min((one.seconds_for_dual_greedy for one in attempts), default=0.0),
            )
        if model is not None and not self._is_over():
            return self._ask(model)
        return reason

    def _run_beside_gpu(self) -> tuple[bool, str]:
        """Search on a GPU while ``gaec`` runs on the processor.

        Return whether the GPU has found partitions, and why there was no network. Attempts have
        their floor then, either way.
        """
        loader = GpuLoader(self._options.device, _warm_up)
        is_fastest = self._options.effort == "fastest"
        # To wait for it would take several times as long as the rest; but where kernels have to be
        # compiled first, the time may be up before there is anything else.
        greedy = None if is_fastest and loader.is_ready else self._start_gaec()
        reserve = sum(
            attempt.problem.num_edges
            * (_SECONDS_TO_EVALUATE if _is_large(attempt) else _SECONDS_TO_COMPARE)
            for attempt in self._attempts
        )
        for attempt in self._attempts:
            attempt.watch.reserve = reserve
        try:
            gpu, reason = self._choose_gpu(loader)
            labels = None
            if gpu is not None and not self._is_over():
                labels, reason = self._search_on(gpu)
        except BaseException:
            if greedy is not None:
                greedy.stop()
            raise
        for attempt in self._attempts:
            attempt.watch.reserve = 0.0
        if greedy is not None and is_fastest and labels is not None:
            greedy.stop()
        elif labels is None or not is_fastest:
            self._take_gaec(greedy or self._start_gaec())
        for attempt, own in zip(self._attempts, labels or (), strict=labels is not None):
            attempt.take_from_gpu(own, compares_regions=not _is_large(attempt))
        return labels is not None, reason

    def _start_gaec(self) -> Beside:
        tasks = [attempt.gaec_task() for attempt in self._attempts]
        return Beside(tasks, self._num_threads, self._attempts[0].watch.seconds_left)

    def _take_gaec(self, greedy: Beside) -> None:
        for attempt, solution in zip(self._attempts, greedy.wait(self._is_over), strict=True):
            outcome = Outcome.of_native(solution)
            attempt.note("gaec", outcome, solution.seconds)
            attempt.take_floor("gaec", outcome)
            attempt.note_start()

    def _improve(self) -> None:
        """Run classical solvers from where things stand, unless a GPU has made them needless."""
        effort = self._options.effort
        if effort == "fastest":
            return
        small = [one for one in self._going_on() if not (one.gpu_has_won and _is_large(one))]
        self._run_stage("klj", small, Attempt.klj_task, Attempt.take)
        if effort not in _FUSION:
            return
        rest = [
            attempt
            for attempt in self._going_on()
            if not attempt.gpu_has_won
            or (effort == "best" and attempt.core.num_edges <= fusion.MANY_EDGES)
        ]
        # It costs little beside the rest, and helps where graphs are unlike any the network knows.
        asked = [
            attempt
            for attempt in rest
            if attempt.greedy is not None and attempt.core.num_edges <= fusion.MANY_EDGES
        ]
        self._run_stage(
            "greedy_klj",
            asked,
            lambda attempt: attempt.klj_task(attempt.greedy),
            Attempt.take_regions,
        )
        most, patience = _FUSION[effort]

        def fusion_task(attempt: LearnedAttempt) -> _core.Task:
            return attempt.fusion_task(
                self._seed,
                max_proposals=most,
                patience=patience,
                num_threads=self._threads_of_one,
            )

        rest = [attempt for attempt in rest if not attempt.is_over()]
        self._run_stage("fusion", rest, fusion_task, Attempt.take)

    def _run_stage(
        self,
        name: str,
        attempts: Sequence[LearnedAttempt],
        task_of: Callable[[LearnedAttempt], _core.Task],
        take: Callable[[LearnedAttempt, str, Outcome], None],
        seconds: float = math.inf,
    ) -> None:
        """Let a solver work on problems, side by side if there are several, for so many seconds."""
        if len(self._attempts) == 1:
            for attempt in attempts:
                take(attempt, name, attempt.carry_out(name, task_of(attempt), seconds))
            return
        if not attempts:
            return
        # All have the same deadline.
        left = 0.0 if self._interrupted.is_set() else attempts[0].watch.seconds_left
        solutions = _core.run_all(
            [task_of(attempt) for attempt in attempts],
            num_threads=self._num_threads,
            total_time_limit=min(left, seconds),
            callback=self._should_stop,
        )
        for attempt, solution in zip(attempts, solutions, strict=True):
            outcome = Outcome.of_native(solution)
            if outcome.stopped_by is StopReason.INTERRUPT:
                self._interrupted.set()
            attempt.note(name, outcome, solution.seconds, had_all_time=left <= seconds)
            take(attempt, name, outcome)

    def _reduce(self) -> None:
        """Make problems smaller where that pays, side by side if there are several."""
        attempts = [attempt for attempt in self._going_on() if attempt.reduction_pays()]
        if len(self._attempts) == 1:
            for attempt in attempts:
                attempt.reduce()
            return
        if not attempts:
            return
        found = _core.reduce_all(
            [attempt.problem.graph for attempt in attempts],
            [attempt.problem.costs for attempt in attempts],
            num_threads=self._num_threads,
            total_time_limit=attempts[0].seconds_for_reduction,
            callback=self._should_stop,
        )
        for attempt, reduced in zip(attempts, found, strict=True):
            if reduced.stopped_by == StopReason.INTERRUPT:
                self._interrupted.set()
            attempt.take_reduction(reduced)
        smaller = [attempt for attempt in attempts if attempt.is_reduced]
        self._run_stage("core_gaec", smaller, Attempt.core_gaec_task, Attempt.take_start)

    @property
    def _threads_of_one(self) -> int:
        """Threads for one problem; where there are several, these run side by side."""
        return self._num_threads if len(self._attempts) == 1 else 1

    def _should_stop(self, *_: float) -> bool:
        """Tell the native core whether Ctrl-C was pressed."""
        return self._interrupted.is_set()

    def _going_on(self) -> list[LearnedAttempt]:
        """Return the problems that there is time for."""
        return [attempt for attempt in self._attempts if not attempt.is_over()]

    def _is_over(self) -> bool:
        # All have the same deadline, and a callback only comes with a single problem.
        return self._attempts[0].is_over()

    def _why_without_network(self) -> str | None:
        """Say why no network is used; None if one is wanted."""
        options = self._options
        if options.use_network is False:
            return "not used, as told"
        if options.use_network is True or options.model is not None:
            return None
        times = 1 if options.effort == "fastest" else _TIMES_AS_MANY_FOR_SEARCH
        if self._num_edges < times * _FEW_EDGES_FOR_GPU:
            return f"not used: {self._num_edges} edges are solved faster without it"
        if not _is_gpu(options.device):
            return _ON_CPU
        if options.device is None and not all(map(is_installed, NETWORKS)):
            return 'not used: it needs torch; pip install "multicut[nn]"'
        return _ON_GPU

    def _load_network(self) -> tuple[Model | None, str]:
        """Load the model, or say why there is none."""
        options = self._options
        needed(*NETWORKS, by="the network of the solver 'learned'")
        loader = Loader(options.model, options.device, UNIVERSAL_MODEL)
        try:
            model = loader.load(self._attempts[0].watch, self._is_over)
        except MemoryError as error:
            return None, f"not used: {error}"
        finally:
            self._note_loading(loader)
        if model is None:
            return None, "not used: torch was not loaded in time"
        if model.architecture.solver != "learned":
            raise ValueError(
                f"model must have a contraction network, got {model.name!r} with "
                f"{model.architecture.name!r}; use the solver 'gnn' for it"
            )
        return model, "used"

    def _choose_gpu(self, loader: GpuLoader) -> tuple[torch.device | None, str]:
        """Make a GPU ready, or say why there is none."""
        needed(*NETWORKS, by=f"device={self._options.device!r}")
        try:
            loader.load(self._attempts[0].watch, self._is_over)
        except (ForkedGpuError, MemoryError) as error:
            return None, f"not used: {error}"
        except ValueError:
            if self._options.device is not None:
                raise
            return None, _ON_CPU  # for all that was known without torch
        finally:
            self._note_loading(loader)
        if loader.device is None:
            return None, "not used: torch was not loaded in time"
        return loader.device, _ON_GPU

    def _note_loading(self, loader: Loader) -> None:
        if loader.seconds is not None:
            for attempt in self._attempts:
                attempt.details["loading_seconds"] = loader.seconds

    def _search_on(self, gpu: torch.device) -> tuple[list[IntArray] | None, str]:
        """Let a GPU propose partitions, if it can; say why there was no network."""
        from multicut.solvers.gnn.inference import Stopped
        from multicut.solvers.learned.packing_search import search

        start = time.perf_counter()
        problems = [attempt.problem for attempt in self._attempts]
        seconds_left = self._attempts[0].watch.seconds_left
        if seconds_left < sum(map(PlainProblem.seconds_to_make, problems)):
            return None, _ON_GPU
        try:
            labels = search(
                [PlainProblem.of(problem, True) for problem in problems],
                gpu,
                proposals=PROPOSALS_ON_GPU[self._options.effort],
                seed=self._seed,
                check=self._check_on(gpu, 0),
            )
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            return None, f"not used: {gpu} has too little memory"
        except Stopped:
            return None, _ON_GPU
        seconds = (time.perf_counter() - start) / len(self._attempts)
        for attempt in self._attempts:
            attempt.details["device"] = str(gpu)
            attempt.seconds["packing"] = seconds
        return labels, _ON_GPU

    def _ask(self, model: Model) -> str:
        """Let the network propose partitions; return how that went."""
        from multicut.nn.precision import fast_precision
        from multicut.nn.threads import threads_for
        from multicut.solvers.gnn.inference import Stopped, fits
        from multicut.solvers.learned.network_search import search

        precision = self._options.precision or fast_precision(model.device)
        most = _EDGES_PER_PASS_ON_CPU if model.device.type == "cpu" else math.inf
        for attempts in grouped(self._attempts, lambda attempt: attempt.core.num_edges, most):
            if self._is_over():
                return "used until it was stopped"
            num_edges = sum(attempt.core.num_edges for attempt in attempts)
            if not fits(model, num_edges, self._seconds_for_network(num_edges)):
                is_first = attempts[0] is self._attempts[0]
                return f"{'not used' if is_first else 'used in part'}: there is too little time"
            start = time.perf_counter()
            cores = [attempt.core for attempt in attempts]
            if self._seconds_for_network(num_edges) < sum(map(PlainProblem.seconds_to_make, cores)):
                return "used until it was stopped"
            try:
                seen = [PlainProblem.of(core, True) for core in cores]
                num_edges = sum(one.problem.num_edges for one in seen)
                check = self._check_on(model.device, num_edges)
                with threads_for(num_edges, model.width, model.device, self._num_threads):
                    labels, num_rounds = search(
                        seen,
                        model,
                        precision=precision,
                        few_rounds=self._options.effort in ("fastest", "fast"),
                        proposals=PROPOSALS_ON_GPU[self._options.effort],
                        seed=self._seed,
                        check=check,
                    )
            except (MemoryError, RuntimeError) as error:
                if not is_shortage(error):
                    raise
                return f"not used: {model.device} has too little memory"
            except Stopped:
                return "used until it was stopped"
            seconds = (time.perf_counter() - start) / len(attempts)
            for attempt, own in zip(attempts, labels, strict=True):
                attempt.details |= {
                    "model": model.name,
                    "device": str(model.device),
                    "precision": precision,
                    "rounds": num_rounds,
                }
                attempt.seconds["network"] = seconds
                attempt.propose(own)
        return "used"

    def _check_on(self, device: torch.device, num_edges: int) -> Callable[[], None]:
        """Return what ends the work on a device when the time is up."""
        from multicut.solvers.gnn.inference import stop_check

        return stop_check(
            device,
            math.isfinite(self._stop.seconds),
            self._is_over,
            lambda: self._seconds_for_network(num_edges),
        )

    def _seconds_for_network(self, num_edges: int) -> float:
        """Return the time that is left for it if its proposal is to be compared in time."""
        return self._attempts[0].watch.seconds_left - _SECONDS_TO_COMPARE * num_edges


def _warm_up(device: torch.device) -> None:
    from multicut.solvers.learned.packing_search import warm_up

    warm_up(device)


def _is_large(attempt: LearnedAttempt) -> bool:
    """Whether local search on a processor takes much longer than all that a GPU does."""
    return attempt.core.num_edges > _MANY_EDGES_FOR_KLJ


def _is_gpu(device: object) -> bool:
    return may_have_gpu() if device is None else str(device).startswith("cuda")
