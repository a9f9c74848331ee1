#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

struct KljOptions {
  // Rounds over all clusters that a change may have put out of balance.
  int max_rounds = 100;
  // A sequence of moves between two clusters ends after this many that have not led to a better
  // partition …
  int patience = 50;
  // … or when it has lost this many times a typical cost since the best one; more where a node has
  // many neighbours in the other cluster.
  double largest_loss = 3;
  // The same for chains of moves that pass through any clusters; 0: no chains. In graphs of a mean
  // degree above 8 they may lose (mean degree / 8) times as much, at most 3 times.
  int chain_patience = 7;
  double chain_loss = 2;
};

// Kernighan–Lin with joins (Keuper et al., ICCV 2015), and chains. First, from each node, looks for a
// chain of moves of single nodes through any clusters (see NodeChains). Then for each two adjacent
// clusters, looks for the best of: a sequence of moves of single nodes between them, joining them,
// leaving them; then for each cluster, for a sequence of moves that splits it. Repeats all of it where
// something changed until nothing improves.
// `labels` is the start, canonical, of connected clusters; so is what comes back, and its objective
// is never worse. Costs are finite.
Labels klj(const Graph& graph, std::span<const double> costs, const Labels& labels,
           const KljOptions& options, Watch& watch);

}  // namespace multicut
