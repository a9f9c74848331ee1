#pragma once

#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut {

// Clusters as linked lists of their nodes, so that moving a node and joining small into large are
// cheap. The volume of a cluster is the sum of the degrees of its nodes.
class Clustering {
 public:
  Clustering(Labels labels, std::vector<NodeId> degrees)
      : labels_(std::move(labels)),
        degrees_(std::move(degrees)),
        next_(labels_.size(), kNoNode),
        previous_(labels_.size(), kNoNode) {
    for (NodeId node = 0; node < labels_.size(); ++node) {
      if (labels_[node] >= heads_.size()) {
        heads_.resize(labels_[node] + 1, kNoNode);
        sizes_.resize(labels_[node] + 1, 0);
        volumes_.resize(labels_[node] + 1, 0);
      }
      link(node, labels_[node]);
    }
  }

  NodeId num_clusters() const { return static_cast<NodeId>(heads_.size()); }
  NodeId label(NodeId node) const { return labels_[node]; }
  const Labels& labels() const { return labels_; }
  NodeId size(NodeId cluster) const { return sizes_[cluster]; }
  std::size_t volume(NodeId cluster) const { return volumes_[cluster]; }
  NodeId first(NodeId cluster) const { return heads_[cluster]; }
  NodeId next(NodeId node) const { return next_[node]; }

  NodeId add_cluster() {
    heads_.push_back(kNoNode);
    sizes_.push_back(0);
    volumes_.push_back(0);
    return num_clusters() - 1;
  }

  // Gives a node another label while it stays in its cluster's list: for trying things out.
  void pretend(NodeId node, NodeId cluster) { labels_[node] = cluster; }

  // Moves a node from the list of one cluster to that of another.
  void move(NodeId node, NodeId from, NodeId to) {
    const NodeId before = previous_[node];
    const NodeId after = next_[node];
    (before == kNoNode ? heads_[from] : next_[before]) = after;
    if (after != kNoNode) previous_[after] = before;
    --sizes_[from];
    volumes_[from] -= degrees_[node];
    link(node, to);
    labels_[node] = to;
  }

  // Joins two clusters into the one that is returned.
  NodeId join(NodeId a, NodeId b) {
    if (sizes_[a] < sizes_[b]) std::swap(a, b);
    while (heads_[b] != kNoNode) move(heads_[b], b, a);
    return a;
  }

 private:
  void link(NodeId node, NodeId cluster) {
    const NodeId head = heads_[cluster];
    next_[node] = head;
    previous_[node] = kNoNode;
    if (head != kNoNode) previous_[head] = node;
    heads_[cluster] = node;
    ++sizes_[cluster];
    volumes_[cluster] += degrees_[node];
  }

  Labels labels_;
  std::vector<NodeId> degrees_;
  std::vector<NodeId> next_;
  std::vector<NodeId> previous_;
  std::vector<NodeId> heads_;
  std::vector<NodeId> sizes_;
  std::vector<std::size_t> volumes_;
};

}  // namespace multicut
