#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

struct WeightedGraph {
  Graph graph;
  std::vector<double> costs;
};

// The graph whose nodes are the clusters 0 … num_clusters−1 of `labels`; the cost of an edge is the
// sum over all edges between the two clusters.
WeightedGraph quotient(const Graph& graph, std::span<const double> costs,
                       std::span<const NodeId> labels, NodeId num_clusters);

// The same in twice the precision of a double: each edge costs its cost plus its residual, which is at
// most the rounding of the cost. Residuals of the graph's edges come in, those of the quotient's come
// out; where all sums are exact they are zero. `doubt` grows by what these sums may be wrong by, all
// together.
WeightedGraph quotient(const Graph& graph, std::span<const double> costs,
                       std::span<const NodeId> labels, NodeId num_clusters,
                       std::vector<double>& residuals, double& doubt);

// The nodes of each cluster: cluster c holds members[offsets[c]] … members[offsets[c + 1] − 1],
// ascending.
struct Clusters {
  std::vector<NodeId> members;
  std::vector<NodeId> offsets;

  Clusters(std::span<const NodeId> labels, NodeId num_clusters);

  std::span<const NodeId> operator[](NodeId cluster) const {
    return {members.data() + offsets[cluster], members.data() + offsets[cluster + 1]};
  }
};

}  // namespace multicut
