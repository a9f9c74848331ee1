"""
The native core of multicut; use the package's Python interface instead.
"""

from collections.abc import Callable, Iterable, Sequence
import enum
from typing import Annotated

import numpy
from numpy.typing import NDArray


class Graph:
    """An undirected simple graph; immutable."""

    @property
    def num_nodes(self) -> int: ...

    @property
    def num_edges(self) -> int: ...

    def edges(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
        """The ends of each edge, as a new array."""

def simplify(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int | None = None, prefix: str = '') -> tuple[Graph, Annotated[NDArray[numpy.float64], dict(shape=(None,))] | None, Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None, Annotated[NDArray[numpy.int32], dict(shape=(None,))] | None, int, int]:
    """
    Validate edges and make them simple: (graph, costs, node_ids, edge_of_input, num_self_loops, num_duplicates), with None for what did not change. Messages put `prefix` before the names of the arguments.
    """

def find_contradiction(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int | None:
    """
    An edge of cost -inf whose ends are joined by edges of cost +inf, or None.
    """

def canonical_labels(labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Labels renumbered to 0 … k−1 in order of first appearance."""

def evaluate(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.bool_], dict(shape=(None,))]]:
    """The objective of a labelling, and which edges it cuts."""

def cut_edges(graph: Graph, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]:
    """Which edges join different labels."""

def connected_components(graph: Graph, cut: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """Canonical labels of the components that the edges not in `cut` span."""

def grow_sets(parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], sizes: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], u: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], v: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, least_cost: float, most: int) -> None:
    """
    Join the sets of the ends of each edge, in order, if they have at most `most` nodes together.
    """

def finish_sets(parents: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]) -> None:
    """Replace the parent of each node by what represents its set."""

def evaluate_lifted(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[float, Annotated[NDArray[numpy.bool_], dict(shape=(None,))], Annotated[NDArray[numpy.bool_], dict(shape=(None,))]]:
    """
    The objective of a labelling whose clusters that are not connected are split first, and which edges and lifted edges it cuts.
    """

def find_lifted_contradiction(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[int, int, bool] | None:
    """
    Nodes u and v whose constraints contradict each other, or None. If the third value is true, they are must-linked, but no path without cannot-links joins them; otherwise they are cannot-linked, but must-links join them.
    """

def trivial_lifted_partition(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The best partition that needs no search: single nodes or what must-links make of them, the components of attractive edges, or those of the graph without cannot-links.
    """

class Solution:
    """What a native solver found."""

    @property
    def labels(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def cut(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))]: ...

    @property
    def lifted_cut(self) -> Annotated[NDArray[numpy.bool_], dict(shape=(None,))] | None: ...

    @property
    def trace(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None, None))]: ...

    @property
    def num_clusters(self) -> int: ...

    @property
    def objective(self) -> float: ...

    @property
    def lower_bound(self) -> float | None: ...

    @property
    def seconds(self) -> float: ...

    @property
    def stopped_by(self) -> str: ...

class Task:
    """A solver and the problem that it is to solve."""

    def run(self, *, time_limit: float = float('inf'), callback: Callable | None = None, every_improvement: bool = True, is_interrupted: Callable | None = None) -> Solution:
        """
        Solve the problem; the callback hears of every improvement, or only now and then. `is_interrupted` is asked whether Ctrl-C was pressed, also before there is a partition.
        """

def run_all(tasks: Iterable[Task], *, num_threads: int, time_limit: float = float('inf'), total_time_limit: float = float('inf'), callback: Callable | None = None) -> list[Solution]:
    """
    Solve many problems side by side; the time limits are of each and of all together. The callback hears NaN for the objective; if it is true, that counts as an interrupt.
    """

def gaec(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Task:
    """
    Greedy additive edge contraction, of nodes or of the clusters of `initial` labels.
    """

def gaec_prefix(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], groups: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: float, *, num_threads: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Clusters that gaec joins, for sure, while it finds edges of at least `threshold`; no two groups may attract each other by so much.
    """

def dual_greedy(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, share: float, cost_weight: float, triangle_sweeps: int, square_sweeps: int, num_threads: int = 1, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Task:
    """
    Greedy contraction by what a packing of short cycles leaves of each cost; with the packing's lower bound, unless it starts from `initial` labels.
    """

def quick_dual_greedy(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, num_threads: int = 1) -> Task:
    """The contraction that klj starts from beside gaec."""

def greedy_fixation(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Task:
    """Greedy fixation, of nodes or of the clusters of `initial` labels."""

def klj(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, max_rounds: int, patience: int, largest_loss: float, chain_patience: int, chain_loss: float, num_threads: int = 1, checks_initial: bool = True) -> Task:
    """
    Kernighan-Lin with joins, from `initial` labels or a greedy start. Labels that a solver found need no check whether clusters are connected and constraints are met.
    """

def fusion(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, seed: int, max_proposals: int, patience: int, noise: float, num_threads: int, reduces: bool, checks_initial: bool = True) -> Task:
    """
    Fusion moves, from KLj; on the reduced problem if it `reduces`, which ignores `initial`.
    """

def memetic(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, seed: int, max_rounds: int, patience: int, noise: float, num_threads: int, reduces: bool, checks_initial: bool = True) -> Task:
    """
    Populations of partitions, from KLj; on the reduced problem if it `reduces`, which ignores `initial`.
    """

def trivial_partition(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Solution:
    """
    The best partition that needs no search: meets all constraints, costs no more than single nodes do, and without cannot-links no more than 0.
    """

def seconds_to_guide(graph: Graph) -> float:
    """How much time has to be left for dual_greedy to be worth its while."""

def better_regions(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], other: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, is_interrupted: Callable | None = None) -> Solution:
    """
    The better of two partitions in each region that is closed under both; the first one if Ctrl-C was pressed, which `is_interrupted` tells.
    """

class Linkage(enum.Enum):
    """What the costs between two clusters amount to."""

    SUM = 0

    AVERAGE = 1

    MAX_ABS = 2

    MIN = 3

    MAX = 4

def gasp(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, linkage: Linkage, cannot_links: bool) -> Task:
    """Signed agglomeration."""

def mutex_watershed(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Task:
    """Mutex watershed."""

def lifted_mutex_watershed(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Task:
    """
    Mutex watershed in which repulsive lifted edges forbid joins; attractive ones have no effect.
    """

def lifted_gaec(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Task:
    """
    Greedy additive edge contraction of a lifted problem, of nodes or of the clusters of `initial` labels.
    """

def lifted_greedy_fixation(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> Task:
    """
    Greedy fixation of a lifted problem, of nodes or of the clusters of `initial` labels.
    """

def lifted_klj(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, max_rounds: int, patience: int, largest_loss: float, chain_patience: int, chain_loss: float) -> Task:
    """
    Kernighan-Lin with joins of a lifted problem, from `initial` labels or a greedy start.
    """

def lifted_fusion(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], lifted_graph: Graph, lifted_costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, initial: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None, seed: int, max_proposals: int, patience: int, noise: float, num_threads: int) -> Task:
    """Fusion moves of a lifted problem, from KLj."""

def parse_edge_text(text: bytes, *, comment_marks: str, separator: str, num_columns: int, u_column: int = 0, v_column: int = 1, cost_column: int | None = 2, header_rows: int = 0, has_names: bool = False, lifted_column: int | None = None) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], int | None, Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None, list | None, Annotated[NDArray[numpy.bool_], dict(shape=(None,))] | None]:
    """
    Edges from lines of text: (edges, costs, num_nodes, node_ids, names, lifted); num_nodes and node_ids from comments that multicut writes, else None. With names, edges are positions in that list. ValueError(line, message) on bad text.
    """

def split_row(row: bytes, separator: str) -> list[str]:
    """
    The cells of one line of UTF-8 text, without quotes and blanks around them.
    """

def format_edge_text(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, separator: str, ending: str | None = None) -> bytes:
    """
    One line per edge; doubles in their shortest exact form. An `ending` of one character is a column more.
    """

def parse_number_text(text: bytes) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], int | None, Annotated[NDArray[numpy.int64], dict(shape=(None,))] | None]:
    """Numbers from text: (values, num_nodes, node_ids), as parse_edge_text."""

def format_number_rows(values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], row_lengths: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> bytes:
    """
    Numbers in rows of the given lengths; doubles in their shortest exact form.
    """

class Reduced:
    """A smaller problem with the same optimum."""

    @property
    def node_of_input(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]: ...

    @property
    def graph(self) -> Graph: ...

    @property
    def costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

    @property
    def offset(self) -> float: ...

    @property
    def error(self) -> float: ...

    @property
    def seconds(self) -> float: ...

    @property
    def stopped_by(self) -> str: ...

def separate_cycles(graph: Graph, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, time_limit: float = float('inf'), num_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Violated cycle inequalities: (offsets, edges); the first edge of each cycle is the left hand side.
    """

def separate_cuts(ordinary: Graph, both: Graph, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, time_limit: float = float('inf'), num_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Violated cut inequalities of lifted edges, the last ones of `both`: (offsets, edges); of each the lifted edge comes first, then the ordinary edges that separate its ends.
    """

def separate_odd_wheels(graph: Graph, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tolerance: float, time_limit: float = float('inf')) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]]:
    """
    Violated odd wheel inequalities: (offsets, edges); of each wheel the edges of the rim come first, then as many spokes.
    """

def reduce(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, time_limit: float = float('inf'), callback: Callable | None = None, is_interrupted: Callable | None = None) -> Reduced:
    """
    A smaller problem with the same optimum. `is_interrupted` is asked whether Ctrl-C was pressed.
    """

def reduce_all(graphs: Iterable[Graph], costs: Sequence[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]], *, num_threads: int, total_time_limit: float = float('inf'), callback: Callable | None = None) -> list[Reduced]:
    """
    Smaller problems with the same optima, found side by side; the time limit is of all together. The callback hears NaN for the objective; if it is true, that counts as an interrupt.
    """

def blocks(graph: Graph) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]:
    """The block (biconnected component) of each edge."""

class TooManyCyclesError(ValueError):
    pass

def chordless_cycles(edges: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], node_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_length: int, max_cycles: int, num_threads: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
    """
    All chordless cycles of many graphs: (offsets, edges, graph_offsets). max_cycles is per graph.
    """

def link_nearest(points: Annotated[NDArray[numpy.float64], dict(shape=(None, 2), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """
    Edges u < v, ascending, that link point i of the plane to its counts[i] nearest others.
    """

def match_bipartite(num_left: int, num_right: int, edges: Annotated[NDArray[numpy.int64], dict(shape=(None, 2), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    Partner of each left node, or -1, in a largest matching that prefers early edges (left, right).
    """

def pack_cycles(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, num_threads: int = 1, max_rounds: int = 200, max_steps: float = float('inf'), time_limit: float = float('inf'), callback: Callable | None = None, num_ordinary: int | None = None) -> tuple[float, int, int, str]:
    """
    A lower bound by packing cycles: (bound, rounds, cycles, stopped by). If `num_ordinary` is given, later edges are lifted, and cuts are packed as well.
    """

def pack_and_keep(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], *, num_threads: int = 1, max_rounds: int = 200, max_steps: float = float('inf')) -> tuple[float, Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
    """
    A lower bound by packing cycles, and what the packing leaves of the |cost| of each edge; costs are finite.
    """

def flip_bounds(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    What partitions that treat an edge otherwise cost more than the bound, at least.
    """

def simple_flips(graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """
    What the cheapest of a few simple changes that treat an edge otherwise costs.
    """

EVIDENCE_BINS: int = 32

def region_graph(labels: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], shape: tuple[int, int, int], ignored: int | None, offsets: Annotated[NDArray[numpy.int64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], touching: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], evidence: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)] | None, are_affinities: bool, with_histograms: bool, num_threads: int) -> dict:
    """
    The regions of a volume, which of them meet, and the evidence where they do.
    """

def region_graph_part(labels: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], shape: tuple[int, int, int], ignored: int | None, begin: tuple[int, int, int], end: tuple[int, int, int], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], touching: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)], evidence: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)] | None, are_affinities: bool, with_histograms: bool, num_threads: int) -> dict:
    """
    The part of a region graph whose pairs of voxels begin in a box, as pairs of labels.
    """

def neighbourhood(graph: Graph, distance: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]:
    """
    Pairs of nodes whose shortest path has at least 2 and at most `distance` edges.
    """

def pixel_mutex_watershed(shape: tuple[int, int, int], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None, 3), order='C', device='cpu', writable=False)], affinities: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], num_attractive: int, strides: tuple[int, int, int], seed: int | None, mask: Annotated[NDArray[numpy.bool_], dict(shape=(None,), order='C', device='cpu', writable=False)] | None, classes: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)] | None, num_classes: int) -> tuple:
    """
    The segment of each pixel, and its class if there are classes; -1 outside of the mask.
    """

def number_voxels(labels: Annotated[NDArray, dict(shape=(None,), order='C', device='cpu', writable=False)], shape: tuple[int, int, int], ignored: int | None, regions: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,))]:
    """
    The position of each voxel's label among ascending `regions`, -1 for the ignored.
    """

class LivePartition:
    """A partition that is kept good while costs change."""

    def __init__(self, graph: Graph, costs: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def objective(self) -> float: ...

    @property
    def num_clusters(self) -> int: ...

    @property
    def num_edges(self) -> int: ...

    @property
    def labels(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), writable=False)]:
        """A view of the cluster of each node."""

    @property
    def costs(self) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
        """A copy of the costs, those of added edges last."""

    @property
    def added_edges(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None))]: ...

    def size(self, cluster: int) -> int: ...

    def cost(self, edge: int) -> float: ...

    def edge(self, edge: int) -> tuple[int, int]: ...

    def find_edge(self, u: int, v: int) -> int | None: ...

    def must_link_path(self, u: int, v: int) -> list[int]:
        """Edges of a shortest path of must-links; none if there is none."""

    def cannot_link_between(self, u: int, v: int) -> int | None:
        """A cannot-link between what must-links join with two nodes."""

    def set_cost(self, edge: int, cost: float) -> None: ...

    def add_edge(self, u: int, v: int, cost: float) -> int: ...

    def remove_last_edge(self) -> None: ...

    def improve(self, seeds: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int, max_rounds: int) -> None:
        """Search around nodes, then around what has changed."""

    def flips(self, edges: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], num_nodes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None = None) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """
        What it would cost to treat edges otherwise, and the weight of nodes that would change cluster, by default their number.
        """

    def borders_within(self, clusters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]]:
        """
        The core of each cluster, and borders between its parts: nodes, cost, number of edges, weights of both sides.
        """

    def borders_between(self, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None, None))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))], Annotated[NDArray[numpy.float64], dict(shape=(None,))]]:
        """Borders between clusters that may be joined, as of borders_within."""

    def part_around(self, u: int, v: int) -> list[int]:
        """
        The nodes of the first part of a cluster that is divided between two nodes.
        """

    def adopt(self, labels: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None:
        """Take over another partition; clusters keep their numbers."""

    def relabel(self, nodes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], clusters: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    def take_changes(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]]:
        """
        Nodes that have changed since the last call, their clusters before and after.
        """
