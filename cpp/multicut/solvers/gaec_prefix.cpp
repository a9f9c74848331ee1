#include "multicut/solvers/gaec_prefix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <queue>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut {
namespace {

// Nodes of groups that a thread takes at a time: these fit its cache.
constexpr NodeId kNodesAtATime = 2048;

struct Item {
  double key;
  EdgeId edge;

  bool operator<(const Item& other) const {
    return key != other.key ? key < other.key : edge > other.edge;
  }
};

// Some groups as a graph of their own.
struct Piece {
  std::vector<NodeId> nodes;          // of the whole graph
  std::vector<std::uint32_t> groups;  // of each node
  std::vector<Edge> edges;
  std::vector<double> costs;
};

// What sums of so many costs may be wrong by, in any order.
double rounding_of(const Piece& piece) {
  double largest = 0;
  for (const double cost : piece.costs) largest = std::max(largest, std::abs(cost));
  const auto count = static_cast<double>(piece.costs.size());
  return std::numeric_limits<double>::epsilon() * count * count * largest;
}

class Contraction {
 public:
  Contraction(const Piece& piece, const Graph& graph, double threshold)
      : piece_(piece),
        clusters_(graph, piece.costs),
        frozen_(graph.num_nodes(), 0),
        rounding_(rounding_of(piece)),
        threshold_(threshold) {
    for (EdgeId e = 0; e < graph.num_edges(); ++e) push(e);
  }

  Labels run() {
    while (const auto item = pop()) {
      if (item->key < threshold_ + rounding_) break;
      const std::uint32_t group = group_of(item->edge);
      if (frozen_[group]) continue;
      // Which of the two comes first may depend on rounding; within a group that may matter.
      const auto next = top();
      if (next && next->key >= item->key - 2 * rounding_) {
        frozen_[group] = frozen_[group_of(next->edge)] = 1;
        continue;
      }
      clusters_.contract(item->edge, [&](EdgeId kept, EdgeId, double old_cost) {
        if (clusters_.edge(kept).cost > old_cost) push(kept);
      });
    }
    return clusters_.labels();
  }

 private:
  std::uint32_t group_of(EdgeId e) const { return piece_.groups[clusters_.edge(e).u]; }

  // Also what costs a bit less than the threshold: for gaec it may be a bit more.
  void push(EdgeId e) {
    if (clusters_.edge(e).cost >= threshold_ - rounding_) queue_.push({clusters_.edge(e).cost, e});
  }

  // The item of the largest key, up to date.
  std::optional<Item> top() {
    while (!queue_.empty()) {
      const Item item = queue_.top();
      const auto& edge = clusters_.edge(item.edge);
      if (!edge.is_dead() && edge.cost == item.key) return item;
      queue_.pop();
      if (!edge.is_dead() && edge.cost < item.key) push(item.edge);
    }
    return std::nullopt;
  }

  // An edge may wait more than once with the same key.
  std::optional<Item> pop() {
    const auto item = top();
    while (item && !queue_.empty() && queue_.top().edge == item->edge &&
           queue_.top().key == item->key) {
      queue_.pop();
    }
    return item;
  }

  const Piece& piece_;
  ContractionGraph clusters_;
  std::vector<std::uint8_t> frozen_;  // by group; there are no more of them than nodes
  double rounding_;
  double threshold_;
  std::priority_queue<Item> queue_;
};

// Where to begin a new piece: after groups that have enough nodes together.
std::vector<NodeId> piece_starts(const Clusters& members, NodeId num_groups) {
  std::vector<NodeId> starts{0};
  NodeId first = 0;
  for (NodeId group = 0; group < num_groups; ++group) {
    if (members.offsets[group + 1] - first < kNodesAtATime) continue;
    starts.push_back(group + 1);
    first = members.offsets[group + 1];
  }
  if (starts.back() != num_groups) starts.push_back(num_groups);
  return starts;
}

}  // namespace

Labels gaec_prefix(const Graph& graph, std::span<const double> costs, const Labels& groups,
                   NodeId num_groups, double threshold, int num_threads) {
  const Clusters members(groups, num_groups);
  const std::vector<NodeId> starts = piece_starts(members, num_groups);
  Labels labels(graph.num_nodes());
  Labels place(graph.num_nodes());  // of each node in its piece
  const auto make_body = [&](bool) {
    return [&, piece = Piece()](std::size_t i) mutable {
      piece = {};
      for (NodeId group = starts[i]; group < starts[i + 1]; ++group) {
        const auto nodes = members[group];
        if (nodes.size() == 1) {
          labels[nodes[0]] = nodes[0];
          continue;
        }
        for (const NodeId node : nodes) {
          place[node] = static_cast<NodeId>(piece.nodes.size());
          piece.nodes.push_back(node);
          piece.groups.push_back(group - starts[i]);
        }
        for (const NodeId node : nodes) {
          const auto neighbours = graph.neighbours(node);
          const auto incident = graph.incident_edges(node);
          for (std::size_t j = 0; j < neighbours.size(); ++j) {
            if (neighbours[j] < node || groups[neighbours[j]] != group) continue;
            piece.edges.push_back({place[node], place[neighbours[j]]});
            piece.costs.push_back(costs[incident[j]]);
          }
        }
      }
      // Group numbers are to be less than the number of nodes: there are two nodes or more in each.
      std::uint32_t last = kNoNode;
      std::uint32_t count = 0;
      for (std::uint32_t& group : piece.groups) {
        if (group != last) {
          last = group;
          ++count;
        }
        group = count - 1;
      }
      const Graph own(static_cast<NodeId>(piece.nodes.size()), piece.edges);
      const Labels found = Contraction(piece, own, threshold).run();
      // The first node of a cluster stands for it.
      std::vector<NodeId> first(piece.nodes.size(), kNoNode);
      for (NodeId node = 0; node < found.size(); ++node) {
        NodeId& representative = first[found[node]];
        if (representative == kNoNode) representative = piece.nodes[node];
        labels[piece.nodes[node]] = representative;
      }
    };
  };
  parallel_for(starts.size() - 1, num_threads, make_body);
  make_canonical(labels);
  return labels;
}

}  // namespace multicut
