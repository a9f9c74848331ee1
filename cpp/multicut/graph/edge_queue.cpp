#include "multicut/graph/edge_queue.hpp"

#include <algorithm>
#include <bit>

#include "multicut/graph/prefetch.hpp"
#include "multicut/graph/radix_sort.hpp"

namespace multicut {
namespace {

// Below this a comparison sort is as good as a radix sort, below the second a few large digits do
// not pay for their tables.
constexpr std::size_t kManyForRadixSort = 64;
constexpr std::size_t kManyForLargeDigits = 4096;

// Keys are read in an order that jumps through memory; they are fetched this many places ahead.
constexpr std::size_t kAhead = 16;

// Positive doubles order like their bit patterns. Sorts by the 32 leading bits in which the keys
// differ, then mends the rare runs in which these are equal but the keys are not. Returns whether it
// was completed.
bool sort_many(std::span<const double> keys, std::vector<EdgeId>& edges, const Stop& stop) {
  const auto bits_of = [&](EdgeId e) { return std::bit_cast<std::uint64_t>(keys[e]); };
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  for (const EdgeId e : edges) {
    lowest = std::min(lowest, bits_of(e));
    highest = std::max(highest, bits_of(e));
  }
  const int shift = std::max(0, static_cast<int>(std::bit_width(highest - lowest)) - 32);
  std::vector<Ranked> prefixes;
  prefixes.reserve(edges.size());
  for (const EdgeId e : edges) {
    prefixes.push_back({static_cast<std::uint32_t>((highest - bits_of(e)) >> shift), e});
  }
  if (!(edges.size() < kManyForLargeDigits ? radix_sort<8>(prefixes, stop)
                                           : radix_sort<11>(prefixes, stop))) {
    return false;
  }
  for (std::size_t i = 0; i < edges.size(); ++i) edges[i] = prefixes[i].id;
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && prefixes[end].rank == prefixes[begin].rank) ++end;
    if (end - begin > 1 && shift > 0) {
      std::stable_sort(edges.begin() + static_cast<std::ptrdiff_t>(begin),
                       edges.begin() + static_cast<std::ptrdiff_t>(end),
                       [&](EdgeId a, EdgeId b) { return keys[a] > keys[b]; });
    }
    begin = end;
  }
  return true;
}

}  // namespace

EdgeQueue::EdgeQueue(std::span<const double> keys, const Stop& stop) : keys_(keys) {
  const auto count =
      static_cast<std::size_t>(std::ranges::count_if(keys, [](double key) { return key > 0; }));
  // Which keys are positive is hard to predict: there is no branch for it, but a place that is left over.
  sorted_.resize(count + 1);
  std::size_t at = 0;
  for (EdgeId e = 0; e < keys.size(); ++e) {
    sorted_[at] = e;
    at += keys[e] > 0 ? 1U : 0U;
  }
  sorted_.pop_back();
  if (sorted_.size() >= kManyForRadixSort) {
    if (stop() || !sort_many(keys, sorted_, stop)) sorted_.clear();
  } else {
    std::ranges::sort(sorted_, [&](EdgeId a, EdgeId b) {
      return keys[a] != keys[b] ? keys[a] > keys[b] : a < b;
    });
  }
}

std::optional<EdgeQueue::Item> EdgeQueue::pop() {
  if (next_ < sorted_.size()) {
    if (const EdgeId ahead = peek(kAhead); ahead != kNoEdge) prefetch(&keys_[ahead]);
    const Item item{keys_[sorted_[next_]], sorted_[next_]};
    if (later_.empty() || After{}(later_.top(), item)) {
      ++next_;
      return item;
    }
  } else if (later_.empty()) {
    return std::nullopt;
  }
  const Item item = later_.top();
  later_.pop();
  return item;
}

}  // namespace multicut
