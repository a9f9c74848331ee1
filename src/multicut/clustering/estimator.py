"""The scikit-learn estimator."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from multicut.clustering.affinities import AFFINITIES, Affinity, called
from multicut.clustering.graphs import (
    all_pairs,
    distinct_samples,
    nearest_neighbors,
    neighbor_edges,
    usual_neighbors,
)
from multicut.clustering.precomputed import stated_pairs
from multicut.problem import Problem
from multicut.solve import solve
from multicut.solvers import get_solver

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut._arrays import FloatArray, IntArray
    from multicut.result import Result

PRECOMPUTED = ("precomputed", "precomputed_probability")

# Similarities of 0 and 1 would be infinite costs: so sure is no kernel.
_CLIP = 1e-3

# Of shared neighbours. In the plane, neighbours inside a cluster share 0.45 of theirs, those across
# a gap less than 0.2; with more dimensions it is less for both, so half the median is the most.
_SHARED_BIAS = 0.2
_SHARED_BIAS_OF_MEDIAN = 0.5


class MulticutClustering(ClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Clustering by minimum cost multicut: the number of clusters comes out.

    Pairs of samples get a similarity between 0 and 1, and from it the cost of separating them,
    ``logit(similarity) - logit(bias)``: pairs more similar than `bias` attract, others repel. The
    clusters are the partition that minimises the cost of all separated pairs.

    Parameters
    ----------
    affinity
        How similar two samples are:

        - ``"shared_neighbors"``: the share of nearest neighbours they have in common. Adapts to
          density and finds clusters of any shape that have a gap between them.
        - ``"rbf"``: the Gaussian kernel ``exp(-gamma * ||x - y||²)``. Finds round clusters.
        - ``"cosine"``: the cosine of the angle between them, at least 0.
        - a function of two arrays, the samples at both ends of m pairs, each of shape (m,
          n_features), that returns m similarities between 0 and 1.
        - ``"precomputed"``: `X` is a square matrix of costs, positive for pairs that attract and
          negative for those that repel; infinite costs are must-links and cannot-links. Pairs
          that a sparse matrix does not store, or whose cost is zero, are no edges.
        - ``"precomputed_probability"``: `X` is a square matrix of similarities between 0 and 1.
    graph
        Which pairs of samples count: ``"knn"``, each sample and its nearest neighbours, ``"full"``,
        all of them, or ``"auto"``: ``"full"`` for kernels, which are meant for up to a few thousand
        samples then, else ``"knn"``.
    n_neighbors
        How many neighbours each sample has; ``"auto"`` is a tenth of the samples, but 5 to 20.
    metric
        In which metric neighbours are near: a name known to
        :class:`sklearn.neighbors.NearestNeighbors`; ``"auto"`` is ``"cosine"`` for the affinity of
        that name, else ``"euclidean"``.
    gamma
        Of ``"rbf"``: a number, ``"scale"`` for ``1 / (n_features * X.var())`` or ``"auto"`` for
        ``1 / n_features``.
    bias
        The similarity above which two samples attract each other: more makes more clusters.
        ``"auto"`` is 0.5, and for ``"shared_neighbors"`` 0.2 or half the median similarity,
        whichever is less.
    solver, time_limit, bound, solver_options
        Passed on to :func:`multicut.solve`.
    random_state
        Seeds the solver. An integer gives the same labels each time.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        The cluster of each sample: 0 … k-1, in order of first appearance.
    n_clusters_ : int
        The number of clusters, k.
    objective_ : float
        The cost of all separated pairs; the lower, the better.
    lower_bound_ : float or None
        No partition costs less; None unless `bound` is true or the solver computes one.
    affinity_matrix_ : scipy.sparse.csr_array of shape (n_samples, n_samples)
        The similarities (costs, if precomputed) of the pairs that count.
    bias_ : float
        The bias in use; None for precomputed costs.
    n_neighbors_ : int
        The number of neighbours in use; None if no neighbours are.
    problem_ : multicut.Problem
        The problem that was solved; sample i is node i.
    result_ : multicut.Result
        All that the solver has to say.
    n_features_in_ : int
        The number of features.
    feature_names_in_ : ndarray
        Their names, if `X` has names that are all strings.

    Notes
    -----
    In a graph of neighbours, identical samples are one: they must not be separated, and neighbours
    are looked for among distinct samples.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> X, _ = make_moons(300, noise=0.05, random_state=0)
    >>> MulticutClustering().fit(X).n_clusters_
    2
    """

    def __init__(
        self,
        affinity: str | Callable[[Any, Any], Any] = "shared_neighbors",
        *,
        graph: str = "auto",
        n_neighbors: int | str = "auto",
        metric: str = "auto",
        gamma: float | str = "scale",
        bias: float | str = "auto",
        solver: str = "auto",
        time_limit: float | None = None,
        bound: bool = False,
        solver_options: Mapping[str, Any] | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.affinity = affinity
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.gamma = gamma
        self.bias = bias
        self.solver = solver
        self.time_limit = time_limit
        self.bound = bound
        self.solver_options = solver_options
        self.random_state = random_state

    def fit(
        self,
        X: Any,  # noqa: N803
        y: Any = None,  # noqa: ARG002
        *,
        lifted_pairs: ArrayLike | None = None,
        lifted_costs: ArrayLike | None = None,
    ) -> Self:
        """Cluster the samples.

        Parameters
        ----------
        X
            Samples of shape (n_samples, n_features), dense, sparse or a DataFrame; or a square
            matrix, if `affinity` is precomputed.
        y
            Not used.
        lifted_pairs
            Further evidence: pairs of samples, shape (k, 2), that need not be neighbours. They do
            not connect: clusters are connected by pairs that count.
        lifted_costs
            What it costs to separate each of these pairs, shape (k,): positive for pairs that
            attract, negative for those that repel; infinite costs are must-links and cannot-links.
        """
        self._check_parameters()
        samples = self._validated(X)
        if self.affinity in PRECOMPUTED:
            probabilities = self.affinity == "precomputed_probability"
            pairs, values = stated_pairs(samples, probabilities=probabilities)
            copies = np.empty((0, 2), dtype=np.int64)
            self.n_neighbors_: int | None = None
        else:
            pairs, values, copies = self._similarities(samples)
        if self.affinity == "precomputed":
            self.bias_: float | None = None
            costs = values
        else:
            self.bias_ = self._bias(values)
            costs = costs_of(values, self.bias_)
        try:
            self.problem_ = Problem(
                np.concatenate([pairs, copies]),
                np.concatenate([costs, np.full(len(copies), np.inf)]),
                num_nodes=samples.shape[0],
                lifted_edges=lifted_pairs,
                lifted_costs=lifted_costs,
            )
        except (TypeError, ValueError) as error:
            # The argument has another name here.
            raise type(error)(str(error).replace("lifted_edges", "lifted_pairs")) from None
        self._values = np.concatenate([values, np.ones(len(copies))])
        self.result_: Result = solve(
            self.problem_,
            self.solver,
            self.time_limit,
            self._seed(),
            bound=self.bound,
            **(self.solver_options or {}),
        )
        self.labels_ = np.array(self.result_.labels)
        self.n_clusters_ = self.result_.num_clusters
        self.objective_ = self.result_.objective
        self.lower_bound_ = self.result_.lower_bound
        return self

    @property
    def affinity_matrix_(self) -> Any:
        """The similarities (costs, if precomputed) of the pairs that count, as a sparse matrix."""
        from scipy.sparse import csr_array

        check_is_fitted(self, "problem_")
        (u, v), count = self.problem_.edges.T, self.problem_.num_nodes
        ends = np.concatenate([u, v]), np.concatenate([v, u])
        return csr_array((np.tile(self._values, 2), ends), shape=(count, count))

    def _similarities(self, samples: Any) -> tuple[IntArray, FloatArray, IntArray]:
        """Return the pairs that count, how similar they are, and which samples are identical."""
        record = None if callable(self.affinity) else AFFINITIES.get(self.affinity)
        graph = self.graph if self.graph != "auto" else record.graph if record else "full"
        uses_neighbors = graph == "knn" or (record is not None and record.uses_neighbors)
        copies = np.empty((0, 2), dtype=np.int64)
        own = np.arange(samples.shape[0])
        neighbors = np.empty((len(own), 0), dtype=np.int64)
        if uses_neighbors:
            distinct = distinct_samples(samples)
            own, copies = distinct.first, distinct.copies
            samples = samples[own]
            wanted = self.n_neighbors
            count = usual_neighbors(len(own)) if wanted == "auto" else int(wanted)
            neighbors = nearest_neighbors(samples, count, self._metric(record))
        self.n_neighbors_ = neighbors.shape[1] if uses_neighbors else None
        pairs = neighbor_edges(neighbors) if graph == "knn" else all_pairs(len(own))
        if record is None:
            assert callable(self.affinity)
            values = called(self.affinity, samples, pairs)
        else:
            gamma = self._gamma(samples) if record.uses_gamma else math.nan
            values = record.similarities(samples, neighbors, gamma, pairs)
        return own[pairs], values, copies

    def _metric(self, record: Affinity | None) -> str:
        if self.metric != "auto":
            return self.metric
        return "euclidean" if record is None else record.metric

    def _gamma(self, samples: Any) -> float:
        if self.gamma == "auto":
            return 1.0 / float(samples.shape[1])
        if self.gamma != "scale":
            return float(self.gamma)
        if hasattr(samples, "tocsr"):
            variance = float(samples.multiply(samples).mean() - samples.mean() ** 2)
        else:
            variance = float(samples.var())
        return 1.0 / (samples.shape[1] * variance) if variance > 0 else 1.0

    def _bias(self, similarities: FloatArray) -> float:
        if self.bias != "auto":
            return float(self.bias)
        if self.affinity != "shared_neighbors":
            return 0.5
        # Who shares nothing is no neighbour, and in a full graph most samples are not.
        shared = similarities[similarities > 0]
        if len(shared) == 0:
            return _SHARED_BIAS
        return min(_SHARED_BIAS, _SHARED_BIAS_OF_MEDIAN * float(np.median(shared)))

    def _seed(self) -> int:
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _validated(self, given: Any) -> Any:
        # Costs may be infinite; that they are not NaN is checked where they are read.
        finite = self.affinity != "precomputed"
        options = {"accept_sparse": "csr", "dtype": np.float64}
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:  # scikit-learn before 1.6
            return self._validate_data(given, force_all_finite=finite, **options)
        return validate_data(self, given, ensure_all_finite=finite, **options)

    def _check_parameters(self) -> None:
        if not callable(self.affinity) and self.affinity not in PRECOMPUTED:
            try:
                AFFINITIES.get(self.affinity)
            except ValueError as error:
                others = ", ".join(PRECOMPUTED)
                raise ValueError(f"{error}, {others}, or a function of two arrays") from None
        if self.graph not in ("auto", "knn", "full"):
            raise ValueError(f"graph must be 'auto', 'knn' or 'full', got {self.graph!r}")
        if self.n_neighbors != "auto" and not _is_number(self.n_neighbors, Integral, 1):
            raise ValueError(
                f"n_neighbors must be an integer of at least 1 or 'auto', got {self.n_neighbors!r}"
            )
        if self.gamma not in ("scale", "auto") and not (
            _is_number(self.gamma, Real, 0) and 0 < float(self.gamma) < math.inf
        ):
            raise ValueError(
                f"gamma must be a number above 0, 'scale' or 'auto', got {self.gamma!r}"
            )
        if self.bias != "auto" and not (
            _is_number(self.bias, Real, 0) and 0 < float(self.bias) < 1
        ):
            raise ValueError(f"bias must be between 0 and 1 or 'auto', got {self.bias!r}")
        if not isinstance(self.metric, str) or self.metric == "precomputed":
            raise ValueError(
                f"metric must be the name of a metric of features, got {self.metric!r}; for "
                f"matrices of similarities there is affinity='precomputed_probability'"
            )
        if self.solver_options is not None and not isinstance(self.solver_options, Mapping):
            raise ValueError(
                f"solver_options must be a mapping of names to values, got {self.solver_options!r}"
            )
        get_solver(self.solver)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.affinity in PRECOMPUTED
        tags.input_tags.sparse = True
        return tags

    def _more_tags(self) -> dict[str, Any]:
        """Say the same to scikit-learn before 1.6."""
        return {"pairwise": self.affinity in PRECOMPUTED}


def _is_number(value: Any, kind: type, least: int) -> bool:
    return isinstance(value, kind) and not isinstance(value, bool) and value >= least  # type: ignore[operator]


def costs_of(similarities: FloatArray, bias: float) -> FloatArray:
    """Return ``logit(similarity) - logit(bias)``, finite also for similarities of 0 and 1."""
    low, high = min(_CLIP, bias / 10), 1 - min(_CLIP, (1 - bias) / 10)
    odds = np.clip(similarities, low, high)
    return np.asarray(np.log(odds) - np.log1p(-odds) - (math.log(bias) - math.log1p(-bias)))
