"""What the axes of an array mean: channels, space, and others of which there is one entry."""

from __future__ import annotations

from dataclasses import dataclass

_SPACE = "zyx"
_KNOWN = "tczyx"


@dataclass(frozen=True)
class Axes:
    """The axes of an array by their letters.

    Attributes
    ----------
    names
        One letter for each axis of the array: t, c, z, y, x.
    """

    names: str

    @property
    def channel(self) -> int | None:
        """The axis of channels, None if there is none."""
        place = self.names.find("c")
        return None if place < 0 else place

    @property
    def space(self) -> tuple[int, ...]:
        """The axes of space, in the order of the array."""
        return tuple(i for i, name in enumerate(self.names) if name in _SPACE)

    @property
    def space_names(self) -> str:
        """The letters of the axes of space."""
        return "".join(self.names[i] for i in self.space)


def find_axes(
    place: str, shape: tuple[int, ...], given: str | None, found: str | None, num_channels: int
) -> Axes:
    """Decide what the axes of an array mean, and complain if that cannot be.

    Parameters
    ----------
    place
        The array, for messages.
    shape
        Its shape.
    given, found
        Letters that the caller gives, and those in the metadata; None if there are none.
    num_channels
        The number of channels that are expected: of affinities, or 0 for a single map.
    """
    names = given if given is not None else found
    if names is None:
        names = _guess(len(shape), num_channels)
    source = "axes" if given is not None or found is None else "the axes in its metadata"
    if len(names) != len(shape):
        raise ValueError(
            f"{place}: has shape {shape}, but {source} {names!r} name {len(names)}; give one "
            f"letter per axis, as in axes='czyx'"
        )
    unknown = [name for name in names if name not in _KNOWN]
    if unknown or len(set(names)) < len(names):
        raise ValueError(
            f"{place}: {source} must be different letters of {_KNOWN!r}, got {names!r}"
        )
    axes = Axes(names)
    if "y" not in names or "x" not in names:
        raise ValueError(f"{place}: {source} {names!r} lack y or x; give axes=…")
    if "t" in names and shape[names.index("t")] != 1:
        raise ValueError(
            f"{place}: has {shape[names.index('t')]} points in time (axes {names!r}); write one of "
            f"them to an array of its own"
        )
    length = 1 if axes.channel is None else shape[axes.channel]
    if num_channels > 0 and length != num_channels:
        raise ValueError(
            f"{place}: has {length} channels (axes {names!r}), but there are {num_channels} "
            f"offsets; give one offset per channel"
        )
    if num_channels == 0 and length != 1:
        raise ValueError(
            f"{place}: has {length} channels (axes {names!r}); a boundary map has one, and "
            f"affinities need offsets=…"
        )
    return axes


def _guess(ndim: int, num_channels: int) -> str:
    space = ndim - 1 if num_channels > 0 else ndim
    letters = _SPACE[-space:] if space in (2, 3) else "?" * max(space, 0)
    return ("c" if num_channels > 0 else "") + letters
