#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/search/node_move.hpp"
#include "multicut/search/ordered_graph.hpp"

namespace multicut {

// The nodes where chains are to start, in turn, each once at a time.
template <typename Chains>
class ChainStarts {
 public:
  ChainStarts(const OrderedGraph& graph, Chains& chains, double smallest_gain)
      : graph_(graph),
        chains_(chains),
        smallest_gain_(smallest_gain),
        is_waiting_(graph.num_nodes(), 0),
        refreshed_(graph.num_nodes(), 0) {}

  bool empty() const { return next_ == queue_.size(); }

  NodeId pop() {
    const NodeId node = queue_[next_++];
    is_waiting_[node] = 0;
    if (empty()) {
      queue_.clear();
      next_ = 0;
    }
    return node;
  }

  void push(NodeId node) {
    if (is_waiting_[node]) return;
    is_waiting_[node] = 1;
    queue_.push_back(node);
  }

  std::span<const NodeId> waiting() const { return {queue_.data() + next_, queue_.size() - next_}; }

  // Clusters have changed, so that nodes may be refreshed again.
  void begin_change() { changes_ += 1; }

  // Once after each change. Returns by how much more moving the node gains than before.
  double refresh(NodeId node) {
    if (refreshed_[node] == changes_) return 0;
    refreshed_[node] = changes_;
    return chains_.refresh(node);
  }

  void push_if_risen(NodeId node) {
    if (refresh(node) > smallest_gain_) push(node);
  }

  // A chain has helped: its nodes have another turn, and so have those at their side that have more to gain
  // than before.
  void follow(std::span<const NodeMove> moves) {
    begin_change();
    for (const NodeMove& move : moves) {
      refresh(move.node);
      push(move.node);
      for (const OrderedGraph::Arc& arc : graph_.arcs(move.node)) {
        if (!chains_.is_hub(arc.node)) push_if_risen(arc.node);
      }
    }
  }

 private:
  const OrderedGraph& graph_;
  Chains& chains_;
  double smallest_gain_;
  std::vector<NodeId> queue_;
  std::size_t next_ = 0;
  std::vector<std::uint8_t> is_waiting_;
  std::vector<std::uint32_t> refreshed_;  // after which change
  std::uint32_t changes_ = 0;
};

}  // namespace multicut
