#include "multicut/exact/reduction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "multicut/graph/contraction_graph.hpp"

namespace multicut {
namespace {

// Contracts all edges that the criterion for joins allows; canonical labels.
Labels contract_sure_joins(const Graph& graph, std::span<const double> costs) {
  ContractionGraph contraction(graph, costs);
  std::vector<NodeId> queue = singletons(graph.num_nodes());
  std::vector<std::uint8_t> is_queued(graph.num_nodes(), 1);
  while (!queue.empty()) {
    const NodeId node = queue.back();
    queue.pop_back();
    is_queued[node] = 0;
    if (contraction.find(node) != node) continue;
    double sum = 0;
    EdgeId strongest = kNoEdge;
    contraction.for_each_edge(node, [&](EdgeId e) {
      const double cost = contraction.edge(e).cost;
      sum += std::abs(cost);
      if (strongest == kNoEdge || cost > contraction.edge(strongest).cost) strongest = e;
    });
    if (strongest == kNoEdge) continue;
    const double attraction = contraction.edge(strongest).cost;
    if (attraction <= 0 || attraction < sum - attraction) continue;
    const NodeId other = contraction.edge(strongest).other(node);
    contraction.contract(strongest, [](EdgeId, EdgeId, double) {});
    const NodeId merged = contraction.find(other);
    const auto enqueue = [&](NodeId changed) {
      if (!std::exchange(is_queued[changed], 1)) queue.push_back(changed);
    };
    enqueue(merged);
    contraction.for_each_edge(
        merged, [&](EdgeId e) { enqueue(contraction.edge(e).other(merged)); });
  }
  return contraction.labels();
}

// Leaves out the edges between different components of the attractive edges.
WeightedGraph without_sure_cuts(const WeightedGraph& problem) {
  std::vector<std::uint8_t> is_not_attractive(problem.costs.size());
  for (EdgeId e = 0; e < problem.costs.size(); ++e) is_not_attractive[e] = problem.costs[e] <= 0;
  const Labels component = connected_components(problem.graph, is_not_attractive);
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (EdgeId e = 0; e < problem.costs.size(); ++e) {
    const auto [u, v] = problem.graph.edge(e);
    if (component[u] != component[v]) continue;
    edges.push_back({u, v});
    costs.push_back(problem.costs[e]);
  }
  return {Graph(problem.graph.num_nodes(), std::move(edges)), std::move(costs)};
}

}  // namespace

Reduction reduce(const Graph& graph, std::span<const double> costs) {
  Reduction result{singletons(graph.num_nodes()),
                   without_sure_cuts({graph, {costs.begin(), costs.end()}})};
  for (;;) {
    const Labels joined = contract_sure_joins(result.problem.graph, result.problem.costs);
    const NodeId num_groups = joined.empty() ? 0 : *std::ranges::max_element(joined) + 1;
    if (num_groups == result.problem.graph.num_nodes()) return result;
    for (NodeId& group : result.group_of) group = joined[group];
    result.problem = without_sure_cuts(
        quotient(result.problem.graph, result.problem.costs, joined, num_groups));
  }
}

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
