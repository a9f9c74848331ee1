#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/sums.hpp"
#include "multicut/proofreading/live_graph.hpp"
#include "multicut/proofreading/parts.hpp"
#include "multicut/proofreading/region.hpp"
#include "multicut/search/clustering.hpp"

namespace multicut {

// A node that has left one cluster for another.
struct Relabelled {
  NodeId node;
  NodeId before;
  NodeId after;
};

// What it costs to treat an edge otherwise.
struct Flip {
  double margin;  // by how much the objective would change; infinite if constraints forbid it
  std::vector<NodeId> nodes;  // that would change cluster
};

// A partition that is kept good while costs change and edges are added. Each change is followed by a
// search around it, which costs as much as the region that it looks at, however large the graph is.
// Clusters keep their numbers where they can; numbers are never used again.
class LivePartition {
 public:
  // `labels` are canonical, of connected clusters, and meet the constraints.
  LivePartition(const Graph& graph, std::span<const double> costs, Labels labels);

  const LiveGraph& graph() const { return graph_; }
  const Labels& labels() const { return clusters_.labels(); }
  double objective() const { return objective_.value(); }
  std::size_t num_clusters() const { return num_clusters_; }
  NodeId size(NodeId cluster) const { return clusters_.size(cluster); }

  // Changes of the graph; the partition stays as it is until `improve`.
  void set_cost(EdgeId e, double cost);
  EdgeId add_edge(NodeId u, NodeId v, double cost);
  void remove_last_edge();

  // Searches around nodes, then around what has changed, in regions of about so many nodes, until nothing
  // gets better or for so many rounds. Afterwards all constraints at these nodes are met, which must not
  // contradict each other. Returns what has changed since `take_changes`.
  // The first `fresh_rounds` try a greedy start as well.
  void improve(std::vector<NodeId> seeds, std::size_t num_nodes, int max_rounds,
               int fresh_rounds = 1);

  // Looks at what it would cost to treat an edge otherwise, by local search in a region of about so many
  // nodes; the partition stays as it is.
  Flip flip(EdgeId e, std::size_t num_nodes);

  // Appends borders between parts of a cluster that is not empty, and returns its core. Weights are of nodes.
  NodeId borders_within(NodeId cluster, std::span<const double> weights,
                        std::vector<Border>& borders) {
    return parts_.borders_within(graph_, members_of(cluster), weights, borders);
  }
  std::vector<Border> borders_between(std::span<const double> weights) const {
    return multicut::borders_between(graph_, clusters_, weights);
  }

  // The part of the first one of two nodes of a cluster, if that is divided between them.
  std::vector<NodeId> part_around(NodeId u, NodeId v) {
    return parts_.part_around(graph_, members_of(clusters_.label(u)), u, v);
  }

  // Takes over another partition of all nodes, canonical. It meets the constraints.
  void adopt(const Labels& labels);

  // Moves nodes to the clusters they had before or after some change.
  void relabel(std::span<const NodeId> nodes, std::span<const NodeId> clusters);

  // What has changed since the last call.
  std::vector<Relabelled> take_changes();

 private:
  std::vector<NodeId> members_of(NodeId cluster) const;
  std::vector<Labels> starts_of(const Region& region) const;
  double assign(const Region& region, const Labels& found);
  void move(NodeId node, NodeId to);
  void separate_pieces(NodeId cluster, std::span<const NodeId> left);
  NodeId add_cluster();

  LiveGraph graph_;
  Clustering clusters_;
  RegionFinder finder_;
  PartFinder parts_;
  Sum objective_;
  std::size_t num_clusters_;
  std::vector<Relabelled> changes_;  // `after` is filled in when they are taken
  std::vector<std::uint8_t> is_changed_;
};

}  // namespace multicut
