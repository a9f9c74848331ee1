"""Clustering of samples without a given number of clusters, as a scikit-learn estimator."""

from multicut._extras import needed

needed("sklearn", by="MulticutClustering")

from multicut.clustering.estimator import MulticutClustering

__all__ = ["MulticutClustering"]
