"""The statistics of all sets beside the published ones, and which IrisMP fits them."""

from __future__ import annotations

from typing import Any

from multicut.benchmark.cache import Cell
from multicut.benchmark.markdown import MISSING
from multicut.datasets.published import PUBLISHED as PUBLISHED_TABLES
from multicut.datasets.statistics import describe_dataset
from paper.evaluation_sets import EvaluationSet, find_sets, labelled
from paper.section import Section
from paper.settings import PaperSettings
from paper.studies.iris.fit import (
    PUBLISHED,
    describe,
    describe_solutions,
    distance_to_published,
    fit,
)
from paper.studies.iris.variants import Variant, changed, draw, variants

TITLE = "Datasets"
PART = "datasets"
_FIT = "fit of IrisMP"
#: Graphs that γ is fitted on, graphs that are solved, and how many variants are.
_FITTED, _SOLVED, _KEPT, _CHANGED = 300, 1_000, 16, 4
_MOST = 1_000
_COLUMNS = ("num_nodes", "num_edges", "cost_min", "cost_mean", "cost_max")
_OBJECTIVES = ("negative", "optimum", "all_cut", "positive")
_STEMS = {"IrisMP": "irismp", "RandomMP": "randommp", "BSDS300": "bsds300", "CREMI": "cremi"}


def measure(settings: PaperSettings) -> None:
    """Describe the sets at hand, and fit the variants of IrisMP."""
    store = settings.open_cache(PART)
    for chosen in find_sets(settings.data):
        settings.report(f"statistics of {chosen.name}")
        store.get(_key(chosen), lambda chosen=chosen: _described(chosen))  # type: ignore[misc]
    quick = settings.num_graphs < 1_000
    if quick:
        return
    store.get(_FIT, lambda: fit_variants(settings))


def _key(chosen: EvaluationSet) -> str:
    return f"statistics of {chosen.name}{' (stand-in)' if chosen.is_stand_in else ''}"


def _described(chosen: EvaluationSet) -> Cell:
    return {
        "set": chosen.name,
        "source": chosen.source,
        "is_stand_in": chosen.is_stand_in,
        "statistics": describe_dataset(labelled(chosen, _MOST)).to_dict(),
    }


def fit_variants(settings: PaperSettings) -> Cell:
    """Fit γ of all variants to the costs, solve the best, and change the best of these."""
    tried = 0
    fitted: list[tuple[float, float, Variant]] = []

    def consider(variant: Variant) -> tuple[float, float, Variant]:
        graphs = draw(variant, _FITTED)
        gamma = fit(graphs, variant)
        return distance_to_published(describe(graphs, variant, gamma)), gamma, variant

    for variant in variants():
        settings.report(f"fitting IrisMP, {variant}")
        fitted.append(consider(variant))
        tried += 1
    fitted.sort(key=lambda each: each[0])
    for _, _, best in fitted[:_CHANGED]:
        for variant in changed(best):
            settings.report(f"fitting IrisMP, {variant}")
            fitted.append(consider(variant))
            tried += 1
    fitted.sort(key=lambda each: each[0])
    rows = []
    for _, gamma, variant in fitted[:_KEPT]:
        settings.report(f"solving IrisMP, {variant}")
        graphs = draw(variant, _SOLVED, seed=1)
        found = describe(graphs, variant, gamma) | describe_solutions(graphs, variant, gamma)
        distance = distance_to_published(found)
        rows.append({**variant.to_dict(), "gamma": gamma, "distance": distance, **found})
    rows.sort(key=lambda row: row["distance"])
    return {"num_tried": tried, "num_solved": _SOLVED, "rows": rows}


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    cells = settings.open_cache(PART).cells
    described = [cell for key, cell in cells.items() if key.startswith("statistics of")]
    if described:
        _write_statistics(section, described)
    if _FIT in cells:
        _write_fit(section, cells[_FIT])
    return section


def _write_statistics(section: Section, cells: list[Cell]) -> None:
    section.write(
        "Statistics of the test graphs beside the published ones: mean ± deviation over graphs; "
        "objectives are\nper edge. Sets marked *stand-in* are other graphs than the published "
        "ones, so these rows do not compare."
    )
    rows, records = [], []
    for cell in cells:
        name = cell["set"] + (" (stand-in)" if cell["is_stand_in"] else "")
        ours = cell["statistics"]
        rows.append([name, f"{ours['num_graphs']:,}", *_shown(ours)])
        record = {"set": cell["set"], "is_stand_in": cell["is_stand_in"], "statistics": ours}
        table = PUBLISHED_TABLES.get(_STEMS.get(cell["set"], ""), {})
        published = table.get("test", table.get("all"))
        if published is not None:
            values = published.to_dict()
            rows.append(["  published", f"{values['num_graphs']:,}", *_shown(values)])
            record["published"] = values
        records.append(record)
    columns = ("set", "graphs", "nodes", "edges", "min cost", "mean cost", "max cost")
    objectives = ("c(y⁻)", "optimum", "c(1)", "c(y⁺)")
    section.tabulate("datasets", records, (*columns, *objectives), rows)


def _shown(values: dict[str, Any]) -> list[str]:
    return [
        *(_spread(values[name]) for name in _COLUMNS),
        *(MISSING if values[name] is None else f"{values[name]:.3f}" for name in _OBJECTIVES),
    ]


def _spread(value: dict[str, float] | None) -> str:
    if value is None:
        return MISSING
    digits = 2 if abs(value["mean"]) < 100 else 0
    return f"{value['mean']:,.{digits}f} ± {value['deviation']:,.{digits}f}"


def _write_fit(section: Section, cell: Cell) -> None:
    rows = cell["rows"]
    best = rows[0]
    closest = max(rows, key=lambda row: -abs(row["gaec"] - PUBLISHED["gaec"][0]))
    section.write(
        f"**Which IrisMP fits all published statistics?** {cell['num_tried']} variants of "
        "scaling, "
        "columns, sampling, kernel,\nclipping, noise and edges; gamma in exp(-gamma d^p) was "
        f"fitted for each to the costs of {_FITTED} graphs, and the best {len(rows)}\nwere solved, "
        f"{cell['num_solved']:,} graphs each. The distance is the root mean square over all ten "
        "numbers, in units of what splits\nof 1,000 graphs differ by; 1 would be a fit."
    )
    columns = ("scaling", "columns", "sampling", "p", "gamma", "other", "distance", *PUBLISHED)
    published = [f"{value:.4g}" for value, _ in PUBLISHED.values()]
    shown = [
        ["published", *[""] * 6, *published],
        *(
            [
                row["scaling"],
                row["columns"],
                row["sampling"],
                str(row["power"]),
                f"{row['gamma']:.3g}",
                _other(row),
                f"{row['distance']:.1f}",
                *(f"{row[name]:.{4 if name == 'gaec' else 3}f}" for name in PUBLISHED),
            ]
            for row in rows[:12]
        ),
    ]
    section.tabulate("iris_fit", rows, columns, shown, num_left=6)
    gap = PUBLISHED["optimum"][0] - PUBLISHED["negative"][0]
    section.write(
        f"**Verdict.** {_verdict(best)} The published optimum lies {gap:.3f} above the sum of "
        f"negative costs, that of the best variant\n{best['optimum'] - best['negative']:.3f}; GAEC "
        f"reaches {PUBLISHED['gaec'][0]} there and {best['gaec']:.4f} here, and no variant solved "
        f"comes closer than {closest['gaec']:.4f}. So the\npublished graphs are harder than those "
        "of all variants that were solved, and every value on IrisMP beside a published one is of "
        "an easier\nset. A part of the difference may be the published GAEC, which is below ours "
        "on RandomMP as well, where the statistics fit\n(Table 1)."
    )


def _verdict(best: dict[str, Any]) -> str:
    if best["distance"] <= 1:
        return "One variant fits."
    return f"None fits: the best is {best['distance']:.1f} units away."


def _other(row: dict[str, Any]) -> str:
    plain = Variant("", "", "", 2).to_dict()
    return ", ".join(
        f"{name.replace('_', ' ')} {row[name]:g}"
        for name in ("clip", "similarity_noise", "point_noise", "neighbours")
        if row[name] != plain[name]
    )
