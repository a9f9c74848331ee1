#pragma once

#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// What two clusters think of each other, given the costs of the edges between them.
enum class Linkage { kSum, kAverage, kMaxAbs, kMin, kMax };

struct GaspOptions {
  Linkage linkage = Linkage::kAverage;
  // Whether a repulsive interaction that is the strongest one left keeps its clusters apart for good.
  bool cannot_links = false;
};

// Signed agglomeration (Bailoni et al., CVPR 2022): joins the two clusters of the largest
// interaction, until none is positive. With cannot-links, interactions are taken by descending
// absolute value. Ties by ascending id of the edge that stands for an interaction. Costs may be
// infinite, if no must-link contradicts a cannot-link: an infinite cost is stronger than any
// linkage. Stopped early, it returns the clusters joined so far.
Labels gasp(const Graph& graph, std::span<const double> costs, const GaspOptions& options,
            Watch& watch);

}  // namespace multicut
