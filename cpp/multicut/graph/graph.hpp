#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "multicut/graph/stop.hpp"

namespace multicut {

using NodeId = std::uint32_t;
using EdgeId = std::uint32_t;

inline constexpr NodeId kNoNode = std::numeric_limits<NodeId>::max();
inline constexpr EdgeId kNoEdge = std::numeric_limits<EdgeId>::max();

// Ids stay below 2^31, so that they fit a signed 32-bit integer and twice an edge id fits 32 bits.
inline constexpr std::uint64_t kMaxId = std::uint64_t{1} << 31;

struct Edge {
  NodeId u;
  NodeId v;

  bool operator==(const Edge&) const = default;
};

// Undirected graph in compressed sparse row form. Immutable; edge e keeps its position and its
// orientation. Parallel edges and self-loops are the caller's business (see simplify.hpp).
class Graph {
 public:
  Graph() : offsets_(1, 0) {}
  // Must not be used if `stop` became true meanwhile: then it is incomplete.
  Graph(NodeId num_nodes, std::vector<Edge> edges, const Stop& stop = kNeverStop);

  NodeId num_nodes() const { return static_cast<NodeId>(offsets_.size() - 1); }
  EdgeId num_edges() const { return static_cast<EdgeId>(edges_.size()); }

  const Edge& edge(EdgeId e) const { return edges_[e]; }
  std::span<const Edge> edges() const { return edges_; }

  // neighbours(u)[i] is the other end of the edge incident_edges(u)[i].
  std::span<const NodeId> neighbours(NodeId node) const { return slice(neighbours_, node); }
  std::span<const EdgeId> incident_edges(NodeId node) const {
    return slice(incident_edges_, node);
  }
  std::size_t degree(NodeId node) const { return offsets_[node + 1] - offsets_[node]; }

 private:
  std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& all, NodeId node) const {
    return {all.data() + offsets_[node], all.data() + offsets_[node + 1]};
  }

  std::vector<Edge> edges_;
  std::vector<std::size_t> offsets_;
  std::vector<NodeId> neighbours_;
  std::vector<EdgeId> incident_edges_;
};

}  // namespace multicut
