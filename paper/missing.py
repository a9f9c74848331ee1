"""Which kinds of runs the page still lacks, in a paragraph near its top."""

from __future__ import annotations

import re
from collections.abc import Sequence

from paper.section import Record, bullets, wrapped
from paper.studies.configurations import divided

_INTRODUCTION = """\
**Not on this page yet.** These kinds of runs are configured, but not all of them are recorded. The
table *Configurations without a recorded run* ([there](#{anchor})) names each of the {count} that
are missing."""
# Kinds of runs by their configurations; of those that match, the first one counts.
_KINDS = {
    r"published/.*-none\b": "Without CCL to the end, the control of the paper's figure of CCL",
    r"published/.*-all\b": "Eq. 9 as printed, over the published schedule",
    r"published/.*-seed-": "Other seeds of the published schedule",
    r"published/": "The published schedule, by network and alpha",
    r"readings/.*-from-shipped-": "Alpha by network",
    r"readings/": "Readings of cycle consistency",
    r"other_family/": "Runs for the family that a network is not trained on",
    r"table3/": "Table 3 and losses at full length",
    r"finetuning/": "Finetuning, by setting and learning rate",
}


def missing_runs(unrecorded: Sequence[Record], anchor: str) -> list[str]:
    """Return the paragraph and a list of kinds with their networks; nothing if none is missing.

    Parameters
    ----------
    unrecorded
        The table of configurations without a run.
    anchor
        The section that shows it.
    """
    if not unrecorded:
        return []
    found: dict[str, list[str]] = {kind: [] for kind in _KINDS.values()}
    for each in unrecorded:
        name = str(each["configuration"])
        kind = next(kind for pattern, kind in _KINDS.items() if re.match(pattern, name))
        found[kind].append(name)
    texts = [
        f"{kind}: {len(names)}, of {', '.join(_networks(names))}."
        for kind, names in found.items()
        if names
    ]
    return [
        wrapped(_INTRODUCTION.format(anchor=anchor, count=len(unrecorded))),
        "",
        bullets(texts),
        "",
    ]


def _networks(names: Sequence[str]) -> list[str]:
    """Return the networks and sets of configurations, each once."""
    return list(dict.fromkeys(f"`{_network(name.partition('/')[2])}`" for name in names))


def _network(name: str) -> str:
    begin, found, _ = name.partition("-from-shipped-")
    return begin if found else divided(name)[0]
