"""Claims about how networks are trained."""

from __future__ import annotations

import statistics

from paper.claims.claim import Finding, Verdict, between
from paper.claims.tables import Tables
from paper.evaluation_sets import column_title
from paper.section import listed

_DEEP = 10
_SETTINGS = {"i) all": "i", "ii) edge classifier": "ii", "iii) its last layer": "iii"}
_BEST_SETTING = "iii"
_TITLES = {"randommp": "RandomMP", "irismp": "IrisMP"}


def depth(tables: Tables) -> Finding:
    """Compare networks of more than ten layers with that of ten."""
    texts, gains = [], {}
    for test_set in ("IrisMP", "RandomMP"):
        found = {
            int(each["depth"]): float(each["ratio"])
            for each in tables.some("depth", test_set=test_set)
            if each["ratio"] is not None
        }
        ten = tables.number("depth", "ratio", test_set=test_set, depth=_DEEP)
        deeper = [value for layers, value in found.items() if layers > _DEEP]
        gains[test_set] = max(deeper) - ten
        values = between(f"{min(deeper):.3f}", f"{max(deeper):.3f}")
        texts.append(f"{ten:.3f} with {_DEEP} layers, {values} with more")
    befores = [each["before"] for each in tables.some("recipe", train="irismp", kind="published")]
    noise = statistics.stdev(befores)
    text = (
        f"{column_title('IrisMP')}: {texts[0]}; seeds of one depth have a standard deviation of "
        f"{noise:.3f} ({len(befores)} longer runs). RandomMP: {texts[1]}. One run each."
    )
    if gains["IrisMP"] <= 2 * noise:
        return Finding(text, Verdict.HOLDS, "within two standard deviations")
    return Finding(text, Verdict.FAILS)


def cycle_consistency(tables: Tables) -> Finding:
    """Look up what CCL with the published weight does to the objective, and to feasibility."""
    texts, ends, bests = [], [], []
    more = seeds = 0
    for train, title in _TITLES.items():
        runs = tables.some("recipe", train=train, kind="published")
        before, best, last = (
            statistics.fmean(float(run[key]) for run in runs) for key in ("before", "best", "last")
        )
        effects = tables.one("recipe_effects", train=train, kind="published")
        more, seeds = more + effects["feasible_in"], seeds + effects["seeds"]
        texts.append(f"{before:.3f}, {best:.3f} and {last:.3f} on {column_title(title)}")
        ends.append(last > before)
        bests.append(best > before)
    text = (
        f"alpha = 0.01, objective before, at the best and in the end: {listed(texts)}; more "
        f"feasible in {more} of {seeds} seeds."
    )
    for printed in tables.find("recipe_effects", kind="all"):
        held = min(printed[f"{name}_in"] for name in ("feasible", "optimal", "objective"))
        text += (
            f" Eq. 9 as printed: {printed['objective_ratio_before']:.3f} before and "
            f"{printed['objective_ratio_last']:.3f} in the end on "
            f"{column_title(_TITLES[printed['train']])}, each effect in at least {held} of "
            f"{printed['seeds']} seeds."
        )
    if all(ends):
        return Finding(text, Verdict.HOLDS)
    if all(bests):
        return Finding(text, Verdict.IN_PART, "while alpha rises")
    return Finding(text, Verdict.FAILS)


def finetuning(tables: Tables) -> Finding:
    """Look up which setting of finetuning is the best, and whether it improves on the start."""
    best: dict[str, list[str]] = {}
    gains, are_stand_ins = [], []
    for test_set in dict.fromkeys(str(each["test_set"]) for each in tables.some("finetuning")):
        start = tables.number(
            "finetuning", "ratio", test_set=test_set, network="trained on RandomMP"
        )
        found = {
            name: tables.number("finetuning", "ratio", test_set=test_set, network=network)
            for network, name in _SETTINGS.items()
        }
        best.setdefault(max(found, key=lambda name: found[name]), []).append(test_set)
        gains.append(found[_BEST_SETTING] - start)
        are_stand_ins += [
            each["is_stand_in"] for each in tables.find("finetuning", test_set=test_set)
        ]
    names = "; ".join(f"{name} on {listed(sets)}" for name, sets in sorted(best.items()))
    kind = "Stand-ins. " if all(are_stand_ins) else ""
    text = (
        f"{kind}Best of the three: {names}. Setting {_BEST_SETTING} differs from its start by "
        f"{between(f'{min(gains):+.4f}', f'{max(gains):+.4f}')}."
    )
    if all(are_stand_ins):
        return Finding(text, Verdict.UNKNOWN)
    if list(best) == [_BEST_SETTING]:
        return Finding(text, Verdict.HOLDS)
    return Finding(text, Verdict.IN_PART if _BEST_SETTING in best else Verdict.FAILS)
