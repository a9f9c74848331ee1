"""Table 1 as it is shown: our ratios and times, and the published ones below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, ratio, seconds
from multicut.models import DEFAULT_MODEL, ModelRecord, list_models
from paper.environment import summary
from paper.evaluation_sets import EASIER, EvaluationSet, column_title, easier_of, sets_to_show
from paper.published import ALPHAS_1, TABLE_1, TEST_SETS
from paper.runs.curves import read_runs
from paper.section import Record, Section
from paper.settings import PaperSettings
from paper.studies.ablation import PART as STUDIES
from paper.studies.table3 import CUTTING_ALL
from paper.table1.device import render_devices
from paper.table1.processor import BOUNDED, BOUNDED_BY_GPU, CLASSICAL, PART, cell_key, harmonic_mean
from paper.table1.reasons import COMPARABLE, is_below, key_of, other_runs
from paper.table1.reasons import PART as REASONS

_EXPLANATION = """\
Mean of max(0, c(y)/c(optimal y)): our value, and below it the published one.

- **Networks** are one forward pass and the paper's rounding, without the fallbacks of the solver
  `gnn`. Alpha is the weight of CCL that the network kept by validation had reached, in our
  normalisation.
- **Selection.** Each network was selected on validation graphs of its own training set, unless the
  column *selected on* names others as well; those rows have seen validation graphs of both
  families. *The last* is the network that its run ended with, as if there were no validation.
- **Easier graphs.** The IrisMP of the paper is not public. Ours follows its text and the statistics
  of its costs, but is easier: GAEC and LP come closer to the optimum ([measurements](#datasets)).
  So a value above the published one in that column may come from the graphs. Networks whose names
  end with `-irismp` were also trained on our graphs.
- **Runtimes** are sums over the graphs of all columns at hand, so they do not compare with the
  published sums. Networks get graphs in batches, all others one at a time. The published sums of LP
  (31,919 s) and of RGGCN trained on RandomMP (2.7 s) leave out what ended without a result.
- **Time-bounded GAEC** has the mean time per graph of `gcn_w_bn-general` on that set as its budget.
  On a processor that is longer than GAEC takes, so `gaec-time-bounded` is `gaec` here.
  `gaec-bounded-by-gpu` has the time per graph of that network on a GPU, with many graphs at
  once{budgets}. This budget binds: GAEC returns what it has contracted until then, and at equal
  time the network is ahead, as published. GAEC begins with every edge cut{cutting}. The published
  values, 0.36, 0.00, 0.00, 0.15 and 0.00, are close to those of cutting every edge as well, 0.37,
  0.00, 0.00 and 0.13 on the first four sets by the published statistics. So the published GAEC had
  contracted almost nothing when its time was up."""
_SHORTFALLS = """\
**Cells below published**: other networks that are below their published values on RandomMP or on
the easier IrisMP, and how many instances their runs had, 3,150,000 in the paper. Three measurements
tell the reasons apart ([discussion](training.md#networks-below-their-published-values)). *Costs as
they are*: the same weights without the normalisation of costs that shipped networks have and the
published ones did not. *With a bias*: the one number added to all logits that is best on 300
validation graphs of the own training set, since cross entropy does not choose it well. *Recorded
runs*: the least and the greatest value of runs in `configs/published` that train the same network,
with costs as they are, and of the networks that these runs ended with."""
# What the published table asks of the proposed network: (model, test set).
_TARGETS = tuple(
    (model, name) for model in ("gcn_w_bn-randommp", "gcn_w_bn-irismp") for name in COMPARABLE
)


@dataclass(frozen=True)
class _Row:
    """A solver or a model, and its cells by test set."""

    name: str
    alpha: float | None
    is_trained: bool
    cells: Mapping[str, Cell]
    num_instances: int | None = None
    depth: int | None = None
    max_cycle_length: int | None = None
    selected_on: tuple[str, ...] = ()
    is_last: bool = False
    record: ModelRecord | None = None

    @property
    def saw_others(self) -> bool:
        """Whether it was selected on graphs of another family than it was trained on."""
        own = self.name.rpartition("-")[2]
        return any(name.lower() != own for name in self.selected_on)

    @property
    def selection(self) -> str:
        """Which validation graphs chose it, if others than those of its own training set."""
        if not self.saw_others:
            return ""
        return " + ".join(self.selected_on) + ("; the last" if self.is_last else "")

    @property
    def harmonic_mean(self) -> float | None:
        """Over all test sets; None if one is missing."""
        ratios = [cell["ratio"] for cell in self.cells.values()]
        return harmonic_mean(ratios) if len(ratios) == len(TEST_SETS) else None

    def total(self, key: str) -> float | None:
        """Add up a time over the test sets at hand."""
        values = [cell[key] for cell in self.cells.values() if cell[key] is not None]
        return sum(values) if values else None


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    store = settings.open_cache(PART)
    sets = sets_to_show(settings.data, store.cells)
    rows = _find_rows(store, settings, sets)
    text = _EXPLANATION.format(budgets=_budgets(rows), cutting=_cutting(settings))
    section.write(text, f"Measured on: {summary(store.environment)}.")
    _describe_sets(section, store, settings, sets)
    _warn_of_harmonic_means(section, sets)
    stand_ins = {chosen.name for chosen in sets if chosen.is_stand_in}
    section.keep(PART, [record for row in rows for record in _ratio_records(row, stand_ins)])
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
    _write_targets(section, {row.name: row for row in rows})
    _write_shortfalls(section, settings, rows)
    _write_unfinished(section, settings, rows)
    render_devices(section, settings, store, sets)
    return section


def _warn_of_harmonic_means(section: Section, sets: Sequence[EvaluationSet]) -> None:
    others = ["stand-ins"] if any(chosen.is_stand_in for chosen in sets) else []
    others += [f"the easier {chosen.name}" for chosen in sets if chosen.is_easier]
    if others:
        section.write(
            f"With {' and '.join(others)}, our harmonic means do not compare with the published "
            "ones."
        )


def _find_rows(store: Cache, settings: PaperSettings, sets: Sequence[EvaluationSet]) -> list[_Row]:
    models = {record.name: record for record in list_models()}
    rows = []
    for name in (*TABLE_1, DEFAULT_MODEL, BOUNDED_BY_GPU, "klj", "fusion"):
        is_model = name not in (*CLASSICAL, BOUNDED, BOUNDED_BY_GPU)
        if is_model and name not in models:
            rows.append(_Row(name, None, False, {}))
            continue
        who = models[name] if is_model else name
        found = {chosen.name: store.cells.get(cell_key(settings, who, chosen)) for chosen in sets}
        cells = {column: cell for column, cell in found.items() if cell is not None}
        phases = _phases_of(who) if isinstance(who, ModelRecord) else []
        alpha = float(phases[-1]["alpha_reached"]) if phases else None
        num_instances = sum(phase["instances_of_the_run"] for phase in phases) if phases else None
        depth, length = _shape_of(who, phases) if isinstance(who, ModelRecord) else (None, None)
        selected_on = _selected_on(who) if isinstance(who, ModelRecord) else ()
        is_last = bool(phases) and phases[-1]["instances"] == phases[-1]["instances_of_the_run"]
        record = who if isinstance(who, ModelRecord) else None
        shape = (num_instances, depth, length)
        rows.append(_Row(name, alpha, True, cells, *shape, selected_on, is_last, record))
    return rows


def _budgets(rows: Sequence[_Row]) -> str:
    """Say how long GAEC may take for a graph where the time of a GPU is its budget."""
    (row,) = [row for row in rows if row.name == BOUNDED_BY_GPU]
    texts = [f"{1e6 * cell['time_limit']:.0f} µs on {name}" for name, cell in row.cells.items()]
    return f": {' and '.join(texts)}" if texts else ""


def _cutting(settings: PaperSettings) -> str:
    """Say what cutting every edge has, where that was measured."""
    cell = settings.open_cache(STUDIES).cells.get(CUTTING_ALL)
    if cell is None:
        return ""
    texts = [f"{cell[name]:.2f} on {name}" for name in COMPARABLE]
    return f", which has {' and '.join(texts)}"


def _phases_of(record: ModelRecord) -> list[dict[str, Any]]:
    """Return the phases of training, where the card tells."""
    phases = record.card.get("training")
    return phases if isinstance(phases, list) else []


def _selected_on(record: ModelRecord) -> tuple[str, ...]:
    """Return the families whose validation graphs chose a network, where the card tells."""
    validation = record.card.get("validation") or {}
    names = validation.get("by_dataset") or [str(validation.get("split", "")).partition(":")[0]]
    known = {name.lower(): name for name in COMPARABLE}
    return tuple(sorted(known[name] for name in names if name in known))


def _shape_of(
    record: ModelRecord, phases: Sequence[Mapping[str, Any]]
) -> tuple[int | None, int | None]:
    """Return the depth of a network with layers, and l of its CCL, where the card tells."""
    depth = record.card["network"].get("depth")
    length = phases[-1].get("max_cycle_length") if phases else None
    if record.card["network"]["architecture"] in ("lr", "mlp"):
        return None, None  # these have neither
    return depth, length


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
            f"- {name}: {kind}{chosen.source}; {cell['num_graphs']:,} graphs, "
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
    """Say how good solvers are on a set that is easier than the published one."""
    if not chosen.is_easier:
        return ""
    texts = []
    for solver in ("gaec", "lp"):
        cell = store.cells.get(cell_key(settings, solver, chosen))
        published = TABLE_1[solver].ratios[TEST_SETS.index(chosen.name)]
        if cell is not None:
            texts.append(f"`{solver}` has {ratio(cell['ratio'])} (published {ratio(published)})")
    return f"; {' and '.join(texts)}" if texts else ""


def _stored(store: Cache, settings: PaperSettings, chosen: EvaluationSet) -> str:
    """Say where the values of a column come from whose graphs are not here."""
    if chosen.is_at_hand:
        return ""
    cell = store.cells.get(cell_key(settings, "gaec", chosen), {})
    day = f" on {cell['measured']}" if "measured" in cell else ""
    return f"; not at hand now, values as stored, measured{day}"


def _our_texts(row: _Row) -> list[str]:
    if not row.is_trained:
        return [f"`{row.name}`", "", "not trained yet", "", "", *[MISSING] * (len(TEST_SETS) + 3)]
    forward, total = row.total("forward_seconds"), row.total("seconds")
    is_model = row.name not in (*CLASSICAL, BOUNDED, BOUNDED_BY_GPU)
    alpha = MISSING if row.alpha is None else f"{row.alpha:.2g}"
    return [
        f"`{row.name}`",
        "" if row.depth is None else str(row.depth),
        alpha if is_model else "",
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
    return f"**{ratio(cell['ratio'])}**" + (f" ({late} out of time)" if late else "")


def _published_texts(name: str) -> list[str]:
    row = TABLE_1[name]
    ratios = ["out of resources" if value is None else ratio(value) for value in row.ratios]
    times = (row.forward_seconds, row.total_seconds)
    return [
        "  published",
        *_published_shape(name),
        "",
        *ratios,
        ratio(row.harmonic_mean),
        *("" if value is None else seconds(value) for value in times),
    ]


def _published_shape(name: str) -> tuple[str, str, str]:
    """Return depth, alpha and l as published."""
    if name not in ALPHAS_1:
        return "", "", ""
    trained_on_iris = name.endswith("-irismp")
    return "12" if trained_on_iris else "20", ALPHAS_1[name], "3" if trained_on_iris else "8"


def _ratio_records(row: _Row, stand_ins: set[str]) -> list[Record]:
    """Return one record for each test set."""
    published = TABLE_1.get(row.name)
    return [
        {
            "solver": row.name,
            "test_set": name,
            "is_stand_in": name in stand_ins,
            "is_easier": name in EASIER,
            **row.cells[name],
            "published_ratio": None if published is None else published.ratios[column],
        }
        for column, name in enumerate(TEST_SETS)
        if name in row.cells
    ]


def _solver_record(row: _Row, stand_ins: set[str]) -> Record:
    published = TABLE_1.get(row.name)
    return {
        "solver": row.name,
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


def _write_targets(section: Section, rows: Mapping[str, _Row]) -> None:
    """Compare the proposed network with what was published, as plainly as possible."""
    texts, records = [], []
    for model, name in _TARGETS:
        cell = rows[model].cells.get(name)
        published = TABLE_1[model].ratios[TEST_SETS.index(name)]
        assert published is not None
        if cell is None:
            title = column_title(name)
            texts.append([f"`{model}`", title, MISSING, MISSING, MISSING, "not measured"])
            continue
        difference = cell["ratio"] - published
        texts.append(
            [
                f"`{model}`",
                f"{column_title(name)}, {cell['num_graphs']:,} graphs",
                f"{ratio(cell['ratio'])} ± {ratio(cell['standard_error'])}",
                ratio(published),
                f"{difference:+.4f}",
                _reached(name, difference),
            ]
        )
        records.append(
            {
                "model": model,
                "test_set": name,
                "is_easier": name in EASIER,
                "num_graphs": cell["num_graphs"],
                "ratio": cell["ratio"],
                "standard_error": cell["standard_error"],
                "published_ratio": published,
                "is_reached": difference >= 0,
            }
        )
    section.write(
        "The proposed network beside its published values. What is reached on the easier IrisMP "
        "need not be\nreached on the published one."
    )
    columns = ["model", "test set", "ours ± standard error", "published", "difference", ""]
    section.tabulate("targets", records, columns, texts, 2)


def _reached(name: str, difference: float) -> str:
    """Say whether a published value is reached, and if on easier graphs."""
    if difference < 0:
        return "missed"
    return "reached, on easier graphs" if name in EASIER else "reached"


def _difference(cell: Cell, published: float) -> str:
    difference = cell["ratio"] - published
    is_noise = abs(difference) <= cell["standard_error"]
    return f"{difference:+.4f}" + (", within the standard error" if is_noise else "")


def _range(values: Sequence[float]) -> str:
    if not values:
        return MISSING
    low, high = ratio(min(values)), ratio(max(values))
    return low if len(values) == 1 else f"{low} to {high}"


def _write_shortfalls(section: Section, settings: PaperSettings, rows: Sequence[_Row]) -> None:
    """List where other networks are below what was published, on the sets that compare."""
    reasons = settings.open_cache(REASONS).cells
    texts, records = [], []
    for row in rows:
        for name in COMPARABLE:
            cell = row.cells.get(name)
            if row.num_instances is None or (row.name, name) in _TARGETS or cell is None:
                continue
            if not is_below(row.name, name, cell["ratio"]):
                continue
            published = TABLE_1[row.name].ratios[TEST_SETS.index(name)]
            assert published is not None
            key = "" if row.record is None else key_of(settings, row.record, name)
            reason = reasons.get(key)
            runs = other_runs(settings, row.name, name)
            texts.append(
                [
                    f"`{row.name}`",
                    f"{row.num_instances:,}",
                    row.selection,
                    column_title(name),
                    f"{ratio(cell['ratio'])} ± {ratio(cell['standard_error'])}",
                    ratio(published),
                    _difference(cell, published),
                    MISSING if reason is None else ratio(reason["costs_as_they_are"]),
                    MISSING
                    if reason is None
                    else f"{ratio(reason['with_bias'])} ({reason['bias']:+g})",
                    _range(runs["best"]),
                    _range(runs["last"]),
                ]
            )
            records.append(
                {
                    "model": row.name,
                    "num_instances": row.num_instances,
                    "selected_on": list(row.selected_on),
                    "test_set": name,
                    "is_easier": name in EASIER,
                    "ratio": cell["ratio"],
                    "standard_error": cell["standard_error"],
                    "published_ratio": published,
                    "reason": reason,
                    "ratios_of_runs": runs,
                }
            )
    if not records:
        section.write("No other network is below its published values on these two sets.")
        return
    section.write(_SHORTFALLS)
    columns = ["model", "instances", "selected on", "test set", "ours ± standard error"]
    columns += [
        "published",
        "difference",
        "costs as they are",
        "with a bias",
        "recorded runs",
        "their last networks",
    ]
    section.tabulate("shortfalls", records, columns, texts, 4)


def _write_unfinished(section: Section, settings: PaperSettings, rows: Sequence[_Row]) -> None:
    """Say how far runs came that would replace networks selected on both families."""
    runs = read_runs(settings.curves / "published").values()
    lines, records = [], []
    for row in rows:
        if row.name not in TABLE_1 or not row.saw_others:
            continue
        for run in runs:
            if run.tested or not run.name.startswith(f"{row.name}-"):
                continue
            seen, planned = int(run.settings["instances"]), run.planned_instances
            best = run.best
            lines.append(
                f"- `{row.name}`: `{run.name}` was stopped at the time limit after {seen:,} of "
                f"{planned:,} instances, before CCL.\n  Its best validation is "
                f"{ratio(best['objective_ratio'])}, after {best['instances']:,.0f}."
            )
            records.append(
                {
                    "model": row.name,
                    "run": run.name,
                    "instances": seen,
                    "planned_instances": planned,
                    "best_validation": best["objective_ratio"],
                    "best_instances": int(best["instances"]),
                }
            )
    if not records:
        return
    section.write(
        "Networks that are still selected on validation graphs of both families. Their runs of the "
        "whole schedule,\nwhich select on the own training set alone, did not end:"
    )
    section.write("\n".join(lines))
    section.keep("unfinished", records)
