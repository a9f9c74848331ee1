#include "multicut/lifted/torn_pieces.hpp"

#include <utility>

namespace multicut {
namespace {

// A search gives up after so many arcs.
constexpr std::size_t kMostWork = 4096;

}  // namespace

std::size_t TornPieces::take_work() { return std::exchange(work_, 0); }

std::uint32_t TornPieces::group_of(std::uint32_t front) {
  while (fronts_[front].group != front) front = fronts_[front].group;
  return front;
}

bool TornPieces::search(NodeId cluster, std::span<const NodeId> starts) {
  num_pieces_ = 0;
  std::uint32_t count = 0;
  for (const NodeId start : starts) {
    if (found_by_[start] != kNoNode) continue;
    if (count == fronts_.size()) fronts_.emplace_back();
    Front& front = fronts_[count];
    front.nodes.assign(1, start);
    front.next = 0;
    front.group = count;
    found_by_[start] = count++;
  }
  num_open_.assign(count, 1);
  // Groups of fronts that have met; those that can go on, and those that cannot, which are pieces.
  std::uint32_t num_groups = count;
  std::uint32_t num_closed = 0;
  const std::size_t limit = work_ + kMostWork;
  while (num_groups - num_closed > 1 && work_ < limit) {
    for (std::uint32_t i = 0; i < count && num_groups - num_closed > 1; ++i) {
      if (fronts_[i].next == fronts_[i].nodes.size()) continue;
      const NodeId node = fronts_[i].nodes[fronts_[i].next++];
      work_ += problem_.links(node).size();
      std::uint32_t group = group_of(i);
      for (const auto [other, cost] : problem_.links(node)) {
        if (clusters_.label(other) != cluster) continue;
        const std::uint32_t finder = found_by_[other];
        if (finder == kNoNode) {
          found_by_[other] = i;
          fronts_[i].nodes.push_back(other);
        } else if (const std::uint32_t met = group_of(finder); met != group) {
          fronts_[met].group = group;
          num_open_[group] += num_open_[met];
          --num_groups;
        }
      }
      if (fronts_[i].next == fronts_[i].nodes.size()) {
        // No other group can reach a closed one: it would be one with it.
        if (--num_open_[group] == 0) ++num_closed;
      }
    }
  }
  const bool is_known = num_groups - num_closed <= 1;
  if (is_known) {
    for (std::uint32_t i = 0; i < count && num_closed > 0; ++i) {
      if (group_of(i) == i && num_open_[i] == 0) add_piece(i, count);
    }
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    for (const NodeId node : fronts_[i].nodes) found_by_[node] = kNoNode;
  }
  return is_known;
}

void TornPieces::add_piece(std::uint32_t group, std::size_t num_fronts) {
  if (num_pieces_ == pieces_.size()) pieces_.emplace_back();
  std::vector<NodeId>& piece = pieces_[num_pieces_++];
  piece.clear();
  for (std::uint32_t i = 0; i < num_fronts; ++i) {
    if (group_of(i) != group) continue;
    piece.insert(piece.end(), fronts_[i].nodes.begin(), fronts_[i].nodes.end());
  }
}

}  // namespace multicut
