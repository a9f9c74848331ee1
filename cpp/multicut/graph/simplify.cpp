#include "multicut/graph/simplify.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "multicut/graph/sums.hpp"

namespace multicut {
namespace {

std::string describe_edge(std::span<const std::int64_t> endpoints, std::size_t edge,
                          const std::string& prefix) {
  return prefix + "edges[" + std::to_string(edge) + "] = (" + std::to_string(endpoints[2 * edge]) + ", " +
         std::to_string(endpoints[2 * edge + 1]) + ")";
}

// A problem holds fewer nodes and edges than the limit.
void check_count(std::uint64_t count, const char* what, std::uint64_t limit) {
  if (count < limit) return;
  throw std::invalid_argument("a problem holds fewer than " +
                              (limit == kMaxId ? "2^31" : std::to_string(limit)) + " " + what +
                              ", got " + std::to_string(count) + "; split it into parts");
}

// Returns the largest id, −1 if there is none.
std::int64_t check_ids(std::span<const std::int64_t> endpoints, const std::string& prefix) {
  std::int64_t smallest = 0;
  std::int64_t largest = -1;
  for (const std::int64_t id : endpoints) {
    smallest = std::min(smallest, id);
    largest = std::max(largest, id);
  }
  if (smallest < 0) {
    const auto bad = std::ranges::find_if(endpoints, [](std::int64_t id) { return id < 0; });
    const auto edge = static_cast<std::size_t>(bad - endpoints.begin()) / 2;
    throw std::invalid_argument("node ids must not be negative, got " +
                                describe_edge(endpoints, edge, prefix));
  }
  return largest;
}

// A finite total keeps every sum of costs finite: objectives, gains, merged edges.
void check_costs(std::span<const double> costs, const std::string& prefix) {
  if (sums_are_finite(costs)) return;
  bool any_nan = false;
  double total = 0;
  for (const double cost : costs) {
    any_nan |= std::isnan(cost);
    if (!std::isinf(cost)) total += std::abs(cost);
  }
  if (any_nan) {
    const auto bad = std::ranges::find_if(costs, [](double cost) { return std::isnan(cost); });
    throw std::invalid_argument(prefix + "costs must not be nan, got nan at " +
                                (prefix.empty() ? "edge " : "lifted edge ") +
                                std::to_string(bad - costs.begin()) + "; drop or impute it");
  }
  if (std::isinf(total)) {
    throw std::invalid_argument(
        prefix + "costs add up to more than a double can hold (1.8e308); scale them down");
  }
}

// Whether all ids are from 0 to n−1.
bool are_below(std::span<const std::int64_t> endpoints, std::int64_t num_nodes) {
  const auto limit = static_cast<std::uint64_t>(num_nodes);
  bool is_any_above = false;
  for (const std::int64_t id : endpoints) is_any_above |= static_cast<std::uint64_t>(id) >= limit;
  return !is_any_above;
}

// Ids 0 … n−1, whether or not each occurs.
std::vector<Edge> take_ids(std::span<const std::int64_t> endpoints) {
  std::vector<Edge> edges(endpoints.size() / 2);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges[e] = {static_cast<NodeId>(endpoints[2 * e]), static_cast<NodeId>(endpoints[2 * e + 1])};
  }
  return edges;
}

// Maps ids that may have gaps, where a table indexed by id is small enough.
std::vector<Edge> map_dense_ids(std::span<const std::int64_t> endpoints, std::int64_t largest,
                                std::uint64_t limit, std::vector<std::int64_t>& node_ids) {
  std::vector<NodeId> index(static_cast<std::size_t>(largest + 1), 0);
  for (const std::int64_t id : endpoints) index[static_cast<std::size_t>(id)] = 1;
  std::size_t num_nodes = 0;
  for (NodeId& entry : index) entry = entry == 0 ? kNoNode : static_cast<NodeId>(num_nodes++);
  check_count(num_nodes, "nodes", limit);
  if (num_nodes == index.size()) return take_ids(endpoints);

  node_ids.reserve(num_nodes);
  for (std::size_t id = 0; id < index.size(); ++id) {
    if (index[id] != kNoNode) node_ids.push_back(static_cast<std::int64_t>(id));
  }
  std::vector<Edge> edges(endpoints.size() / 2);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges[e] = {index[static_cast<std::size_t>(endpoints[2 * e])],
                index[static_cast<std::size_t>(endpoints[2 * e + 1])]};
  }
  return edges;
}

// Maps ids of any size.
std::vector<Edge> map_sparse_ids(std::span<const std::int64_t> endpoints,
                                 std::uint64_t limit, std::vector<std::int64_t>& node_ids) {
  node_ids.assign(endpoints.begin(), endpoints.end());
  std::ranges::sort(node_ids);
  const auto tail = std::ranges::unique(node_ids);
  node_ids.erase(tail.begin(), tail.end());
  check_count(node_ids.size(), "nodes", limit);
  const auto index_of = [&](std::int64_t id) {
    return static_cast<NodeId>(std::ranges::lower_bound(node_ids, id) - node_ids.begin());
  };
  std::vector<Edge> edges(endpoints.size() / 2);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    edges[e] = {index_of(endpoints[2 * e]), index_of(endpoints[2 * e + 1])};
  }
  return edges;
}

// Sums of the costs of edges that join the same nodes, each rounded once. Most are of one or two.
class MergedCosts {
 public:
  explicit MergedCosts(std::vector<double>& costs) : costs_(costs) {}

  void append(double cost) {
    costs_.push_back(cost);
    lost_.push_back(0);
    is_merged_.push_back(false);
  }

  void add(std::size_t edge, double cost) {
    const double before = std::exchange(costs_[edge], costs_[edge] + cost);
    if (!std::isfinite(costs_[edge])) return;
    if (!is_merged_[edge]) {
      lost_[edge] = sum_error(before, cost, costs_[edge]);
      is_merged_[edge] = true;
      return;
    }
    const auto [entry, is_new] = long_sums_.try_emplace(edge);
    if (is_new) {
      entry->second.add(before);
      entry->second.add(lost_[edge]);
    }
    entry->second.add(cost);
  }

  // To be called at the end.
  void round() {
    for (const auto& [edge, sum] : long_sums_) {
      if (std::isfinite(costs_[edge])) costs_[edge] = sum.value();
    }
  }

 private:
  std::vector<double>& costs_;
  std::vector<double> lost_;  // by rounding, of sums of two
  std::vector<bool> is_merged_;
  std::unordered_map<std::size_t, ExactSum> long_sums_;  // of three and more
};

// For each edge the first edge that joins the same two nodes (itself, if it is the first).
// Empty if there are no duplicates.
std::vector<EdgeId> find_duplicates(const Graph& graph) {
  std::vector<EdgeId> first;
  std::vector<NodeId> seen_from(graph.num_nodes(), kNoNode);
  std::vector<EdgeId> seen_as;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    bool repeated = false;
    for (const NodeId neighbour : graph.neighbours(node)) {
      repeated |= seen_from[neighbour] == node;
      seen_from[neighbour] = node;
    }
    if (!repeated) continue;
    if (first.empty()) {
      first.resize(graph.num_edges());
      std::iota(first.begin(), first.end(), EdgeId{0});
      seen_as.resize(graph.num_nodes(), kNoEdge);
    }
    const auto neighbours = graph.neighbours(node);
    const auto edges = graph.incident_edges(node);
    for (const NodeId neighbour : neighbours) seen_as[neighbour] = kNoEdge;
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (neighbours[i] <= node) continue;
      if (seen_as[neighbours[i]] == kNoEdge) seen_as[neighbours[i]] = edges[i];
      first[edges[i]] = seen_as[neighbours[i]];
    }
  }
  return first;
}

}  // namespace

SimpleGraph simplify(std::span<const std::int64_t> endpoints, std::span<const double> costs,
                     std::optional<std::int64_t> num_nodes, std::uint64_t limit,
                     const std::string& prefix) {
  if (endpoints.size() != 2 * costs.size()) {
    throw std::invalid_argument(prefix + "costs must hold one value per edge: " +
                                std::to_string(endpoints.size() / 2) + " edges, " +
                                std::to_string(costs.size()) + " costs");
  }
  check_count(costs.size(), "edges", limit);
  check_costs(costs, prefix);
  // Where the number of nodes is known, one look tells whether anything is wrong with ids.
  const bool are_valid = num_nodes && *num_nodes >= 0 && are_below(endpoints, *num_nodes);
  const std::int64_t largest = are_valid ? *num_nodes - 1 : check_ids(endpoints, prefix);

  SimpleGraph result;
  std::vector<Edge> edges;
  if (num_nodes) {
    if (*num_nodes < 0) {
      throw std::invalid_argument("num_nodes must not be negative, got " +
                                  std::to_string(*num_nodes));
    }
    check_count(static_cast<std::uint64_t>(*num_nodes), "nodes", limit);
    if (largest >= *num_nodes) {
      const auto bad = std::ranges::find_if(
          endpoints, [&](std::int64_t id) { return id >= *num_nodes; });
      const auto edge = static_cast<std::size_t>(bad - endpoints.begin()) / 2;
      throw std::invalid_argument("num_nodes=" + std::to_string(*num_nodes) +
                                  " allows node ids below that, got " +
                                  describe_edge(endpoints, edge, prefix) +
                                  "; raise num_nodes, or omit it to map the ids");
    }
    edges = take_ids(endpoints);
  } else {
    const auto table_limit = static_cast<std::int64_t>(8 * endpoints.size() + 1024);
    edges = largest < table_limit ? map_dense_ids(endpoints, largest, limit, result.node_ids)
                                  : map_sparse_ids(endpoints, limit, result.node_ids);
  }
  const NodeId size = num_nodes                  ? static_cast<NodeId>(*num_nodes)
                      : result.node_ids.empty() ? static_cast<NodeId>(largest + 1)
                                                : static_cast<NodeId>(result.node_ids.size());

  result.num_self_loops = static_cast<std::size_t>(
      std::ranges::count_if(edges, [](const Edge& edge) { return edge.u == edge.v; }));
  std::vector<std::size_t> origin;  // input position of each edge that is left
  if (result.num_self_loops > 0) {
    std::vector<Edge> kept;
    kept.reserve(edges.size() - result.num_self_loops);
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (edges[e].u == edges[e].v) continue;
      kept.push_back(edges[e]);
      origin.push_back(e);
    }
    edges = std::move(kept);
  }
  const auto origin_of = [&](std::size_t edge) { return origin.empty() ? edge : origin[edge]; };

  result.graph = Graph(size, std::move(edges));
  const std::vector<EdgeId> first = find_duplicates(result.graph);
  if (result.num_self_loops == 0 && first.empty()) return result;

  result.edge_of_input.assign(costs.size(), -1);
  std::vector<Edge> unique;
  std::vector<EdgeId> position(result.graph.num_edges());
  MergedCosts merged(result.costs);
  for (EdgeId e = 0; e < result.graph.num_edges(); ++e) {
    const std::size_t input = origin_of(e);
    if (first.empty() || first[e] == e) {
      position[e] = static_cast<EdgeId>(unique.size());
      unique.push_back(result.graph.edge(e));
      merged.append(costs[input]);
    } else {
      position[e] = position[first[e]];
      merged.add(position[e], costs[input]);
      ++result.num_duplicates;
    }
    result.edge_of_input[input] = static_cast<std::int32_t>(position[e]);
  }
  merged.round();
  if (result.num_duplicates > 0) result.graph = Graph(size, std::move(unique));
  return result;
}

}  // namespace multicut
