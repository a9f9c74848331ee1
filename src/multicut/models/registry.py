"""The models that come with the package; none of this needs torch."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from multicut._registry import Registry

DEFAULT_MODEL = "gcn_w_bn-randommp"
"""What the solver ``gnn`` uses unless told otherwise."""

UNIVERSAL_MODEL = "universal"
"""What the solver ``learned`` uses unless told otherwise."""

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

    def __repr__(self) -> str:
        return f"ModelRecord({self.name}: {self.description})"


def list_models(pattern: str = "*") -> list[ModelRecord]:
    """Return the models that come with the package and match a pattern such as ``"gcn*"``."""
    return _registry().matching(pattern)


def has_model(name: str) -> bool:
    """Whether a model comes with this version."""
    return (WEIGHTS / f"{name}.safetensors").is_file()


def find_model(name_or_path: str | os.PathLike[str]) -> ModelRecord:
    """Find a model by its name, or by a path with or without suffix."""
    if not isinstance(name_or_path, str | os.PathLike):
        raise TypeError(
            f"model must be a name, a path or what load_model returns, got "
            f"{type(name_or_path).__name__}"
        )
    given = os.fspath(name_or_path)
    if not Path(given).name:
        raise ValueError(f"model must be a name or a path of a file, got {given!r}")
    path = without_suffix(Path(given))
    weights = with_suffix(path, ".safetensors")
    if weights.is_file() or path.name != Path(given).name or os.sep in given:
        if not weights.is_file():
            raise FileNotFoundError(f"no model at {given}: {weights} does not exist")
        return _record(weights)
    registry = _registry()
    if not registry.names:
        raise ValueError(
            f"unknown model {given!r}; no model comes with this version, so name a file: "
            f"train one with `multicut train`"
        )
    return registry.get(given)


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
        raise ValueError(f"{file} is no valid card: {error}; get the file anew") from None
    if not isinstance(card, dict):
        raise ValueError(f"{file} is no valid card: it holds no object; get the file anew")
    return ModelRecord(name, str(card.get("description", "")), weights, card)
