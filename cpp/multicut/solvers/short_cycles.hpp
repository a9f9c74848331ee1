#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// A graph whose attractive edges come first, so that they also come first in each row.
struct SignedGraph {
  Graph graph;
  std::vector<double> costs;
  EdgeId num_attractive = 0;
  std::vector<std::uint32_t> attractive_degrees;

  // The attractive edges at a node: how many of its neighbours and incident edges count, from the first.
  std::uint32_t attractive_degree(NodeId node) const { return attractive_degrees[node]; }
};

// Sorts edges by sign, attractive ones first and otherwise in the order given; edges of cost zero count
// as repulsive.
SignedGraph sort_by_sign(NodeId num_nodes, std::span<const Edge> edges,
                         std::span<const double> costs, const Stop& stop = kNeverStop);

// Packs triangles and then cycles of four edges that have exactly one repulsive edge, quickly: in each
// of a few sweeps every cycle takes an equal share of what its edges have left, as far as all of them
// have it. What is left of |cost| says how sure an edge is to be kept or cut.
class ShortCyclePacking {
 public:
  struct Sweeps {
    int triangles = 3;
    int squares = 2;
  };

  // What is left of each edge's |cost|; valid until the next call. Empty if stopped.
  std::span<const double> pack(const SignedGraph& problem, Sweeps sweeps,
                               const Stop& stop = kNeverStop);

  // Of the latest call: no partition costs less, in exact arithmetic. Cutting all repulsive edges and
  // nothing else would cost least, but each cycle makes every partition pay its weight more.
  double lower_bound(const SignedGraph& problem) const;

 private:
  using Cycle = std::array<EdgeId, 4>;

  bool find_triangles(const SignedGraph& problem, const Stop& stop);
  bool find_squares(const SignedGraph& problem, const Stop& stop);
  template <std::size_t kLength>
  void sweep(const SignedGraph& problem, int times);

  std::vector<double> left_;
  std::vector<double> share_;
  std::vector<std::uint32_t> count_;  // zero between sweeps
  std::vector<EdgeId> mark_;          // the attractive edge to a node, of the node at hand, or kNoEdge
  std::vector<EdgeId> touched_;
  std::vector<Cycle> cycles_;
  double doubt_ = 0;  // what rounding may have added to the weights of all cycles
};

}  // namespace multicut
