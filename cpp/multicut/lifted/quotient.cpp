#include "multicut/lifted/quotient.hpp"

#include <utility>
#include <vector>

namespace multicut {
namespace {

// Edges of one kind from one cluster after the other, to clusters of larger numbers.
class Rows {
 public:
  explicit Rows(NodeId num_clusters) : edge_to_(num_clusters, 0) {}

  void begin(NodeId cluster) {
    cluster_ = cluster;
    first_ = edges_.size();
  }

  // Whether the cluster at hand has an edge to another one.
  bool has(NodeId other) const {
    const EdgeId edge = edge_to_[other];
    return edge >= first_ && edge < edges_.size() && edges_[edge].v == other;
  }

  void add(NodeId other, double cost) {
    if (!has(other)) {
      edge_to_[other] = static_cast<EdgeId>(edges_.size());
      edges_.push_back({cluster_, other});
      costs_.push_back(0);
    }
    costs_[edge_to_[other]] += cost;
  }

  WeightedGraph finish(NodeId num_clusters, const Stop& stop) {
    return {Graph(num_clusters, std::move(edges_), stop), std::move(costs_)};
  }

 private:
  NodeId cluster_ = 0;
  std::size_t first_ = 0;
  std::vector<EdgeId> edge_to_;  // by cluster: the edge to it, if not older than first_
  std::vector<Edge> edges_;
  std::vector<double> costs_;
};

}  // namespace

OwnLiftedProblem quotient(const LiftedProblem& problem, std::span<const NodeId> labels,
                          NodeId num_clusters, const Stop& stop) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  const Clusters clusters(labels, num_clusters);
  Rows ordinary_rows(num_clusters);
  Rows lifted_rows(num_clusters);
  WorkMeter work;
  const auto for_each_arc = [&](const Graph& edges, NodeId cluster, auto visit) {
    for (const NodeId node : clusters[cluster]) {
      const auto neighbours = edges.neighbours(node);
      const auto incident = edges.incident_edges(node);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const NodeId other = labels[neighbours[i]];
        if (other > cluster) visit(other, incident[i]);
      }
      work += 1 + neighbours.size();
    }
  };
  for (NodeId cluster = 0; cluster < num_clusters; ++cluster) {
    if (work.is_due(1) && stop()) return {};
    ordinary_rows.begin(cluster);
    lifted_rows.begin(cluster);
    for_each_arc(graph, cluster, [&](NodeId other, EdgeId e) { ordinary_rows.add(other, costs[e]); });
    for_each_arc(lifted, cluster, [&](NodeId other, EdgeId e) {
      (ordinary_rows.has(other) ? ordinary_rows : lifted_rows).add(other, lifted_costs[e]);
    });
  }
  WeightedGraph ordinary = ordinary_rows.finish(num_clusters, stop);
  return {std::move(ordinary), lifted_rows.finish(num_clusters, stop)};
}

}  // namespace multicut
