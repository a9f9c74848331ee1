"""Table 1 as it is shown: our ratios and times, and the published ones below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut._words import count
from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, ratio, seconds
from paper.environment import summary
from paper.evaluation_sets import (
    COMPARABLE,
    EASIER,
    EvaluationSet,
    column_title,
    easier_of,
    sets_to_show,
)
from paper.published import ALPHAS_1, TABLE_1, TEST_SETS
from paper.section import Record, Section, bullets, listed, wrapped
from paper.settings import PaperSettings
from paper.studies.ablation import PART as STUDIES
from paper.studies.table3 import cutting_key
from paper.table1.batch_statistics import write_batch_statistics
from paper.table1.bounded import write_bounded
from paper.table1.device import render_devices
from paper.table1.entries import Row, find_rows
from paper.table1.processor import PART, cell_key
from paper.table1.reasons import PART as REASONS
from paper.table1.reasons import unscaled_key
from paper.table1.selection import selection_bullets
from paper.table1.shortfalls import write_shortfalls
from paper.table1.targets import write_targets

_EXPLANATION = "Mean of max(0, c(y)/c(optimal y)): our value, and below it the published one."
_BULLETS = (
    """\
**Networks** make one forward pass, followed by the paper's rounding, without the fallbacks of the
solver `gnn`. Alpha is the weight of the cycle consistency loss (CCL) that the network kept by
validation had reached, in our normalisation.""",
    """\
**Easier graphs.** The IrisMP of the paper is not public. Ours follows the statistics of its costs,
not its text ([why](#datasets)), and is easier: GAEC and LP come closer to the optimum. So a value
above the published one in that column may come from the graphs. Networks whose names end with
`-irismp` were also trained on our graphs.""",
    """\
**Runtimes** are sums over the graphs of all columns at hand, so they do not compare with the
published sums. Networks get graphs in batches, all others one at a time. The published sums of LP
(31,918.8 s) and of RGGCN trained on RandomMP (2.7 s) leave out what ended without a result.""",
)

_RANDOMMP = """\
The text says that costs of RandomMP come from distances, but the published statistics fit costs
that are independent of them ([comparison](#datasets))."""


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    store = settings.open_cache(PART)
    sets = sets_to_show(settings.data, store.cells)
    rows = find_rows(store, settings, sets)
    networks, *others = _BULLETS
    section.write(_EXPLANATION, bullets([networks, *selection_bullets(settings, rows), *others]))
    section.write(wrapped(f"Measured on: {summary(store.environment)}."))
    _describe_sets(section, store, settings, sets)
    _write_randommp(section, store, settings, sets)
    _warn_of_harmonic_means(section, sets)
    stand_ins = {chosen.name for chosen in sets if chosen.is_stand_in}
    unscaled = _unscaled(settings, rows)
    ratios = [each for row in rows for each in _ratio_records(row, stand_ins, unscaled)]
    section.keep(PART, ratios)
    texts = []
    for row in rows:
        texts.append(_our_texts(row))
        if row.name in TABLE_1:
            texts.append(_published_texts(row.name))
    titles = [column_title(name, name in stand_ins) for name in TEST_SETS]
    columns = ["solver", "depth", "alpha", "l", "selected on", *titles]
    columns += ["h. mean", "forward s", "total s"]
    records = [_solver_record(row, stand_ins) for row in rows]
    section.tabulate("table1_solvers", records, columns, texts, 5)
    by_name = {row.name: row for row in rows}
    write_targets(section, by_name)
    cells = settings.open_cache(STUDIES).cells
    write_bounded(section, by_name, cells.get(cutting_key(settings.num_graphs)))
    write_shortfalls(section, settings, rows)
    write_batch_statistics(section, settings, rows)
    render_devices(section, settings, store, sets)
    return section


def _warn_of_harmonic_means(section: Section, sets: Sequence[EvaluationSet]) -> None:
    others = ["stand-ins"] if any(chosen.is_stand_in for chosen in sets) else []
    others += [f"the easier {chosen.name}" for chosen in sets if chosen.is_easier]
    if others:
        section.write(
            f"With {listed(others)}, our harmonic means do not compare with the published ones."
        )


def _unscaled(settings: PaperSettings, rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    """Return ratios with costs as they are, by network and test set, where these were measured."""
    cells = settings.open_cache(REASONS).cells
    found = {
        (row.name, name): cells.get(unscaled_key(settings, row.record, name))
        for row in rows
        if row.record is not None
        for name in COMPARABLE
    }
    return {which: float(cell["ratio"]) for which, cell in found.items() if cell is not None}


def _describe_sets(
    section: Section, store: Cache, settings: PaperSettings, sets: Sequence[EvaluationSet]
) -> None:
    lines, records = [], []
    for name in TEST_SETS:
        chosen = next((s for s in sets if s.name == name), None)
        cell = None if chosen is None else store.cells.get(cell_key(settings, "optima", chosen))
        if chosen is None or cell is None:
            lines.append(f"- {name}: not at hand; give its folder with `--data`")
            continue
        kind = "**a stand-in**, so not comparable with the published column: " * chosen.is_stand_in
        lines.append(
            f"- {name}: {kind}{chosen.source}; {count(cell['num_graphs'], 'graph')}, "
            f"{cell['num_proven']:,} with proven optimum{_how_easy(store, settings, chosen)}"
            f"{_stored(store, settings, chosen)}"
        )
        records.append(
            {
                "test_set": name,
                "source": chosen.source,
                "is_stand_in": chosen.is_stand_in,
                "is_easier": chosen.is_easier,
                "is_at_hand": chosen.is_at_hand,
                "made_from": chosen.made_from,
                "num_graphs": cell["num_graphs"],
                "num_proven": cell["num_proven"],
            }
        )
    section.write("\n".join(lines))
    section.keep("test_sets", records)


def _how_easy(store: Cache, settings: PaperSettings, chosen: EvaluationSet) -> str:
    """Say how good solvers are on a set that we draw, beside the published graphs."""
    beside = _beside_published(store, settings, chosen)
    texts = [
        f"`{solver}` reaches {ratio(ours)} (published {ratio(theirs)})"
        for solver, (ours, theirs) in beside.items()
    ]
    return f"; {listed(texts)}" if texts else ""


def _beside_published(
    store: Cache, settings: PaperSettings, chosen: EvaluationSet
) -> dict[str, tuple[float, float]]:
    """Return our ratio and the published one of solvers on a set that we draw."""
    found = {}
    for solver in ("gaec", "lp"):
        cell = store.cells.get(cell_key(settings, solver, chosen))
        published = TABLE_1[solver].ratios[TEST_SETS.index(chosen.name)]
        if chosen.name in COMPARABLE and cell is not None and published is not None:
            found[solver] = float(cell["ratio"]), published
    return found


def _write_randommp(
    section: Section, store: Cache, settings: PaperSettings, sets: Sequence[EvaluationSet]
) -> None:
    """Say that RandomMP is not drawn as the text says, and what solvers suggest of it."""
    (chosen,) = [each for each in sets if each.name == "RandomMP"]
    beside = _beside_published(store, settings, chosen)
    above = [f"`{solver}`" for solver, (ours, theirs) in beside.items() if ours > theirs]
    text = _RANDOMMP
    if above:
        text += (
            f" {listed(above)} {'is' if len(above) == 1 else 'are'} above the published ratios "
            "there, so these graphs or our solvers may be more favourable."
        )
    section.write(wrapped(text))


def _stored(store: Cache, settings: PaperSettings, chosen: EvaluationSet) -> str:
    """Say where the values of a column come from whose graphs are not here."""
    if chosen.is_at_hand:
        return ""
    cell = store.cells.get(cell_key(settings, "gaec", chosen), {})
    day = f" on {cell['measured']}" if "measured" in cell else ""
    return f"; not at hand now, values as stored, measured{day}"


def _our_texts(row: Row) -> list[str]:
    if row.is_network and not row.is_trained:
        return [f"`{row.name}`", "", "not trained yet", "", "", *[MISSING] * (len(TEST_SETS) + 3)]
    forward, total = row.total("forward_seconds"), row.total("seconds")
    alpha = MISSING if row.alpha is None else f"{row.alpha:.2g}"
    return [
        f"`{row.name}`",
        "" if row.depth is None else str(row.depth),
        alpha if row.is_network else "",
        "" if row.max_cycle_length is None else str(row.max_cycle_length),
        row.selection,
        *(_cell_text(row.cells.get(column)) for column in TEST_SETS),
        ratio(row.harmonic_mean),
        "" if forward is None else seconds(forward),
        seconds(total),
    ]


def _cell_text(cell: Cell | None) -> str:
    if cell is None:
        return MISSING
    late = cell["num_out_of_time"]
    return f"**{ratio(cell['ratio'])}**" + (f" ({late:,} out of time)" if late else "")


def _published_texts(name: str) -> list[str]:
    row = TABLE_1[name]
    ratios = [row.failure if value is None else ratio(value) for value in row.ratios]
    times = (row.forward_seconds, row.total_seconds)
    return [
        "  published",
        *_published_shape(name),
        "",
        *ratios,
        ratio(row.harmonic_mean),
        *("" if value is None else f"{value:,.1f}" for value in times),
    ]


def _published_shape(name: str) -> tuple[str, str, str]:
    """Return depth, alpha and l as published."""
    if name not in ALPHAS_1:
        return "", "", ""
    trained_on_iris = name.endswith("-irismp")
    return "12" if trained_on_iris else "20", ALPHAS_1[name], "3" if trained_on_iris else "8"


def _ratio_records(
    row: Row, stand_ins: set[str], unscaled: Mapping[tuple[str, str], float]
) -> list[Record]:
    """Return one record for each test set."""
    published = TABLE_1.get(row.name)
    return [
        {
            "solver": row.name,
            "test_set": name,
            "is_stand_in": name in stand_ins,
            "is_easier": name in EASIER,
            **row.cells[name],
            "ratio_with_costs_as_they_are": unscaled.get((row.name, name)),
            "published_ratio": None if published is None else published.ratios[column],
        }
        for column, name in enumerate(TEST_SETS)
        if name in row.cells
    ]


def _solver_record(row: Row, stand_ins: set[str]) -> Record:
    published = TABLE_1.get(row.name)
    return {
        "solver": row.name,
        "kind": "network" if row.is_network else "solver",
        "is_trained": row.is_trained,
        "alpha": row.alpha,
        "depth": row.depth,
        "max_cycle_length": row.max_cycle_length,
        "selected_on": list(row.selected_on),
        "test_sets": list(row.cells),
        "stand_ins": [name for name in row.cells if name in stand_ins],
        "easier_sets": easier_of(row.cells),
        "harmonic_mean": row.harmonic_mean,
        "published_harmonic_mean": None if published is None else published.harmonic_mean,
        "forward_seconds": row.total("forward_seconds"),
        "published_forward_seconds": None if published is None else published.forward_seconds,
        "total_seconds": row.total("seconds"),
        "published_total_seconds": None if published is None else published.total_seconds,
    }
