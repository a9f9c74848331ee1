"""Table 2 as it is shown: solvers of all devices, each beside what was published."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from multicut.benchmark.cache import Cache, Cell
from multicut.benchmark.markdown import MISSING, milliseconds
from multicut.models import DEFAULT_MODEL, list_models
from paper.device_parts import measured_devices, say_if_outdated
from paper.environment import summary
from paper.published import TABLE_2
from paper.section import Record, Section, bullets, listed, wrapped
from paper.settings import PaperSettings
from paper.table1.entries import selected_on
from paper.table2.device import ENTRANTS
from paper.table2.findings import share_of, write_bounded, write_rounding
from paper.table2.processor import (
    BOUNDED_BY_GPU,
    CLASSICAL,
    NETWORK,
    PART,
    bounded_key,
    classical_key,
    gpu_seconds,
    network_key,
)

_EXPLANATION = """\
Milliseconds / objective on one RandomMP graph of each number of nodes. The published graphs were
others of the same kind, and the published network ran on a GPU (Quadro RTX 8000). `out of time`
means stopped after {limit:g} s (published: 24 h), with the best objective until then. Times are the
best of three repetitions, or of fewer where one takes over a second. {network}{late}"""
_NETWORK = """\
`gnn` is one pass of `{model}` and the paper's rounding. That network was trained on RandomMP and
selected on validation graphs of {families}."""
_DEVICES = """\
On a GPU, times go from a problem in the memory of the host to labels there. The way to the GPU and
back is counted, a warm-up is not; `transfer_seconds` in `results.json` is the way there. `gnn`
computes in float32. `nn.partition` is the network `universal`, eight rounds in bfloat16, and moves
of nodes, all on the GPU. `learned` is the solver as it is by default on a machine with a GPU:
without a network. It takes the GPU from 500,000 edges on, and with `fastest` from 100,000 on.
Smaller graphs are solved on the processor, where `balanced` and `best` search for
longer.{quicker}"""

# Where the time was measured that GAEC is given.
_GPU = "cuda"


@dataclass(frozen=True)
class _Row:
    """A solver on a device, and its cells in the order of the sizes."""

    solver: str
    setting: str
    device: str
    cells: list[Cell | None]

    @property
    def title(self) -> str:
        """What the first column says."""
        return f"`{self.solver}`" + (f", {self.setting}" if self.setting else "")


def render(settings: PaperSettings) -> Section:
    """Return the section of the page."""
    section = Section()
    store = settings.open_cache(PART)
    text = _EXPLANATION.format(
        limit=settings.time_limit, network=_network(), late=_late(settings, store)
    )
    section.write(wrapped(text))
    devices = measured_devices(settings, PART)
    rows = _processor_rows(settings, store)
    for device, other in devices.items():
        found = _device_rows(settings, device, other)
        rows += found
        known = {entrant.key(size) for entrant in ENTRANTS for size in settings.sizes}
        say_if_outdated(section, PART, device, other, known)
    if any(row.device != "cpu" for row in rows):
        section.write(wrapped(_DEVICES.format(quicker=_quicker(settings, rows))))
    places = {"cpu": store} | devices
    section.write(bullets([f"{name}: {summary(c.environment)}" for name, c in places.items()]))
    columns = ["solver", "device", *(f"{size:,}" for size in settings.sizes)]
    section.tabulate(
        PART,
        [record for row in rows for record in _records(settings, row)],
        columns,
        _with_published(settings, rows),
        2,
    )
    cells = {(row.solver, row.device): _by_size(settings, row) for row in rows if not row.setting}
    networks = {device: each for (name, device), each in cells.items() if name == NETWORK}
    write_rounding(section, networks)
    if _GPU in networks and (BOUNDED_BY_GPU, "cpu") in cells:
        bounded, gaec = cells[BOUNDED_BY_GPU, "cpu"], cells["gaec", "cpu"]
        write_bounded(section, _GPU, bounded, gaec, networks[_GPU])
    return section


def _by_size(settings: PaperSettings, row: _Row) -> dict[int, Cell]:
    found = dict(zip(settings.sizes, row.cells, strict=True))
    return {size: cell for size, cell in found.items() if cell is not None}


def _network() -> str:
    """Say which network the table is of, and how it was selected."""
    record = next((record for record in list_models() if record.name == DEFAULT_MODEL), None)
    if record is None:
        return ""
    families = listed(selected_on(record), "its own training set")
    return _NETWORK.format(model=record.name, families=families)


def _late(settings: PaperSettings, store: Cache) -> str:
    """Name the sizes on which our ILP runs out of its time and the published one did not."""
    cells = {size: store.cells.get(classical_key(settings, "ilp", size)) for size in settings.sizes}
    late = [
        f"{size:,}"
        for size, cell in cells.items()
        if cell is not None and cell["out_of_time"] and TABLE_2.get(size, {}).get("ilp")
    ]
    if not late:
        return ""
    return f" `ilp` is out of time on {listed(late)} nodes, where the published ILP was not."


def _quicker(settings: PaperSettings, rows: Sequence[_Row]) -> str:
    """Name the rows that take less time on the largest graph than on the one before."""
    names = []
    for row in rows:
        before, last = (cell and cell.get("seconds") for cell in [None, None, *row.cells][-2:])
        if row.solver == "learned" and before and last and last < before:
            names.append(row.title.removeprefix("`learned`, "))
    if not names:
        return ""
    sizes = settings.sizes
    return (
        f" With {listed([f'`{name}`' for name in names])}, {sizes[-1]:,} nodes therefore take less "
        f"time than {sizes[-2]:,}."
    )


def _processor_rows(settings: PaperSettings, store: Cache) -> list[_Row]:
    sizes = settings.sizes
    rows = [
        _Row(name, "", "cpu", [store.cells.get(classical_key(settings, name, s)) for s in sizes])
        for name in CLASSICAL
    ]
    limits = [(size, gpu_seconds(settings, size)) for size in sizes]
    bounded = [
        None if limit is None else store.cells.get(bounded_key(size, limit))
        for size, limit in limits
    ]
    if any(bounded):
        rows.insert(1, _Row(BOUNDED_BY_GPU, "", "cpu", bounded))
    cells = [store.cells.get(network_key(size)) for size in sizes]
    return [*rows, _Row(NETWORK, "", "cpu", cells)]


def _device_rows(settings: PaperSettings, device: str, store: Cache) -> list[_Row]:
    rows = [
        _Row(e.solver, e.setting, device, [store.cells.get(e.key(size)) for size in settings.sizes])
        for e in ENTRANTS
    ]
    return [row for row in rows if any(cell is not None for cell in row.cells)]


def _with_published(settings: PaperSettings, rows: Sequence[_Row]) -> list[list[str]]:
    """Format rows solver by solver, on all devices, and the published one below."""
    texts: list[list[str]] = []
    for solver in dict.fromkeys(row.solver for row in rows):
        texts += [
            [row.title, row.device, *(_text(cell) for cell in row.cells)]
            for row in rows
            if row.solver == solver
        ]
        if any(solver in TABLE_2.get(size, {}) for size in settings.sizes):
            place = "GPU" if solver == NETWORK else ""
            values = [_published(size, solver) for size in settings.sizes]
            texts.append(["  published", place, *values])
    return texts


def _text(cell: Cell | None) -> str:
    if cell is None:
        return MISSING
    if cell.get("out_of_memory"):
        return "out of memory"
    time = "out of time" if cell["out_of_time"] else milliseconds(cell["seconds"])
    if cell["out_of_time"] and "time_limit" in cell:
        time = f"stopped after {milliseconds(cell['time_limit'])}"
    return f"{time} / {cell['objective']:,.0f}"


def _published(size: int, solver: str) -> str:
    row = TABLE_2.get(size, {})
    if solver not in row:
        return ""
    value = row[solver]
    return "out of time" if value is None else f"{value[0]:,.0f} / {value[1]:,.0f}"


def _records(settings: PaperSettings, row: _Row) -> list[Record]:
    records = []
    for size, cell in zip(settings.sizes, row.cells, strict=True):
        if cell is None:
            continue
        published = TABLE_2.get(size, {}).get(row.solver)
        records.append(
            {
                "num_nodes": size,
                "solver": row.solver,
                "setting": row.setting or None,
                "device": row.device,
                **cell,
                "share_of_rounding": share_of(cell),
                "published_seconds": None if published is None else published[0] / 1000,
                "published_objective": None if published is None else published[1],
                "published_out_of_time": row.solver in TABLE_2.get(size, {}) and published is None,
            }
        )
    return records
