#pragma once

#include <functional>
#include <span>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// Criteria under which some optimal partition joins the ends of an edge (persistency; Alush and
// Goldberger 2012; Lange, Andres and Swoboda 2019). Both return canonical labels: nodes of the same
// label may be contracted into one. Costs are finite, and may differ from the exact ones by their
// rounding. When `should_stop` says so, they return the joins found so far.
using ShouldStop = std::function<bool()>;

// Looks at single nodes, one contraction after the other. The ends u, w of an edge are joined
//   if c_uw ≥ Σ |c_e| over the other edges at u: whatever u is with, w is better;
//   or if for a common neighbour v, with R_u = Σ |c_e| over the edges at u but uw and uv (R_w alike),
//   c_uw + c_uv ≥ R_u, c_uw + c_vw ≥ R_w, and c_uw ≥ R_u or c_uw ≥ R_w. If u and w are apart, then
//   v is with w and u may move there, or v is with u and w may, or v is with neither and the third
//   condition lets one of them move.
// A join that may hold up to rounding only adds to `error` what it may cost. Where all sums of costs
// are exact there is none, and `error` is null.
Labels join_at_nodes(const Graph& graph, std::span<const double> costs,
                     const ShouldStop& should_stop, double* error = nullptr);

// Looks at sets of nodes: the ends of an edge are joined if it attracts more than all edges of some
// cut between them weigh, that is, more than the largest flow between its ends along other edges
// with |c_e| as capacities. A search that becomes large is given up.
Labels join_across_cuts(const Graph& graph, std::span<const double> costs,
                        const ShouldStop& should_stop);

}  // namespace multicut
