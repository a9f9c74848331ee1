"""How the solver ``learned`` works: the stages, and what each of them found."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from multicut import _core
from multicut._arrays import IntArray
from multicut._extras import NETWORKS, is_installed, needed
from multicut._threads import check_threads
from multicut.exact.reduction import can_be_reduced
from multicut.models.devices import ForkedGpuError, may_have_gpu
from multicut.models.loading import GpuLoader, Loader, is_shortage
from multicut.models.registry import UNIVERSAL_MODEL
from multicut.partition import canonical, objective
from multicut.problem import Problem
from multicut.solvers import fusion
from multicut.solvers.attempt import Attempt
from multicut.solvers.gnn.plain_problem import PlainProblem
from multicut.solvers.learned.solver import LearnedOptions
from multicut.solvers.protocol import Outcome, check_labels, grouped
from multicut.stop import StopReason

if TYPE_CHECKING:
    import torch

    from multicut.nn.model import Model
    from multicut.stop import Stop

# Fusion moves by effort: how many proposals, and after how many in vain it ends. Those of balanced
# reach 0.9995 on validation graphs of RandomMP.
_FUSION = {"balanced": (26, 26), "best": (1000, 40)}
# And on a GPU before them, for all problems together.
_FUSION_ON_GPU = {"fastest": 0, "fast": 0, "balanced": 4, "best": 16}
# States of so many edges fit the cache.
_EDGES_PER_PASS_ON_CPU = 2**13
# On a GPU all takes longer than local search on a processor alone, as kernels have to be started:
# 1.7 times as long at 38,000 edges; at 113,000 it takes as long and finds more
# (benchmarks/learned_inference.py).
_FEW_EDGES_FOR_GPU = 100_000
# For each edge, what it takes to compare the network's partition with the best so far.
_SECONDS_TO_COMPARE = 1.5e-7
# Stages that are not named as what finds the partition.
_SOLVERS_OF_STAGES = {
    "regions": "network",
    "packing_regions": "packing",
    "greedy_klj": "klj",
    "dual_greedy": "dual-greedy",
}
_ON_CPU = "not used: on a CPU it is not worth its time"
_ON_GPU = "not used: on a GPU a packing of short cycles finds more in less time"
# Of an objective, what rounding may make of it.
_ROUNDING = 1e-12


class LearnedAttempt(Attempt):
    """One problem to which a network proposes a partition.

    Parameters
    ----------
    problem, stop
        As the solver gets them.
    interrupted
        Set once Ctrl-C was pressed, for all problems of a batch.
    initial
        Labels that the solution must not be worse than.

    Attributes
    ----------
    greedy
        Labels of the core that the network's proposal was compared with, once there was one.
    """

    def __init__(
        self,
        problem: Problem,
        stop: Stop,
        interrupted: threading.Event,
        initial: IntArray | None = None,
    ) -> None:
        super().__init__(problem, stop, initial, hears_all=stop.callback is not None)
        self.greedy: IntArray | None = None
        self._interrupted = interrupted
        self._start = math.inf  # what the core began with

    def note_start(self) -> None:
        """Note what the core begins with, after a reduction."""
        self._start = self._objective + self.reduction.offset

    def reduction_pays(self) -> bool:
        """Whether the problem can be made smaller, and that saves time."""
        return can_be_reduced(self.problem) and fusion.reduction_pays(
            self.problem, self.watch.seconds_left
        )

    def propose(self, labels: IntArray, source: str = "network") -> None:
        """Take labels of the core where they are better, region by region."""
        self.greedy = self.labels
        self.objectives[source] = objective(self.core, labels) + self.reduction.offset
        self._take_regions("regions" if source == "network" else f"{source}_regions", labels)

    def finish(self) -> Outcome:
        """Return the better of what was found and the floor, region by region."""
        self._hear_interrupt()
        self.details["found_by"] = self._found_by()
        return super().finish()

    def _found_by(self) -> str:
        """Return the stage after which nothing got better."""
        best, found_by = self._start, "gaec"
        for stage, value in self.objectives.items():
            # What is proposed counts where it is kept, which "regions" tells.
            if stage not in ("network", "packing") and value < best - _ROUNDING * abs(value):
                best, found_by = value, stage
        return _SOLVERS_OF_STAGES.get(found_by, found_by)

    def is_over(self) -> bool:
        """Whether there is no time left for anything else."""
        self._hear_interrupt()
        return super().is_over()

    def _hear_interrupt(self) -> None:
        if self._interrupted.is_set():
            self.watch.stop(StopReason.INTERRUPT)


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
        # First what always has a partition: then there is one if loading a network takes too long.
        self._run_stage("gaec", self._attempts, Attempt.gaec_task, Attempt.take_floor)
        model, reason = self._choose_network()
        gpu = None
        if reason == _ON_GPU:
            gpu, reason = self._choose_gpu()
        # Local search, or a network on a GPU, is faster than a reduction.
        on_cpu = model is not None and model.device.type == "cpu"
        if on_cpu or self._options.effort not in ("fastest", "fast"):
            self._reduce()
        for attempt in self._attempts:
            attempt.note_start()
        is_found = False
        if gpu is not None and not self._is_over():
            is_found, reason = self._search_on(gpu)
        if not is_found and (model is None or on_cpu):
            # On large graphs a GPU has done the same, and more, before a processor is through.
            attempts = [one for one in self._going_on() if one.seconds_for_dual_greedy > 0.0]
            self._run_stage(
                "dual_greedy",
                attempts,
                lambda attempt: attempt.dual_greedy_task(self._threads_of_one),
                Attempt.take_regions,
                min((one.seconds_for_dual_greedy for one in attempts), default=0.0),
            )
        if model is not None and not self._is_over():
            reason = self._ask(model)
        for attempt in self._attempts:
            attempt.details["network"] = reason
        self._improve()

    def _improve(self) -> None:
        """Run classical solvers from where things stand."""
        effort = self._options.effort
        if effort == "fastest":
            return
        self._run_stage("klj", self._going_on(), Attempt.klj_task, Attempt.take)
        if effort not in _FUSION:
            return
        # It costs little beside the rest, and helps where graphs are unlike any the network knows.
        asked = [
            attempt
            for attempt in self._going_on()
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

        self._run_stage("fusion", self._going_on(), fusion_task, Attempt.take)

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

    def _choose_network(self) -> tuple[Model | None, str]:
        """Load the model, or say why there is none."""
        options = self._options
        if options.use_network is False:
            return None, "not used, as told"
        wanted = options.use_network is True or options.model is not None
        if not wanted:
            if self._num_edges < _FEW_EDGES_FOR_GPU:
                return None, f"not used: {self._num_edges} edges are solved faster without it"
            if not _is_gpu(options.device):
                return None, _ON_CPU
            if options.device is None and not all(map(is_installed, NETWORKS)):
                return None, 'not used: it needs torch; pip install "multicut[nn]"'
            return None, _ON_GPU
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

    def _choose_gpu(self) -> tuple[torch.device | None, str]:
        """Make a GPU ready, or say why there is none."""
        needed(*NETWORKS, by=f"device={self._options.device!r}")
        loader = GpuLoader(self._options.device, _warm_up)
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

    def _search_on(self, gpu: torch.device) -> tuple[bool, str]:
        """Let a GPU propose partitions; return whether it has, and why there was no network."""
        from multicut.solvers.gnn.inference import Stopped, stop_check
        from multicut.solvers.learned.packing_search import search

        start = time.perf_counter()
        cores = [attempt.core for attempt in self._attempts]
        num_edges = sum(core.num_edges for core in cores)
        if self._seconds_for_network(num_edges) < sum(map(PlainProblem.seconds_to_make, cores)):
            return False, _ON_GPU
        check = stop_check(
            gpu,
            math.isfinite(self._stop.seconds),
            self._is_over,
            lambda: self._seconds_for_network(num_edges),
        )
        try:
            labels, num_rounds = search(
                [PlainProblem.of(core, True) for core in cores],
                gpu,
                proposals=_FUSION_ON_GPU[self._options.effort],
                seed=self._seed,
                check=check,
            )
        except (MemoryError, RuntimeError) as error:
            if not is_shortage(error):
                raise
            return False, f"not used: {gpu} has too little memory"
        except Stopped:
            return False, _ON_GPU
        seconds = (time.perf_counter() - start) / len(self._attempts)
        for attempt, own in zip(self._attempts, labels, strict=True):
            attempt.details |= {"device": str(gpu), "rounds": num_rounds}
            attempt.seconds["packing"] = seconds
            attempt.propose(own, "packing")
        return True, _ON_GPU

    def _ask(self, model: Model) -> str:
        """Let the network propose partitions; return how that went."""
        from multicut.nn.precision import fast_precision
        from multicut.nn.threads import threads_for
        from multicut.solvers.gnn.inference import Stopped, fits

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
                with threads_for(num_edges, model.width, model.device, self._num_threads):
                    labels, num_rounds = self._contract(model, seen, precision)
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

    def _seconds_for_network(self, num_edges: int) -> float:
        """Return the time that is left for it if its proposal is to be compared in time."""
        return self._attempts[0].watch.seconds_left - _SECONDS_TO_COMPARE * num_edges

    def _contract(
        self, model: Model, seen: list[PlainProblem], precision: str
    ) -> tuple[list[IntArray], int]:
        import torch

        from multicut.nn.search.contraction_rounds import ALL_ROUNDS, FEW_ROUNDS, contraction_rounds
        from multicut.nn.search.fusion_moves import (
            fusion_moves,
            join_and_move,
            network_proposer,
            packing_proposer,
        )
        from multicut.solvers.gnn.inference import Stopped, batch_of, stop_check

        network = model.network
        device = model.device
        num_edges = sum(one.problem.num_edges for one in seen)
        check = stop_check(
            device,
            math.isfinite(self._stop.seconds),
            self._is_over,
            lambda: self._seconds_for_network(num_edges),
        )
        batch = batch_of(seen, model)
        forbidden = None
        cannot_links = np.concatenate([one.cannot_links for one in seen])
        if cannot_links.any():
            forbidden = torch.from_numpy(cannot_links).to(device)
        labels = torch.arange(batch.num_nodes, device=device)
        logits = torch.zeros_like(batch.costs)
        num_rounds = 0
        try:
            for state in contraction_rounds(
                network,
                batch,
                sure=FEW_ROUNDS[8] if self._options.effort in ("fastest", "fast") else ALL_ROUNDS,
                precision=precision,
                forbidden=forbidden,
                after_step=check,
            ):
                if num_rounds == 0 and state.logits is not None:
                    logits = state.logits
                labels = state.labels
                num_rounds += 1
            if _searches_on(device) and forbidden is None:
                # A GPU moves nodes and fuses partitions of all graphs at once.
                labels = join_and_move(batch, labels, after_round=check)
                generator = torch.Generator(device).manual_seed(self._seed)
                own = network_proposer(
                    network, sure=FEW_ROUNDS[8], precision=precision, after_step=check
                )
                # Now and then one without it, for graphs unlike all that it has seen.
                proposers = [own, own, packing_proposer(after_round=check)]
                search = fusion_moves(
                    batch, labels, generator, proposers=proposers, after_round=check
                )
                for better in itertools.islice(search, _FUSION_ON_GPU[self._options.effort]):
                    labels = better
        except Stopped:
            if num_rounds == 0:
                raise
        nodes = np.cumsum([one.problem.num_nodes for one in seen])[:-1]
        edges = np.cumsum([one.problem.num_edges for one in seen])[:-1]
        parts = np.split(labels.cpu().numpy(), nodes)
        scores = np.split(logits.double().cpu().numpy(), edges)
        lifted = []
        for one, part, score in zip(seen, parts, scores, strict=True):
            repaired, _ = one.repaired(canonical(part), np.nan_to_num(score))
            lifted.append(one.lift(repaired))
        return lifted, num_rounds


def _warm_up(device: torch.device) -> None:
    from multicut.solvers.learned.packing_search import warm_up

    warm_up(device)


def _searches_on(device: torch.device) -> bool:
    """Whether local search is faster there than on the processor."""
    return device.type == "cuda"


def _is_gpu(device: object) -> bool:
    return may_have_gpu() if device is None else str(device).startswith("cuda")
