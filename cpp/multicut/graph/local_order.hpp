#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// A copy of a graph with its costs whose nodes are numbered breadth first, and whose edges follow their
// nodes: what lies together in the graph lies together in memory.
struct LocallyOrdered {
  Graph graph;
  std::vector<double> costs;
  std::vector<NodeId> order;  // the original's node of each of ours

  // Labels of our nodes as labels of the original's; canonical.
  Labels restore(const Labels& labels) const;
};

// Whether neighbours are so far apart by their numbers that such a copy pays for whoever walks through the
// graph several times.
bool is_scattered(const Graph& graph);

// Must not be used if `stop` became true meanwhile: then it is incomplete.
LocallyOrdered order_locally(const Graph& graph, std::span<const double> costs,
                             const Stop& stop = kNeverStop);

}  // namespace multicut
