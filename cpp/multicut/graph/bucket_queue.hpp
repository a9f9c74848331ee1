#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <queue>
#include <span>
#include <utility>
#include <vector>

#include "multicut/graph/edge_queue.hpp"
#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// Hands out edges in the same order as EdgeQueue. Edges that are pushed wait in buckets by the leading bits of
// their key, and are ordered only when their bucket's turn comes: by then most of them are dead, since
// contraction of a lifted problem changes many keys again and again.
class BucketQueue {
 public:
  using Item = EdgeQueue::Item;

  // Starts with the edges whose key is positive. Refers to `keys`, which must outlive the queue.
  explicit BucketQueue(std::span<const double> keys, const Stop& stop = kNeverStop)
      : keys_(keys), first_(keys, stop) {
    heads_.fill(kEnd);
    // Infinite keys would leave one bucket for all others.
    std::size_t at = 0;
    while (first_.peek(at) != kNoEdge && std::isinf(keys[first_.peek(at)])) ++at;
    const double largest = first_.peek(at) == kNoEdge ? 1 : keys[first_.peek(at)];
    top_ = std::bit_cast<std::uint64_t>(largest) >> kShift;
  }

  void push(double key, EdgeId edge) {
    const std::size_t bucket = bucket_of(key);
    if (bucket <= current_) {
      near_.push({key, edge});
      return;
    }
    std::uint32_t place = free_;
    if (place == kEnd) {
      place = static_cast<std::uint32_t>(pool_.size());
      pool_.emplace_back();
    } else {
      free_ = pool_[place].next;
    }
    pool_[place] = {{key, edge}, heads_[bucket]};
    heads_[bucket] = place;
    farthest_ = std::max(farthest_, bucket);
  }

  // The item with the largest key, which is taken off; nothing if the queue is empty. Leaves out pushed items
  // for which is_dead(edge) is true, if it comes across them.
  template <typename IsDead>
  std::optional<Item> pop(IsDead is_dead) {
    for (;;) {
      const EdgeId first = first_.peek(0);
      if (first != kNoEdge && bucket_of(keys_[first]) <= current_) {
        const Item item{keys_[first], first};
        if (near_.empty() || After{}(near_.top(), item)) return first_.pop();
      }
      if (!near_.empty()) {
        const Item item = near_.top();
        near_.pop();
        return item;
      }
      if (first == kNoEdge && current_ >= farthest_) return std::nullopt;
      const std::size_t end = first == kNoEdge ? farthest_ : bucket_of(keys_[first]);
      do {
        ++current_;
      } while (current_ < end && heads_[current_] == kEnd);
      for (std::uint32_t i = std::exchange(heads_[current_], kEnd); i != kEnd;) {
        if (!is_dead(pool_[i].item.edge)) near_.push(pool_[i].item);
        const std::uint32_t next = std::exchange(pool_[i].next, free_);
        free_ = std::exchange(i, next);
      }
    }
  }

  EdgeId peek(std::size_t ahead) const { return first_.peek(ahead); }

 private:
  struct After {
    bool operator()(const Item& a, const Item& b) const {
      return a.key != b.key ? a.key < b.key : a.edge > b.edge;
    }
  };
  struct Waiting {
    Item item;
    std::uint32_t next;
  };

  // Sign, exponent and four bits of the fraction: 16 buckets for each power of two. Smaller keys share the
  // last bucket, larger ones than all at the start the first.
  static constexpr int kShift = 48;
  static constexpr std::size_t kNumBuckets = 512;
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();

  std::size_t bucket_of(double key) const {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(key) >> kShift;
    return bits >= top_ ? 0 : std::min<std::size_t>(top_ - bits, kNumBuckets - 1);
  }

  std::span<const double> keys_;
  EdgeQueue first_;
  std::uint64_t top_ = 0;
  std::size_t current_ = 0;   // buckets up to this one have had their turn
  std::size_t farthest_ = 0;  // no bucket after this one holds anything
  std::priority_queue<Item, std::vector<Item>, After> near_;
  std::vector<Waiting> pool_;
  std::uint32_t free_ = kEnd;  // places in pool_ that can be used again
  std::array<std::uint32_t, kNumBuckets> heads_;
};

}  // namespace multicut
