"""Claims about how good networks are."""

from __future__ import annotations

from collections.abc import Mapping

from paper.claims.claim import Finding, Verdict
from paper.claims.tables import NotMeasuredError, Tables
from paper.evaluation_sets import column_title
from paper.published import TABLE_1
from paper.section import listed

#: Test sets whose graphs are drawn, as the published ones were.
DRAWN = ("IrisMP", "RandomMP")
_BLOCKS = {"irismp": "IrisMP", "randommp": "RandomMP"}
_PROPOSED = "gcn_w_bn"
_BASELINES = ("lr", "mlp")


def _networks(block: str) -> list[str]:
    """Return the networks with layers of a block of Table 1."""
    names = [name for name in TABLE_1 if name.endswith(f"-{block}")]
    return [name for name in names if not name.startswith(_BASELINES)]


def best_network(tables: Tables) -> Finding:
    """Compare the proposed network with the others of its block."""
    means: dict[str, tuple[float, float]] = {}
    above: dict[str, float] = {}
    for block, own in _BLOCKS.items():
        proposed = f"{_PROPOSED}-{block}"
        others = [name for name in _networks(block) if name != proposed]
        baselines = [f"{name}-{block}" for name in _BASELINES]
        found = {
            name: tables.number("table1_solvers", "harmonic_mean", solver=name)
            for name in (proposed, *others, *baselines)
        }
        means[block] = found.pop(proposed), max(found.values())
        excess = {name: tables.ratio(name, own) - tables.ratio(proposed, own) for name in others}
        above |= {name: value for name, value in excess.items() if value > 0}
    is_best = [ours > theirs for ours, theirs in means.values()]
    values = listed([f"{ours:.3f}" for ours, _ in means.values()])
    kind = ", with stand-ins" if tables.find("test_sets", is_stand_in=True) else ""
    text = f"Highest harmonic mean in {sum(is_best)} of 2 blocks ({values}){kind}."
    if above:
        text += (
            f" On the training family, {listed([f'`{name}`' for name in above])} are above it, "
            f"by up to {max(above.values()):.4f}; one run each."
        )
    if not all(is_best):
        return Finding(text, Verdict.IN_PART if any(is_best) else Verdict.FAILS)
    return Finding(text, Verdict.IN_PART if above else Verdict.HOLDS)


def recent_models(tables: Tables) -> Finding:
    """Compare the proposed network with RGGCN and the Graph Transformer on the training family."""
    ours = tables.ratio("gcn_w_bn-irismp", "IrisMP")
    others = {"RGGCN": "rggcn_he-irismp", "GT": "gt-irismp"}
    found = {title: tables.ratio(name, "IrisMP") for title, name in others.items()}
    published = {title: TABLE_1[name].ratios[0] for title, name in others.items()}
    sparse = tables.ratio("gcn_w_bn-randommp", "RandomMP")
    theirs = tables.ratio("rggcn_he-randommp", "RandomMP")
    text = (
        f"Trained and tested on {column_title('IrisMP')}: {ours:.3f}, {_named(found)} (published "
        f"{TABLE_1['gcn_w_bn-irismp'].ratios[0]:.3f}, {_named(published)}). On RandomMP: "
        f"{sparse:.4f}, RGGCN {theirs:.4f}."
    )
    wins = [*(ours > value for value in found.values()), sparse > theirs]
    if all(wins):
        return Finding(text, Verdict.HOLDS)
    return Finding(text, Verdict.IN_PART if any(wins) else Verdict.FAILS)


def _named(values: Mapping[str, float | None]) -> str:
    return ", ".join(f"{title} {value:.3f}" for title, value in values.items())


def baselines(tables: Tables) -> Finding:
    """Count the cells in which a network with layers is below a baseline of its block."""
    below: dict[str, list[str]] = {}
    num_cells = 0
    for block in _BLOCKS:
        for name in _networks(block):
            for test_set in DRAWN:
                best = max(tables.ratio(f"{each}-{block}", test_set) for each in _BASELINES)
                num_cells += 1
                if tables.ratio(name, test_set) < best:
                    below.setdefault(test_set, []).append(f"`{name}`")
    theirs, num_theirs = published_below_baselines()
    published = f"In the published table, {theirs} of {num_theirs} cells are."
    if not below:
        return Finding(f"No network is below LR or MLP. {published}", Verdict.HOLDS)
    names = "; ".join(f"{listed(each)} on {column_title(t)}" for t, each in below.items())
    count = sum(map(len, below.values()))
    text = f"Below LR or MLP in {count} of {num_cells} cells: {names}. {published}"
    return Finding(text, Verdict.FAILS)


def published_below_baselines() -> tuple[int, int]:
    """Return in how many published cells a network is below LR or MLP, and how many there are."""
    below = total = 0
    for block in _BLOCKS:
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
        for test_set in DRAWN
    }
    parts = []
    for test_set, values in found.items():
        plain, weighted, both, unweighted = (f"{value:.2f}" for value in values)
        parts.append(
            f"{column_title(test_set)}: {plain} with neither, {weighted} with edge weights, {both} "
            f"with both, {unweighted} with normalisation alone"
        )
    holds = all(v[0] < v[1] < v[2] and v[3] < v[2] for v in found.values())
    return Finding(f"{'. '.join(parts)}.", Verdict.HOLDS if holds else Verdict.IN_PART)


def losses(tables: Tables) -> Finding:
    """Look up whether networks with costs have lower losses, without batch normalisation."""
    lower: list[str] = []
    higher: list[str] = []
    for family in dict.fromkeys(str(each["family"]) for each in tables.some("losses")):
        plain, weighted = (
            each["least_bce"] for each in tables.some("losses", family=family, batch_norm=False)
        )
        if plain is None or weighted is None:
            raise NotMeasuredError(f"losses of {family}")
        (lower if weighted < plain else higher).append(
            f"{family} ({plain:,.3f} without, {weighted:,.3f} with)"
        )
    text = f"Lower for {listed(lower)}"
    if not higher:
        return Finding(f"{text}.", Verdict.HOLDS)
    return Finding(
        f"{text}, not for {listed(higher)}.", Verdict.IN_PART if lower else Verdict.FAILS
    )
