#pragma once

#include <cstdint>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Kernighan–Lin with joins for lifted problems (Keuper et al., ICCV 2015). From each node, looks for a
// chain of moves through any clusters; for each two clusters with a link, for the best of: a sequence of
// moves between them, joining them, leaving them; and for each cluster, for a sequence that splits it.
// Moves may tear clusters apart: pieces become clusters, and what lifted edges between them cost counts.
// Where nothing helps any more, clusters become nodes, and chains join several of them at once, such as
// two that attract each other and one between them.
// `labels` is the start, canonical, of connected clusters; so is what comes back, and its objective is
// never worse. Costs are finite. The last level is left out unless it `joins_many`. If `is_changed` is not
// empty, it tells the nodes whose clusters have changed since nothing helped any more, and the search begins
// there.
Labels klj(const LiftedProblem& problem, const Labels& labels, const KljOptions& options, Watch& watch,
           bool joins_many = true, std::vector<std::uint8_t> is_changed = {});

// Tells the nodes that share their cluster with others in one partition than in another; canonical labels.
std::vector<std::uint8_t> changed_nodes(const Labels& before, const Labels& after);

// Where longer searches begin.
struct GreedyStart {
  Labels labels;
  // Small connected parts of what greedy contraction has joined; canonical.
  Labels fragments;
};

// The same from greedy contraction. Fragments of clusters move first: many nodes at a time, where single
// ones would lose too much on their way.
GreedyStart greedy_klj(const LiftedProblem& problem, const KljOptions& options, Watch& watch);

}  // namespace multicut
