"""Claims about how good networks are."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from multicut.benchmark.markdown import ratio
from paper.claims.claim import Finding, Verdict
from paper.claims.tables import NotMeasuredError, Tables
from paper.evaluation_sets import COMPARABLE, column_title
from paper.published import TABLE_1, TEST_SETS
from paper.runs.validation_sets import TITLES
from paper.section import Record, listed
from paper.studies.losses import loss_text

_PROPOSED, _TITLE = "gcn_w_bn", "GCN_W_BN"
_BASELINES = ("lr", "mlp")
# The more recent models of each block: what the claim calls them, and the architecture.
_RECENT = {
    "irismp": {"SGCN": "sgcn_w_bn", "GIN": "gin0_w_bn", "RGGCN": "rggcn_he", "GT": "gt"},
    "randommp": {"SGCN": "sgcn_w_bn", "GIN": "gin0_w_bn", "RGGCN": "rggcn_he"},
}
# What solves complete graphs well, in the paper.
_CLASSICAL = {"GAEC": "gaec", "LP": "lp"}
_ABOVE, _EQUAL, _BELOW = "above", "within the standard error of", "below"


def _networks(block: str) -> list[str]:
    """Return the networks with layers of a block of Table 1."""
    names = [name for name in TABLE_1 if name.endswith(f"-{block}")]
    return [name for name in names if not name.startswith(_BASELINES)]


def best_network(tables: Tables) -> Finding:
    """Compare the proposed network with the others of its block, on the sets that compare."""
    texts: list[str] = []
    is_best: list[bool] = []
    above: dict[str, float] = {}
    for block, own in TITLES.items():
        proposed = f"{_PROPOSED}-{block}"
        others = [name for name in _networks(block) if name != proposed]
        baselines = [f"{name}-{block}" for name in _BASELINES]
        found = {name: _mean(tables, name) for name in (proposed, *others, *baselines)}
        ours, error = found.pop(proposed)
        next_best = max(found, key=lambda name: found[name])
        theirs, their_error = found[next_best]
        standing = _standing(ours - theirs, math.hypot(error, their_error))
        is_best.append(standing == _ABOVE)
        texts.append(f"trained on {own} {ours:.4f}, {standing} `{next_best}` ({theirs:.4f})")
        for name in others:
            if _compared(tables, name, proposed, own) == _ABOVE:
                above[name] = tables.ratio(name, own) - tables.ratio(proposed, own)
    sets = listed([column_title(name) for name in COMPARABLE])
    text = f"Harmonic mean over {sets} alone: {'; '.join(texts)}."
    if tables.find("test_sets", is_stand_in=True):
        text += " Stand-ins do not count."
    text += (
        " By the published ratios of these sets, it is the best for "
        f"{_num_published_best()} of the {len(TITLES)} training sets."
    )
    if above:
        names = listed([f"`{name}` (by {value:.4f})" for name, value in above.items()])
        text += (
            f" {names} {'is' if len(above) == 1 else 'are'} above {_TITLE} on test graphs "
            "of the training family; one run each."
        )
    if not all(is_best):
        return Finding(text, Verdict.IN_PART if any(is_best) else Verdict.FAILS)
    return Finding(text, Verdict.IN_PART if above else Verdict.HOLDS)


def _num_published_best() -> int:
    """Return in how many blocks the proposed network is the best, by what is published."""
    found = 0
    for block in TITLES:
        names = [*_networks(block), *(f"{name}-{block}" for name in _BASELINES)]
        means = {}
        for name in names:
            ratios = (TABLE_1[name].ratios[TEST_SETS.index(each)] for each in COMPARABLE)
            means[name] = statistics.harmonic_mean([value or 0.0 for value in ratios])
        found += max(means, key=lambda name: means[name]) == f"{_PROPOSED}-{block}"
    return found


def _mean(tables: Tables, name: str) -> tuple[float, float]:
    """Return the harmonic mean over the sets that compare, and its standard error."""
    ratios = [tables.ratio(name, test_set) for test_set in COMPARABLE]
    mean = statistics.harmonic_mean(ratios)
    if not mean:
        return 0.0, 0.0
    # The derivative with respect to a ratio is mean² / (n · ratio²).
    parts = [
        mean**2 / (len(ratios) * value**2) * tables.error(name, test_set)
        for value, test_set in zip(ratios, COMPARABLE, strict=True)
    ]
    return mean, math.hypot(*parts)


def _compared(tables: Tables, name: str, other: str, test_set: str) -> str:
    """Say where a row of Table 1 stands beside another on a test set."""
    difference = tables.ratio(name, test_set) - tables.ratio(other, test_set)
    errors = (tables.error(each, test_set) for each in (name, other))
    return _standing(difference, math.hypot(*errors))


def _standing(difference: float, error: float) -> str:
    if abs(difference) <= error:
        return _EQUAL
    return _ABOVE if difference > 0 else _BELOW


def recent_models(tables: Tables) -> Finding:
    """Compare the proposed network with more recent ones on the training family."""
    standings, texts = [], []
    for block, others in _RECENT.items():
        own, proposed = TITLES[block], f"{_PROPOSED}-{block}"
        text = f"{column_title(own)}: {_beside_published(tables, proposed, own)}"
        for title, architecture in others.items():
            name = f"{architecture}-{block}"
            standings.append(_compared(tables, proposed, name, own))
            text += f", {standings[-1]} {title} {_beside_published(tables, name, own)}"
        texts.append(text)
    text = f"Trained and tested on {'. On '.join(texts)}."
    if all(standing == _ABOVE for standing in standings):
        return Finding(text, Verdict.HOLDS)
    return Finding(text, Verdict.IN_PART if _ABOVE in standings else Verdict.FAILS)


def _beside_published(tables: Tables, name: str, test_set: str) -> str:
    published = _published(name, test_set)
    return f"{tables.ratio(name, test_set):.4f} (published {ratio(published)})"


def baselines(tables: Tables) -> Finding:
    """Count the cells in which a network with layers is below a baseline of its block."""
    below: dict[str, list[str]] = {}
    num_cells = 0
    for block in TITLES:
        for name in _networks(block):
            for test_set in COMPARABLE:
                theirs = (f"{each}-{block}" for each in _BASELINES)
                num_cells += 1
                if any(_compared(tables, name, each, test_set) == _BELOW for each in theirs):
                    below.setdefault(test_set, []).append(f"`{name}`")
    num_published, total = published_below_baselines()
    published = f"In the published table, {num_published} of {total} cells are."
    if not below:
        return Finding(f"No network is below LR or MLP. {published}", Verdict.HOLDS)
    names = "; ".join(f"{listed(each)} on {column_title(t)}" for t, each in below.items())
    count = sum(map(len, below.values()))
    text = f"Below LR or MLP in {count} of {num_cells} cells: {names}. {published}"
    return Finding(text, Verdict.FAILS)


def published_below_baselines() -> tuple[int, int]:
    """Return in how many published cells a network is below LR or MLP, and how many there are."""
    below = total = 0
    for block in TITLES:
        for name in _networks(block):
            for column, value in enumerate(TABLE_1[name].ratios):
                others = [TABLE_1[f"{each}-{block}"].ratios[column] for each in _BASELINES]
                if value is not None:
                    total += 1
                    below += value < max(other for other in others if other is not None)
    return below, total


def ablation(tables: Tables) -> Finding:
    """Look up whether costs and the signed normalisation are both needed."""
    steps = ("gcn_minus_laplacian", "gcn_plus_edge_weights", "gcn_w", "gcn_w_minus_edge_weights")
    found = {
        test_set: [
            tables.number("table3", "ratio", architecture=name, test_set=test_set) for name in steps
        ]
        for test_set in COMPARABLE
    }
    parts = []
    for test_set, values in found.items():
        plain, weighted, both, unweighted = (f"{value:.2f}" for value in values)
        parts.append(
            f"{column_title(test_set)}: {plain} with neither, {weighted} with edge weights, {both} "
            f"with both, {unweighted} with normalisation alone"
        )
    edge_weights_help = [v[0] < v[1] and v[3] < v[2] for v in found.values()]
    normalisation_helps = [v[1] < v[2] for v in found.values()]
    holds = [*edge_weights_help, *normalisation_helps]
    if not all(holds):
        return Finding(f"{'. '.join(parts)}.", Verdict.IN_PART if any(holds) else Verdict.FAILS)
    return Finding(f"{'. '.join(parts)}.", Verdict.HOLDS)


def losses(tables: Tables) -> Finding:
    """Look up whether networks with costs have lower losses, without batch normalisation."""
    texts: dict[str, list[str]] = {"lower": [], "higher": [], "undecided": []}
    for family in _families(tables):
        plain, weighted = tables.some("losses", family=family, batch_norm=False)
        training, validation = (
            _change(plain, weighted, key) for key in ("least_training_bce", "least_bce")
        )
        if validation is None:
            raise NotMeasuredError(f"losses of {family}")
        way, text = validation
        if training is not None and training[0] != way:
            way, text = "undecided", f"{text}; in training {training[1]}"
        texts[way].append(f"{family} ({text})")
    named = [f"{way} for {listed(names)}" for way, names in texts.items() if names]
    measured = f"Least losses on validation graphs, one seed each: {', '.join(named)}."
    return Finding(measured, _of_all(texts["lower"], sum(map(len, texts.values()))))


def _families(tables: Tables) -> list[str]:
    return list(dict.fromkeys(str(each["family"]) for each in tables.some("losses")))


def _change(without: Record, given: Record, key: str) -> tuple[str, str] | None:
    """Return which way a loss goes, and both values; None if one is not known."""
    before, after = without[key], given[key]
    if before is None or after is None:
        return None
    text = f"{loss_text(before)} without, {loss_text(after)} with"
    return "lower" if after < before else "higher", text


def _of_all(holds: Sequence[object], count: int) -> Verdict:
    """Return the verdict on what should hold in so many cases."""
    if len(holds) == count:
        return Verdict.HOLDS
    return Verdict.IN_PART if holds else Verdict.FAILS


def batch_normalisation(tables: Tables) -> Finding:
    """Look up whether batch normalisation lowers the losses of networks with costs."""
    texts: dict[str, list[str]] = {"lower": [], "higher": []}
    for family in _families(tables):
        weighted = tables.some("losses", family=family, batch_norm=False)[-1]
        normalised = tables.one("losses", family=family, batch_norm=True)
        change = _change(weighted, normalised, "least_bce")
        if change is None:
            raise NotMeasuredError(f"losses of {family}")
        way, text = change
        lengths = [each["instances"] for each in (weighted, normalised)]
        shorter = "" if lengths[0] == lengths[1] else f", after {lengths[1]:,} instances"
        texts[way].append(f"{family} ({text}{shorter})")
    named = [f"{way} for {listed(names)}" for way, names in texts.items() if names]
    measured = f"Least losses on validation graphs, one seed each: {', '.join(named)}."
    return Finding(measured, _of_all(texts["lower"], sum(map(len, texts.values()))))


def complete_graphs(tables: Tables) -> Finding:
    """Compare networks with GAEC and LP on complete graphs, by what the paper calls on par."""
    test_set = "IrisMP"
    solvers = {title: tables.ratio(name, test_set) for title, name in _CLASSICAL.items()}
    published = {title: _published(name, test_set) for title, name in _CLASSICAL.items()}
    networks = [f"{_PROPOSED}-{block}" for block in TITLES]
    gaps = [max(solvers.values()) - tables.ratio(name, test_set) for name in networks]
    least = [max(published.values()) - _published(name, test_set) for name in networks]
    values = [
        f"trained on {title} {_beside_published(tables, name, test_set)}"
        for title, name in zip(TITLES.values(), networks, strict=True)
    ]
    values += [
        f"{title} {value:.4f} (published {ratio(published[title])})"
        for title, value in solvers.items()
    ]
    text = (
        f"{column_title(test_set)}: {', '.join(values)}. The networks are up to "
        f"{listed([f'{gap:.4f}' for gap in gaps])} below; the paper calls up to "
        f"{max(least):.4f} on par."
    )
    near = [title for title, gap in zip(TITLES.values(), gaps, strict=True) if gap <= max(least)]
    verdict = _of_all(near, len(networks))
    where = f"trained on {near[0]}, on easier graphs" if verdict is Verdict.IN_PART else ""
    return Finding(text, verdict, where)


def sparse_graphs(tables: Tables) -> Finding:
    """Compare networks trained on complete graphs with those trained on sparse ones, on these."""
    test_set = "RandomMP"
    standings, texts = [], []
    for first in _networks("irismp"):
        architecture = first.removesuffix("-irismp")
        names = [f"{architecture}-{block}" for block in TITLES]
        if names[1] not in TABLE_1:
            continue
        standings.append(_compared(tables, names[0], names[1], test_set))
        ours, theirs = (_beside_published(tables, name, test_set) for name in names)
        texts.append(f"{architecture.upper()} {ours} against {theirs}")
    text = (
        f"On {test_set}, trained on {column_title('IrisMP')} against trained on {test_set}: "
        f"{', '.join(texts)}."
    )
    worse = [each for each in standings if each == _BELOW]
    return Finding(text, _of_all(worse, len(standings)))


def _published(name: str, test_set: str) -> float:
    value = TABLE_1[name].ratios[TEST_SETS.index(test_set)]
    assert value is not None
    return value
