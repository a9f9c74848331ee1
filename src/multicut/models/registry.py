"""The models that come with the package; none of this needs torch."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut._registry import Registry
from multicut.nn.architectures import list_architectures

DEFAULT_MODEL = "gcn_w_bn-general"
"""The default model of the solver ``gnn``."""

UNIVERSAL_MODEL = "universal"
"""The default model of the solver ``learned``."""

# What training writes into its folder.
_OF_A_RUN = "model.safetensors"

# Each model here is NAME.safetensors and NAME.json.
WEIGHTS = Path(__file__).parent / "weights"


@dataclass(frozen=True, eq=False, repr=False)
class ModelRecord:
    """One trained network.

    Attributes
    ----------
    name
        What :func:`multicut.load_model` knows it by.
    description
        One line.
    path
        Its weights; the card lies beside them.
    card
        What the card says: the shape of the network, how it was trained, how well it does.
    """

    name: str
    description: str
    path: Path
    card: dict[str, Any]

    @property
    def solver(self) -> str:
        """The solver that uses it, ``"gnn"`` or ``"learned"``; the former for unknown networks."""
        network = self.card.get("network")
        name = network.get("architecture") if isinstance(network, dict) else None
        known = {record.name: record.solver for record in list_architectures()}
        return known.get(name, "gnn") if isinstance(name, str) else "gnn"

    def __repr__(self) -> str:
        return f"ModelRecord({self.name}: {self.description})"


def list_models(pattern: str = "*") -> list[ModelRecord]:
    """Return the models that come with the package and match a pattern such as ``"gcn*"``."""
    return _registry().matching(pattern)


def has_model(name: str) -> bool:
    """Whether a model comes with this version."""
    return (WEIGHTS / f"{name}.safetensors").is_file()


def find_model(name_or_path: str | os.PathLike[str]) -> ModelRecord:
    """Find a model by its name, by a path with or without suffix, or in a folder of training."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise TypeError(
            f"model must be a name, a path or what load_model returns, got "
            f"{type(name_or_path).__name__}"
        )
    given = os.fspath(name_or_path)
    if not Path(given).name:
        raise ValueError(f"model must be a name or a path of a file, got {given!r}")
    if Path(given).is_dir() and (Path(given) / _OF_A_RUN).is_file():
        return _record(Path(given) / _OF_A_RUN)
    path = without_suffix(Path(given))
    weights = with_suffix(path, ".safetensors")
    if weights.is_file() or path.name != Path(given).name or os.sep in given:
        if not weights.is_file():
            raise FileNotFoundError(_missing(given, weights))
        return _record(weights)
    registry = _registry()
    if Path(given).is_dir() and all(record.name != given for record in registry):
        raise FileNotFoundError(_missing(given, weights))
    if not registry.names:
        raise ValueError(
            f"unknown model {given!r}; this version contains no models, so name a file: "
            f"train one with `multicut train`"
        )
    return registry.get(given)


def _missing(given: str, weights: Path) -> str:
    """Say that there is no model, and where there are some."""
    folder = Path(given)
    if not folder.is_dir():
        return f"no model at {given}: {weights} does not exist"
    inside = sorted(path.parent.name for path in folder.glob(f"*/{_OF_A_RUN}"))
    if inside:
        return f"{given} contains training runs; name one of them, such as {folder / inside[0]}"
    return (
        f"no model at {given}: the folder has no {_OF_A_RUN}; training writes it at its first "
        f"validation and at its end"
    )


def with_suffix(path: Path, suffix: str) -> Path:
    """Append a suffix; unlike pathlib's, it keeps dots that are part of the name."""
    return path.with_name(path.name + suffix)


def without_suffix(path: Path) -> Path:
    """Drop the suffix of either file of a model."""
    return path.with_suffix("") if path.suffix in (".safetensors", ".json") else path


def _registry() -> Registry[ModelRecord]:
    return Registry("model", (_record(path) for path in sorted(WEIGHTS.glob("*.safetensors"))))


def _record(weights: Path) -> ModelRecord:
    name = weights.name.removesuffix(".safetensors")
    file = weights.with_name(name + ".json")
    try:
        card = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise FileNotFoundError(
            f"the model {weights} has no card; put {file.name} beside it"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file} is not a valid model card: {error}; download it again") from None
    if not isinstance(card, dict):
        raise ValueError(
            f"{file} is not a valid model card: it is not a JSON object; download it again"
        )
    if weights.name == _OF_A_RUN:  # as in all runs; their folders tell them apart
        name = weights.resolve().parent.name
    return ModelRecord(name, str(card.get("description", "")), weights, card)
