"""What determines a network's shape."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from multicut._checks import check_integer
from multicut.nn.architectures import Architecture, get_architecture

# Baselines pass no messages, so these defaults depend on the architecture.
_BY_ARCHITECTURE: Any = None


@dataclass(frozen=True)
class NetworkConfig:
    """The shape of a network; everything needed to build it.

    Attributes
    ----------
    architecture
        A name from :func:`multicut.nn.list_architectures`.
    width
        Channels of a node's state; 128 unless given.
    depth
        The number of convolutions; 12 unless given. The paper has 12 for IrisMP, 20 for RandomMP.
    batch_norm
        Whether convolutions normalise over the batch; they do unless told otherwise.
    classifier_width
        Neurons in each hidden layer of the edge classifier; 256 unless given.
    """

    architecture: str = "gcn_w"
    width: int = _BY_ARCHITECTURE
    depth: int = _BY_ARCHITECTURE
    batch_norm: bool = _BY_ARCHITECTURE
    classifier_width: int = _BY_ARCHITECTURE

    def __post_init__(self) -> None:
        record = get_architecture(self.architecture)
        if record.solver != "gnn":
            raise ValueError(
                f"architecture must be one that classifies edges once, got {record.name!r}; "
                f"multicut.nn.list_architectures(solver='gnn') lists these"
            )
        convolution = record.convolution
        if convolution is None:
            self._settle(record, width=0, depth=0, batch_norm=False)
        else:
            self._settle(width=128, depth=12, batch_norm=True)
            check_integer(1, width=self.width)
            check_integer(1, depth=self.depth)
            if self.width % convolution.width_multiple != 0:
                raise ValueError(
                    f"width must be a multiple of {convolution.width_multiple} for architecture "
                    f"{record.name!r}, got {self.width}"
                )
        if record.hidden_layers == 0:
            self._settle(record, classifier_width=0)
        else:
            self._settle(classifier_width=256)
            check_integer(1, classifier_width=self.classifier_width)
        if not isinstance(self.batch_norm, bool):
            raise TypeError(f"batch_norm must be true or false, got {self.batch_norm!r}")

    def _settle(self, only_for: Architecture | None = None, **values: Any) -> None:
        """Fill in what was not given; with `only_for`, nothing else may be given."""
        for name, value in values.items():
            given = getattr(self, name)
            if given is None:
                object.__setattr__(self, name, value)
            elif only_for is not None and given != value:
                raise ValueError(
                    f"architecture {only_for.name!r} has no {name}, got {given!r}; omit it"
                )

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, as a card or a configuration file holds them."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Build from plain values; unknown keys are an error."""
        known = [f.name for f in fields(cls)]
        for key in values:
            if key not in known:
                raise ValueError(f"network has no setting {key!r}; it has: {', '.join(known)}")
        return cls(**values)
