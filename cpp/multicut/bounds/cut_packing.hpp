#pragma once

#include <limits>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// Raises a lower bound of a lifted problem by its cut inequalities; returns by how much, rounded down.
//
// The edges before `num_ordinary` connect, the others do not. `left` is what a packing of cycles leaves of
// the |cost| of each edge. A set of nodes that holds one end of an attractive lifted edge, and that only
// repulsive ordinary edges leave, makes every partition pay: the lifted edge is cut, or one of the others is
// not. For one lifted edge, the largest packing of such sets is as large as the distance between its ends,
// where what is left of repulsive ordinary edges is their length, and others have none. The sets are balls
// around one of the ends. Lifted edges come one after the other, and what they use is taken off `left`.
// Begins no search after `max_steps` steps of about a nanosecond.
double pack_cuts(const Graph& graph, std::span<const double> costs, EdgeId num_ordinary,
                 std::vector<double>& left, Watch& watch,
                 double max_steps = std::numeric_limits<double>::infinity());

}  // namespace multicut
