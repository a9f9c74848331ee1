"""Measured numbers of README.md and docs/, from the files that the benchmarks wrote.

Tables are generated as a whole. A sentence that states a measured number is listed in `SENTENCES`
with a name in place of the number, so that it may appear on several pages and is right on all of
them. ``python tools/site/tables.py`` brings the pages up to date; a test compares them.
"""

from __future__ import annotations

import json
import math
import re
import statistics
from collections.abc import Callable
from importlib import util
from pathlib import Path
from typing import Any

import gpu_tables
import learned_costs_tables

ROOT = Path(__file__).parents[2]
ROOT_OF_SCRIPTS = ROOT / "benchmarks"
RESULTS = ROOT_OF_SCRIPTS / "results"

_SETS = ("RandomMP", "IrisMP", "BSDS300 (stand-in)", "CREMI (stand-in)")
# What a solver is called in that file, and here.
_SOLVERS = {
    "gaec,": "gaec",
    "klj,": "klj",
    "fusion,": "fusion",
    "lp,": "lp",
    "ilp,": "ilp",
    "gcn_w_bn-general ": "gnn",
}
_SIZES = ("RandomMP 1,000", "RandomMP 10,000", "RandomMP 100,000", "RandomMP 1,000,000")


def quality_rows() -> list[str]:
    """Return, for each solver, mean ratio to the optimum and time per graph on four sets."""
    measured = _read("paper/table1.json")
    return [
        f"| `{solver}` | " + " | ".join(_quality(measured, key, name) for name in _SETS) + " |"
        for key, solver in _SOLVERS.items()
    ]


def _quality(measured: dict[str, Any], start: str, name: str) -> str:
    (cell,) = (v for k, v in measured.items() if k.startswith(start) and f", {name}," in k)
    ratio = f"{cell['ratio']:.4f}" if cell["num_optimal"] < cell["num_graphs"] else "1"
    return f"{ratio} in {_time(cell['seconds'] / cell['num_graphs'])}"


def size_rows() -> list[str]:
    """Return, for graphs of growing size, time from edge arrays to labels, and the objective."""
    rows = _read("solvers.json")["rows"]
    found = {(row["instances"], row["solver"]): row["ours"] for row in rows}
    lines = []
    for size in _SIZES:
        cells = [_size(found.get((size, solver))) for solver in ("gaec", "klj", "fusion")]
        edges = next(row["num_edges"] for row in rows if row["instances"] == size)
        nodes = size.removeprefix("RandomMP ")
        lines.append(f"| {nodes} | {edges:,} | " + " | ".join(cells) + " |")
    return lines


# Rows of the comparison in README.md: what they are called there, and in solvers.json.
_PEER_ROWS = (
    ("random geometric graph, 10⁵ nodes, 378 k edges", "RandomMP 100,000", "gaec"),
    ("", "RandomMP 100,000", "klj"),
    ("the same, 10⁶ nodes, 3.8 M edges", "RandomMP 1,000,000", "gaec"),
    ("", "RandomMP 1,000,000", "klj"),
    ("electron microscopy, 20 k nodes, 144 k edges", "em/CREMI-C_test", "gaec"),
    ("", "em/CREMI-C_test", "klj"),
    ("200 random graphs of about 180 nodes", "200 RandomMP", "klj"),
    ("", "200 RandomMP", "fusion"),
    ("50 region graphs of images, 63 k nodes in all", "bsds/bsds_ucm_a", "fusion"),
)


def peer_rows() -> list[str]:
    """Return times and objectives beside those of the peer; the better objective is bold."""
    rows = _read("solvers.json")["rows"]
    found = {(row["instances"], row["solver"]): row for row in rows}
    return [
        f"| {title} | `{solver}` | {_peer(found[instances, solver])} |"
        for title, instances, solver in _PEER_ROWS
    ]


def _peer(row: dict[str, Any]) -> str:
    ours, peer = row["ours"], row["peer"]
    mine = _objective(ours["objective"])
    time = _time(ours["build_seconds"] + ours["solve_seconds"])
    if peer is None:
        return f"{time} | \N{EN DASH} | \N{EN DASH} | {mine}"
    theirs = _objective(peer["objective"])
    speed_up = f"{row['speedup']:.1f}\N{MULTIPLICATION SIGN}"
    peer_time = _time(peer["build_seconds"] + peer["solve_seconds"])
    if mine == theirs:
        objectives = f"{mine}, the same"
    elif ours["objective"] < peer["objective"]:
        objectives = f"**{mine}**, {theirs}"
    else:
        objectives = f"{mine}, **{theirs}**"
    return f"{time} | {peer_time} | {speed_up} | {objectives}"


# Settings that docs/auto.md compares: what they are called in frontier.json, and there.
_SETTINGS = {
    "auto": "`auto`",
    "auto, 0.5 s": "`auto` with 0.5 s",
    "ilp": "`ilp`",
    "fusion, patience 100": "`fusion` with `patience=100`",
    "fusion, patience 20": "`fusion`",
    "klj": "`klj`",
    "gaec": "`gaec`",
}


def frontier_rows() -> list[str]:
    """Return mean ratios of several solvers over all families, and how much they prove."""
    families = _families()
    num_graphs = sum(family["num_graphs"] for family in families)
    lines = []
    for name, title in _SETTINGS.items():
        points = [_point(family, name) for family in families]
        ratio = sum(point["ratio"] for point in points) / len(points)
        worst = min(point["worst_ratio"] for point in points)
        proven = sum(point["num_proven"] for point in points) / num_graphs
        lines.append(f"| {title} | {ratio:.4f} | {worst:.4f} | {100 * proven:.0f} % |")
    return lines


def _families() -> list[dict[str, Any]]:
    families: list[dict[str, Any]] = _read("frontier/frontier.json")["families"]
    return families


def _point(family: dict[str, Any], name: str) -> dict[str, Any]:
    (point,) = (point for point in family["points"] if point["name"] == name)
    found: dict[str, Any] = point
    return found


# Rows of docs/learned.md: what they are called there, and in small_graphs.json.
_ON_CPU = {
    "Kernighan\N{EN DASH}Lin of `bioimage-cpp` 0.9": "bioimage-cpp klj",
    "fusion moves of `bioimage-cpp` 0.9": "bioimage-cpp fusion",
    "`gaec`": "gaec",
    "`dual-greedy`, fast": "dual-greedy, fast",
    "`dual-greedy`": "dual-greedy",
    "`dual-greedy`, best": "dual-greedy, best",
    "`klj`": "klj",
    "`fusion`, 3 proposals": "fusion, 3 proposals",
    "`fusion`, 10 proposals": "fusion, 10 proposals",
    "`fusion`": "fusion",
    "`learned`, fastest": "learned, fastest",
    "`learned`, fast": "learned, fast",
    "`learned`, balanced": "learned, balanced",
    "`learned`, best": "learned, best",
}


def on_cpu_rows() -> list[str]:
    """Return mean ratios and times on small graphs, beside those of the peer."""
    rows = _read("small_graphs.json")["randommp"]
    klj = rows["bioimage-cpp klj"]["seconds"]
    return [
        f"| {title} | {rows[name]['ratio']:.4f} | {_time(rows[name]['seconds'])} "
        f"| {_digits(rows[name]['seconds'] / klj)} |"
        for title, name in _ON_CPU.items()
    ]


def contraction_rows() -> list[str]:
    """Return mean ratios of contraction and local search, family by family."""
    columns = ("gaec", "klj from gaec", "dual-greedy", "dual-greedy, best", "klj")
    return [
        f"| {family} | " + " | ".join(f"{row['ratios'][name]:.4f}" for name in columns) + " |"
        for family, row in _read("small_graphs.json")["families"].items()
    ]


# Rows of docs/contraction.md: what they are called there, and part and variant in the results.
_ABLATION = {
    "`gaec`": ("solver", "`gaec`"),
    "order of keys without cycles": ("cycles", "none"),
    "triangles": ("cycles", "triangles"),
    "squares": ("cycles", "squares"),
    "both": ("cycles", "triangles, squares"),
    **{f"sweeps of triangles: {n}": ("triangle sweeps", str(n)) for n in (1, 2, 5)},
    **{f"sweeps of squares: {n}": ("square sweeps", str(n)) for n in (1, 5)},
    **{f"$p$ = {weight}": ("weight of the cost", weight) for weight in ("0", "0.2", "0.5", "1")},
    **{
        f"$f$ = {share}": ("share joined per packing", share)
        for share in ("1", "0.5", "0.3", "0.1", "0.05", "0.02")
    },
}


def ablation_rows() -> list[str]:
    """Return ratio and relative time of each variant of guided contraction, on three families."""
    found = {
        (row["part"], row["variant"]): row["families"].values()
        for row in _read("contraction_ablation.json")["rows"]
    }
    return [
        f"| {title} | "
        + " | ".join(
            f"{cell['ratio']:.4f}, {cell['time']:.1f}\N{MULTIPLICATION SIGN}" for cell in found[key]
        )
        + " |"
        for title, key in _ABLATION.items()
    ]


def proof_rows() -> list[str]:
    """Return how many graphs of each kind `ilp` proves, as the script that measured it counts."""
    path = ROOT_OF_SCRIPTS / "auto_measurements.py"
    spec = util.spec_from_file_location("auto_measurements", path)
    assert spec is not None
    assert spec.loader is not None
    script = util.module_from_spec(spec)
    spec.loader.exec_module(script)
    _, _, *rows = script.render(list(_read("auto.json").values()))
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [f"| {' | '.join(row)} |" for row in cells if row[1] not in ("", "0")]


def superpixel_rows() -> list[str]:
    """Return scores of segmentations with several superpixels and presets."""
    return [
        f"| {title} | {row['num_segments']:.0f} | {row['variation_of_information']:.2f} "
        f"| {row['adapted_rand_error']:.3f} | {row['boundary_f']:.3f} |"
        for title, row in _read("superpixels.json")["rows"].items()
    ]


def blockwise_rows() -> list[str]:
    """Return what block-wise solving reaches of solving the whole, by blocks and margin."""
    rows: dict[tuple[str, str, int], list[str]] = {}
    for row in _read("distributed_graphs.json")["rows"]:
        key = (row["graph"], row["solver"], row["num_blocks"])
        rows.setdefault(key, []).append(f"{row['objective'] / row['whole']:.4f}")
    return [
        f"| {graph}, `{solver}` | {blocks} | {' | '.join(ratios)} |"
        for (graph, solver, blocks), ratios in rows.items()
    ]


def volume_rows() -> list[str]:
    """Return objectives, gaps and scores of block-wise segmentation, by size of blocks."""
    lines = []
    for row in _read("blockwise.json")["quality"]:
        cells = (
            f"{row['block']}³",
            str(row["halo"]),
            str(row["levels"]),
            f"{row['num_regions']:,}",
            f"{row['ratio']:.4f}",
            f"{100 * row['gap']:.2f} %",
            f"{row['top_nodes']:,}",
            f"{row['rand_error_near']:.4f}",
            f"{row['rand_error_elsewhere']:.4f}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def engine_rows() -> list[str]:
    """Return the speed of the steps of a watershed by two packages."""
    speeds = _read("blockwise.json")["engines"]["voxels_per_processor_second"]
    steps = (
        ("watershed", "watershed, scikit-image"),
        ("distance transform", "distances, scipy"),
        ("all of `BoundaryWatershed`", "superpixels, scikit-image"),
    )
    return [
        f"| {title} | {speeds[slow] / 1e6:.1f} "
        f"| {speeds[slow.partition(',')[0] + ', bioimage-cpp'] / 1e6:.1f} |"
        for title, slow in steps
    ]


def stage_rows() -> list[str]:
    """Return the speed and the memory of each stage that reads voxels, of the largest volume."""
    largest = max(_read("blockwise.json")["speed"].items(), key=lambda item: int(item[0]))[1]
    return [
        f"| {name} | {stage['voxels'] / stage['processor_seconds'] / 1e6:.1f} "
        f"| {stage['peak_memory'] / 2**30:.2f} |"
        for name, stage in largest["report"]["stages"].items()
        if stage["voxels"]
    ]


def estimate_rows() -> list[str]:
    """Return estimates of ``--dry-run`` and what was measured then."""
    lines = []
    for row in sorted(_read("blockwise.json")["model"], key=lambda row: row["length"]):
        seconds, memory = row["processor_seconds"], [each / 2**30 for each in row["peak_memory"]]
        regions, nodes = row["regions"], row["top_nodes"]
        cells = (
            f"{row['length']}³",
            f"{seconds[0]:.1f} / {seconds[1]:.1f}",
            f"{memory[0]:.2f} / {memory[1]:.2f}",
            f"{regions[0]:,} / {regions[1]:,}",
            f"{nodes[0]:,} / {nodes[1]:,}",
        )
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def lifted_speed_rows() -> list[str]:
    """Return, for each contest and size, the range of speed-ups, and our median time."""
    rows = [row for row in _read("lifted.json")["rows"] if row["speedup"]]
    lines = []
    for solver in dict.fromkeys(row["solver"] for row in rows):
        own = [row for row in rows if row["solver"] == solver]
        cells = [_speed(own, size) for size in ("10,000", "100,000", "1,000,000")]
        fast = sum(row["speedup"] >= _TARGET for row in own)
        name = _NAMES_OF_CONTESTS.get(solver, f"`{solver}`")
        lines.append(f"| {name} | {' | '.join(cells)} | {fast} of {len(own)} |")
    return lines


# How many times as fast as the peer lifted solvers are to be.
_TARGET = 3
_NAMES_OF_CONTESTS = {"fusion 10 proposals": "`fusion` with `max_proposals=10`"}


def _speed(rows: list[dict[str, Any]], size: str) -> str:
    found = [row for row in rows if _SIZE.search(row["instances"])[0] == size]
    if not found:
        return "\N{EN DASH}"
    ups = sorted(row["speedup"] for row in found)
    time = statistics.median(
        row["ours"]["build_seconds"] + row["ours"]["solve_seconds"] for row in found
    )
    return f"{ups[0]:.1f}\N{EN DASH}{ups[-1]:.1f}, {_time(time)}"


_SIZE = re.compile(r"\d+(?:,\d{3})+")


def lifted_memory_rows() -> list[str]:
    """Return what solvers need for the largest lifted problem."""
    return [
        f"| `{row['solver']}` | {row['peak_bytes'] / 2**30:.2f} | {row['seconds']:.0f} |"
        for row in _read("lifted_memory.json")["rows"]
    ]


def _lifted_numbers() -> dict[str, str]:
    """Return how many rows reach the target, and the memory of the largest problem."""
    rows = [row for row in _read("lifted.json")["rows"] if row["speedup"]]
    (problem,) = {row["bytes_before"] for row in _read("lifted_memory.json")["rows"][:1]}
    return {
        "rows at the target": str(sum(row["speedup"] >= _TARGET for row in rows)),
        "lifted rows": str(len(rows)),
        "slowest lifted row": f"{math.floor(10 * min(row['speedup'] for row in rows)) / 10:.1f}",
        "GiB of the lifted problem": f"{problem / 2**30:.1f}",
    }


def _objective(value: float) -> str:
    return f"\N{MINUS SIGN}{-value:,.1f}"


def _whole(value: float) -> str:
    return f"\N{MINUS SIGN}{-value:,.0f}"


def _read(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / name).read_text(encoding="utf-8"))
    return found


def _size(ours: dict[str, Any] | None) -> str:
    if ours is None:
        return "\N{EN DASH}"
    seconds = ours["build_seconds"] + ours["solve_seconds"]
    return f"{_time(seconds)}: \N{MINUS SIGN}{-ours['objective']:,.0f}"


def _time(seconds: float) -> str:
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{_digits(seconds * factor)} {unit}"
    return f"{_digits(seconds * 1e3)} ms"


def _digits(value: float) -> str:
    """Two significant digits, or all before the point."""
    return f"{value:.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def numbers() -> dict[str, str]:
    """Return the measured numbers that sentences state, by the names they have there."""
    found = {f"{solver} at 10⁶": _of_million(solver) for solver in ("gaec", "klj")}
    families = _families()
    found["graphs of the frontier"] = str(sum(family["num_graphs"] for family in families))
    found["families of the frontier"] = str(len(families))
    found["graphs of proofs"] = str(len(_read("auto.json")))
    dual_greedy = _read("small_graphs.json")["randommp"]["dual-greedy"]
    found["ratio of dual-greedy"] = f"{dual_greedy['ratio']:.4f}"
    found["ms of dual-greedy"] = _digits(1e3 * dual_greedy["seconds"])
    found |= gpu_tables.gpu_numbers() | learned_costs_tables.score_numbers()
    found |= _peer_numbers() | _alpha_numbers() | _large_graph_numbers()
    return found | _lifted_numbers() | _volume_numbers()


def _peer_numbers() -> dict[str, str]:
    """Return on how many sets of graphs `klj` is how much faster than the peer's."""
    rows = _read("peer_families.json")["families"].values()
    speed_ups = sorted(row["peer_seconds"] / row["seconds"] for row in rows)
    slower = [each for each in speed_ups if each < _TWICE]
    return {
        "sets beside the peer": str(len(speed_ups)),
        "sets as good": str(sum(row["ratio"] >= row["peer_ratio"] for row in rows)),
        "sets twice as fast": str(len(speed_ups) - len(slower)),
        "least speed": f"{slower[0]:.1f}",
        "most speed": f"{slower[-1]:.1f}",
    }


_TWICE = 2


def _large_graph_numbers() -> dict[str, str]:
    """Return what a table of 10⁸ edges took, and what it costs to solve it block by block."""
    sizes = _read("distributed_graphs.json")["sizes"]
    large, run = sizes["323"], sizes["323"]["workers_2"]
    stages = run["stages"]
    solving = sum(spent for name, spent in stages.items() if name.startswith("solve"))
    reading = sum(stages[name] for name in _READING)
    several = [level for level in run["levels"] if level["num_blocks"] > 1]
    passed = sum(stages[f"solve level {number}"] for number in range(len(several)))
    return {
        "edges": f"{large['num_edges'] / 1e6:.1f}",
        "seconds of edges": f"{run['wall']:.0f}",
        "GiB of edges": f"{run['peak']['proportional'] / 2**30:.1f}",
        "seconds of reading": f"{reading:.0f}",
        "seconds of solving": f"{solving:.0f}",
        "seconds of labels": f"{run['wall'] - reading - solving:.0f}",
        "edges of the last problem": f"{run['levels'][-1]['num_edges'] / 1e6:.1f}",
        "work of two": f"{sum(level['seconds'] for level in several) / passed:.1f}",
        "gaec in blocks": _whole(run["objective"]),
        "gaec at once": _whole(large["whole"]["objective"]),
        "loss in blocks": f"{_loss(run, large['whole']):.3f}",
    }


_READING = ("read table", "merge node ids", "sort edges by block", "gather edges")


def _loss(run: dict[str, Any], whole: dict[str, Any]) -> float:
    """Return by how many percent an objective is worse than another one."""
    loss: float = 100 * (run["objective"] - whole["objective"]) / abs(whole["objective"])
    return loss


def _volume_numbers() -> dict[str, str]:
    """Return what the largest volume took."""
    run = _read("blockwise.json")["speed"]["1024"]
    return {
        "seconds of voxels": f"{run['seconds_of_this_call']:.0f}",
        "regions of voxels": f"{run['report']['num_regions']:,}",
        "segments of voxels": f"{run['report']['num_segments']:,}",
        "gap of voxels": f"{100 * run['report']['gap']:.2f}",
    }


def worker_rows() -> list[str]:
    """Return seconds of parallel stages with one worker and with two, the best of two runs each."""
    runs = _read("blockwise.json")["workers"]
    best = {
        (number, stage): min(run["seconds"][stage] for run in runs if run["workers"] == number)
        for number in (1, 2)
        for stage in runs[0]["seconds"]
    }
    return [
        f"| {stage} | {best[1, stage]:.1f} | {best[2, stage]:.1f} "
        f"| {best[1, stage] / best[2, stage]:.2f} |"
        for stage in runs[0]["seconds"]
    ]


def _of_million(solver: str) -> str:
    rows = _read("solvers.json")["rows"]
    (ours,) = (
        row["ours"]
        for row in rows
        if (row["instances"], row["solver"]) == ("RandomMP 1,000,000", solver)
    )
    return _reached(ours["objective"], ours["build_seconds"] + ours["solve_seconds"])


def _reached(objective: float, seconds: float) -> str:
    return f"{_whole(objective)} in {_time(seconds)}"


def _alpha_numbers() -> dict[str, str]:
    """Return the best validation of each of the runs that differ in α."""
    found = {}
    for alpha in ("0.003", "0.005", "0.01"):
        name = f"gcn_w_bn-randommp-decay-then-alpha-{alpha}.csv"
        header, *rows = (RESULTS / "training" / name).read_text(encoding="utf-8").splitlines()
        column = header.split(",").index("objective_ratio")
        found[f"best with {alpha}"] = f"{max(float(row.split(',')[column]) for row in rows):.3f}"
    return found


# Sentences with measured numbers, by the names of `numbers`; line breaks do not matter.
SENTENCES = {
    "docs/auto.md": (
        "on {graphs of the frontier} graphs of {families of the frontier} families",
        "The table shows {graphs of proofs} graphs of all generators",
    ),
    "docs/large-graphs.md": (
        "with {edges} million edges takes {seconds of edges} s from Parquet files",
        "together need {GiB of edges} GiB. Reading and sorting the table takes "
        "{seconds of reading} s, solving {seconds of solving} s, and the rest {seconds of labels} "
        "s. The last problem has {edges of the last problem} million edges",
        "two workers do the work of {work of two}",
        "Block by block, `gaec` reaches {gaec in blocks}, and {gaec at once} at once: it loses "
        "{loss in blocks} %",
    ),
    "docs/examples.md": learned_costs_tables.SENTENCES,
    "docs/learned.md": (
        "`gaec` reaches {gaec at 10⁶}, and `klj` {klj at 10⁶}",
        "| `dual-greedy`, one CPU core | {ratio of dual-greedy} | {ms of dual-greedy} ms each |",
        "Copies on this GPU move {TB of copies} TB per second",
        "Kernels are at work for {ms of kernels, many} of {ms with launches, many} ms, in "
        "{launches, many} launches; for 38,000 edges it is {ms of kernels, few} of "
        "{ms with launches, few} ms, in {launches, few} launches",
        "which took {gaec beside the GPU} ms: the bound of what it can reach was {bound of gaec}",
        "From tensors on the GPU, the largest graph takes {ms from tensors at 10⁷} ms",
    ),
    "docs/lifted.md": (
        "{rows at the target} of {lifted rows} rows are at least 3 times as fast",
        "No row is below {slowest lifted row}",
        "takes {GiB of the lifted problem} GiB as a problem, the package included",
    ),
    "docs/solvers.md": (
        "in the mean on {sets as good} of {sets beside the peer} sets of graphs. It is at least "
        "twice as fast on {sets twice as fast} of them, and {least speed} to {most speed} times as "
        "fast on the others",
    ),
    "docs/training.md": (
        "was {best with 0.005} and {best with 0.01}, and {best with 0.003} with 0.003",
    ),
    "docs/volumes.md": (
        "takes {seconds of voxels} s from disk to disk",
        "{regions of voxels} regions become {segments of voxels} segments, with a gap of "
        "{gap of voxels} %",
    ),
}


def with_numbers(page: str) -> str:
    """Return the text of a page with its tables and sentences as they were measured."""
    text = (ROOT / page).read_text(encoding="utf-8")
    for header, rows in TABLES.get(page, {}).items():
        start = text.index(f"{header}\n|---") + len(header) + 1
        start = text.index("\n", start) + 1
        end = text.index("\n\n", start)
        text = text[:start] + "\n".join(rows()) + text[end:]
    for sentence in SENTENCES.get(page, ()):
        text = _with_sentence(text, sentence, page)
    return text


def _with_sentence(text: str, sentence: str, page: str) -> str:
    found = sentence_pattern(sentence).search(text)
    if found is None:
        raise ValueError(f"{page} lacks the sentence {sentence!r}")
    values = numbers()
    for position, name in reversed(list(enumerate(_NAME.findall(sentence), 1))):
        if found[position].split() != values[name].split():
            text = text[: found.start(position)] + values[name] + text[found.end(position) :]
    return text


_NAME = re.compile(r"\{(.*?)\}")
# A number, or an objective "in" some seconds.
_NUMBER = r"(\N{MINUS SIGN}?\d(?:[\d,.]*\d)?(?:\s+in\s+\d[\d.]*\s+m?s)?)"


def sentence_pattern(sentence: str) -> re.Pattern[str]:
    """Return what finds a sentence on a page, whatever its numbers are."""
    literal = [r"\s+".join(map(re.escape, part.split(" "))) for part in _NAME.split(sentence)[::2]]
    return re.compile(_NUMBER.join(literal))


# Pages, and the tables that they have, by their first line.
TABLES: dict[str, dict[str, Callable[[], list[str]]]] = {
    "README.md": {
        "| instance | solver | time | peer's time | speed-up | objective, peer's |": peer_rows,
    },
    "docs/auto.md": {
        "| solver | mean ratio | worst graph | proven optimal |": frontier_rows,
        "| graphs, once reduced | number | proven | median s |": proof_rows,
    },
    "docs/contraction.md": {
        "| family | `gaec` | KLj from it | `dual-greedy` | `dual-greedy`, best | `klj` |": (
            contraction_rows
        ),
        "| | randommp | grid-2d | point-cloud |": ablation_rows,
    },
    "docs/examples.md": {
        "| costs learned | components | KLj | KLj minus edge-by-edge components, per seed |": (
            learned_costs_tables.score_rows
        ),
    },
    "docs/gpu.md": {
        "| nodes | time limit | took | bound | RAMA PD on the same kind of GPU |": (
            gpu_tables.bound_rows
        ),
    },
    "docs/large-graphs.md": {
        "| graph, solver | blocks | margin 0 | margin 1 | margin 2 (default) | margin 3 |": (
            blockwise_rows
        ),
    },
    "docs/learned.md": {
        "| | ratio | per graph | of the peer's KLj |": on_cpu_rows,
        "| stage | milliseconds | MB at least | of the bandwidth |": gpu_tables.stage_rows,
        "| edges | `effort` | GPU | CPU |": gpu_tables.effort_rows,
    },
    "docs/lifted.md": {
        "| solver | 10⁴ edges | 10⁵ edges | 10⁶ edges | rows at 3 |": lifted_speed_rows,
        "| solver | GiB at most | seconds |": lifted_memory_rows,
    },
    "docs/solvers.md": {
        "| solver | RandomMP, 180 nodes | IrisMP, 20 nodes | images | volume |": quality_rows,
        "| nodes | edges | `gaec` | `klj` | `fusion` |": size_rows,
    },
    "docs/vision.md": {
        "| | segments | variation of information ↓ | adapted Rand error ↓ | boundary F ↑ |": (
            superpixel_rows
        ),
    },
    "docs/volumes.md": {
        "| block | halo | levels | regions | objective, block-wise / at once | gap "
        "| nodes of the last problem | Rand error near faces | elsewhere |": volume_rows,
        "| stage | million voxels per second and processor | GiB per process |": stage_rows,
        "| stage | one worker, s | two workers, s | ratio |": worker_rows,
        "| volume | processor seconds | GiB per process | regions | nodes of the last problem |": (
            estimate_rows
        ),
        "| step, million voxels per second | scikit-image, scipy | bioimage-cpp |": engine_rows,
    },
}
PAGES = tuple(sorted(TABLES.keys() | SENTENCES.keys()))


if __name__ == "__main__":
    for name in PAGES:
        (ROOT / name).write_text(with_numbers(name), encoding="utf-8")
