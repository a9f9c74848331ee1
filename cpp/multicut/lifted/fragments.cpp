#include "multicut/lifted/fragments.hpp"

#include <vector>

#include "multicut/graph/union_find.hpp"

namespace multicut {

Labels fragments(const Graph& graph, std::span<const EdgeId> contracted, NodeId most_nodes) {
  UnionFind sets(graph.num_nodes());
  std::vector<NodeId> sizes(graph.num_nodes(), 1);
  for (const EdgeId e : contracted) {
    const NodeId u = sets.find(graph.edge(e).u);
    const NodeId v = sets.find(graph.edge(e).v);
    if (sizes[u] + sizes[v] > most_nodes) continue;
    sets.merge_into(u, v);
    sizes[u] += sizes[v];
  }
  Labels labels(graph.num_nodes());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = sets.find(node);
  make_canonical(labels);
  return labels;
}

}  // namespace multicut
