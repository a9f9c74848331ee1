"""How the solver ``learned`` works: the stages, and what each of them found."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from multicut import _core
from multicut._extras import NETWORKS, needed
from multicut._groups import grouped
from multicut._threads import check_threads
from multicut.models.loading import Loader, is_shortage
from multicut.models.registry import UNIVERSAL_MODEL
from multicut.problem import Problem
from multicut.solvers import fusion
from multicut.solvers.attempt import Attempt
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.learned.attempt import LearnedAttempt
from multicut.solvers.learned.classical import FUSION_MOVES
from multicut.solvers.learned.gpu_stage import SECONDS_TO_COMPARE, GpuStage
from multicut.solvers.learned.place import ON_GPU
from multicut.solvers.learned.solver import PROPOSALS_ON_GPU, LearnedOptions
from multicut.solvers.protocol import Outcome, check_labels
from multicut.stop import StopReason

if TYPE_CHECKING:
    import torch

    from multicut.interrupts import InterruptEvent
    from multicut.nn.model import Model
    from multicut.stop import Stop

# States of so many edges fit the cache.
_EDGES_PER_PASS_ON_CPU = 2**13
# From here on two solvers run at once: to start a thread takes a tenth of a millisecond.
_EDGES_FOR_THREADS = 10_000


class LearnedSolve:
    """Solves problems together: one stage after the other, each for all of them.

    Parameters
    ----------
    problems, options, stop, seed
        As the solver gets them.
    interrupted
        Set once Ctrl-C was pressed: then only partitions are wanted, quickly.
    reason
        Why no network is used, as :func:`why_without_network` says.
    """

    def __init__(
        self,
        problems: Sequence[Problem],
        options: LearnedOptions,
        stop: Stop,
        seed: int,
        interrupted: InterruptEvent,
        reason: str | None,
    ) -> None:
        self._interrupted = interrupted
        self._reason = reason
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
        # With little effort and no proposals, local search has the last word, as in ``klj``.
        is_quick = self._options.effort == "fast"
        return [
            attempt.finish(compares_regions=not is_quick or attempt.has_proposal)
            for attempt in self._attempts
        ]

    def _run_stages(self) -> None:
        reason = self._reason
        is_found = False
        if reason == ON_GPU:
            stage = GpuStage(
                self._attempts,
                self._options,
                self._seed,
                self._num_threads,
                self._is_over,
                lambda gpu: self._check_on(gpu, 0),
            )
            is_found, reason = stage.run()
        elif reason is not None and self._may_contract_side_by_side():
            self._contract_side_by_side()
            is_found = True
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

    def _may_contract_side_by_side(self) -> bool:
        """Whether there are two threads for one problem, and nobody who wants to hear of stages."""
        return (
            len(self._attempts) == 1
            and self._num_threads > 1
            and self._options.effort in ("fastest", "fast")
            and self._attempts[0].problem.num_edges >= _EDGES_FOR_THREADS
            and self._stop.callback is None
            and math.isinf(self._stop.seconds)
        )

    def _contract_side_by_side(self) -> None:
        """Contract by cost and guided by a dual, both at once."""
        attempt = self._attempts[0]
        tasks = [attempt.gaec_task(), self._dual_greedy_task(attempt)]
        solutions = _core.run_all(tasks, num_threads=2, callback=self._should_stop)
        greedy, guided = map(Outcome.of_native, solutions)
        for name, outcome, solution in zip(
            ("gaec", "dual_greedy"), (greedy, guided), solutions, strict=True
        ):
            if outcome.stopped_by is StopReason.INTERRUPT:
                self._interrupted.set()
            attempt.note(name, outcome, solution.seconds)
        attempt.take_floor("gaec", greedy)
        attempt.note_start()
        attempt.take_regions("dual_greedy", guided)

    def _run_on_processor(self, model: Model | None, reason: str) -> str:
        """Contract, guided by a dual or by a network; return how things went with the latter."""
        # Local search, or a network on a GPU, is faster than a reduction.
        on_cpu = model is not None and model.device.type == "cpu"
        if on_cpu or self._options.effort not in ("fastest", "fast"):
            self._reduce()
        for attempt in self._attempts:
            attempt.note_start()
        if model is None or on_cpu:
            self._contract("dual_greedy", self._attempts, self._dual_greedy_task)
            if self._options.effort == "fast":
                small = [one for one in self._attempts if not _is_contracted_once(one)]
                self._contract(
                    "quick_dual_greedy", small, lambda one: one.dual_greedy_task(is_quick=True)
                )
        if model is not None and not self._is_over():
            return self._ask(model)
        return reason

    def _contract(
        self,
        name: str,
        attempts: Sequence[LearnedAttempt],
        task_of: Callable[[LearnedAttempt], _core.Task],
    ) -> None:
        """Contract problems guided by a dual, if there is time for it."""
        timely = [
            one for one in attempts if not one.is_over() and one.seconds_for_dual_greedy > 0.0
        ]
        seconds = min((one.seconds_for_dual_greedy for one in timely), default=0.0)
        self._run_stage(name, timely, task_of, Attempt.take_regions, seconds)

    def _dual_greedy_task(self, attempt: LearnedAttempt) -> _core.Task:
        """Return the contraction for the effort."""
        effort = self._options.effort
        return attempt.dual_greedy_task(
            self._threads_of_one,
            is_quick=effort == "fast" and _is_contracted_once(attempt),
            policy="fast" if effort == "fastest" else "balanced",
        )

    def _improve(self) -> None:
        """Run classical solvers from where things stand, unless a GPU has made them needless."""
        effort = self._options.effort
        if effort == "fastest":
            return
        small = [one for one in self._going_on() if not (one.gpu_has_won and one.is_large)]
        self._run_stage("klj", small, Attempt.klj_task, Attempt.take)
        if effort not in FUSION_MOVES:
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
        most, patience = FUSION_MOVES[effort]

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

    def _note_loading(self, loader: Loader) -> None:
        if loader.seconds is not None:
            for attempt in self._attempts:
                attempt.details["loading_seconds"] = loader.seconds

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
                # A layer takes long on a large graph: Ctrl-C ends it between operations of torch.
                with (
                    threads_for(num_edges, model.width, model.device, self._num_threads),
                    self._interrupted.raising(),
                ):
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
            except KeyboardInterrupt:
                if not self._interrupted.is_set():  # raised by a handler of the caller's own
                    raise
                return "used until it was stopped"
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
        return self._attempts[0].watch.seconds_left - SECONDS_TO_COMPARE * num_edges


def _is_contracted_once(attempt: LearnedAttempt) -> bool:
    """Whether the effort "fast" has one contraction only, the one that ``klj`` starts with.

    On small graphs two that differ, region by region the better, take little longer and give local
    search a better start. On large graphs one is on average as good as the other.
    """
    return attempt.core.num_edges >= _EDGES_FOR_THREADS
