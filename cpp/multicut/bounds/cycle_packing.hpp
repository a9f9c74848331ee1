#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

struct PackingOptions {
  int num_threads = 1;  // does not change the result
  int max_rounds = 200;
  // Begins no round after so many steps, each about a nanosecond: so the work is limited whatever the
  // graph is like, and the result does not depend on the clock.
  double max_steps = std::numeric_limits<double>::infinity();
  bool keeps_left = false;
};

struct PackingResult {
  double lower_bound;  // of the costs as given
  int num_rounds;
  std::size_t num_cycles;
  // If asked for: what the best packing leaves of the |cost| of each edge, rounded down. Without the
  // cycles, which cost no partition less than nothing, any partition costs as much as with these as
  // costs, or more.
  std::vector<double> left = {};
};

// Sum of the repulsive costs that are finite: the bound that needs no work.
double trivial_bound(std::span<const double> costs);

// A lower bound of the optimum, by packing cycles with one repulsive edge (Lange, Karrenbauer and
// Andres 2018 pack greedily; this goes on from there to the optimum of the packing problem, which is
// the bound of the cycle relaxation). Costs are finite.
//
// Short cycles are packed greedily. Then two steps alternate: a primal-dual method (Chambolle and
// Pock 2011, with their diagonal preconditioning) redistributes weight among all cycles at hand and
// finds a price for each edge; and for each repulsive edge the cheapest path is added as a new
// cycle. Ends when the bound does no longer grow by much; stopped early, the best one counts. The
// watch is told of the bound where solvers tell it of their objective, with its sign changed.
PackingResult pack_cycles(const Graph& graph, std::span<const double> costs,
                          const PackingOptions& options, Watch& watch);

}  // namespace multicut
