"""The table of learned costs in docs/examples.md, from `learned_costs.json`.

`benchmarks/learned_costs.py` wrote that file. The data was chosen by looking at two of the first
seeds, so others are shown apart from them.
"""

from __future__ import annotations

import json
import statistics
from typing import Any

from measured.formats import RESULTS, signed

_FILE = RESULTS / "learned_costs.json"
# The data was chosen with the first; the others are fresh.
FIRST_SEEDS, FRESH_SEEDS = range(5), range(5, 10)
HEADER = (
    "| costs learned | seeds | components | KLj | KLj minus edge-by-edge components, per seed |"
)
# What the rows are called there, and on the page.
_ROWS = {
    "edge by edge, no offset": "edge by edge, no offset",
    "edge by edge": "edge by edge",
    "through a network": "through a network",
    "the network's own output": "log-odds that this network puts out",
    "expected loss, klj": "through KLj, `expected_loss`",
    "expected loss, gaec": "through GAEC, `expected_loss`",
    "perturbed, klj": 'through KLj, `"perturbed"`',
    "interpolated, klj": 'through KLj, `"interpolated"`',
    "straight-through, klj": 'through KLj, `"straight-through"`',
}
# Settings of the benchmark.
_SETTINGS = "all rows", "40 epochs", "5 neighbours", "texture inside"
_MAIN, _LONGER, _SPARSER, _TEXTURE = _SETTINGS

# A row, and the way to find clusters.
_Score = tuple[str, str]
_THROUGH_KLJ: _Score = ("expected loss, klj", "klj")
_THROUGH_NETWORK: _Score = ("through a network", "klj")
_EDGE_BY_EDGE: _Score = ("edge by edge", "klj")
_COMPONENTS: _Score = ("edge by edge", "components")
_OUTPUT: _Score = ("the network's own output", "klj")
_OUTPUT_COMPONENTS: _Score = ("the network's own output", "components")

# Scores that sentences state: their names there, the settings and the scores.
_SCORES = {
    "network": (_MAIN, _THROUGH_NETWORK),
    "KLj, longer": (_LONGER, _THROUGH_KLJ),
    "output, longer": (_LONGER, _OUTPUT),
    "components, longer": (_LONGER, _COMPONENTS),
    "output, sparser": (_SPARSER, _OUTPUT),
    "components, sparser": (_SPARSER, _COMPONENTS),
    "output, texture": (_TEXTURE, _OUTPUT),
    "KLj, texture": (_TEXTURE, _THROUGH_KLJ),
}
# Differences of two scores that sentences state.
_GAINS = {
    "KLj over components": (_MAIN, _THROUGH_KLJ, _COMPONENTS),
    "KLj over output components": (_MAIN, _THROUGH_KLJ, _OUTPUT_COMPONENTS),
    "KLj over output": (_MAIN, _THROUGH_KLJ, _OUTPUT),
    "network over components": (_MAIN, _THROUGH_NETWORK, _COMPONENTS),
    "network over edge by edge": (_MAIN, _THROUGH_NETWORK, _EDGE_BY_EDGE),
    "KLj over output, longer": (_LONGER, _THROUGH_KLJ, _OUTPUT),
    "KLj over components, sparser": (_SPARSER, _THROUGH_KLJ, _COMPONENTS),
}

# Sentences with these numbers, by the names of `score_numbers`.
SENTENCES = (
    "`--compare` prints all, in about {seconds of a run} s of processor time",
    "over {runs of learned costs} seeds each",
    "reach {mean of network} ± {spread of network} with KLj. The difference to KLj on costs "
    "learned edge by edge is {mean, network over edge by edge} ± {spread, network over edge by "
    "edge}, and that to the components of those costs is {mean, network over components} ± "
    "{spread, network over components}",
    "are better than this with {runs, KLj over components} of {runs of learned costs} seeds, "
    "by {least, KLj over components} to {most, KLj over components}. They are also better, "
    "by {least, KLj over output components} to {most, KLj over output components}, "
    "than components of the log-odds",
    "Costs learned through KLj are better by {mean, KLj over output} ± {spread, KLj over output}, "
    "with {runs, KLj over output} of {runs of learned costs} seeds",
    "The scores are {mean of KLj, longer} ± {spread of KLj, longer} through KLj, "
    "{mean of output, longer} ± {spread of output, longer} for the log-odds, "
    "and {mean of components, longer} ± {spread of components, longer} for edge-by-edge "
    "components. The two ways then differ by {mean, KLj over output, longer} ± "
    "{spread, KLj over output, longer}",
    "are ahead of edge-by-edge components by {least, KLj over components, sparser} to "
    "{most, KLj over components, sparser}",
    "With these, costs learned through KLj differ from edge-by-edge components by "
    "{mean, KLj over components, fresh} ± {spread, KLj over components, fresh}, and are better "
    "with {runs, KLj over components, fresh} of {runs of learned costs, fresh} seeds. "
    "The difference to KLj on the log-odds is {mean, KLj over output, fresh} ± "
    "{spread, KLj over output, fresh}, and that of costs learned through a network to "
    "edge-by-edge components is {mean, network over components, fresh} ± "
    "{spread, network over components, fresh}. With twice the passes, the scores are "
    "{mean of KLj, longer, fresh} ± {spread of KLj, longer, fresh} through KLj and "
    "{mean of output, longer, fresh} ± {spread of output, longer, fresh} for the log-odds. "
    "With five neighbours, costs learned through KLj differ from edge-by-edge components by "
    "{least, KLj over components, sparser, fresh} to {most, KLj over components, sparser, fresh}. "
    "With texture only inside clusters they reach {least of KLj, texture, fresh} to "
    "{most of KLj, texture, fresh}",
    "about as good as these components: {mean of output, sparser} ± {spread of output, sparser} "
    "beside {mean of components, sparser} ± {spread of components, sparser}",
    "reach {worst} with seed {worst seed}, where the offset alone reaches {offset alone at worst}. "
    "With the other seeds they reach {second worst} to {best}. KLj on the log-odds reaches "
    "{mean of output, texture} ± {spread of output, texture}",
)


def score_rows() -> list[str]:
    """Return, for each way to learn costs, mean and deviation of scores over the seeds of each set.

    A set has rows once all of its seeds are measured.
    """
    sets = [seeds for seeds in (FIRST_SEEDS, FRESH_SEEDS) if _is_measured(_MAIN, seeds)]
    lines = []
    for name, title in _ROWS.items():
        for seeds in sets:
            runs = _runs(_MAIN, seeds)
            components, klj = (_values(runs, (name, each)) for each in ("components", "klj"))
            gains = _differences(runs, (name, "klj"), _COMPONENTS)
            cells = (
                f"{seeds[0]} to {seeds[-1]}{', fresh' if seeds is FRESH_SEEDS else ''}",
                f"{_mean(components)} ± {_spread(components)}",
                f"{_mean(klj)} ± {_spread(klj)}",
                f"{_mean(gains, sign='+')} ± {_spread(gains)}",
            )
            lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def score_numbers() -> dict[str, str]:
    """Return measured numbers that sentences state, by the names they have there.

    Names of those of fresh seeds end with "fresh"; they are there once all of these are measured.
    """
    runs = _runs(_MAIN)
    seconds = statistics.fmean(run["processor_seconds"] for run in runs)
    found = {"seconds of a run": f"{seconds:.0f}"} | _numbers(FIRST_SEEDS) | _failure()
    if all(_is_measured(each, FRESH_SEEDS) for each in _SETTINGS):
        fresh = _numbers(FRESH_SEEDS)
        found |= {f"{name}, fresh": number for name, number in fresh.items()}
    return found


def _numbers(seeds: range) -> dict[str, str]:
    found = {"runs of learned costs": str(len(seeds))}
    for name, (setting, score) in _SCORES.items():
        values = _values(_runs(setting, seeds), score)
        found |= {
            f"mean of {name}": _mean(values),
            f"spread of {name}": _spread(values),
            f"least of {name}": f"{min(values):.3f}",
            f"most of {name}": f"{max(values):.3f}",
        }
    for name, (setting, score, other) in _GAINS.items():
        gains = _differences(_runs(setting, seeds), score, other)
        found |= {
            f"least, {name}": signed(f"{min(gains):.3f}"),
            f"most, {name}": signed(f"{max(gains):.3f}"),
            f"mean, {name}": _mean(gains),
            f"spread, {name}": _spread(gains),
            f"runs, {name}": str(sum(gain > 0 for gain in gains)),
        }
    return found


def _failure() -> dict[str, str]:
    """Return the worst run with texture inside clusters, and what the others reach."""
    runs = _runs(_TEXTURE)
    learned, tuned = _values(runs, _THROUGH_KLJ), _values(runs, _EDGE_BY_EDGE)
    worst, second, *_, best = sorted(learned)
    seed = learned.index(worst)
    return {
        "worst seed": str(seed),
        "worst": f"{worst:.3f}",
        "offset alone at worst": f"{tuned[seed]:.3f}",
        "second worst": f"{second:.3f}",
        "best": f"{best:.3f}",
    }


def _cells() -> dict[str, Any]:
    cells: dict[str, Any] = json.loads(_FILE.read_text(encoding="utf-8"))
    return cells


def _is_measured(setting: str, seeds: range) -> bool:
    return _cells().keys() >= {f"{setting}, seed {seed}" for seed in seeds}


def _runs(setting: str, seeds: range = FIRST_SEEDS) -> list[dict[str, Any]]:
    """Return the runs of a setting, in the order of their seeds."""
    cells = _cells()
    return [cells[f"{setting}, seed {seed}"] for seed in seeds]


def _values(runs: list[dict[str, Any]], score: _Score) -> list[float]:
    row, decoder = score
    return [run["scores"][row][decoder] for run in runs]


def _differences(runs: list[dict[str, Any]], score: _Score, other: _Score) -> list[float]:
    """Return, for each seed, by how much one score is above another."""
    pairs = zip(_values(runs, score), _values(runs, other), strict=True)
    return [value - subtracted for value, subtracted in pairs]


def _mean(values: list[float], sign: str = "-") -> str:
    return signed(f"{statistics.fmean(values):{sign}.3f}")


def _spread(values: list[float]) -> str:
    return f"{statistics.stdev(values):.3f}"
