"""The table of learned costs in docs/examples.md, from `learned_costs.json`.

`benchmarks/learned_costs.py` wrote that file. The data was chosen by looking at two of the first
seeds, so others are shown apart from them, and sentences are about the others.
"""

from __future__ import annotations

import json
import statistics
from typing import Any

from measured.formats import RESULTS, signed

_FILE = RESULTS / "learned_costs.json"
FIRST_SEEDS, FRESH_SEEDS = range(5), range(5, 10)
HEADER = (
    "| costs learned | seeds | components | KLj | KLj minus edge-by-edge components, per seed |"
)
SETTINGS_HEADER = "| setting | edge-by-edge components | log-odds | through KLj | by search |"
# What the rows are called there, and on the page.
_ROWS = {
    "edge by edge, no offset": "edge by edge, no offset",
    "edge by edge": "edge by edge",
    "through a network": "through a network",
    "the network's own output": "log-odds that this network puts out",
    "output, costs fixed": "log-odds of a network on edge-by-edge costs",
    "expected loss, klj": "through KLj, `expected_loss`",
    "expected loss, gaec": "through GAEC, `expected_loss`",
    "perturbed, klj": 'through KLj, `"perturbed"`',
    "interpolated, klj": 'through KLj, `"interpolated"`',
    "straight-through, klj": 'through KLj, `"straight-through"`',
    "searched, klj": "by search, KLj",
}
# Settings of the benchmark, by what sentences call them.
_SETTINGS = {"": "all rows", "longer": "40 epochs", "sparser": "5 neighbours"}
_SETTINGS |= {"texture": "texture inside"}

# The same for the second table, with the option of the example.
_TITLES = {
    "": "as above",
    "longer": "twice the passes, `--epochs 40`",
    "sparser": "five neighbours per point, not eight, `--num-nearest 5`",
    "texture": "texture inside clusters alone, `--texture-inside`",
}

# What sentences call a row, with a way to find clusters.
_SCORES = {
    "components": ("edge by edge", "components"),
    "edge by edge": ("edge by edge", "klj"),
    "network": ("through a network", "klj"),
    "output": ("the network's own output", "klj"),
    "fixed": ("output, costs fixed", "klj"),
    "KLj": ("expected loss, klj", "klj"),
    "GAEC": ("expected loss, gaec", "klj"),
    "perturbed": ("perturbed, klj", "klj"),
    "interpolated": ("interpolated, klj", "klj"),
    "straight": ("straight-through, klj", "klj"),
    "search": ("searched, klj", "klj"),
}

# Sentences with these numbers, by the names of `score_numbers`: those of "X over Y" are of the
# differences of two scores, seed by seed, and what follows a comma is the setting.
SENTENCES = (
    "`--compare` prints all, in about {seconds of a run} s of processor time",
    "With `expected_loss` it reaches {mean, KLj} ± {spread, KLj}. That is above KLj on costs "
    "learned edge by edge by {mean, KLj over edge by edge} ± {spread, KLj over edge by edge}. "
    "Components of those costs are the strongest baseline, better than KLj on them. Learning "
    "through KLj is above these by {mean, KLj over components} ± {spread, KLj over "
    "components}, with {seeds, KLj over components} of {fresh seeds} seeds",
    "CMA-ES over all 65 parameters of the cost network calls KLj as often as learning with both "
    "noises does. It is above "
    "learning through KLj by {mean, search over KLj} ± {spread, search over KLj}, with "
    "{seeds, search over KLj} of {fresh seeds} seeds",
    "KLj on these costs differs from KLj on edge-by-edge costs by {mean, network over edge by "
    "edge} ± {spread, network over edge by edge}",
    "But KLj on the log-odds that the network puts out is above edge-by-edge components by "
    "{mean, output over components} ± {spread, output over components}. With costs that stay "
    "as they were learned edge by edge, it is by {mean, fixed over components} ± {spread, "
    "fixed over components}. Learning the costs as well adds {mean, output over fixed} ± "
    "{spread, output over fixed}. Learning through KLj is above KLj on the log-odds by {mean, "
    "KLj over output} ± {spread, KLj over output}, with {seeds, KLj over output} of {fresh "
    "seeds} seeds",
    "The difference to edge-by-edge components is {mean, straight over components} ± "
    '{spread, straight over components} with `"straight-through"`, '
    "{mean, interpolated over components} ± {spread, interpolated over components} with "
    '`"interpolated"` and {mean, perturbed over components} ± '
    '{spread, perturbed over components} with `"perturbed"`. They are better with '
    "{seeds, straight over components}, {seeds, interpolated over components} and "
    "{seeds, perturbed over components} of {fresh seeds} seeds",
    "with texture inside clusters alone, one seed reaches {least, search, texture}",
)


def score_rows() -> list[str]:
    """Return, for each way to learn costs, mean and deviation of scores over the seeds of each set.

    A set has rows once all of its seeds are measured.
    """
    sets = [seeds for seeds in (FIRST_SEEDS, FRESH_SEEDS) if _is_measured("all rows", seeds)]
    lines = []
    for name, title in _ROWS.items():
        for seeds in sets:
            runs = _runs("all rows", seeds)
            components, klj = (_values(runs, (name, each)) for each in ("components", "klj"))
            gains = _differences(klj, _values(runs, _SCORES["components"]))
            cells = (
                f"{seeds[0]} to {seeds[-1]}{', fresh' if seeds is FRESH_SEEDS else ''}",
                f"{_mean(components)} ± {_spread(components)}",
                f"{_mean(klj)} ± {_spread(klj)}",
                f"{_mean(gains, sign='+')} ± {_spread(gains)}",
            )
            lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def settings_rows() -> list[str]:
    """Return, for each setting, mean and deviation of four ways over the fresh seeds."""
    found = score_numbers()
    lines = []
    for suffix, title in _TITLES.items():
        names = (
            f"{n}, {suffix}".removesuffix(", ") for n in ("components", "output", "KLj", "search")
        )
        cells = [f"{found[f'mean, {name}']} ± {found[f'spread, {name}']}" for name in names]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def score_numbers() -> dict[str, str]:
    """Return measured numbers of the fresh seeds, by the names that sentences have for them."""
    runs = _runs("all rows")
    seconds = statistics.fmean(run["processor_seconds"] for run in runs)
    found = {"seconds of a run": f"{seconds:.0f}", "fresh seeds": str(len(runs))}
    for suffix, setting in _SETTINGS.items():
        of = f", {suffix}" if suffix else ""
        runs = _runs(setting)
        scores = {
            name: _values(runs, score)
            for name, score in _SCORES.items()
            if score[0] in runs[0]["scores"]
        }
        for name, values in scores.items():
            found |= _described(f"{name}{of}", values)
            for other, subtracted in scores.items():
                found |= _described(f"{name} over {other}{of}", _differences(values, subtracted))
    return found


def _described(name: str, values: list[float]) -> dict[str, str]:
    return {
        f"mean, {name}": _mean(values),
        f"spread, {name}": _spread(values),
        f"least, {name}": signed(f"{min(values):.3f}"),
        f"most, {name}": signed(f"{max(values):.3f}"),
        f"seeds, {name}": str(sum(value > 0 for value in values)),
    }


def _cells() -> dict[str, Any]:
    cells: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return cells


def _is_measured(setting: str, seeds: range) -> bool:
    return _cells().keys() >= {f"{setting}, seed {seed}" for seed in seeds}


def _runs(setting: str, seeds: range = FRESH_SEEDS) -> list[dict[str, Any]]:
    """Return the runs of a setting, in the order of their seeds."""
    cells = _cells()
    return [cells[f"{setting}, seed {seed}"] for seed in seeds]


def _values(runs: list[dict[str, Any]], score: tuple[str, str]) -> list[float]:
    row, decoder = score
    return [run["scores"][row][decoder] for run in runs]


def _differences(values: list[float], others: list[float]) -> list[float]:
    """Return, for each seed, by how much one score is above another."""
    return [value - subtracted for value, subtracted in zip(values, others, strict=True)]


def _mean(values: list[float], sign: str = "-") -> str:
    return signed(f"{statistics.fmean(values):{sign}.3f}")


def _spread(values: list[float]) -> str:
    return f"{statistics.stdev(values):.3f}"
