"""How large states of nodes are after each layer of new networks: why some losses explode."""

from __future__ import annotations

from multicut.benchmark.cache import Cell
from paper.evaluation_sets import EASIER, column_title
from paper.section import Record, Section, wrapped

KEY = "states of new networks, IrisMP"
_ARCHITECTURES = ("gcn", "gcn_w", "sgcn", "sgcn_w", "gin0", "gin0_w")
_DEPTHS = (1, 2, 4, 8, 12)
_GRAPHS = "IrisMP"
_NUM_GRAPHS = 50
_EXPLANATION = """\
**Sizes of states** at the start of training may explain the losses without batch normalisation. The
table has the root mean square of the states of nodes after a layer of a new network, on {graphs}.
GIN adds up the states of 19 neighbours on average, times costs in GIN0_W, so states grow in each
layer, and faster with costs. SGCN_W divides by the number of neighbours, but not by their costs.
Only GCN_W divides by the sum of absolute costs. Batch normalisation keeps all of them at one size.
Size alone does not decide: the states of GIN0 grow as well, but its loss becomes far lower than
that of GIN0_W. The paper does not say how its networks without batch normalisation were
initialised. Another initialisation was not tried."""


def measure_growth() -> Cell:
    """Return the root mean square of states, by architecture, batch normalisation and depth."""
    import torch

    from multicut.datasets import open_dataset
    from multicut.nn.batch import GraphBatch
    from multicut.nn.config import NetworkConfig
    from multicut.nn.network import MulticutNetwork

    batch = GraphBatch.from_problems(list(open_dataset(_GRAPHS.lower(), "valid")[:_NUM_GRAPHS]))
    rows = []
    for architecture in _ARCHITECTURES:
        for batch_norm in (False, True):
            for depth in _DEPTHS:
                torch.manual_seed(0)
                config = NetworkConfig(architecture, depth=depth, batch_norm=batch_norm)
                network = MulticutNetwork(config).train()
                with torch.no_grad():
                    size = float(network.embed(batch).square().mean().sqrt())
                record: Record = {"architecture": architecture, "batch_norm": batch_norm}
                rows.append({**record, "depth": depth, "size": size})
    return {"rows": rows}


def write_growth(section: Section, cell: Cell) -> None:
    """Add the table, and what it says of the losses."""
    section.write(wrapped(_EXPLANATION.format(graphs=column_title(_GRAPHS))))
    sizes = {(row["architecture"], row["batch_norm"], row["depth"]): row for row in cell["rows"]}
    texts = [
        [
            f"`{architecture}`",
            "yes" if batch_norm else "no",
            *(f"{sizes[architecture, batch_norm, depth]['size']:.3g}" for depth in _DEPTHS),
        ]
        for architecture in _ARCHITECTURES
        for batch_norm in (False, True)
    ]
    columns = ["network", "batch norm.", *(f"layer {depth}" for depth in _DEPTHS)]
    graphs = {"graphs": _GRAPHS, "is_easier": _GRAPHS in EASIER}
    records = [graphs | row for row in cell["rows"]]
    section.tabulate("state_sizes", records, columns, texts, 2)
