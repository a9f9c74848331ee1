#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// Hands out edges by descending key, ties by ascending id. Keys known at the start are sorted once
// and read in sequence; the few that come later wait in a heap.
class EdgeQueue {
 public:
  struct Item {
    double key;
    EdgeId edge;
  };

  // Starts with the edges whose key is positive; empty if stopped. Refers to `keys`, which must
  // outlive the queue.
  explicit EdgeQueue(std::span<const double> keys, const Stop& stop = kNeverStop);

  void push(double key, EdgeId edge) { later_.push({key, edge}); }

  // The item with the largest key, which is taken off; nothing if the queue is empty.
  std::optional<Item> pop();

  // The edge that stands `ahead` places further down the sorted sequence, kNoEdge past its end.
  EdgeId peek(std::size_t ahead) const {
    return next_ + ahead < sorted_.size() ? sorted_[next_ + ahead] : kNoEdge;
  }

 private:
  struct After {
    bool operator()(const Item& a, const Item& b) const {
      return a.key != b.key ? a.key < b.key : a.edge > b.edge;
    }
  };

  std::span<const double> keys_;
  std::vector<EdgeId> sorted_;
  std::size_t next_ = 0;
  std::priority_queue<Item, std::vector<Item>, After> later_;
};

}  // namespace multicut
