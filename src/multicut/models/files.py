"""Reading and writing models; nothing is ever unpickled."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._extras import NETWORKS, needed
from multicut._target import open_target
from multicut.models.registry import ModelRecord, find_model, with_suffix, without_suffix

if TYPE_CHECKING:
    import torch

    from multicut.nn.model import Model, Network

_FORMAT = 1
_METADATA = "architecture"
_STORED_AS, _HALF = "stored_as", "float16"


def save_model(
    network: Network,
    path: str | os.PathLike[str],
    card: Mapping[str, Any],
    *,
    half: bool = False,
) -> Path:
    """Write ``path.safetensors`` and ``path.json``.

    Parameters
    ----------
    network
        The network.
    path
        Where to; the suffix may be left out.
    card
        What else there is to say of the model, as plain values. Two keys have a meaning:
        ``description`` is one line for listings; ``cost_scale`` is the mean absolute cost of the
        graphs that the network was trained on. With it, :class:`multicut.nn.model.Model`
        brings the costs of each graph to that scale, so that results do not depend on the unit of
        costs. A contraction network needs no such scale. The shape of the network is added, and
        with it its kind.
    half
        Whether matrices are stored in float16, for files of half the size; the card says so, and
        :func:`load_model` makes them float32 again.

    Returns
    -------
    Path
        The file with the weights.
    """
    needed(*NETWORKS, by="save_model")
    from safetensors.torch import save

    from multicut.nn.model import Network, checked_cost_scale

    if not isinstance(network, Network):
        raise TypeError(
            f"network must be a MulticutNetwork or a ContractionNetwork, got "
            f"{type(network).__name__}; that of a model is model.network"
        )
    checked_cost_scale(card.get("cost_scale"))
    stem = without_suffix(Path(path))
    tensors = {
        name: value.detach().cpu().contiguous() for name, value in network.state_dict().items()
    }
    if half:
        # Vectors are small, and statistics of batch normalisation may exceed float16.
        tensors = {
            name: value.half() if value.is_floating_point() and value.ndim > 1 else value
            for name, value in tensors.items()
        }
    # Networks whose tensors look alike may compute different things.
    weights = save(tensors, metadata={_METADATA: network.config.architecture})
    document = {
        **{key: value for key, value in card.items() if key != _STORED_AS},
        "format": _FORMAT,
        "network": network.config.to_dict(),
        **({_STORED_AS: _HALF} if half else {}),
        "sha256": hashlib.sha256(weights).hexdigest(),
    }
    text = json.dumps(document, indent=2, allow_nan=False) + "\n"
    stem.parent.mkdir(parents=True, exist_ok=True)
    target = with_suffix(stem, ".safetensors")
    # Both are on disk before either takes its name: weights and card belong together.
    with open_target(with_suffix(stem, ".json")) as card_file, open_target(target) as weights_file:
        weights_file.write(weights)
        card_file.write(text.encode())
    return target


def load_model(name_or_path: str | os.PathLike[str], device: torch.device | str = "cpu") -> Model:
    """Load a model by its name, by its path, or from the folder of a training run.

    Parameters
    ----------
    name_or_path
        A name from :func:`list_models`; a path, with or without suffix; or the folder that
        ``multicut train`` wrote, such as ``"runs/small"``.
    device
        Where to compute.

    Notes
    -----
    A damaged file is refused, and so is one whose weights do not fit the network of the card.
    """
    needed(*NETWORKS, by="load_model")
    from multicut.models.loading import check_not_half_loaded

    check_not_half_loaded()
    from multicut.models.devices import as_device
    from multicut.nn.model import Model
    from multicut.nn.threads import threads_for

    place = as_device(device)
    record = find_model(name_or_path)
    with threads_for(0):
        network = _build(record)
        try:
            model = Model(network, record.card, name=record.name)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the card of {record.path} is damaged: {error}") from None
        return model.to(place).eval()


def _build(record: ModelRecord) -> Network:
    import torch
    from safetensors import SafetensorError, safe_open
    from safetensors.torch import load

    from multicut.nn.model import build_network, config_from_dict

    card = record.card
    where = f"the card of {record.path}"
    if card.get("format") != _FORMAT:
        raise ValueError(
            f"{where} has format {card.get('format')!r}, but this version reads {_FORMAT}; "
            f"save the model again"
        )
    if not isinstance(card.get("network"), dict):
        raise ValueError(f"{where} does not say what the network is: 'network' is missing")
    try:
        config = config_from_dict(card["network"])
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where} does not describe a network: {error}") from None
    content = record.path.read_bytes()
    try:
        with safe_open(record.path, framework="pt") as file:
            saved = (file.metadata() or {}).get(_METADATA)
        # From a copy in memory: what `file` returns would change with the file.
        tensors = load(content)
    except SafetensorError as error:
        raise ValueError(f"{record.path} is damaged ({error}); download it again") from None
    if "sha256" in card and hashlib.sha256(content).hexdigest() != card["sha256"]:
        raise ValueError(
            f"{record.path} is damaged or belongs to another card: its sha256 is not the one of "
            f"the card; download both files again"
        )
    with torch.device("meta"):
        network = build_network(config)
    expected = network.state_dict()
    if card.get(_STORED_AS) == _HALF:
        tensors = {
            name: value.float() if value.dtype == torch.float16 else value
            for name, value in tensors.items()
        }
    problem = _first_difference(expected, tensors)
    if problem is not None:
        raise ValueError(
            f"the weights in {record.path} do not fit architecture {config.architecture!r} of "
            f"width {config.width} and depth {config.depth}: {problem}"
        )
    if saved not in (None, config.architecture):
        raise ValueError(
            f"the weights in {record.path} are of architecture {saved!r}, but the card says "
            f"{config.architecture!r}; download both files again"
        )
    network.load_state_dict(tensors, assign=True)
    return network


def _first_difference(
    expected: Mapping[str, torch.Tensor], found: Mapping[str, torch.Tensor]
) -> str | None:
    for name, tensor in expected.items():
        if name not in found:
            return f"{name} is missing"
        if found[name].shape != tensor.shape:
            return f"{name} has shape {tuple(found[name].shape)}, not {tuple(tensor.shape)}"
        if found[name].dtype != tensor.dtype:
            return f"{name} holds {found[name].dtype}, not {tensor.dtype}"
        if found[name].is_floating_point() and not found[name].isfinite().all():
            return f"{name} contains values that are not finite"
    extra = sorted(name for name in found if name not in expected)
    return f"{extra[0]} is not part of it" if extra else None
