#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/proofreading/live_graph.hpp"
#include "multicut/search/clustering.hpp"

namespace multicut {

// A part of a graph as a problem of its own. Its first nodes are nodes of the graph; each of the others
// stands for a cluster, or for what is left of one without the first ones. All edges that leave the
// region are cut before and after, so what lowers the cost of the region lowers that of the graph by as
// much.
struct Region {
  std::vector<NodeId> nodes;     // of the graph, the seeds first
  std::vector<NodeId> clusters;  // that the other nodes stand for
  Graph graph;
  std::vector<double> costs;
  Labels labels;  // the clusters of its nodes, numbered as in the partition

  // Whether some seed's cluster has nodes outside.
  bool is_open = false;
};

// Cuts regions out of a graph.
class RegionFinder {
 public:
  explicit RegionFinder(NodeId num_nodes) : index_of_(num_nodes, kNoNode) {}

  // The region of about so many nodes around some, which are in it in any case: of their own clusters
  // the nodes next to them, then neighbouring clusters that attract them. What is left of their own
  // clusters, and clusters that do not fit, are one node each.
  Region find(const LiveGraph& graph, const Clustering& clusters, std::span<const NodeId> seeds,
              std::size_t num_nodes);

 private:
  class Builder;

  std::vector<NodeId> index_of_;  // in the region at hand; kNoNode between calls
};

}  // namespace multicut
