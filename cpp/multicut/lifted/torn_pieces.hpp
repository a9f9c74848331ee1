#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/search/clustering.hpp"

namespace multicut {

// Finds out whether moves of nodes have torn clusters apart. Searches breadth first from all nodes where a
// cluster may have come apart, in turn, until these have met: takes as long as it takes to search the
// smaller pieces, or the way around, and gives up where that is long.
class TornPieces {
 public:
  TornPieces(const OrderedProblem& problem, const Clustering& clusters)
      : problem_(problem), clusters_(clusters), found_by_(problem.num_nodes(), kNoNode) {}

  // Looks at the cluster whose every part holds one of these nodes, by the labels as they are. Returns
  // false if that takes too long. Otherwise pieces() are all parts but one, which is not small.
  bool search(NodeId cluster, std::span<const NodeId> starts);

  std::span<const std::vector<NodeId>> pieces() const { return {pieces_.data(), num_pieces_}; }

  // The number of arcs looked at since the last call.
  std::size_t take_work();

 private:
  // What was found from one start, and where to go on.
  struct Front {
    std::vector<NodeId> nodes;
    std::size_t next;
    std::uint32_t group;
  };

  std::uint32_t group_of(std::uint32_t front);
  void add_piece(std::uint32_t group, std::size_t num_fronts);

  const OrderedProblem& problem_;
  const Clustering& clusters_;
  std::vector<std::uint32_t> found_by_;  // the front that found each node
  std::vector<Front> fronts_;
  std::vector<std::uint32_t> num_open_;  // of each group, fronts that can go on
  std::vector<std::vector<NodeId>> pieces_;
  std::size_t num_pieces_ = 0;
  std::size_t work_ = 0;
};

}  // namespace multicut
