"""What CCL does to each shipped network: finetuned with several weights, and without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from multicut.benchmark.markdown import MISSING, ratio
from paper.evaluation_sets import EASIER, column_title
from paper.runs.curves import MEASURES, Run, note_on_precision
from paper.section import Record, Section, listed, wrapped

_KINDS = {
    "none": "0, the control",
    "0.001": "0.001",
    "0.01": "0.01",
    "all-0.01": "0.01, Eq. 9 as printed",
}
_PUBLISHED_ALPHA = 0.01
_READINGS = {"cut": "the condition that e is cut", "all": "Eq. 9 as printed"}
# The runs of GCN_W_BN, the proposed network, do not name it.
_NETWORKS = {
    "": "GCN_W_BN",
    "gin0_w_bn-": "GIN0_W_BN",
    "sgcn_w_bn-": "SGCN_W_BN",
    "gt-": "GT",
    "rggcn_he-": "RGGCN_HE",
}
_TRAIN, _TITLE = "irismp", "IrisMP"
_EXPLANATION = """\
**Alpha by network.** These runs finetune shipped networks that were trained on {train}: {networks}.
{absent}{precision}Alpha rises from 0 over 30,000 instances and is held for 30,000, at the
published learning rate. Objectives are ratios on the 1,000 validation graphs. The first row of a
network is where its runs start. These networks have seen CCL before, with the alpha of
[Table 1](#table-1-objective-ratios-and-runtimes). *Best* is the greatest objective of the run."""


def write_table(section: Section, runs: Mapping[str, Run]) -> None:
    """Add the table, if there are such runs.

    Parameters
    ----------
    section
        Where it goes.
    runs
        The recorded readings by name.
    """
    texts: list[list[str]] = []
    records: list[Record] = []
    recorded: dict[str, list[str]] = {}
    shown: list[Run] = []
    for prefix, network in _NETWORKS.items():
        found = {
            kind: runs[name]
            for kind in _KINDS
            if (name := f"{_TRAIN}-{prefix}from-shipped-{kind}") in runs
        }
        recorded[network] = list(found)
        shown += found.values()
        texts += _texts(network, found)
        for run in found.values():
            record: Record = {"train": _TRAIN, "is_easier": _TITLE in EASIER, "network": network}
            record |= {"run": run.name, "alpha": run.settings["alpha"]}
            record |= {"ccl_edges": run.settings["ccl_edges"]}
            record |= {f"before_{each}": (run.before or {}).get(each) for each in MEASURES}
            record |= {"best": run.best["objective_ratio"]}
            records.append({**record, **{each: run.last[each] for each in MEASURES}})
    if not records:
        return
    text = _EXPLANATION.format(
        train=column_title(_TITLE),
        networks=listed([network for network, kinds in recorded.items() if kinds]),
        absent=_absent(recorded),
        precision=note_on_precision(shown),
    )
    section.write(wrapped(text))
    columns = ["network", "alpha", "feasible, last", "optimal, last", "objective, last", "best"]
    section.tabulate("alpha_by_network", records, columns, texts, 2)
    sentences = _sentences(records)
    if sentences:
        section.write(wrapped(" ".join(sentences)))


def _absent(recorded: Mapping[str, Sequence[str]]) -> str:
    """Name the networks of which no run, or not each of them, is recorded."""
    none = [network for network, kinds in recorded.items() if not kinds]
    texts = [f"Such runs of {listed(none)} are not recorded. "] if none else []
    for network, kinds in recorded.items():
        lacking = [f'"{name}"' for kind, name in _KINDS.items() if kind not in kinds]
        if kinds and lacking:
            texts.append(f"Of {network}, {listed(lacking)} {_is_or_are(lacking)} not recorded. ")
    return "".join(texts)


def _is_or_are(names: Sequence[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _texts(network: str, found: Mapping[str, Run]) -> list[list[str]]:
    """Return the rows of one network: where its runs start, and where they end; none without."""
    rows = []
    start = next(filter(None, (run.before for run in found.values())), None)
    if start is not None:
        rows.append([network, "start", *(ratio(start[each]) for each in MEASURES), MISSING])
    for kind, run in found.items():
        values = (ratio(run.last[each]) for each in MEASURES)
        rows.append([network, _KINDS[kind], *values, ratio(run.best["objective_ratio"])])
    return rows


def _sentences(records: Sequence[Record]) -> list[str]:
    """Say in how many networks the published alpha has the published effects, by reading."""
    controls = {each["network"]: each for each in records if each["alpha"] == 0}
    sentences = []
    for edges, reading in _READINGS.items():
        pairs = [
            (each, controls[each["network"]])
            for each in records
            if each["alpha"] == _PUBLISHED_ALPHA
            and each["ccl_edges"] == edges
            and each["network"] in controls
        ]
        if not pairs:
            continue
        losses = [control["objective_ratio"] - run["objective_ratio"] for run, control in pairs]
        num_better = sum(loss < 0 for loss in losses)
        num_as_published = sum(_is_as_published(*pair) for pair in pairs)
        sentences.append(
            f"With alpha = 0.01 and {reading}, the last objective is above that of the control in "
            f"{num_better} of {len(pairs)} networks. All three published effects hold in "
            f"{num_as_published}."
        )
        if max(losses) > 0:
            sentences[-1] += f" The largest loss is {max(losses):.3f}."
    return sentences


def _is_as_published(run: Record, control: Record) -> bool:
    """Whether more graphs are feasible, fewer optimal, and the objective is better."""
    rises = {each: run[each] - control[each] for each in MEASURES}
    more_feasible, fewer_optimal = rises["feasible_ratio"] > 0, rises["optimal_ratio"] < 0
    return bool(more_feasible and fewer_optimal and rises["objective_ratio"] > 0)
