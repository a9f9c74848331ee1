"""Which readings of the losses show the published effects of CCL with alpha = 0.01."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from paper.section import Record, Section, wrapped

_PUBLISHED_ALPHA = 0.01
# Which effects the verdict asks for; on RandomMP no graph is solved to optimality without CCL.
_EFFECTS = {
    "irismp": (("feasible", "optimal", "objective"), "all three published effects"),
    "randommp": (("feasible", "objective"), "more feasible graphs with a better objective"),
}
_CONSEQUENCE = """\
[What that says of the losses](training.md#why-training-collapses-at-the-published-alpha)."""


def write(section: Section, records: Sequence[Record], titles: Mapping[str, str]) -> None:
    """Name the readings with which alpha = 0.01 has the published effects.

    Parameters
    ----------
    section
        Where it goes.
    records
        Those of the table of readings, of both training sets.
    titles
        What the page calls these sets.
    """
    texts = []
    for name, (effects, what) in _EFFECTS.items():
        own = [each for each in records if each["train"] == name]
        agree = [
            f"{each['description']} (`{each['run']}`)"
            for each in own
            if each["alpha"] == _PUBLISHED_ALPHA and set(effects) <= set(each["as_published"])
        ]
        shows = (
            "1 recorded reading shows"
            if len(agree) == 1
            else f"{len(agree)} recorded readings show"
        )
        text = f"{shows if agree else 'no recorded reading shows'} {what} on {titles[name]}"
        if all(each["optimal_ratio"] == 0 for each in own):
            text += ", where no graph is solved to optimality"
        texts.append(text + (f": {'; '.join(agree)}." if agree else "."))
    first, second = texts
    section.write(
        wrapped(
            f"**Verdict.** With alpha = {_PUBLISHED_ALPHA:g}, in the end, {first} "
            f"{second[0].upper()}{second[1:]} {_CONSEQUENCE}"
        )
    )
