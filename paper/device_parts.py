"""What was measured on other devices than the processor, each in a part of its own."""

from __future__ import annotations

from collections.abc import Collection

from multicut.benchmark.cache import ENVIRONMENT, Cache
from paper.section import Section
from paper.settings import PaperSettings

_OUTDATED = """\
`{part}-{device}.json` holds measurements of other weights, which are not shown:
`python -m paper --part {part} --device {device}` measures again."""


def open_device(settings: PaperSettings, part: str) -> Cache:
    """Open the measurements of a part on the device of the settings."""
    # The number of a GPU, as in "cuda:1", says nothing of what it is.
    kind = settings.device.partition(":")[0]
    return settings.open_cache(f"{part}-{kind}")


def measured_devices(settings: PaperSettings, part: str) -> dict[str, Cache]:
    """Open the measurements of a part on all devices that there are any of."""
    prefix = f"{part}-"
    names = sorted(path.stem for path in settings.cache.glob(f"{prefix}*.json"))
    return {name.removeprefix(prefix): settings.open_cache(name) for name in names}


def say_if_outdated(
    section: Section, part: str, device: str, store: Cache, wanted: Collection[str]
) -> None:
    """Say that cells are stored, but not all of those that are wanted."""
    stored = set(store.cells) - {ENVIRONMENT}
    if not stored >= set(wanted) and not stored <= set(wanted):
        section.write(_OUTDATED.format(part=part, device=device))
