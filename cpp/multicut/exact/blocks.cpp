#include "multicut/exact/blocks.hpp"

#include <algorithm>

namespace multicut {

std::vector<EdgeId> blocks(const Graph& graph) {
  // Tarjan's algorithm (1972), with a stack of its own instead of recursion.
  struct Frame {
    NodeId node;
    EdgeId from;
    std::size_t next;
  };
  std::vector<EdgeId> block(graph.num_edges(), kNoEdge);
  std::vector<NodeId> depth(graph.num_nodes(), 0);  // position in depth-first order, from 1
  std::vector<NodeId> low(graph.num_nodes(), 0);
  std::vector<Frame> stack;
  std::vector<EdgeId> open;
  NodeId counter = 0;
  EdgeId num_blocks = 0;
  for (NodeId root = 0; root < graph.num_nodes(); ++root) {
    if (depth[root] != 0) continue;
    depth[root] = low[root] = ++counter;
    stack.push_back({root, kNoEdge, 0});
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const NodeId node = frame.node;
      if (frame.next < graph.degree(node)) {
        const NodeId neighbour = graph.neighbours(node)[frame.next];
        const EdgeId edge = graph.incident_edges(node)[frame.next];
        ++frame.next;
        if (edge == frame.from) continue;
        if (depth[neighbour] == 0) {
          open.push_back(edge);
          depth[neighbour] = low[neighbour] = ++counter;
          stack.push_back({neighbour, edge, 0});
        } else if (depth[neighbour] < depth[node]) {
          open.push_back(edge);
          low[node] = std::min(low[node], depth[neighbour]);
        }
        continue;
      }
      const EdgeId from = frame.from;
      stack.pop_back();
      if (from == kNoEdge) continue;
      const NodeId parent = stack.back().node;
      low[parent] = std::min(low[parent], low[node]);
      if (low[node] < depth[parent]) continue;
      EdgeId edge = kNoEdge;
      do {
        edge = open.back();
        open.pop_back();
        block[edge] = num_blocks;
      } while (edge != from);
      ++num_blocks;
    }
  }
  return block;
}

}  // namespace multicut
