#include "multicut/graph/graph.hpp"

#include <utility>

namespace multicut {

Graph::Graph(NodeId num_nodes, std::vector<Edge> edges, const Stop& stop)
    : edges_(std::move(edges)), offsets_(static_cast<std::size_t>(num_nodes) + 1, 0) {
  // offsets_[u + 1] starts at the first place of u and moves past the last while they are filled in.
  std::vector<NodeId> degrees(num_nodes, 0);
  for (const Edge& edge : edges_) {
    ++degrees[edge.u];
    ++degrees[edge.v];
  }
  if (stop()) return;
  std::size_t sum = 0;
  for (NodeId node = 0; node < num_nodes; ++node) {
    offsets_[node + 1] = sum;
    sum += degrees[node];
  }
  if (stop()) return;
  neighbours_.resize(sum);
  incident_edges_.resize(sum);
  WorkMeter work;
  for (EdgeId e = 0; e < edges_.size(); ++e) {
    if (work.is_due(1) && stop()) return;
    const auto [u, v] = edges_[e];
    const std::size_t at_u = offsets_[u + 1]++;
    const std::size_t at_v = offsets_[v + 1]++;
    neighbours_[at_u] = v;
    neighbours_[at_v] = u;
    incident_edges_[at_u] = e;
    incident_edges_[at_v] = e;
  }
}

}  // namespace multicut
