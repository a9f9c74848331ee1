#include "multicut/proofreading/region.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Of the nodes of a region, how many may be of the clusters of the seeds.
constexpr double kShareOfOwnClusters = 0.7;

// Clusters that do not fit and are in the region as one node each.
constexpr std::size_t kMostNeighbours = 12;

// A larger cluster is not searched for edges to others: it takes part as it is, but joins none of those.
constexpr std::size_t kLargestVolume = 500'000;

}  // namespace

class RegionFinder::Builder {
 public:
  Builder(std::vector<NodeId>& index_of, const LiveGraph& graph, const Clustering& clusters)
      : index_of_(index_of), graph_(graph), clusters_(clusters) {}

  Region build(std::span<const NodeId> seeds, std::size_t num_nodes) {
    for (const NodeId seed : seeds) add(seed);
    for (const NodeId seed : seeds) own_.emplace(clusters_.label(seed), kNoNode);
    const auto most =
        num_nodes >= graph_.num_nodes()
            ? num_nodes
            : static_cast<std::size_t>(kShareOfOwnClusters * static_cast<double>(num_nodes));
    grow_within_own_clusters(most);
    add_neighbours(num_nodes);
    number_clusters();
    collect_edges();
    for (const NodeId node : region_.nodes) region_.labels.push_back(clusters_.label(node));
    for (const NodeId cluster : region_.clusters) region_.labels.push_back(cluster);
    const auto size = static_cast<NodeId>(region_.labels.size());
    region_.graph = Graph(size, std::move(edges_));
    for (const NodeId node : region_.nodes) index_of_[node] = kNoNode;
    return std::move(region_);
  }

 private:
  bool add(NodeId node) {
    if (index_of_[node] != kNoNode) return false;
    index_of_[node] = static_cast<NodeId>(region_.nodes.size());
    region_.nodes.push_back(node);
    ++inside_[clusters_.label(node)];
    return true;
  }

  void grow_within_own_clusters(std::size_t most) {
    for (std::size_t i = 0; i < region_.nodes.size() && region_.nodes.size() < most; ++i) {
      const NodeId node = region_.nodes[i];
      graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId) {
        if (clusters_.label(neighbour) == clusters_.label(node) && region_.nodes.size() < most) {
          add(neighbour);
        }
      });
    }
  }

  // Adds whole clusters next to the nodes so far, those that attract most first.
  void add_neighbours(std::size_t num_nodes) {
    std::unordered_map<NodeId, double> attraction;
    for (const NodeId node : region_.nodes) {
      graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId e) {
        const NodeId cluster = clusters_.label(neighbour);
        if (own_.contains(cluster) || !(graph_.cost(e) > 0)) return;
        attraction[cluster] += graph_.cost(e);
      });
    }
    std::vector<std::pair<double, NodeId>> order;
    for (const auto& [cluster, cost] : attraction) order.emplace_back(-cost, cluster);
    std::sort(order.begin(), order.end());
    std::size_t room = num_nodes - std::min(num_nodes, region_.nodes.size());
    for (const auto& [negated, cluster] : order) {
      if (clusters_.size(cluster) <= room) {
        room -= clusters_.size(cluster);
        for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
          add(node);
        }
      } else if (neighbours_.size() < kMostNeighbours) {
        neighbours_.push_back(cluster);
      }
    }
  }

  void number_clusters() {
    const auto number = [&](NodeId cluster) {
      own_[cluster] = static_cast<NodeId>(region_.nodes.size() + region_.clusters.size());
      region_.clusters.push_back(cluster);
    };
    std::vector<NodeId> own;
    for (const auto& [cluster, index] : own_) {
      if (inside_[cluster] < clusters_.size(cluster)) own.push_back(cluster);
    }
    std::sort(own.begin(), own.end());
    region_.is_open = !own.empty();
    for (const NodeId cluster : own) number(cluster);
    num_own_ = own.size();
    for (const NodeId cluster : neighbours_) number(cluster);
  }

  // The node of the region that stands for a node of the graph, kNoNode if none does.
  NodeId index_of(NodeId node) const {
    if (index_of_[node] != kNoNode) return index_of_[node];
    const auto found = own_.find(clusters_.label(node));
    return found == own_.end() ? kNoNode : found->second;
  }

  void collect_edges() {
    const auto num_nodes = static_cast<NodeId>(region_.nodes.size());
    const std::size_t num_clusters = region_.clusters.size();
    std::vector<double> sums(num_clusters, 0);
    std::vector<std::uint8_t> is_met(num_clusters, 0);
    const auto flush = [&](NodeId from) {
      for (std::size_t i = 0; i < num_clusters; ++i) {
        if (is_met[i]) add_edge(from, static_cast<NodeId>(num_nodes + i), sums[i]);
        sums[i] = 0;
        is_met[i] = 0;
      }
    };
    for (NodeId i = 0; i < num_nodes; ++i) {
      graph_.for_each_arc(region_.nodes[i], [&](NodeId neighbour, EdgeId e) {
        const NodeId other = index_of(neighbour);
        if (other == kNoNode) return;
        if (other >= num_nodes) {
          sums[other - num_nodes] += graph_.cost(e);
          is_met[other - num_nodes] = 1;
        } else if (other > i) {
          add_edge(i, other, graph_.cost(e));
        }
      });
      if (num_clusters > 0) flush(i);
    }
    for (std::size_t i = 0; i < num_clusters; ++i) {
      const NodeId cluster = region_.clusters[i];
      const bool is_known = i < num_own_ && clusters_.volume(cluster) <= kLargestVolume;
      if (is_known) {
        for (NodeId node = clusters_.first(cluster); node != kNoNode; node = clusters_.next(node)) {
          if (index_of_[node] != kNoNode) continue;
          graph_.for_each_arc(node, [&](NodeId neighbour, EdgeId e) {
            if (index_of_[neighbour] != kNoNode) return;
            const NodeId other = index_of(neighbour);
            if (other == kNoNode || other <= num_nodes + i) return;
            sums[other - num_nodes] += graph_.cost(e);
            is_met[other - num_nodes] = 1;
          });
        }
      } else {
        // What joining it with the clusters after it would cost is not known, so it stays apart.
        for (std::size_t j = i + 1; j < num_clusters; ++j) {
          sums[j] = -kInfinity;
          is_met[j] = 1;
        }
      }
      flush(static_cast<NodeId>(num_nodes + i));
    }
  }

  void add_edge(NodeId u, NodeId v, double cost) {
    edges_.push_back({u, v});
    region_.costs.push_back(cost);
  }

  std::vector<NodeId>& index_of_;
  const LiveGraph& graph_;
  const Clustering& clusters_;
  Region region_;
  std::vector<Edge> edges_;
  std::unordered_map<NodeId, NodeId> own_;  // clusters in the region, with their node if they have one
  std::unordered_map<NodeId, NodeId> inside_;  // how many nodes of each cluster are in the region
  std::vector<NodeId> neighbours_;
  std::size_t num_own_ = 0;
};

Region RegionFinder::find(const LiveGraph& graph, const Clustering& clusters,
                          std::span<const NodeId> seeds, std::size_t num_nodes) {
  return Builder(index_of_, graph, clusters).build(seeds, num_nodes);
}

}  // namespace multicut
