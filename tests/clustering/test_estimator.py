from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_digits, load_iris, make_blobs, make_circles, make_moons
from sklearn.exceptions import NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import multicut as mc
from multicut.clustering.estimator import costs_of
from tests.problems import optimum, small_problems

COSTS = np.array([[0, 2.0, -1, 0], [2, 0, -3, 0], [-1, -3, 0, 0.5], [0, 0, 0.5, 0]])


@parametrize_with_checks(
    [
        mc.MulticutClustering(),
        mc.MulticutClustering("rbf"),
        mc.MulticutClustering("rbf", graph="knn", gamma=1.0),
        mc.MulticutClustering("cosine"),
    ]
)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore:Skipping check:sklearn.exceptions.SkipTestWarning")
def test_check_estimator():
    check_estimator(mc.MulticutClustering())


def test_scikit_learn_accepts_precomputed_costs():
    exceptions = {
        "check_estimators_nan_inf": "infinite costs are constraints",
        "check_clustering": "hands features over as if they were a matrix of costs",
    }
    try:
        check_estimator(
            mc.MulticutClustering("precomputed"),
            expected_failed_checks=exceptions,
            on_skip=None,
            on_fail="raise",
        )
    except TypeError as error:
        if "expected_failed_checks" not in str(error):
            raise
        pytest.skip("scikit-learn before 1.6 has no exceptions")


@pytest.mark.parametrize(
    ("data", "clusters", "least"),
    [
        (make_blobs(300, centers=4, cluster_std=0.6, random_state=0), 4, 0.95),
        (make_blobs(400, centers=6, n_features=10, random_state=1), 6, 1.0),
        (make_blobs(500, cluster_std=[1, 2.5, 0.5], random_state=170), 3, 0.85),
        (make_moons(300, noise=0.05, random_state=0), 2, 1.0),
        (make_circles(500, factor=0.5, noise=0.05, random_state=0), 2, 1.0),
        (load_iris(return_X_y=True), 2, 0.56),
    ],
    ids=["blobs", "many dimensions", "uneven blobs", "moons", "circles", "iris"],
)
def test_defaults_find_what_a_person_sees(data, clusters, least):
    samples, truth = data
    estimator = mc.MulticutClustering().fit(samples)
    assert estimator.n_clusters_ == clusters
    assert adjusted_rand_score(truth, estimator.labels_) >= least


def test_defaults_find_no_clusters_where_there_are_none():
    rng = np.random.default_rng(0)
    for samples in (rng.random((300, 2)), rng.normal(size=(300, 2)), rng.normal(size=(1000, 5))):
        labels = mc.MulticutClustering().fit_predict(samples)
        assert np.bincount(labels).max() >= 0.99 * len(samples)  # an outlier may be on its own


def test_defaults_on_digits_beat_the_defaults_of_dbscan():
    samples, truth = load_digits(return_X_y=True)
    found = mc.MulticutClustering().fit_predict(samples)
    assert adjusted_rand_score(truth, found) > 0.8
    assert adjusted_rand_score(truth, DBSCAN().fit_predict(samples)) < 0.1


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_units_and_the_order_of_samples_do_not_matter(scale):
    samples, _ = make_moons(200, noise=0.06, random_state=2)
    expected = mc.MulticutClustering().fit_predict(samples)
    order = np.random.default_rng(0).permutation(len(samples))
    found = mc.MulticutClustering().fit_predict(scale * samples[order] + 3 * scale)
    assert adjusted_rand_score(expected[order], found) == 1


def test_a_higher_bias_makes_more_clusters():
    samples, _ = make_blobs(300, random_state=0)
    counts = [mc.MulticutClustering(bias=bias).fit(samples).n_clusters_ for bias in (0.1, 0.3, 0.9)]
    assert counts == sorted(counts)
    assert counts[0] < counts[1] < counts[2]


@pytest.mark.parametrize(
    "make", [np.asarray, np.triu, np.tril, scipy.sparse.csr_array, scipy.sparse.csc_matrix]
)
def test_precomputed_costs(make):
    estimator = mc.MulticutClustering("precomputed", solver="ilp").fit(make(COSTS))
    assert estimator.labels_.tolist() == [0, 0, 1, 1]
    assert estimator.objective_ == -4
    assert estimator.lower_bound_ == -4
    assert estimator.bias_ is None
    assert estimator.n_neighbors_ is None
    assert np.array_equal(estimator.affinity_matrix_.toarray(), COSTS)
    assert estimator.problem_ == mc.Problem(
        [[0, 1], [0, 2], [1, 2], [2, 3]], [2, -1, -3, 0.5], num_nodes=4
    )


@given(small_problems(constrained=True), st.booleans())
def test_precomputed_costs_are_minimised(problem, dense):
    matrix = problem.to_scipy()
    estimator = mc.MulticutClustering("precomputed", solver="ilp")
    estimator.fit(matrix.toarray() if dense else matrix)
    assert estimator.objective_ == pytest.approx(optimum(problem), rel=1e-9)
    assert mc.objective(problem, estimator.labels_) == pytest.approx(estimator.objective_)
    assert estimator.n_clusters_ == len(set(estimator.labels_.tolist()))


def test_precomputed_costs_may_be_constraints():
    costs = COSTS.copy()
    costs[0, 1] = costs[1, 0] = -np.inf
    costs[0, 2] = costs[2, 0] = np.inf
    assert mc.MulticutClustering("precomputed").fit_predict(costs).tolist() == [0, 1, 0, 0]


def test_precomputed_probabilities_become_costs():
    probabilities = np.array([[1, 0.9, 0.0], [0.9, 1, 0.2], [0.0, 0.2, 1]])
    estimator = mc.MulticutClustering("precomputed_probability", bias=0.3).fit(probabilities)
    assert estimator.problem_.edges.tolist() == [[0, 1], [0, 2], [1, 2]]
    expected = np.log([9, 0.001 / 0.999, 0.25]) - np.log(3 / 7)
    assert np.allclose(estimator.problem_.costs, expected)
    assert estimator.labels_.tolist() == [0, 0, 1]
    sparse = scipy.sparse.csr_array(probabilities)  # the pair of probability 0 is not stored
    estimator = mc.MulticutClustering("precomputed_probability", bias=0.3).fit(sparse)
    assert estimator.problem_.edges.tolist() == [[0, 1], [1, 2]]


def test_the_gaussian_kernel_on_all_pairs():
    samples = np.array([[0.0, 0], [0, 1], [3, 0]])
    estimator = mc.MulticutClustering("rbf", gamma=0.5, bias=0.4).fit(samples)
    similarities = np.exp(-0.5 * np.array([1, 9, 10.0]))
    assert np.allclose(estimator.affinity_matrix_.toarray()[np.triu_indices(3, 1)], similarities)
    expected = np.log(similarities / (1 - similarities)) - np.log(0.4 / 0.6)
    assert np.allclose(estimator.problem_.costs, expected)
    for gamma, value in (("scale", 1 / (2 * samples.var())), ("auto", 1 / 2)):
        named = mc.MulticutClustering("rbf", gamma=gamma).fit(samples)
        number = mc.MulticutClustering("rbf", gamma=value).fit(samples)
        assert np.allclose(named.problem_.costs, number.problem_.costs)


def test_neighbours_are_those_of_either_sample():
    samples = np.array([[0.0], [1], [2.5], [10]])
    estimator = mc.MulticutClustering("rbf", graph="knn", n_neighbors=1).fit(samples)
    assert estimator.problem_.edges.tolist() == [[0, 1], [1, 2], [2, 3]]
    assert estimator.n_neighbors_ == 1


def test_shared_neighbours_are_counted():
    samples = np.array([[0.0], [1], [2.1], [3.3]])
    estimator = mc.MulticutClustering(n_neighbors=2, graph="full").fit(samples)
    # {0, 1, 2}, {1, 0, 2}, {2, 1, 3}, {3, 2, 1}
    expected = np.array([[0, 1, 0.5, 0.5], [1, 0, 0.5, 0.5], [0.5, 0.5, 0, 1], [0.5, 0.5, 1, 0]])
    assert np.allclose(estimator.affinity_matrix_.toarray(), expected)


def test_cosine_is_about_directions():
    rng = np.random.default_rng(0)
    directions = np.array([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])[np.arange(60) % 3]
    samples = (directions + rng.normal(0, 0.1, (60, 3))) * rng.uniform(0.1, 10, (60, 1))
    for graph in ("full", "knn"):
        found = mc.MulticutClustering("cosine", graph=graph).fit_predict(samples)
        assert adjusted_rand_score(np.arange(60) % 3, found) == 1


def test_a_function_gets_both_ends_of_all_pairs():
    samples = np.array([[0.0, 5], [0.2, 7], [9, 5]])

    def near(first, second):
        assert first.shape == second.shape == (3, 2)
        return np.abs(first - second)[:, 0] < 1

    assert mc.MulticutClustering(near).fit_predict(samples).tolist() == [0, 0, 1]


@pytest.mark.parametrize("affinity", ["shared_neighbors", "rbf", "cosine"])
@pytest.mark.parametrize("make", [scipy.sparse.csr_matrix, scipy.sparse.coo_array])
def test_sparse_samples_give_the_same_problem(affinity, make):
    rng = np.random.default_rng(1)
    samples = rng.integers(0, 3, (40, 4)) * (rng.random((40, 4)) < 0.7)
    dense = mc.MulticutClustering(affinity).fit(samples.astype(float))
    sparse = mc.MulticutClustering(affinity).fit(make(samples.astype(float)))
    if affinity != "shared_neighbors":  # where ties are broken depends on the search
        assert np.allclose(sparse.problem_.costs, dense.problem_.costs)
    assert sparse.problem_.num_nodes == dense.problem_.num_nodes


@pytest.mark.parametrize("affinity", ["shared_neighbors", "rbf"])
def test_identical_samples_stay_together(affinity):
    samples = np.repeat([[0.0, 0], [0, 0.1], [50, 50], [50, 50.1]], 30, axis=0)
    for stored in (samples, scipy.sparse.csr_array(samples)):
        estimator = mc.MulticutClustering(affinity, graph="knn", n_neighbors=1).fit(stored)
        assert estimator.labels_.tolist() == [0] * 60 + [1] * 60
        assert estimator.n_neighbors_ == 1


def test_one_sample_and_equal_samples():
    assert mc.MulticutClustering().fit_predict([[1.0, 2.0]]).tolist() == [0]
    assert mc.MulticutClustering().fit_predict(np.ones((9, 2))).tolist() == [0] * 9
    assert mc.MulticutClustering("rbf").fit_predict(np.ones((9, 2))).tolist() == [0] * 9
    assert mc.MulticutClustering("cosine").fit_predict(np.zeros((2, 2))).tolist() == [0, 1]


def test_solver_and_seed_are_passed_on():
    samples, _ = make_blobs(60, random_state=0)
    estimator = mc.MulticutClustering(
        "rbf", solver="fusion", random_state=7, bound=True, solver_options={"num_threads": 1}
    ).fit(samples)
    assert (estimator.result_.solver, estimator.result_.seed) == ("fusion", 7)
    assert estimator.lower_bound_ <= estimator.objective_ == estimator.result_.objective
    exact = mc.MulticutClustering("rbf", solver="ilp").fit(samples)
    assert exact.objective_ <= estimator.objective_ + 1e-9
    drawn = mc.MulticutClustering(random_state=np.random.RandomState(5)).fit(samples)
    assert drawn.result_.seed == np.random.RandomState(5).randint(2**31 - 1)
    stopped = mc.MulticutClustering("rbf", solver="fusion", time_limit=0.0).fit(samples)
    assert stopped.result_.stopped_by == "time_limit"


def test_frames_pipelines_clones_and_pickles():
    samples, truth = load_iris(return_X_y=True, as_frame=True)
    pipeline = make_pipeline(
        StandardScaler().set_output(transform="pandas"), mc.MulticutClustering(bias=0.2)
    )
    labels = pipeline.fit_predict(samples)
    assert adjusted_rand_score(truth, labels) > 0.5
    estimator = pipeline[-1]
    assert estimator.feature_names_in_.tolist() == list(samples.columns)
    assert estimator.n_features_in_ == 4
    assert np.array_equal(pickle.loads(pickle.dumps(estimator)).labels_, labels)
    copy = clone(estimator).set_params(bias=0.3)
    assert copy.get_params()["bias"] == 0.3
    with pytest.raises(NotFittedError):
        _ = copy.affinity_matrix_


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"affinity": "shared_neighbours"}, "did you mean 'shared_neighbors'.*precomputed_prob"),
        ({"affinity": None}, "unknown affinity None"),
        ({"graph": "complete"}, "graph must be 'auto', 'knn' or 'full', got 'complete'"),
        ({"n_neighbors": 0}, "n_neighbors must be an integer of at least 1 or 'auto', got 0"),
        ({"n_neighbors": 2.5}, "n_neighbors must be an integer"),
        ({"n_neighbors": "many"}, "n_neighbors must be an integer"),
        ({"gamma": 0}, "gamma must be a number above 0, 'scale' or 'auto', got 0"),
        ({"gamma": "local"}, "gamma must be a number"),
        ({"gamma": np.inf}, "gamma must be a number"),
        ({"bias": 1.0}, "bias must be between 0 and 1 or 'auto', got 1.0"),
        ({"bias": True}, "bias must be between 0 and 1 or 'auto', got True"),
        ({"metric": 3}, "metric must be the name of a metric of features, got 3"),
        ({"metric": "precomputed"}, "got 'precomputed'; .* affinity='precomputed_probability'"),
        ({"solver": "fuson"}, "unknown solver 'fuson'; did you mean 'fusion'"),
        ({"solver_options": 3}, "solver_options must be a mapping"),
        ({"affinity": lambda a, _: a}, r"one similarity per pair, shape \(3,\), got \(3, 2\)"),
        ({"affinity": lambda a, _: a[:, 0] - 9}, "between 0 and 1, got -9 for samples 0 and 1"),
    ],
)
def test_bad_parameters_give_one_clear_line(parameters, message):
    with pytest.raises(ValueError, match=message) as caught:
        mc.MulticutClustering(**parameters).fit([[0.0, 0], [1, 1], [2, 2]])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("affinity", "matrix", "message"),
    [
        ("precomputed", np.ones((2, 3)), r"square matrix of costs, got shape \(2, 3\)"),
        ("precomputed", [[0, 1], [2, 0]], r"samples 0 and 1 have the values 1 and 2; .*\(X \+ X.T"),
        ("precomputed", [[0, np.nan], [1, 0]], r"NaN at \[0, 1\]"),
        (
            "precomputed",
            [[0, np.inf], [-np.inf, 0]],
            "samples 0 and 1 have the values inf and -inf",
        ),
        ("precomputed_probability", [[1, 1.5], [1.5, 1]], "between 0 and 1, got 1.5 for samples 0"),
        ("precomputed_probability", [[1, 0.5], [0, 1]], "must be symmetric"),
    ],
)
def test_bad_matrices_give_one_clear_line(affinity, matrix, message):
    with pytest.raises(ValueError, match=message) as caught:
        mc.MulticutClustering(affinity).fit(np.array(matrix))
    assert "\n" not in str(caught.value)


def test_rounding_errors_in_a_symmetric_matrix_do_not_matter():
    noisy = COSTS * (1 + 1e-12 * np.arange(16).reshape(4, 4))
    assert mc.MulticutClustering("precomputed").fit_predict(noisy).tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("bias", [1e-6, 0.2, 0.5, 0.999999])
def test_similarities_below_the_bias_repel(bias):
    costs = costs_of(np.array([0.0, bias / 2, bias, (1 + bias) / 2, 1.0]), bias)
    assert np.isfinite(costs).all()
    assert (np.sign(np.round(costs, 9)) == [-1, -1, 0, 1, 1]).all()


def test_the_example_of_the_docstring():
    import doctest

    from multicut.clustering import estimator

    failed, tried = doctest.testmod(estimator, extraglobs={"mc": mc})
    assert failed == 0
    assert tried == 3


def test_more_pairs_than_a_problem_can_have_are_refused_with_a_way_out():
    samples = np.random.default_rng(0).random((70_000, 1))
    with pytest.raises(MemoryError, match=r"make 2,449,965,000 pairs.*use graph='knn'"):
        mc.MulticutClustering("rbf").fit(samples)


def test_lifted_pairs_are_evidence_beyond_neighbours():
    # A chain of points without a gap: neighbours alone cannot tell where to cut it.
    chain = np.arange(24.0)[:, None]
    model = mc.MulticutClustering(n_neighbors=2, bias=0.1, solver="ilp")
    assert model.fit(chain).n_clusters_ == 1
    ends = [[i, j] for i in range(4) for j in range(20, 24)]
    found = model.fit(chain, lifted_pairs=ends, lifted_costs=np.full(len(ends), -9.0))
    assert found.n_clusters_ == 2
    assert found.problem_.num_lifted_edges == len(ends)
    assert (np.diff(found.labels_) >= 0).all()  # clusters are connected along the chain
    assert found.affinity_matrix_.shape == (24, 24)
    linked = model.fit(
        chain, lifted_pairs=[[0, 23], [0, 12]], lifted_costs=[-np.inf, np.inf]
    ).labels_
    assert linked[0] == linked[12] != linked[23]


def test_lifted_pairs_need_costs_and_samples():
    model = mc.MulticutClustering(solver="ilp")
    samples, _ = make_moons(30, random_state=0)
    with pytest.raises(TypeError, match="lifted_pairs need lifted_costs"):
        model.fit(samples, lifted_pairs=[[0, 1]])
    with pytest.raises(ValueError, match="allows node ids below that, got lifted_pairs"):
        model.fit(samples, lifted_pairs=[[0, 30]], lifted_costs=[1.0])
