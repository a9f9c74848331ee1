#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/lifted/chains.hpp"
#include "multicut/lifted/moves.hpp"
#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/lifted/torn_pieces.hpp"
#include "multicut/search/chain_starts.hpp"
#include "multicut/search/cluster_search.hpp"
#include "multicut/search/klj_options.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// One local search on the nodes of a lifted problem, whose clusters stay connected; `klj` runs it on several
// levels.
class LiftedSearch : public ClusterSearch {
 public:
  // `is_changed`, if it is not empty, tells the nodes whose clusters have changed since nothing helped any
  // more: the search begins there.
  LiftedSearch(const OrderedProblem& problem, Labels labels, double typical_cost,
               const KljOptions& options, Watch& watch, std::span<const std::uint8_t> is_changed = {});

  // Improves the partition until nothing helps. Returns by how much.
  double run();

 private:
  // The edges between the cluster at hand and one other, as a part of border_: links, then lifted ones.
  struct Neighbour {
    NodeId cluster;
    std::uint32_t begin;
    std::uint32_t end_of_links;
    std::uint32_t end;
  };

  // When a sequence of moves ends, and whether it passes over nodes that may hold their side together.
  struct Limits {
    std::size_t patience;
    double largest_loss;
    bool is_strict;
  };

  struct Border {
    std::span<const BorderEdge> links;
    std::span<const BorderEdge> lifted;
  };

  void follow_chains_from_everywhere() override;
  void follow_chains_at_changes() override;
  void follow_chains();

  void improve_pairs_of(NodeId cluster) override;
  void collect_border(NodeId cluster);
  Border border_between(NodeId a, NodeId b);
  bool improve_pair(NodeId a, NodeId b, const Border& border);
  void add_candidates(const Border& border);
  void join(NodeId a, NodeId b, const Border& border);
  void divide(NodeId cluster) override;

  double move_between(NodeId a, NodeId b, const Limits& limits);
  bool is_attracted(NodeId node) const;
  bool is_needed(NodeId node);
  double settle(double gain, std::size_t num_new);

  const OrderedProblem& problem_;
  LiftedChains chains_;
  Mender mender_;
  TornPieces torn_;
  ChainStarts<LiftedChains> starts_;
  std::vector<Neighbour> neighbours_;
  std::vector<BorderEdge> border_;
  std::vector<BorderEdge> fresh_links_;
  std::vector<BorderEdge> fresh_lifted_;
  std::vector<NodeId> ends_;  // of the links of a node
};

}  // namespace multicut
