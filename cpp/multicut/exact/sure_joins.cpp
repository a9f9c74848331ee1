#include "multicut/exact/sure_joins.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/sums.hpp"
#include "multicut/graph/union_find.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {
namespace {

constexpr EdgeId kEdgesBetweenChecks = 64;
// Of the numbers at hand, what rounding may hide.
constexpr double kRounding = 1e-9;
// Of the numbers at hand, what a join may cost that holds up to rounding only.
constexpr double kLargestLoss = 1e-12;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

class JoinsAtNodes {
 public:
  // If it is stopped, so is run().
  JoinsAtNodes(const Graph& graph, std::span<const double> costs, const ShouldStop& should_stop,
               double* error)
      : contraction_(graph, costs, should_stop),
        error_(error),
        is_queued_(graph.num_nodes(), 1),
        weight_(graph.num_nodes(), 0),
        doubt_(error ? graph.num_nodes() : 0, 0),
        rounding_(doubt_.size(), 0),
        cost_to_(graph.num_nodes(), 0),
        is_neighbour_(graph.num_nodes(), 0) {
    if (should_stop()) return;
    for (NodeId node = 0; node < graph.num_nodes(); ++node) {
      if (work_.is_due(1) && should_stop()) return;
      queue_.push(node);
      update_weight(node);
    }
  }

  Labels run(const ShouldStop& should_stop) {
    if (should_stop()) return contraction_.labels();
    while (!queue_.empty()) {
      // First in, first out: a hub waits until all nodes that join it have done so.
      const NodeId node = queue_.front();
      queue_.pop();
      is_queued_[node] = 0;
      if (contraction_.find(node) != node) continue;
      if (work_.is_due(1) && should_stop()) break;
      update_weight(node);
      if (const EdgeId e = find_join(node); e != kNoEdge) contract(node, e);
    }
    return contraction_.labels();
  }

 private:
  // The sum of |cost| of a node's edges. Joins elsewhere can only make it smaller, so one that is
  // out of date errs on the safe side.
  void update_weight(NodeId node) {
    weight_[node] = 0;
    double count = 0;
    contraction_.for_each_edge(node, [&](EdgeId e) {
      weight_[node] += std::abs(contraction_.edge(e).cost);
      count += 1;
      work_ += 1;
    });
    if (error_) rounding_[node] = (count + 4) * kEpsilon * weight_[node];
  }

  EdgeId find_join(NodeId node) {
    EdgeId strongest = kNoEdge;
    double first = 0;
    double second = 0;
    contraction_.for_each_edge(node, [&](EdgeId e) {
      const double cost = contraction_.edge(e).cost;
      if (cost > first) {
        second = std::exchange(first, cost);
        strongest = e;
      } else {
        second = std::max(second, cost);
      }
    });
    if (strongest == kNoEdge) return kNoEdge;
    if (2 * first >= weight_[node] && holds(2 * first - weight_[node], node, node)) return strongest;
    // No triangle can do it if the two strongest edges do not outweigh the others.
    if (2 * (first + second) < weight_[node]) return kNoEdge;
    EdgeId join = kNoEdge;
    contraction_.for_each_edge(node, [&](EdgeId e) {
      const double cost = contraction_.edge(e).cost;
      if (join == kNoEdge && cost > 0 && 2 * (cost + first) >= weight_[node] &&
          has_triangle(node, e)) {
        join = e;
      }
    });
    return join;
  }

  // Whether a criterion at these nodes that holds by `margin` as computed may be relied upon. Where it
  // may fail by rounding, `error` grows by what that would cost.
  bool holds(double margin, NodeId u, NodeId w) {
    if (!error_) return true;
    const double loss = doubt_[u] + doubt_[w] + rounding_[u] + rounding_[w] - margin;
    if (loss > kLargestLoss * (weight_[u] + weight_[w])) return false;
    *error_ += std::max(0.0, loss);
    return true;
  }

  // Whether some common neighbour of its ends allows to join them; `u` is one of them.
  bool has_triangle(NodeId u, EdgeId edge) {
    const NodeId w = contraction_.edge(edge).other(u);
    const double cost = contraction_.edge(edge).cost;
    contraction_.for_each_edge(w, [&](EdgeId e) {
      const NodeId v = contraction_.edge(e).other(w);
      work_ += 1;
      is_neighbour_[v] = 1;
      cost_to_[v] = contraction_.edge(e).cost;
    });
    bool found = false;
    contraction_.for_each_edge(u, [&](EdgeId e) {
      const NodeId v = contraction_.edge(e).other(u);
      if (found || v == w || !is_neighbour_[v]) return;
      const double to_u = contraction_.edge(e).cost;
      const double to_w = cost_to_[v];
      const double rest_u = weight_[u] - cost - std::abs(to_u);
      const double rest_w = weight_[w] - cost - std::abs(to_w);
      const double margin = std::min({cost + to_u - rest_u, cost + to_w - rest_w,
                                      cost - std::min(rest_u, rest_w)});
      found = margin >= 0 && holds(margin, u, w);
    });
    contraction_.for_each_edge(
        w, [&](EdgeId e) { is_neighbour_[contraction_.edge(e).other(w)] = 0; });
    return found;
  }

  // Contracts an edge of `node`. What that allows is found at the merged node, or at the nodes around
  // one of the two, whichever: a new triangle has one of its nodes there.
  void contract(NodeId node, EdgeId e) {
    const NodeId other = contraction_.edge(e).other(node);
    // Not less than what the merged node's edges weigh, rounding included; it is updated when its
    // turn comes.
    const double both = weight_[node] + weight_[other];
    const double weight = both - 2 * contraction_.edge(e).cost + kRounding * both;
    contraction_.for_each_edge(
        node, [&](EdgeId around) { enqueue(contraction_.edge(around).other(node)); });
    double doubt = error_ ? doubt_[node] + doubt_[other] : 0;
    work_ += contraction_.contract(e, [&](EdgeId kept, EdgeId absorbed, double old_cost) {
      if (!error_) return;
      const auto& edge = contraction_.edge(kept);
      const double lost = sum_error(old_cost, contraction_.edge(absorbed).cost, edge.cost);
      // Which end is the merged node is not settled yet; too much at both does no harm.
      doubt_[edge.u] += std::abs(lost);
      doubt_[edge.v] += std::abs(lost);
      doubt += std::abs(lost);
    });
    const NodeId merged = contraction_.find(node);
    weight_[merged] = weight;
    if (error_) {
      doubt_[merged] = doubt;
      rounding_[merged] = 4 * kEpsilon * weight;
    }
    enqueue(merged);
  }

  void enqueue(NodeId node) {
    if (!std::exchange(is_queued_[node], 1)) queue_.push(node);
  }

  ContractionGraph contraction_;
  double* error_;  // null if sums are exact
  std::queue<NodeId> queue_;
  std::vector<std::uint8_t> is_queued_;
  std::vector<double> weight_;
  std::vector<double> doubt_;               // what merging has lost of the costs at a node
  std::vector<double> rounding_;            // of a node's weight and what is computed with it
  std::vector<double> cost_to_;             // of the edge from the other end of an edge at hand
  std::vector<std::uint8_t> is_neighbour_;  // whether there is one
  WorkMeter work_;
};

// Tells whether the largest flow between the ends of an edge, along other edges with |cost| as
// capacities, is less than its cost: by augmenting paths of fewest edges, until they carry as much.
class FlowTest {
 public:
  FlowTest(const Graph& graph, std::span<const double> costs)
      : graph_(graph), costs_(costs), flow_(graph.num_edges(), 0), parent_(graph.num_nodes(), kNoEdge) {}

  bool is_less_than_cost(EdgeId edge) {
    std::size_t work = 0;
    double flow = 0;
    bool has_path = true;
    while (has_path && flow < costs_[edge] && work < kMaxWork) {
      has_path = find_path(edge, work);
      if (has_path) flow += augment(edge);
      for (const NodeId node : reached_) parent_[node] = kNoEdge;
      reached_.clear();
    }
    for (const EdgeId e : used_) flow_[e] = 0;
    used_.clear();
    // Strictly less, beyond rounding: then every optimal partition joins the ends, and all edges that
    // pass the test may be contracted at once.
    return !has_path && flow < costs_[edge] * (1 - kRounding);
  }

 private:
  static constexpr std::size_t kMaxWork = 300;  // edges looked at

  // What may still go through an edge, away from `from`.
  double room(EdgeId e, NodeId from) const {
    return std::abs(costs_[e]) + (graph_.edge(e).u == from ? -flow_[e] : flow_[e]);
  }

  // A path from one end of the edge to the other, as parents of the nodes on it.
  bool find_path(EdgeId edge, std::size_t& work) {
    const auto [source, target] = graph_.edge(edge);
    reached_.assign(1, source);
    parent_[source] = edge;
    for (std::size_t i = 0; i < reached_.size() && work < kMaxWork; ++i) {
      const NodeId node = reached_[i];
      const auto neighbours = graph_.neighbours(node);
      const auto incident = graph_.incident_edges(node);
      work += neighbours.size();
      if (work >= kMaxWork) break;
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        if (incident[k] == edge || parent_[neighbours[k]] != kNoEdge) continue;
        if (room(incident[k], node) <= 0) continue;
        parent_[neighbours[k]] = incident[k];
        reached_.push_back(neighbours[k]);
        if (neighbours[k] == target) return true;
      }
    }
    // A search that was given up has to count as if there were more.
    return work >= kMaxWork;
  }

  double augment(EdgeId edge) {
    const auto [source, target] = graph_.edge(edge);
    if (parent_[target] == kNoEdge) return 0;
    double amount = costs_[edge];
    for_each_step(source, target, [&](EdgeId e, NodeId from) {
      amount = std::min(amount, room(e, from));
    });
    for_each_step(source, target, [&](EdgeId e, NodeId from) {
      flow_[e] += graph_.edge(e).u == from ? amount : -amount;
      used_.push_back(e);
    });
    return amount;
  }

  template <typename Visit>
  void for_each_step(NodeId source, NodeId target, Visit visit) const {
    for (NodeId node = target; node != source;) {
      const EdgeId e = parent_[node];
      node = graph_.edge(e).u ^ graph_.edge(e).v ^ node;
      visit(e, node);
    }
  }

  const Graph& graph_;
  std::span<const double> costs_;
  std::vector<double> flow_;  // from u to v of an edge
  std::vector<EdgeId> parent_;
  std::vector<NodeId> reached_;
  std::vector<EdgeId> used_;
};

}  // namespace

Labels join_at_nodes(const Graph& graph, std::span<const double> costs,
                     const ShouldStop& should_stop, double* error) {
  return JoinsAtNodes(graph, costs, should_stop, error).run(should_stop);
}

Labels join_across_cuts(const Graph& graph, std::span<const double> costs,
                        const ShouldStop& should_stop) {
  FlowTest test(graph, costs);
  UnionFind groups(graph.num_nodes());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (e % kEdgesBetweenChecks == 0 && should_stop()) break;
    if (costs[e] <= 0 || !test.is_less_than_cost(e)) continue;
    const NodeId u = groups.find(graph.edge(e).u);
    const NodeId v = groups.find(graph.edge(e).v);
    if (u != v) groups.merge_into(u, v);
  }
  Labels labels(graph.num_nodes());
  for (NodeId node = 0; node < graph.num_nodes(); ++node) labels[node] = groups.find(node);
  make_canonical(labels);
  return labels;
}

}  // namespace multicut
