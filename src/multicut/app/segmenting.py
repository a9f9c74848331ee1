"""From an image to superpixels and their problem, by the choices of a visitor."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from multicut.app.failures import VisitorError
from multicut.vision import ColourCosts, RegionProblem, list_superpixels, region_problem
from multicut.vision.presets import PHOTO
from multicut.vision.superpixels import Felzenszwalb, Watershed

if TYPE_CHECKING:
    from multicut.app.subjects import ImageSubject
    from multicut.vision import Superpixels

MOST_SUPERPIXELS = 20_000


@dataclass(frozen=True)
class ImageChoices:
    """How an image becomes a problem; by default as ``multicut segment`` does it.

    Attributes
    ----------
    superpixels
        A name from :func:`offered_superpixels`.
    num_superpixels
        About how many, for those that can be told.
    scale
        How large regions grow, for ``felzenszwalb``.
    bias
        Prior probability of a cut.
    sigma
        Distance of colours that counts as different.
    """

    superpixels: str = PHOTO.superpixels.name
    num_superpixels: int = Watershed.num_regions
    scale: float = Felzenszwalb.scale
    bias: float = 0.5
    sigma: float = ColourCosts.sigma

    def __post_init__(self) -> None:
        if self.superpixels not in offered_superpixels():
            known = ", ".join(offered_superpixels())
            raise VisitorError(f"superpixels must be one of {known}, got {self.superpixels!r}")
        _check_range("the number of superpixels", self.num_superpixels, 2, MOST_SUPERPIXELS)
        _check_range("the scale", self.scale, 1, 10_000)
        _check_range("the bias", self.bias, 0.001, 0.999)
        _check_range("the colour tolerance", self.sigma, 0.001, 10)


def offered_superpixels() -> list[str]:
    """Name the ways to make superpixels."""
    return [kind.name for kind in list_superpixels()]


def takes(superpixels: str, option: str) -> bool:
    """Whether superpixels of a name have an option."""
    return superpixels in offered_superpixels() and any(
        field.name == option for field in fields(_kind(superpixels))
    )


def segment_image(subject: ImageSubject, choices: ImageChoices) -> RegionProblem:
    """Divide an image into superpixels and weigh the edges between them."""
    options: dict[str, float] = {}
    if takes(choices.superpixels, "num_regions"):
        options["num_regions"] = choices.num_superpixels
    if takes(choices.superpixels, "scale"):
        options["scale"] = choices.scale
    return region_problem(
        subject.image,
        _kind(choices.superpixels)(**options),
        costs=ColourCosts(sigma=choices.sigma),
        bias=choices.bias,
        volume=subject.is_volume,
    )


def _kind(name: str) -> type[Superpixels]:
    return next(kind for kind in list_superpixels() if kind.name == name)


def _check_range(what: str, value: object, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not least <= value <= most:
        raise VisitorError(f"{what} must lie between {least:g} and {most:g}, got {value!r}")
