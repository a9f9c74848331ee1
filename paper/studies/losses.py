"""Losses with and without edge weights and batch normalisation, beside the ratios they lead to."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from multicut.benchmark.markdown import MISSING, ratio
from paper.evaluation_sets import EASIER, column_title
from paper.runs.curves import Run
from paper.section import Record, Section, bullets, listed, wrapped
from paper.studies.ablation_figures import training_losses
from paper.studies.variants import Variant, configuration_of, name_of, variant_of

#: By family: plain, with edge weights, and with batch normalisation as well.
LOSSES: dict[str, tuple[Variant, Variant, Variant]] = {
    "GCN": (("gcn", False), ("gcn_w", False), ("gcn_w", True)),
    "SGCN": (("sgcn", False), ("sgcn_w", False), ("sgcn_w", True)),
    "GIN0": (("gin0", False), ("gin0_w", False), ("gin0_w", True)),
}
_SETS = ("IrisMP", "RandomMP")
_EXPLANATION = """\
**Losses** with and without edge weights and batch normalisation. The table has the least cross
entropy in training and on validation graphs of {trained_on}. Objective ratios are of the network
that validation chose. Of the longer runs of `configs/published` only the beginning without
CCL counts, whose network was not tested. The figure shows training above and validation below, as
panels (a) to (f) of the paper's figure do, on easier graphs."""
_CLAIM = """\
The paper says that variants with edge features reach lower losses than those without. Here, without
batch normalisation:"""


@dataclass(frozen=True)
class Loss:
    """What is recorded of a network: its run, losses in training by instances, least losses."""

    run: Run
    training: dict[float, float]
    least_training: float | None
    least: float | None


def losses_of(run: Run, folder: Path) -> Loss:
    """Return the losses of a run, those in training from the folder with all records."""
    training = {1e3 * thousands: loss for thousands, loss in training_losses(run, folder)}
    validation = [row["bce"] for row in run.rows]
    return Loss(run, training, _least(training.values()), _least(validation))


def _least(losses: Iterable[float]) -> float | None:
    # A network for which signed degrees are no degrees may have no loss at all.
    return min(filter(math.isfinite, losses), default=None)


def write_losses(section: Section, variants: Mapping[Variant, Sequence[Run]], folder: Path) -> None:
    """Add the table, and which half of the paper's claim holds."""
    section.write(wrapped(_EXPLANATION.format(trained_on=column_title("IrisMP"))))
    found = {
        each: losses_of(variants[each][0], folder)
        for wanted in LOSSES.values()
        for each in wanted
        if variants.get(each)
    }
    texts: list[list[str]] = []
    records: list[Record] = []
    for family, wanted in LOSSES.items():
        for each in wanted:
            loss = found.get(each)
            texts.append([name_of(each), *_texts(loss)])
            records.append(_record(family, each, loss))
    losses = ("least loss, training", "validation")
    columns = ("network", "run", "instances", *losses, *map(column_title, _SETS))
    section.tabulate("losses", records, columns, texts, 2)
    pairs = [
        (found[plain], found[weighted])
        for plain, weighted, _ in LOSSES.values()
        if plain in found and weighted in found
    ]
    if pairs:
        section.write(_CLAIM, bullets(list(itertools.starmap(_compared, pairs))))


def _texts(loss: Loss | None) -> list[str]:
    if loss is None:
        return ["not trained", *[""] * (3 + len(_SETS))]
    run = loss.run
    least = [loss.least_training, loss.least]
    tested = [ratio(run.tested.get(name)) for name in _SETS]
    return [
        f"`{configuration_of(run)}`",
        f"{run.planned_instances:,}",
        *map(loss_text, least),
        *tested,
    ]


def loss_text(loss: float | None) -> str:
    """Format a loss; only small ones have digits behind the point."""
    if loss is None:
        return MISSING
    return f"{loss:.4f}" if loss < 10 else f"{loss:,.0f}"


def _record(family: str, variant: Variant, loss: Loss | None) -> Record:
    architecture, batch_norm = variant
    run = None if loss is None else loss.run
    tested = {} if run is None else run.tested
    return {
        "family": family,
        "architecture": architecture,
        "batch_norm": batch_norm,
        "validated_on": "IrisMP",
        "is_easier": "IrisMP" in EASIER,
        "run": None if run is None else run.name,
        "configuration": None if run is None else configuration_of(run),
        "instances": None if run is None else run.planned_instances,
        "least_training_bce": None if loss is None else loss.least_training,
        "least_bce": None if loss is None else loss.least,
        **{f"test_{name.lower()}": tested.get(name) for name in _SETS},
    }


def _compared(plain: Loss, weighted: Loss) -> str:
    """Say how a network with edge weights compares with the plain one."""
    name, other = (name_of(variant_of(loss.run)) for loss in (weighted, plain))
    losses = [
        f"{'lower' if ours < theirs else 'higher'} {where} "
        f"({loss_text(ours)} against {loss_text(theirs)})"
        for where, ours, theirs in (
            ("in training", weighted.least_training, plain.least_training),
            ("on validation graphs", weighted.least, plain.least),
        )
        if ours is not None and theirs is not None
    ]
    tested = [
        (test_set, weighted.run.tested[test_set], plain.run.tested[test_set])
        for test_set in _SETS
        if test_set in weighted.run.tested and test_set in plain.run.tested
    ]
    ratios = [
        f"{'higher' if ours > theirs else 'lower'} on {column_title(test_set)} "
        f"({ratio(ours)} against {ratio(theirs)})"
        for test_set, ours, theirs in tested
    ]
    text = f"{name} against {other}:"
    if losses:
        text += f" the least loss is {listed(losses)}.{_overtaking(weighted, plain)}"
    if ratios:
        text += f" The objective ratio is {listed(ratios)}."
    return text


def _overtaking(weighted: Loss, plain: Loss) -> str:
    """Say from when on the loss in training is lower, if it is so only in the end."""
    shared = sorted(weighted.training.keys() & plain.training.keys())
    begin = None
    for instances in reversed(shared):
        if weighted.training[instances] >= plain.training[instances]:
            break
        begin = instances
    if begin is None or begin == shared[0]:
        return ""
    return (
        f" In training it is lower from {begin:,.0f} instances on "
        f"({loss_text(weighted.training[begin])} against {loss_text(plain.training[begin])} there)."
    )
