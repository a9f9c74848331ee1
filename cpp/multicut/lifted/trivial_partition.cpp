#include "multicut/lifted/trivial_partition.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "multicut/graph/components.hpp"
#include "multicut/graph/union_find.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool has_cost(std::span<const double> costs, double wanted) {
  return std::ranges::find(costs, wanted) != costs.end();
}

// A forest of breadth-first trees that use no cannot-link, from the smallest node of each component.
struct Forest {
  std::vector<NodeId> parent;  // itself for a root
  std::vector<NodeId> depth;

  Forest(const Graph& graph, std::span<const double> costs)
      : parent(graph.num_nodes(), kNoNode), depth(graph.num_nodes(), 0) {
    std::vector<NodeId> queue;
    queue.reserve(graph.num_nodes());
    for (NodeId root = 0; root < graph.num_nodes(); ++root) {
      if (parent[root] != kNoNode) continue;
      parent[root] = root;
      std::size_t next = queue.size();
      queue.push_back(root);
      for (; next < queue.size(); ++next) {
        const NodeId node = queue[next];
        const auto neighbours = graph.neighbours(node);
        const auto edges = graph.incident_edges(node);
        for (std::size_t i = 0; i < neighbours.size(); ++i) {
          const NodeId other = neighbours[i];
          if (parent[other] != kNoNode || costs[edges[i]] == -kInfinity) continue;
          parent[other] = node;
          depth[other] = depth[node] + 1;
          queue.push_back(other);
        }
      }
    }
  }
};

// Joins the ends of lifted must-links along a forest. Sets of nodes that it joins stay connected.
class PathJoiner {
 public:
  explicit PathJoiner(const LiftedProblem& problem)
      : forest_(problem.graph, problem.costs), sets_(problem.graph.num_nodes()) {}

  void join(NodeId u, NodeId v) {
    // The node of least depth stands for each set, so that no edge of the forest is climbed twice.
    u = sets_.find(u);
    v = sets_.find(v);
    while (u != v) {
      if (forest_.depth[u] < forest_.depth[v]) std::swap(u, v);
      const NodeId above = sets_.find(forest_.parent[u]);
      if (above == u) return;  // a root: another component
      sets_.merge_into(above, u);
      u = above;
    }
  }

  bool joins(NodeId node) { return sets_.find(node) == sets_.find(forest_.parent[node]); }
  NodeId parent(NodeId node) const { return forest_.parent[node]; }

 private:
  Forest forest_;
  UnionFind sets_;
};

}  // namespace

Labels join_must_links(const LiftedProblem& problem) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  const bool has_lifted = has_cost(lifted_costs, kInfinity);
  if (!has_lifted && !has_cost(costs, kInfinity)) return singletons(graph.num_nodes());
  UnionFind sets(graph.num_nodes());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (costs[e] == kInfinity) sets.merge(graph.edge(e).u, graph.edge(e).v);
  }
  if (has_lifted) {
    PathJoiner paths(problem);
    for (EdgeId e = 0; e < lifted.num_edges(); ++e) {
      if (lifted_costs[e] == kInfinity) paths.join(lifted.edge(e).u, lifted.edge(e).v);
    }
    for (NodeId node = 0; node < graph.num_nodes(); ++node) {
      if (paths.joins(node)) sets.merge(node, paths.parent(node));
    }
  }
  Labels labels(graph.num_nodes());
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = sets.find(node);
  make_canonical(labels);
  return labels;
}

Labels trivial_partition(const LiftedProblem& problem) {
  const auto costs = problem.costs;
  Labels best = join_must_links(problem);
  double least = objective(problem, best);
  const auto consider = [&](auto joins) {
    Labels labels = components_of(problem.graph, joins);
    const double value = objective(problem, labels);
    if (value > least || (value == least && least == kInfinity)) return;
    least = value;
    best = std::move(labels);
  };
  consider([&](EdgeId e) { return costs[e] > 0; });
  consider([&](EdgeId e) { return costs[e] > -kInfinity; });
  return best;
}

}  // namespace multicut
