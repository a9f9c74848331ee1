"""What the solver ``learned`` does on a GPU, and on the processor meanwhile."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from multicut._extras import NETWORKS, needed
from multicut.models.devices import ForkedGpuError
from multicut.models.loading import GpuLoader, is_shortage
from multicut.solvers.gnn.plain_problem import PlainProblem, is_constrained
from multicut.solvers.learned.beside import Beside
from multicut.solvers.learned.place import ON_CPU, ON_GPU
from multicut.solvers.learned.solver import PROPOSALS_ON_GPU, LearnedOptions
from multicut.solvers.protocol import Outcome

if TYPE_CHECKING:
    import torch

    from multicut._arrays import IntArray
    from multicut.nn.batch import GraphBatch
    from multicut.solvers.learned.attempt import LearnedAttempt
    from multicut.solvers.learned.gaec_certificate import GaecCertificate

#: For each edge, what it takes to compare a partition with the best so far, region by region.
SECONDS_TO_COMPARE = 1.5e-7
# And, on a large graph, what follows a search on a GPU: labels come back, and what they cost.
_SECONDS_TO_EVALUATE = 2.5e-8
# For each edge, several times what a proof takes: with less, all of the time is for the search.
_SECONDS_TO_PROVE = 5e-7
# Threads that work meanwhile: one starts kernels on the GPU, which waits for it, one is ``gaec``.
_OTHER_THREADS = 2


class GpuStage:
    """Searches on a GPU while ``gaec`` runs on the processor.

    Parameters
    ----------
    attempts
        The problems. They have their floor afterwards.
    options, seed
        As the solver gets them.
    num_threads
        For ``gaec``.
    is_over
        Whether there is no time left.
    check_on
        Makes what ends the work on a device when the time is up.
    """

    def __init__(
        self,
        attempts: Sequence[LearnedAttempt],
        options: LearnedOptions,
        seed: int,
        num_threads: int,
        is_over: Callable[[], bool],
        check_on: Callable[[torch.device], Callable[[], None]],
    ) -> None:
        self._attempts = attempts
        self._options = options
        self._seed = seed
        self._num_threads = num_threads
        self._is_over = is_over
        self._check_on = check_on
        self._certificate: GaecCertificate | None = None

    def run(self) -> tuple[bool, str]:
        """Return whether the GPU has found partitions, and why there was no network."""
        loader = GpuLoader(self._options.device, _warm_up)
        is_fastest = self._options.effort == "fastest"
        # To wait for it would take several times as long as the rest; but where kernels have to be
        # compiled first, the time may be up before there is anything else.
        greedy = None if is_fastest and loader.is_ready else self._start_gaec()
        self._keep_back(
            sum(
                attempt.problem.num_edges
                * (_SECONDS_TO_EVALUATE if attempt.is_large else SECONDS_TO_COMPARE)
                for attempt in self._attempts
            )
        )
        try:
            gpu, reason = self._choose_gpu(loader)
            labels = None
            if gpu is not None and not self._is_over():
                labels, reason = self._search_on(gpu)
            found = None if labels is None else self._evaluated(labels)
            if found is not None and (is_fastest or self._needs_no_gaec(found, greedy)):
                if greedy is not None:
                    greedy.stop()
            else:
                self._take_gaec(greedy or self._start_gaec())
        except BaseException:
            if greedy is not None:
                greedy.stop()
            raise
        self._keep_back(0.0)
        for attempt, own in zip(self._attempts, found or (), strict=found is not None):
            attempt.take_from_gpu(own, compares_regions=not attempt.is_large)
        return found is not None, reason

    def _keep_back(self, seconds: float) -> None:
        """End so long before the deadline, for what is to be done then."""
        for attempt in self._attempts:
            attempt.watch.reserve = seconds

    def _start_gaec(self) -> Beside:
        tasks = [attempt.gaec_task() for attempt in self._attempts]
        return Beside(tasks, self._num_threads, self._attempts[0].watch.seconds_left)

    def _take_gaec(self, greedy: Beside) -> None:
        for attempt, solution in zip(self._attempts, greedy.wait(self._is_over), strict=True):
            outcome = Outcome.of_native(solution)
            attempt.note("gaec", outcome, solution.seconds)
            attempt.take_floor("gaec", outcome)
            attempt.note_start()

    def _needs_no_gaec(self, found: Sequence[Outcome], greedy: Beside | None) -> bool:
        """Whether ``gaec`` cannot be better, or has no time to end."""
        if greedy is None or greedy.is_done:
            return False
        if self._certificate is not None and self._certificate.holds_for(
            found[0].objective, lambda: greedy.is_done or self._is_over()
        ):
            self._attempts[0].details["gaec_bound"] = self._certificate.bound
            return True
        # What it has by now is worth little, and takes time to be compared.
        return self._is_over() and not greedy.is_done

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
            return None, ON_CPU  # for all that was known without torch
        finally:
            if loader.seconds is not None:
                for attempt in self._attempts:
                    attempt.details["loading_seconds"] = loader.seconds
        if loader.device is None:
            return None, "not used: torch was not loaded in time"
        return loader.device, ON_GPU

    def _search_on(self, gpu: torch.device) -> tuple[list[IntArray] | None, str]:
        """Let a GPU propose partitions, if it can; say why there was no network."""
        from multicut.solvers.gnn.inference import Stopped
        from multicut.solvers.learned.packing_search import search

        start = time.perf_counter()
        problems = [attempt.problem for attempt in self._attempts]
        seconds_left = self._attempts[0].watch.seconds_left
        if seconds_left < sum(map(PlainProblem.seconds_to_make, problems)):
            return None, ON_GPU
        try:
            labels = search(
                [PlainProblem.of(problem, True) for problem in problems],
                gpu,
                proposals=PROPOSALS_ON_GPU[self._options.effort],
                seed=self._seed,
                check=self._check_on(gpu),
                beside=self._begin_certificate,
            )
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            return None, f"not used: {gpu} has too little memory"
        except Stopped:
            return None, ON_GPU
        seconds = (time.perf_counter() - start) / len(self._attempts)
        for attempt in self._attempts:
            attempt.details["device"] = str(gpu)
            attempt.seconds["packing"] = seconds
        return labels, ON_GPU

    def _begin_certificate(self, batch: GraphBatch) -> None:
        """Prepare a proof that ``gaec`` is no better, where that takes long."""
        from multicut.solvers.learned.gaec_certificate import GaecCertificate

        problem, watch = self._attempts[0].problem, self._attempts[0].watch
        has_time = watch.seconds_left > _SECONDS_TO_PROVE * problem.num_edges
        is_wanted = self._options.effort != "fastest" and self._attempts[0].is_large and has_time
        if len(self._attempts) == 1 and is_wanted and not is_constrained(problem):
            num_threads = max(self._num_threads - _OTHER_THREADS, 1)
            self._certificate = GaecCertificate(problem, num_threads)
            self._certificate.begin(batch)

    def _evaluated(self, labels: Sequence[IntArray]) -> list[Outcome]:
        return [
            attempt.outcome_of(own) for attempt, own in zip(self._attempts, labels, strict=True)
        ]


def _warm_up(device: torch.device) -> None:
    from multicut.solvers.learned.packing_search import warm_up

    warm_up(device)
