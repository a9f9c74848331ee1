"""Inputs of ``multicut segment``: images, evidence, and parameters as ``key=value``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.cli.arguments import parse_option

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.vision import Costs, Superpixels

SAMPLE = "sample:"


def read_pixels(path: str, dataset: str | None = None) -> NDArray[Any]:
    """Read a file, or one of the samples, ``sample:coffee``."""
    from multicut import vision

    if path.startswith(SAMPLE):
        return vision.sample_image(path.removeprefix(SAMPLE))
    return vision.read_image(path, dataset)


def parse_offsets(text: str | None) -> list[list[int]] | None:
    """Read offsets of affinities: JSON, or a file that holds it."""
    if text is None:
        return None
    is_file = not text.lstrip().startswith("[")
    try:
        document: Any = json.loads(Path(text).read_text(encoding="utf-8") if is_file else text)
    except OSError as error:
        raise ValueError(f"--offsets {text}: {error.strerror}; give JSON or a file") from None
    except ValueError:
        document = None
    is_valid = isinstance(document, list) and all(
        isinstance(row, list) and all(type(entry) is int for entry in row) for row in document
    )
    if not is_valid:
        raise ValueError(f"--offsets must be JSON such as [[0, 1], [1, 0], [0, 9]], got {text!r}")
    offsets: list[list[int]] = document
    return offsets


def parse_superpixels(
    text: str | None, num_regions: int | None, options: list[str], preset: str | None
) -> Superpixels | NDArray[Any] | str | None:
    """Read ``--superpixels``, a name or a file of labels, with its parameters."""
    from dataclasses import replace

    from multicut import vision
    from multicut.vision.presets import PHOTO, get_preset
    from multicut.vision.superpixels import get_superpixels

    given = _parse_keys("--superpixel-option", options)
    if num_regions is not None:
        given["num_regions"] = num_regions
    if text is not None and (Path(text).suffix or ":" in text):
        if given:
            raise ValueError(f"--superpixels {text}: labels from a file take no parameters")
        return vision.read_image(text)
    if text is None and not given:
        return None
    if text is not None:
        record = get_superpixels(text)()
    else:
        record = (PHOTO if preset is None else get_preset(preset)).superpixels
    for name in given:
        if name not in record.option_defaults():
            raise ValueError(
                f"superpixels {record.name!r} have no parameter {name!r}; "
                f"choose from: {', '.join(record.option_defaults())}"
            )
    return replace(record, **given)


def parse_costs(options: list[str], *, has_evidence: bool, preset: str | None) -> Costs | None:
    """Read ``--cost-option`` for the kind of costs that will be used."""
    from dataclasses import replace

    from multicut.vision.presets import BOUNDARIES, PHOTO, get_preset

    given = _parse_keys("--cost-option", options)
    if not given:
        return None
    if preset is not None:
        record = get_preset(preset).costs
    else:
        record = (BOUNDARIES if has_evidence else PHOTO).costs
    for name in given:
        if name not in record.option_defaults():
            raise ValueError(
                f"costs {record.name!r} have no parameter {name!r}; "
                f"choose from: {', '.join(record.option_defaults())}"
            )
    return replace(record, **given)


def _parse_keys(option: str, texts: list[str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for text in texts:
        try:
            key, value = parse_option(text)
        except ValueError:
            raise ValueError(f"{option} must look like key=value, got {text!r}") from None
        if key in given:
            raise ValueError(f"{option} {key} is given twice")
        given[key] = value
    return given
