"""All that determines a training run, from a file or from keyword arguments."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from multicut._checks import check_integer, check_number
from multicut.nn.architectures import get_architecture
from multicut.nn.config import NetworkConfig
from multicut.nn.cycles import LONGEST, SHORTEST
from multicut.nn.model import AnyConfig, config_from_dict
from multicut.training.losses import LOSSES

DECAYS = ("none", "cosine")
CCL_REDUCTIONS = ("graph", "edge", "length")
CCL_EDGES = ("cut", "all", "rounded")
ACCELERATORS = ("auto", "cpu", "cuda")
PRECISIONS = ("32-true", "bf16-mixed", "16-mixed")
CUDA_GRAPHS = ("auto", "on", "off")
FREEZES = ("nothing", "convolutions", "all-but-last-layer")


_NUMBERS = (
    "alpha",
    "clip",
    "contracted",
    "cost_exponent",
    "initial_penalty",
    "learning_rate",
    "penalty",
    "weight_decay",
)


@dataclass(frozen=True)
class TrainingConfig:
    """The settings of one training run; the defaults are the paper's for RandomMP, except `alpha`.

    Attributes
    ----------
    network
        The shape of the network; with `finetune`, that of the model is taken. With
        ``architecture = "contraction"`` it is one of the solver ``learned``.
    train, validation
        Which graphs: the name of a dataset such as ``"randommp"`` (its training or validation
        split, unless one is named as in ``"randommp:test"``), ``"randommp:fresh"`` for an endless
        stream of new graphs, the path of a stored dataset, or a folder with one in ``train`` and
        one in ``valid``. A table of several such names mixes them: each number is the share of a
        dataset in batches, or its weight in the mean of validation. `validation` may be empty.
    num_train, num_validation
        Use only the first so many graphs, of each dataset; 0 uses all.
    scale_free
        Bring the costs of each graph to the mean absolute cost of all training graphs, in training
        and whenever the model is used, so that its results do not depend on the unit of costs. The
        paper takes costs as they are. With `finetune`, a model's own scale is kept.
    labels
        The solver that labels fresh graphs; empty leaves them unlabelled, for
        ``loss="polynomial"``.
    loss
        ``"bce"`` is cross entropy to the optimal solutions, plus α times cycle consistency (Eq. 9).
        ``"polynomial"`` is the program of Eq. 3, which needs no labels. ``"decisions"`` is cross
        entropy in which dense graphs count less and costly edges more.
    cost_exponent
        Of ``"decisions"``: an edge counts as |cost| to this power, in units of its graph's mean.
    contracted
        Of ``"decisions"``: the share of batches whose graphs are contracted along random edges that
        their solution does not cut, so that a network sees every stage of a solve.
    alpha, alpha_start, alpha_ramp
        The weight of cycle consistency: 0 for the first `alpha_start` instances, then rising to
        `alpha` over `alpha_ramp` instances. The paper's 0.01 is too much here.
    ccl_reduction
        What cycle consistency is divided by, and so what `alpha` means: ``"graph"``, the number of
        graphs, or ``"edge"``, the number of edges as in cross entropy. With the latter the same
        `alpha` suits graphs of any size. ``"length"`` divides by the number of graphs, and the sum
        over the edges of a cycle by their number.
    ccl_edges
        Which edges of a cycle count as the one that is cut: ``"cut"``, those with ŷ ≥ 0.5 as in the
        paper; ``"all"``, whatever their ŷ; ``"rounded"``, those with ŷ ≥ 0.5, which is then taken
        as 1, so that only a second cut makes the loss smaller.
    initial_penalty, penalty, penalty_start, penalty_ramp
        K of Eq. 3, in units of a graph's mean absolute cost: the first value for the first
        `penalty_start` instances, then rising to the second over `penalty_ramp` instances. With a
        large K from the beginning, networks settle for cutting everything or nothing.
    max_cycle_length
        Chordless cycles up to this length are looked at, 3 to 8.
    instances
        Training ends after so many instances (graphs, each time they are seen).
    batch_size
        Graphs per step, over all processes together.
    learning_rate, weight_decay
        Of Adam, with betas 0.9 and 0.999.
    warm_up
        The learning rate rises linearly over so many instances.
    decay
        ``"none"``: the learning rate stays, as in the paper; ``"cosine"``: it falls to nothing
        towards the end.
    clip
        The largest norm of the gradient, longer ones are shortened; 0 leaves them as they are.
    precision
        ``"32-true"``, ``"bf16-mixed"`` or ``"16-mixed"``.
    accelerator, devices
        ``"auto"`` (a GPU of NVIDIA if there is one), ``"cpu"`` or ``"cuda"``, and how many of them.
    cuda_graph
        Whether a step is recorded once and then replayed as a whole, which is faster. ``"auto"``
        does so where it is possible: on one GPU, in ``"32-true"``, with cross entropy and stored
        graphs, for all networks of ``gnn``. ``"on"`` makes it an error where it is not; ``"off"``
        never does. Results are the same up to rounding.
    seed
        Determines initial weights and the order of graphs.
    output
        The folder for checkpoints, curves and the model.
    validate_every, checkpoint_every, log_every
        In instances. Rounded to whole steps; 0 validates at the end only.
    finetune
        A model by name or path to start from.
    freeze
        What keeps its weights: ``"nothing"``, ``"convolutions"`` (only the edge classifier is
        trained) or ``"all-but-last-layer"`` (only the last layer of the edge classifier).
    """

    network: AnyConfig = field(default_factory=lambda: NetworkConfig("gcn_w", depth=20))
    train: str | Mapping[str, float] = "randommp"
    validation: str | Mapping[str, float] = ""
    num_train: int = 0
    num_validation: int = 0
    scale_free: bool = False
    labels: str = ""
    loss: str = "bce"
    cost_exponent: float = 0.0
    contracted: float = 0.0
    alpha: float = 0.001
    alpha_start: int = 3_000_000
    alpha_ramp: int = 100_000
    ccl_reduction: str = "graph"
    ccl_edges: str = "cut"
    initial_penalty: float = 0.01
    penalty: float = 0.1
    penalty_start: int = 100_000
    penalty_ramp: int = 100_000
    max_cycle_length: int = 8
    instances: int = 3_150_000
    batch_size: int = 200
    learning_rate: float = 1e-3
    weight_decay: float = 5e-4
    warm_up: int = 0
    decay: str = "none"
    clip: float = 0.0
    precision: str = "32-true"
    accelerator: str = "auto"
    devices: int = 1
    cuda_graph: str = "auto"
    seed: int = 0
    output: str = "runs/model"
    validate_every: int = 100_000
    checkpoint_every: int = 100_000
    log_every: int = 10_000
    finetune: str = ""
    freeze: str = "nothing"

    def __post_init__(self) -> None:
        if not isinstance(self.network, AnyConfig):
            raise TypeError(f"network must be a table of settings, got {self.network!r}")
        for name in ("instances", "batch_size", "log_every", "checkpoint_every", "devices"):
            check_integer(1, **{name: getattr(self, name)})
        for name in ("num_train", "num_validation", "validate_every", "seed"):
            check_integer(0, **{name: getattr(self, name)})
        for name in ("alpha_start", "alpha_ramp", "penalty_start", "penalty_ramp", "warm_up"):
            check_integer(0, **{name: getattr(self, name)})
        for name in _NUMBERS:
            # TOML tells 1 from 1.0; training does not.
            number = check_number(0, **{name: getattr(self, name)})
            if number == math.inf:
                raise ValueError(f"{name} must be finite, got inf")
            object.__setattr__(self, name, number)
        for name in ("train", "validation"):
            object.__setattr__(self, name, _checked_graphs(name, getattr(self, name)))
        for name in ("labels", "output", "finetune"):
            if not isinstance(getattr(self, name), str):
                raise TypeError(f"{name} must be text, got {getattr(self, name)!r}")
        if not isinstance(self.scale_free, bool):
            raise TypeError(f"scale_free must be true or false, got {self.scale_free!r}")
        if not self.output:
            raise ValueError("output must name a folder, got nothing")
        _check_choice(tuple(loss.name for loss in LOSSES), loss=self.loss)
        _check_choice(CCL_REDUCTIONS, ccl_reduction=self.ccl_reduction)
        _check_choice(CCL_EDGES, ccl_edges=self.ccl_edges)
        _check_choice(ACCELERATORS, accelerator=self.accelerator)
        _check_choice(PRECISIONS, precision=self.precision)
        _check_choice(CUDA_GRAPHS, cuda_graph=self.cuda_graph)
        _check_choice(FREEZES, freeze=self.freeze)
        _check_choice(DECAYS, decay=self.decay)
        self._check_loss()
        if self.max_cycle_length not in range(SHORTEST, LONGEST + 1):
            raise ValueError(
                f"max_cycle_length must be from {SHORTEST} to {LONGEST}, got "
                f"{self.max_cycle_length!r}"
            )
        if self.batch_size % self.devices != 0:
            raise ValueError(
                f"batch_size must be a multiple of devices, so that each gets as many graphs, got "
                f"{self.batch_size} for {self.devices}"
            )
        is_fresh = isinstance(self.train, str) and self.train.endswith(":fresh")
        if is_fresh and self.num_train:
            raise ValueError(
                f"num_train takes the first of stored graphs; {self.train!r} has no end; omit it"
            )
        if self.labels and not is_fresh:
            raise ValueError(
                f"labels = {self.labels!r} is for fresh graphs, not for {self.train!r}; omit it, "
                f"or label stored graphs with multicut.solve_batch"
            )
        if self.freeze != "nothing" and not self.finetune:
            raise ValueError(
                f"freeze={self.freeze!r} keeps weights of a model; name it with finetune"
            )

    def _check_loss(self) -> None:
        """Check that the loss suits the network, and that no setting belongs to another one."""
        for loss in LOSSES:
            for name in loss.own_settings:
                if loss.name != self.loss and getattr(self, name):
                    raise ValueError(
                        f"{name} = {getattr(self, name)} is for loss = {loss.name!r}, got "
                        f"{self.loss!r}; omit it"
                    )
        architecture = get_architecture(self.network.architecture)
        if self.loss not in architecture.losses:
            raise ValueError(
                f"architecture {architecture.name!r} is trained with loss = "
                f"{' or '.join(map(repr, architecture.losses))}, got {self.loss!r}"
            )
        if self.contracted > 1:
            raise ValueError(f"contracted is a share, at most 1, got {self.contracted}")

    @property
    def num_steps(self) -> int:
        """How many batches make up the instances; the last may exceed them."""
        return self.steps(self.instances)

    def steps(self, instances: int) -> int:
        """Return how many batches hold at least so many instances."""
        return -(-instances // self.batch_size)

    def updated(self, values: Mapping[str, Any]) -> Self:
        """Return a configuration with some settings replaced; unknown ones are an error.

        ``network`` may be a table of some of its settings, the others are kept. If it names another
        architecture, the others are that architecture's defaults. So may ``train`` and
        ``validation``, if they are tables already; a share of 0 leaves a dataset out.
        """
        _check_keys(values)
        changes = dict(values)
        if "network" in changes:
            changes["network"] = _merged(self.network, changes["network"])
        for name in ("train", "validation"):
            before, after = getattr(self, name), changes.get(name)
            if isinstance(before, Mapping) and isinstance(after, Mapping):
                changes[name] = {**before, **after}
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as a file or a checkpoint holds them."""
        return asdict(self)

    @property
    def learns_from(self) -> str:
        """The training graphs, in words."""
        if isinstance(self.train, str):
            return self.train
        return ", ".join(f"{name} ({share:g})" for name, share in self.train.items())

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from plain values; unknown ones are an error."""
        return cls().updated(values)

    @classmethod
    def from_file(cls, path: str | Path) -> Self:
        """Read a TOML file."""
        path = Path(path)
        try:
            with path.open("rb") as file:
                values = tomllib.load(file)
            config = cls(output=f"runs/{path.stem}")
            return config.updated(values)
        except tomllib.TOMLDecodeError as error:
            raise ValueError(f"{path}: not TOML: {error}") from None
        except (ValueError, TypeError) as error:
            raise ValueError(f"{path}: {error}") from None


def _checked_graphs(name: str, graphs: Any) -> str | dict[str, float]:
    """Check the name of a dataset, or shares of several; those of 0 are dropped."""
    if isinstance(graphs, str):
        return graphs
    if not isinstance(graphs, Mapping):
        raise TypeError(f"{name} must be text or a table of shares, got {graphs!r}")
    shares = {str(key): check_number(0, **{f"{name}.{key}": v}) for key, v in graphs.items()}
    # In TOML the order of a table means nothing; it must not decide what is drawn, either.
    kept = {key: share for key, share in sorted(shares.items()) if share > 0}
    if not kept or not all(map(math.isfinite, kept.values())):
        raise ValueError(f"{name} needs shares that are positive and finite, got {dict(graphs)!r}")
    for key in kept:
        if key.endswith(":fresh"):
            raise ValueError(f"{name} cannot mix an endless stream, got {key!r}; store its graphs")
    return kept


def _merged(network: AnyConfig, changes: Any) -> AnyConfig:
    if isinstance(changes, AnyConfig):
        return changes
    if not isinstance(changes, Mapping):
        raise TypeError(f"network must be a table of settings, got {changes!r}")
    other = changes.get("architecture", network.architecture) != network.architecture
    return config_from_dict({**({} if other else network.to_dict()), **changes})


def _check_keys(values: Mapping[str, Any]) -> None:
    known = [f.name for f in fields(TrainingConfig)]
    for key in values:
        if key not in known:
            close = difflib.get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}? " if close else ""
            raise ValueError(f"unknown setting {key!r}; {hint}choose from: {', '.join(known)}")


def _check_choice(choices: tuple[str, ...], **named: object) -> None:
    ((name, value),) = named.items()
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(choices)}; got {value!r}")
