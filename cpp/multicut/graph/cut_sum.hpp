#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/sums.hpp"

namespace multicut {

// The sum of the costs of edges between different labels, of one set of edges after the other.
class CutSum {
 public:
  // on_edge(e, is_cut) is called for each edge.
  template <typename OnEdge>
  void add(const Graph& graph, std::span<const double> costs, std::span<const NodeId> labels,
           OnEdge on_edge) {
    add(graph, costs, labels, on_edge, 0, graph.num_edges());
  }

  // The same for the edges from `begin` on, up to `end`.
  template <typename OnEdge>
  void add(const Graph& graph, std::span<const double> costs, std::span<const NodeId> labels,
           OnEdge on_edge, EdgeId begin, EdgeId end) {
    Sum sum = sum_;
    bool violated = violated_;
    for (EdgeId e = begin; e < end; ++e) {
      const bool is_cut = labels[graph.edge(e).u] != labels[graph.edge(e).v];
      on_edge(e, is_cut);
      if (std::isinf(costs[e])) {
        violated |= is_cut == (costs[e] > 0);
      } else {
        // Without a branch, which nobody could predict; nothing is added exactly.
        sum.add(is_cut * costs[e]);
      }
    }
    sum_ = sum;
    violated_ = violated;
  }

  // Adds what other edges sum up to.
  void operator+=(const CutSum& other) {
    sum_ += other.sum_;
    violated_ |= other.violated_;
  }

  // Whether value() is rounded as the exact sum would be.
  bool is_certain() const {
    return violated_ || sum_.doubt() <= kNoDoubt * std::abs(sum_.value());
  }

  // Infinite if a constraint is violated.
  double value() const {
    return violated_ ? std::numeric_limits<double>::infinity() : sum_.value();
  }

 private:
  // A sum in doubled precision is rounded as the exact one would be if no more than this share of it
  // is in doubt; ties, which only sums without any doubt can meet, apart.
  static constexpr double kNoDoubt = 0x1p-80;

  Sum sum_;
  bool violated_ = false;
};

// Adds the finite costs of edges between different labels, for costs of three sizes or more that
// cancel out.
inline void add_exactly(const Graph& graph, std::span<const double> costs,
                        std::span<const NodeId> labels, ExactSum& exact) {
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    const bool is_cut = labels[graph.edge(e).u] != labels[graph.edge(e).v];
    if (is_cut && !std::isinf(costs[e])) exact.add(costs[e]);
  }
}

}  // namespace multicut
