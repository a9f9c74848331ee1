#include "multicut/proofreading/live_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "multicut/graph/union_find.hpp"
#include "multicut/proofreading/region_search.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What gains less than this share of the |costs| of a region is rounding.
constexpr double kRounding = 1e-12;

std::vector<NodeId> degrees_of(const Graph& graph) {
  std::vector<NodeId> degrees(graph.num_nodes());
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    degrees[node] = static_cast<NodeId>(graph.degree(node));
  }
  return degrees;
}

}  // namespace

LivePartition::LivePartition(const Graph& graph, std::span<const double> costs, Labels labels)
    : graph_(graph, costs),
      clusters_(std::move(labels), degrees_of(graph)),
      finder_(graph.num_nodes()),
      parts_(graph.num_nodes()),
      num_clusters_(clusters_.num_clusters()),
      is_changed_(graph.num_nodes(), 0) {
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    if (std::isfinite(costs[e]) && clusters_.label(u) != clusters_.label(v)) objective_.add(costs[e]);
  }
}

void LivePartition::set_cost(EdgeId e, double cost) {
  const auto [u, v] = graph_.edge(e);
  if (clusters_.label(u) != clusters_.label(v)) {
    if (std::isfinite(graph_.cost(e))) objective_.add(-graph_.cost(e));
    if (std::isfinite(cost)) objective_.add(cost);
  }
  graph_.set_cost(e, cost);
}

EdgeId LivePartition::add_edge(NodeId u, NodeId v, double cost) {
  const EdgeId e = graph_.add_edge(u, v, 0);
  set_cost(e, cost);
  return e;
}

void LivePartition::remove_last_edge() {
  set_cost(graph_.num_edges() - 1, 0);
  graph_.remove_last_edge();
}

void LivePartition::improve(std::vector<NodeId> seeds, std::size_t num_nodes, int max_rounds,
                            int fresh_rounds) {
  for (int round = 0; round < max_rounds && !seeds.empty(); ++round) {
    Region region = finder_.find(graph_, clusters_, seeds, num_nodes);
    std::optional<Labels> found =
        search_region(region, starts_of(region), round < fresh_rounds);
    while (!found && region.is_open) {
      // Constraints of nodes outside that stand behind one node may contradict each other there.
      num_nodes *= 4;
      region = finder_.find(graph_, clusters_, seeds, num_nodes);
      found = search_region(region, starts_of(region), true);
    }
    if (!found) return;
    const std::size_t known = changes_.size();
    const double gain = assign(region, *found);
    seeds.clear();
    double size = 0;
    for (const double cost : region.costs) size += std::isfinite(cost) ? std::abs(cost) : 0;
    if (round > 0 && !(gain > kRounding * size)) return;
    for (std::size_t i = known; i < changes_.size(); ++i) seeds.push_back(changes_[i].node);
  }
}

Flip LivePartition::flip(EdgeId e, std::size_t num_nodes) {
  const auto [u, v] = graph_.edge(e);
  const double cost = graph_.cost(e);
  if (std::isinf(cost)) return {kInfinity, {}};
  const bool is_joined = clusters_.label(u) == clusters_.label(v);
  const bool is_forbidden = is_joined ? !graph_.must_link_path(u, v).empty()
                                      : graph_.cannot_link_between(u, v).has_value();
  if (is_forbidden) return {kInfinity, {}};
  const double before = objective();
  set_cost(e, is_joined ? -kInfinity : kInfinity);
  improve({u, v}, num_nodes, 1, 0);
  // While it is a constraint, its cost does not count.
  const double after = objective() + (is_joined ? cost : 0);
  const std::vector<Relabelled> changes = take_changes();
  std::vector<NodeId> nodes;
  for (const Relabelled& change : changes) {
    nodes.push_back(change.node);
    move(change.node, change.before);
  }
  take_changes();
  set_cost(e, cost);
  return {after - before, std::move(nodes)};
}

std::vector<NodeId> LivePartition::members_of(NodeId cluster) const {
  std::vector<NodeId> members;
  for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
    members.push_back(node);
  }
  // Lists are in the order of moves, which is not to decide between equals.
  std::sort(members.begin(), members.end());
  return members;
}

// The partition at hand, and ways to repair it if it violates a constraint.
std::vector<Labels> LivePartition::starts_of(const Region& region) const {
  Labels current = region.labels;
  make_canonical(current);
  const auto num_labels = static_cast<NodeId>(current.size());  // a number that is not in use
  std::vector<Labels> starts;
  for (EdgeId e = 0; e < region.graph.num_edges(); ++e) {
    const auto [u, v] = region.graph.edge(e);
    const bool is_joined = current[u] == current[v];
    const double cost = region.costs[e];
    if (!(cost == kInfinity && !is_joined) && !(cost == -kInfinity && is_joined)) continue;
    // Several violations are left to the search from a greedy start.
    if (!starts.empty()) return {std::move(current)};
    for (const auto& [node, other] : {std::pair(u, v), std::pair(v, u)}) {
      Labels& start = starts.emplace_back(current);
      const auto follow = [&](NodeId member) { start[member] = is_joined ? num_labels : current[other]; };
      follow(node);
      // So do all that are linked with it.
      std::vector<NodeId> group{node};
      std::unordered_set<NodeId> is_known{node, other};
      for (std::size_t i = 0; i < group.size(); ++i) {
        const auto neighbours = region.graph.neighbours(group[i]);
        const auto incident = region.graph.incident_edges(group[i]);
        for (std::size_t j = 0; j < neighbours.size(); ++j) {
          if (region.costs[incident[j]] != kInfinity || !is_known.insert(neighbours[j]).second) continue;
          group.push_back(neighbours[j]);
          follow(neighbours[j]);
        }
      }
    }
    if (!is_joined) {
      Labels& joined = starts.emplace_back(current);
      for (NodeId& label : joined) {
        if (label == current[v]) label = current[u];
      }
    }
  }
  if (starts.empty()) starts.push_back(std::move(current));
  return starts;
}

// Returns by how much the objective went down.
double LivePartition::assign(const Region& region, const Labels& found) {
  const double before = objective_.value();
  const auto num_nodes = static_cast<NodeId>(region.nodes.size());
  std::unordered_map<NodeId, NodeId> inside;  // nodes of each cluster that are in the region
  for (const NodeId node : region.nodes) ++inside[clusters_.label(node)];

  // Each old cluster lends its number to the new one that has most of its nodes.
  struct Claim {
    std::size_t size;
    NodeId found;
    NodeId cluster;
  };
  std::unordered_map<std::uint64_t, std::size_t> shared;
  NodeId num_found = 0;
  for (NodeId i = 0; i < found.size(); ++i) {
    const NodeId cluster = region.labels[i];
    const std::size_t size = i < num_nodes ? 1 : clusters_.size(cluster) - inside[cluster];
    shared[(std::uint64_t{found[i]} << 32) | cluster] += size;
    num_found = std::max(num_found, found[i] + 1);
  }
  std::vector<Claim> claims;
  for (const auto& [pair, size] : shared) {
    claims.push_back({size, static_cast<NodeId>(pair >> 32), static_cast<NodeId>(pair)});
  }
  std::sort(claims.begin(), claims.end(), [](const Claim& a, const Claim& b) {
    if (a.size != b.size) return a.size > b.size;
    return std::pair(a.cluster, a.found) < std::pair(b.cluster, b.found);
  });
  std::vector<NodeId> number_of(num_found, kNoNode);
  std::unordered_set<NodeId> is_lent;
  for (const auto& [size, own, cluster] : claims) {
    if (number_of[own] == kNoNode && is_lent.insert(cluster).second) number_of[own] = cluster;
  }
  for (NodeId& number : number_of) {
    if (number == kNoNode) number = add_cluster();
  }

  // First what is left of clusters, while what is in the region can still be told from it.
  std::unordered_set<NodeId> is_inside;
  if (num_nodes < found.size()) is_inside.insert(region.nodes.begin(), region.nodes.end());
  for (NodeId i = num_nodes; i < found.size(); ++i) {
    const NodeId cluster = region.labels[i];
    if (number_of[found[i]] == cluster) continue;
    std::vector<NodeId> members;
    for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
      if (!is_inside.contains(node)) members.push_back(node);
    }
    for (const NodeId node : members) move(node, number_of[found[i]]);
  }
  std::unordered_map<NodeId, std::vector<NodeId>> left;  // by cluster, nodes that have left it
  for (NodeId i = 0; i < num_nodes; ++i) {
    const NodeId to = number_of[found[i]];
    if (region.labels[i] == to) continue;
    left[region.labels[i]].push_back(region.nodes[i]);
    move(region.nodes[i], to);
  }
  // Where all nodes of a cluster are in the region, the search has seen whether they are connected.
  for (NodeId i = num_nodes; i < found.size(); ++i) {
    const NodeId cluster = region.labels[i];
    if (number_of[found[i]] == cluster && left.contains(cluster)) {
      separate_pieces(cluster, left[cluster]);
    }
  }
  return before - objective_.value();
}

// Nodes have left a cluster, which may have torn it apart: makes each connected piece a cluster of its
// own. Searches from the neighbours of these nodes in turn, until all have met or some have nowhere to go.
void LivePartition::separate_pieces(NodeId cluster, std::span<const NodeId> left) {
  std::vector<std::vector<NodeId>> pieces;  // what each search has reached
  std::vector<std::size_t> next;            // the first of these that it has not gone on from
  std::unordered_map<NodeId, std::uint32_t> reached_by;
  for (const NodeId node : left) {
    graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId) {
      if (clusters_.label(neighbour) != cluster) return;
      const auto index = static_cast<std::uint32_t>(pieces.size());
      if (!reached_by.emplace(neighbour, index).second) return;
      pieces.push_back({neighbour});
      next.push_back(0);
    });
  }
  if (pieces.size() < 2) return;
  UnionFind met(static_cast<NodeId>(pieces.size()));
  std::size_t num_open = pieces.size();
  const auto go_on = [&](std::uint32_t index) {
    const NodeId node = pieces[index][next[index]++];
    graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId) {
      if (clusters_.label(neighbour) != cluster) return;
      const auto [entry, is_new] = reached_by.emplace(neighbour, index);
      if (is_new) {
        pieces[index].push_back(neighbour);
      } else if (met.find(entry->second) != met.find(index)) {
        met.merge(entry->second, index);
        --num_open;
      }
    });
  };
  std::vector<std::uint32_t> searches(pieces.size());
  std::iota(searches.begin(), searches.end(), 0U);
  while (num_open > 1) {
    // A group of searches that has met is at an end when all of them are.
    std::unordered_set<std::uint32_t> is_going_on;
    for (const std::uint32_t index : searches) {
      if (next[index] == pieces[index].size()) continue;
      go_on(index);
      if (num_open == 1) return;
    }
    for (const std::uint32_t index : searches) {
      if (next[index] < pieces[index].size()) is_going_on.insert(met.find(index));
    }
    std::unordered_map<std::uint32_t, NodeId> separate;
    std::vector<std::uint32_t> others;
    for (const std::uint32_t index : searches) {
      const std::uint32_t group = met.find(index);
      if (is_going_on.contains(group)) {
        others.push_back(index);
        continue;
      }
      // The last one keeps the number.
      if (!separate.contains(group)) {
        if (num_open == 1) return;
        --num_open;
        separate.emplace(group, add_cluster());
      }
      for (const NodeId node : pieces[index]) move(node, separate.at(group));
    }
    searches = std::move(others);
  }
}

void LivePartition::adopt(const Labels& labels) {
  Region all;
  all.nodes.resize(labels.size());
  std::iota(all.nodes.begin(), all.nodes.end(), NodeId{0});
  all.labels = clusters_.labels();
  assign(all, labels);
}

void LivePartition::relabel(std::span<const NodeId> nodes, std::span<const NodeId> clusters) {
  for (std::size_t i = 0; i < nodes.size(); ++i) move(nodes[i], clusters[i]);
}

std::vector<Relabelled> LivePartition::take_changes() {
  std::vector<Relabelled> changes;
  for (Relabelled& change : changes_) {
    is_changed_[change.node] = 0;
    change.after = clusters_.label(change.node);
    if (change.before != change.after) changes.push_back(change);
  }
  changes_.clear();
  return changes;
}

void LivePartition::move(NodeId node, NodeId to) {
  const NodeId from = clusters_.label(node);
  if (from == to) return;
  if (!is_changed_[node]) {
    is_changed_[node] = 1;
    changes_.push_back({node, from, from});
  }
  graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId e) {
    const double cost = graph_.cost(e);
    if (!std::isfinite(cost)) return;
    const NodeId label = clusters_.label(neighbour);
    if (label == from) objective_.add(cost);
    if (label == to) objective_.add(-cost);
  });
  num_clusters_ += clusters_.size(to) == 0 ? 1U : 0U;
  clusters_.move(node, from, to);
  num_clusters_ -= clusters_.size(from) == 0 ? 1U : 0U;
}

NodeId LivePartition::add_cluster() { return clusters_.add_cluster(); }

}  // namespace multicut
