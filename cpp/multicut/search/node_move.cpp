#include "multicut/search/node_move.hpp"

#include "multicut/graph/sums.hpp"

namespace multicut {

double exact_gain(const OrderedGraph& graph, Clustering& clusters, std::span<const NodeMove> moves) {
  Sum gain;
  for (const auto [node, from, to] : moves) {
    for (const OrderedGraph::Arc& arc : graph.arcs(node)) {
      const NodeId label = clusters.label(arc.node);
      if (label == to) gain.add(arc.cost);
      if (label == from) gain.add(-arc.cost);
    }
    clusters.pretend(node, to);
  }
  for (std::size_t i = moves.size(); i-- > 0;) clusters.pretend(moves[i].node, moves[i].from);
  return gain.rounded_down();
}

}  // namespace multicut
