#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/search/ordered_graph.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A copy of a lifted problem for searches that work on clusters and their neighbours. Arcs of ordinary edges
// come first.
class OrderedProblem : public OrderedGraph {
 public:
  OrderedProblem(const LiftedProblem& problem, const Labels& labels, Watch& watch)
      : OrderedGraph(problem.edges(), labels, watch) {
    if (!is_complete()) return;
    ends_of_links_.reserve(num_nodes());
    for (NodeId node = 0; node < num_nodes(); ++node) {
      ends_of_links_.push_back(begin_of_arcs(node) + problem.graph.degree(original(node)));
    }
  }

  // The arcs of a node that connect, and those that do not.
  std::span<const Arc> links(NodeId node) const {
    return slice(begin_of_arcs(node), ends_of_links_[node]);
  }
  std::span<const Arc> lifted_arcs(NodeId node) const {
    return slice(ends_of_links_[node], begin_of_arcs(node + 1));
  }

  // Values of the original's nodes as those of this one's; none if there are none.
  using OrderedGraph::reorder;
  std::vector<std::uint8_t> reorder(std::span<const std::uint8_t> of_nodes) const {
    std::vector<std::uint8_t> result(of_nodes.size());
    for (NodeId i = 0; i < result.size(); ++i) result[i] = of_nodes[original(i)];
    return result;
  }

 private:
  std::vector<std::size_t> ends_of_links_;
};

}  // namespace multicut
