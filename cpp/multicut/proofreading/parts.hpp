#pragma once

#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/proofreading/live_graph.hpp"
#include "multicut/search/clustering.hpp"

namespace multicut {

// Two parts of one cluster, or two clusters, and what is between them.
struct Border {
  NodeId u;  // a node of either side
  NodeId v;
  double cost;          // the sum of the costs between them, constraints not counted
  double count;         // how many edges there are
  double first_weight;  // what the nodes of either side weigh together
  double second_weight;
};

// Looks for the parts that clusters consist of: joins nodes, and then parts, by the largest mean cost
// between them, those with must-links first.
class PartFinder {
 public:
  explicit PartFinder(NodeId num_nodes) : index_of_(num_nodes, kNoNode) {}

  // Appends the border that each join removes, in the order of joins, without those of must-links. Its two
  // nodes are the cores of its parts. The core of a joined part is that of the heavier one of the two.
  // Returns the core of the whole cluster.
  NodeId borders_within(const LiveGraph& graph, std::span<const NodeId> members,
                        std::span<const double> weights, std::vector<Border>& borders);

  // Joins parts but those of two nodes, and returns the part of the first one.
  std::vector<NodeId> part_around(const LiveGraph& graph, std::span<const NodeId> members, NodeId u,
                                  NodeId v);

 private:
  struct Subgraph {
    Graph graph;
    std::vector<double> costs;
  };

  Subgraph subgraph_of(const LiveGraph& graph, std::span<const NodeId> members);

  std::vector<NodeId> index_of_;  // scratch: the position of a node among the members
};

// Returns the border of each two clusters that have an edge and no cannot-link between them. The two nodes
// are the ends of one of its edges.
std::vector<Border> borders_between(const LiveGraph& graph, const Clustering& clusters,
                                    std::span<const double> weights);

}  // namespace multicut
