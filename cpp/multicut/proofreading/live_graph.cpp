#include "multicut/proofreading/live_graph.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

LiveGraph::LiveGraph(const Graph& graph, std::span<const double> costs)
    : graph_(graph), costs_(costs.begin(), costs.end()), has_added_(graph.num_nodes(), 0) {}

EdgeId LiveGraph::add_edge(NodeId u, NodeId v, double cost) {
  const EdgeId e = num_edges();
  costs_.push_back(cost);
  added_.push_back({u, v});
  for (const NodeId node : {u, v}) {
    added_at_[node].push_back(e);
    has_added_[node] = 1;
  }
  return e;
}

void LiveGraph::remove_last_edge() {
  const auto [u, v] = added_.back();
  for (const NodeId node : {u, v}) {
    std::vector<EdgeId>& at = added_at_[node];
    at.pop_back();
    if (at.empty()) {
      added_at_.erase(node);
      has_added_[node] = 0;
    }
  }
  added_.pop_back();
  costs_.pop_back();
}

EdgeId LiveGraph::find(NodeId u, NodeId v) const {
  if (degree(u) > degree(v)) std::swap(u, v);
  EdgeId found = kNoEdge;
  for_each_arc(u, [&](NodeId neighbour, EdgeId e) {
    if (neighbour == v) found = e;
  });
  return found;
}

std::vector<NodeId> LiveGraph::must_link_group(NodeId node) const {
  std::vector<NodeId> group{node};
  std::unordered_map<NodeId, std::uint8_t> is_known{{node, 1}};
  for (std::size_t i = 0; i < group.size(); ++i) {
    for_each_arc(group[i], [&](NodeId neighbour, EdgeId e) {
      if (costs_[e] == kInfinity && is_known.emplace(neighbour, 1).second) group.push_back(neighbour);
    });
  }
  return group;
}

std::vector<EdgeId> LiveGraph::must_link_path(NodeId from, NodeId to) const {
  std::vector<NodeId> queue{from};
  std::unordered_map<NodeId, EdgeId> reached_by{{from, kNoEdge}};
  for (std::size_t i = 0; i < queue.size() && !reached_by.contains(to); ++i) {
    for_each_arc(queue[i], [&](NodeId neighbour, EdgeId e) {
      if (costs_[e] == kInfinity && reached_by.emplace(neighbour, e).second) {
        queue.push_back(neighbour);
      }
    });
  }
  std::vector<EdgeId> path;
  if (!reached_by.contains(to)) return path;
  for (NodeId node = to; node != from;) {
    const EdgeId e = reached_by.at(node);
    path.push_back(e);
    node = edge(e).u == node ? edge(e).v : edge(e).u;
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::optional<EdgeId> LiveGraph::cannot_link_between(NodeId u, NodeId v) const {
  const std::vector<NodeId> group = must_link_group(u);
  std::unordered_map<NodeId, std::uint8_t> others;
  for (const NodeId node : must_link_group(v)) others.emplace(node, 1);
  std::optional<EdgeId> found;
  for (const NodeId node : group) {
    for_each_arc(node, [&](NodeId neighbour, EdgeId e) {
      if (costs_[e] == -kInfinity && others.contains(neighbour) && !found) found = e;
    });
  }
  return found;
}

}  // namespace multicut
