"""Claims about how networks are trained."""

from __future__ import annotations

import statistics
from collections.abc import Collection, Iterable, Mapping, Sequence

from paper.claims.claim import Finding, Verdict, between
from paper.claims.tables import NotMeasuredError, Tables
from paper.evaluation_sets import COMPARABLE, column_title
from paper.published import ALPHAS_1
from paper.section import Record, listed, listed_numbers

_DEEP = 10
_SETTINGS = {"i) all": "i", "ii) edge classifier": "ii", "iii) its last layer": "iii"}
_BEST_NETWORK, _BEST_SETTING = list(_SETTINGS.items())[-1]
_TITLES = {name.lower(): column_title(name) for name in COMPARABLE}
_EFFECTS = {
    "feasible": "more feasible",
    "optimal": "fewer optimal",
    "objective": "better objective",
}
# Runs with the alpha that Table 1 has for the proposed network on IrisMP.
_TABLE_1 = "alpha-0.001"
_TIMES = ("before", "best", "last")


def depth(tables: Tables) -> Finding:
    """Compare networks of more than ten layers with that of ten."""
    texts, changes = [], {}
    for test_set in ("IrisMP", "RandomMP"):
        ten = tables.number("depth", "ratio", test_set=test_set, depth=_DEEP)
        deeper = [
            float(each["ratio"])
            for each in tables.some("depth", test_set=test_set)
            if each["ratio"] is not None and each["depth"] > _DEEP
        ]
        if not deeper:
            raise NotMeasuredError(f"more than {_DEEP} layers on {test_set}")
        changes[test_set] = max(abs(value - ten) for value in deeper)
        values = between(f"{min(deeper):.4f}", f"{max(deeper):.4f}")
        texts.append(f"{column_title(test_set)}: {ten:.4f} with {_DEEP} layers, {values} with more")
    seeds = tables.some("depth_seeds")
    deviations = {
        when: statistics.stdev(each[f"{when}_objective_ratio"] for each in seeds)
        for when in ("last", "best")
    }
    length = listed_numbers(sorted({each["instances"] for each in seeds}))
    text = (
        f"{'. '.join(texts)}. One seed and {length} instances each. The largest difference on "
        f"{column_title('IrisMP')} is {changes['IrisMP']:.4f}. {len(seeds)} seeds of the published "
        f"recipe then have a standard deviation of {deviations['last']:.4f} on validation graphs, "
        f"and of {deviations['best']:.4f} at their best until then, before CCL."
    )
    exceeded = {changes["IrisMP"] > 2 * deviation for deviation in deviations.values()}
    if exceeded == {False}:
        return Finding(text, Verdict.HOLDS, "within two standard deviations of either kind")
    if exceeded == {True}:
        return Finding(text, Verdict.FAILS, "beyond two standard deviations of either kind")
    return Finding(text, Verdict.UNKNOWN, "one seed per depth")


def cycle_consistency(tables: Tables) -> Finding:
    """Look up what CCL does with each published weight, at its best and in the end."""
    effects = [tables.one("recipe_effects", train=train, kind="published") for train in _TITLES]
    effects += tables.find("recipe_effects", kind=_TABLE_1)
    found = {f"{_TITLES[each['train']]} with alpha = {each['alpha']:g}": each for each in effects}
    values = [f"{title}, {each['seeds']} seeds: {_changes(each)}" for title, each in found.items()]
    text = (
        "Means at the last validation before CCL (the control), at the best with CCL, and in the "
        f"end. Table 1 has alpha = {ALPHAS_1['gcn_w_bn-randommp']} for this network on RandomMP, "
        f"{ALPHAS_1['gcn_w_bn-irismp']} on IrisMP. {'. '.join(values)}."
    )
    for printed in tables.find("recipe_effects", kind="all"):
        held = min(printed[f"{name}_in"] for name in _EFFECTS)
        seeds = printed["seeds"]
        often = f"in all {seeds} seeds" if held == seeds else f"in at least {held} of {seeds} seeds"
        text += (
            f" Eq. 9 as printed, in the end, on {_TITLES[printed['train']]}: objective "
            f"{printed['objective_ratio_last']:.3f} after {printed['objective_ratio_before']:.3f}, "
            f"each effect {often}."
        )
    ends, bests = (
        {title: _held(each, suffix) for title, each in found.items()}
        for suffix in ("_in", "_best_in")
    )
    if all(map(_are_all, ends.values())):
        return Finding(text, Verdict.HOLDS)
    for when, held in (("in the end", ends), (_time_of_best(found.values()), bests)):
        if any(map(_are_all, held.values())):
            return Finding(text, Verdict.IN_PART, f"{when}, {_named(held)}")
    return Finding(text, Verdict.FAILS)


def _changes(effects: Record) -> str:
    """Return the three measures at the three times."""
    texts = []
    for name in _EFFECTS:
        values = [f"{effects[f'{name}_ratio_{when}']:.3f}" for when in _TIMES]
        texts.append(f"{name} {listed(values)}")
    before = effects["objective_ratio_best_before"]
    return f"{', '.join(texts)} ({before:.3f} at the best before CCL)"


def _held(effects: Record, suffix: str) -> list[str]:
    """Return the effects that hold in all seeds."""
    return [
        title for name, title in _EFFECTS.items() if effects[f"{name}{suffix}"] == effects["seeds"]
    ]


def _are_all(held: Collection[str]) -> bool:
    return len(held) == len(_EFFECTS)


def _time_of_best(effects: Iterable[Record]) -> str:
    rising = (each["best_while_alpha_rises_in"] == each["seeds"] for each in effects)
    return "while alpha rises" if all(rising) else "at the best"


def _named(held: Mapping[str, Sequence[str]]) -> str:
    """Say which effects hold on which set, the set with most of them first."""
    texts = []
    for title, names in sorted(held.items(), key=lambda each: -len(each[1])):
        what = f"{listed(names)} alone" if names else "none"
        texts.append(f"{'all three' if _are_all(names) else what} on {title}")
    return ", ".join(texts)


def finetuning(tables: Tables) -> Finding:
    """Look up which setting of finetuning is the best, and whether it improves on the start."""
    best: dict[str, list[str]] = {}
    gains, are_stand_ins = [], []
    for test_set in dict.fromkeys(str(each["test_set"]) for each in tables.some("finetuning")):
        start = tables.number(
            "finetuning", "ratio", test_set=test_set, network="trained on RandomMP"
        )
        found = {
            name: tables.number(
                "finetuning", "ratio_at_shared_rates", test_set=test_set, network=network
            )
            for network, name in _SETTINGS.items()
        }
        best.setdefault(max(found, key=lambda name: found[name]), []).append(test_set)
        ended = tables.number("finetuning", "ratio", test_set=test_set, network=_BEST_NETWORK)
        gains.append(ended - start)
        are_stand_ins += [
            each["is_stand_in"] for each in tables.find("finetuning", test_set=test_set)
        ]
    names = "; ".join(f"{name} on {listed(sets)}" for name, sets in sorted(best.items()))
    kind = "Stand-ins. " if all(are_stand_ins) else ""
    change = between(f"{min(gains):+.4f}", f"{max(gains):+.4f}")
    text = (
        f"{kind}Best of the three at learning rates that all had, one run at each: {names}. "
        f"Setting {_BEST_SETTING} differs from its start by {change}."
    )
    if all(are_stand_ins):
        return Finding(text, Verdict.UNKNOWN)
    if list(best) == [_BEST_SETTING]:
        return Finding(text, Verdict.HOLDS)
    return Finding(text, Verdict.IN_PART if _BEST_SETTING in best else Verdict.FAILS)
