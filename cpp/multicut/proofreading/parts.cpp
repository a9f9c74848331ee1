#include "multicut/proofreading/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>

#include "multicut/graph/interaction_graph.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The costs between two parts.
struct Mean {
  explicit Mean(double cost) : sum(std::isinf(cost) ? 0 : cost), is_linked(cost == kInfinity) {}

  double key() const { return is_linked ? kInfinity : sum / count; }
  void add(const Mean& other) {
    sum += other.sum;
    count += other.count;
    is_linked = is_linked || other.is_linked;
  }

  double sum;
  double count = 1;
  bool is_linked;  // by a must-link
};

// Joins the two parts of the largest mean cost, again and again, whether or not they attract each other.
// may_join(u, v) is asked before, joined(u, v, mean) is told afterwards; both nodes then stand for both.
template <typename MayJoin, typename Joined>
void join_parts(InteractionGraph<Mean>& parts, MayJoin may_join, Joined joined) {
  using Item = std::pair<double, EdgeId>;
  std::vector<Item> items;
  for (EdgeId e = 0; e < parts.num_ids(); ++e) items.emplace_back(parts.value(e).key(), e);
  std::priority_queue<Item> queue({}, std::move(items));
  while (!queue.empty()) {
    const auto [key, e] = queue.top();
    queue.pop();
    // A key that has changed was pushed when it did.
    if (parts.is_dead(e) || key != parts.value(e).key()) continue;
    const auto [u, v, mean] = parts.edge(e);
    if (!may_join(u, v)) continue;
    parts.contract(e, [&](EdgeId kept, EdgeId absorbed) {
      parts.value(kept).add(parts.value(absorbed));
      queue.emplace(parts.value(kept).key(), kept);
    });
    joined(u, v, mean);
  }
}

}  // namespace

PartFinder::Subgraph PartFinder::subgraph_of(const LiveGraph& graph,
                                             std::span<const NodeId> members) {
  for (NodeId i = 0; i < members.size(); ++i) index_of_[members[i]] = i;
  std::vector<Edge> edges;
  std::vector<double> costs;
  for (NodeId i = 0; i < members.size(); ++i) {
    graph.for_each_arc(members[i], [&](NodeId neighbour, EdgeId e) {
      const NodeId other = index_of_[neighbour];
      if (other == kNoNode || other <= i) return;
      edges.push_back({i, other});
      costs.push_back(graph.cost(e));
    });
  }
  for (const NodeId node : members) index_of_[node] = kNoNode;
  return {Graph(static_cast<NodeId>(members.size()), std::move(edges)), std::move(costs)};
}

NodeId PartFinder::borders_within(const LiveGraph& graph, std::span<const NodeId> members,
                                  std::span<const double> weights, std::vector<Border>& borders) {
  if (members.size() == 1) return members[0];
  const Subgraph own = subgraph_of(graph, members);
  InteractionGraph<Mean> parts({{own.graph, own.costs}});
  std::vector<NodeId> core(members.begin(), members.end());
  std::vector<double> weight;
  for (const NodeId node : members) weight.push_back(weights[node]);
  NodeId last = 0;
  join_parts(
      parts, [](NodeId, NodeId) { return true; },
      [&](NodeId u, NodeId v, const Mean& mean) {
        if (!mean.is_linked) {
          borders.push_back({core[u], core[v], mean.sum, mean.count, weight[u], weight[v]});
        }
        core[u] = core[v] = weight[u] >= weight[v] ? core[u] : core[v];
        weight[u] = weight[v] = weight[u] + weight[v];
        last = u;
      });
  return core[last];
}

std::vector<NodeId> PartFinder::part_around(const LiveGraph& graph, std::span<const NodeId> members,
                                            NodeId u, NodeId v) {
  const Subgraph own = subgraph_of(graph, members);
  InteractionGraph<Mean> parts({{own.graph, own.costs}});
  enum class Seed : std::uint8_t { kNone, kFirst, kSecond };
  std::vector<Seed> seeds(members.size(), Seed::kNone);
  NodeId first = kNoNode;
  for (NodeId i = 0; i < members.size(); ++i) {
    if (members[i] == u) seeds[first = i] = Seed::kFirst;
    if (members[i] == v) seeds[i] = Seed::kSecond;
  }
  join_parts(
      parts,
      [&](NodeId a, NodeId b) {
        return seeds[a] == Seed::kNone || seeds[b] == Seed::kNone || seeds[a] == seeds[b];
      },
      [&](NodeId a, NodeId b, const Mean&) {
        seeds[a] = seeds[b] = seeds[a] == Seed::kNone ? seeds[b] : seeds[a];
      });
  const Labels labels = parts.labels();
  std::vector<NodeId> part;
  for (NodeId i = 0; i < members.size(); ++i) {
    if (labels[i] == labels[first]) part.push_back(members[i]);
  }
  return part;
}

std::vector<Border> borders_between(const LiveGraph& graph, const Clustering& clusters,
                                    std::span<const double> weights) {
  std::vector<double> weight(clusters.num_clusters(), 0);
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    weight[clusters.label(node)] += weights[node];
  }
  std::vector<std::pair<std::uint64_t, EdgeId>> cut;
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const auto [u, v] = graph.edge(e);
    const auto [low, high] = std::minmax({clusters.label(u), clusters.label(v)});
    if (low != high) cut.emplace_back((std::uint64_t{low} << 32) | high, e);
  }
  std::sort(cut.begin(), cut.end());
  std::vector<Border> borders;
  for (std::size_t begin = 0, end = 0; begin < cut.size(); begin = end) {
    Border border{kNoNode, kNoNode, 0, 0, 0, 0};
    bool is_forbidden = false;
    for (; end < cut.size() && cut[end].first == cut[begin].first; ++end) {
      const EdgeId e = cut[end].second;
      const double cost = graph.cost(e);
      is_forbidden = is_forbidden || cost == -kInfinity;
      border.u = graph.edge(e).u;
      border.v = graph.edge(e).v;
      border.cost += std::isinf(cost) ? 0 : cost;
      ++border.count;
    }
    if (is_forbidden) continue;
    border.first_weight = weight[clusters.label(border.u)];
    border.second_weight = weight[clusters.label(border.v)];
    borders.push_back(border);
  }
  return borders;
}

}  // namespace multicut
