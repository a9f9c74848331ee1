"""Table 1, on a GPU: how long networks take for the test sets that every machine can draw."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from operator import attrgetter
from typing import TYPE_CHECKING

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, seconds
from multicut.benchmark.ratios import optima_of
from multicut.models import DEFAULT_MODEL, ModelRecord, list_models
from paper.device_parts import measured_devices, open_device, say_if_outdated
from paper.environment import summary
from paper.evaluation_sets import EvaluationSet, easier_of, find_sets
from paper.published import TABLE_1, PublishedRow
from paper.repetition import quickest
from paper.rounding_share import share_of_rounding
from paper.section import Record, Section, bullets, listed, wrapped
from paper.settings import PaperSettings
from paper.table1.processor import PART, cell_key, summarise

if TYPE_CHECKING:
    from multicut.datasets import LabelledProblem

_EXPLANATION = """\
**Networks on a GPU**: seconds for the {graphs} together, beside those of the processor. They are
the best of three repetitions after a warm-up. Forward passes are timed with the graphs on the
device. The total goes from problems in memory to labels in memory, so the way to the GPU and back
is counted. Where a network was trained anew since, the times of its older weights are shown: they
have the same shape, and so the same speed. The published times are of a GPU (Quadro RTX 8000) and
of all five sets. The last columns are the share of rounding: all but forward passes and the way to
the GPU, so with the way back. The paper says of its scalability study that rounding takes 75 to 99
% of the time ([ours](#table-2-growing-graphs)). By the rounded times of its Table 1, all but the
forward pass is 63 % for SGCN trained on RandomMP, and more for the others. {shares}"""


def measure(settings: PaperSettings) -> None:
    """Fill the cache of the device."""
    store = open_device(settings, PART)
    for chosen in _drawn_sets():
        problems = cache(partial(_load, chosen, settings.num_graphs))
        for record in _networks():
            settings.report(f"{record.name} on {chosen.name}, {settings.device}")
            work = partial(_predict, record, problems, settings.device)
            store.get(_key(settings, record, chosen), work)


def _drawn_sets() -> list[EvaluationSet]:
    """Return the sets that are drawn from seeds; they need no files."""
    return find_sets(None)


def _networks() -> list[ModelRecord]:
    return [record for record in list_models() if record.name in (*TABLE_1, DEFAULT_MODEL)]


def _key(settings: PaperSettings, record: ModelRecord, chosen: EvaluationSet) -> str:
    weights = record.card["sha256"][:8]
    return f"{record.name} {weights}, {chosen.name}, {settings.num_graphs} graphs"


def _stored(
    store: Cache, settings: PaperSettings, record: ModelRecord, chosen: EvaluationSet
) -> Cell | None:
    """Return the cell of a network, else that of older weights, which take as long."""
    cell = store.cells.get(_key(settings, record, chosen))
    if cell is not None:
        return cell
    end = f", {chosen.name}, {settings.num_graphs} graphs"
    older = [
        each
        for key, each in store.cells.items()
        if key.startswith(f"{record.name} ") and key.endswith(end)
    ]
    return older[-1] if older else None


def _load(chosen: EvaluationSet, most: int) -> list[LabelledProblem]:
    return list(chosen.load()[:most])


def _predict(
    record: ModelRecord, problems: Callable[[], list[LabelledProblem]], device: str
) -> Cell:
    from multicut.models import load_model
    from paper.inference import predict

    model, graphs = load_model(record.name, device), problems()
    found = quickest(
        lambda: predict(model, graphs), attrgetter("total_seconds"), warm_up=device != "cpu"
    )
    return summarise(found.objectives, optima_of(graphs)) | {
        "seconds": found.total_seconds,
        "transfer_seconds": found.transfer_seconds,
        "forward_seconds": found.forward_seconds,
    }


def render_devices(
    section: Section, settings: PaperSettings, processor: Cache, sets: Sequence[EvaluationSet]
) -> None:
    """Add a table of times on each device, beside those of the processor on the same sets."""
    drawn = [chosen for chosen in sets if chosen.name in {s.name for s in _drawn_sets()}]
    for device, store in measured_devices(settings, PART).items():
        texts, records = [], []
        for record in _networks():
            here = [_stored(store, settings, record, chosen) for chosen in drawn]
            there = [processor.cells.get(cell_key(settings, record, chosen)) for chosen in drawn]
            if None in here:
                continue
            published = TABLE_1.get(record.name)
            times = {
                "forward_seconds": _sum(here, "forward_seconds"),
                "total_seconds": _sum(here, "seconds"),
                "processor_forward_seconds": _sum(there, "forward_seconds"),
                "processor_total_seconds": _sum(there, "seconds"),
                "published_forward_seconds": None
                if published is None
                else published.forward_seconds,
                "published_total_seconds": None if published is None else published.total_seconds,
            }
            transfer = _sum(here, "transfer_seconds")
            shares = {
                f"{place}share_of_rounding": share_of_rounding(
                    times[f"{place}forward_seconds"],
                    times[f"{place}total_seconds"],
                    0.0 if place else transfer,
                )
                for place in ("", "processor_", "published_")
            }
            if not times["published_forward_seconds"]:
                shares["published_share_of_rounding"] = None  # 0.0 may be up to 0.05
            is_older = any(_key(settings, record, each) not in store.cells for each in drawn)
            which = {"solver": record.name, "device": device, "has_older_weights": is_older}
            which["easier_sets"] = easier_of(chosen.name for chosen in drawn)
            records.append({**which, **times, "transfer_seconds": transfer, **shares})
            texts.append(
                [
                    f"`{record.name}`" + (", older weights" if is_older else ""),
                    *(seconds(value) for value in times.values()),
                    *(_share_text(each) for each in list(shares.values())[:2]),
                    _published_share(published),
                ]
            )
        if not records:
            wanted = [_key(settings, record, each) for record in _networks() for each in drawn]
            say_if_outdated(section, PART, device, store, wanted)
            continue
        graphs = listed([f"{settings.num_graphs:,} {chosen.title}" for chosen in drawn])
        shares_here = _say_shares(records)
        text = _EXPLANATION.format(graphs=f"{graphs} graphs", shares=shares_here)
        section.write(wrapped(text), bullets([f"{device}: {summary(store.environment)}"]))
        columns = ["network"]
        for place in (device, "cpu", "published"):
            columns += [f"forward s, {place}", f"total s, {place}"]
        columns += [f"rounding, {place}" for place in (device, "cpu", "published")]
        section.tabulate(f"table1_{device}", records, columns, texts)


def _share_text(share: float | None) -> str:
    return MISSING if share is None else f"{share:.0%}"


def _published_share(row: PublishedRow | None) -> str:
    """Say what share of a published time is rounding; a forward pass of 0.0 s may be 0.05 s."""
    if row is None or row.forward_seconds is None or row.total_seconds is None:
        return MISSING
    if row.forward_seconds == 0:
        return f"over {math.floor(100 * (1 - 0.05 / row.total_seconds))}%"
    return _share_text(1 - row.forward_seconds / row.total_seconds)


def _say_shares(records: Sequence[Record]) -> str:
    """Say how much of the time rounding takes here, for networks with layers."""
    shares = [
        each["share_of_rounding"]
        for each in records
        if not each["solver"].startswith(("lr-", "mlp-")) and each["share_of_rounding"] is not None
    ]
    if not shares:
        return ""
    return f"Here it is {min(shares):.0%} to {max(shares):.0%} for networks with layers."


def _sum(cells: Sequence[Cell | None], key: str) -> float | None:
    known = [cell[key] for cell in cells if cell is not None]
    return sum(known) if len(known) == len(cells) else None
