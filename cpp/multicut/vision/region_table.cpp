#include "multicut/vision/region_table.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace multicut {

namespace {

std::uint64_t hash_of_pair(std::uint64_t u, std::uint64_t v) {
  return mix_bits(u * 0x9E3779B97F4A7C15ULL + v);
}

void check_room(std::size_t size) {
  if (size >= HashIndex::kNone) throw std::length_error("more than 2^32 regions or contacts");
}

}  // namespace

std::uint32_t RegionTable::entry_of(std::uint64_t label) {
  const auto found =
      index_.find(mix_bits(label), [&](std::uint32_t e) { return regions_[e].label == label; });
  if (found != HashIndex::kNone) return found;
  check_room(regions_.size());
  const auto entry = static_cast<std::uint32_t>(regions_.size());
  regions_.push_back({label, 0});
  index_.insert(entry, [&](std::uint32_t e) { return mix_bits(regions_[e].label); });
  return entry;
}

void RegionTable::add(const RegionTable& other) {
  for (const Region& region : other.regions_) add(region.label, region.size);
}

std::uint32_t ContactTable::entry_of(std::uint64_t u, std::uint64_t v) {
  const auto found = index_.find(hash_of_pair(u, v), [&](std::uint32_t e) {
    return contacts_[e].u == u && contacts_[e].v == v;
  });
  if (found != HashIndex::kNone) return found;
  check_room(contacts_.size());
  const auto entry = static_cast<std::uint32_t>(contacts_.size());
  contacts_.push_back({.u = u, .v = v});
  if (has_histograms_) histograms_.emplace_back();
  index_.insert(entry,
                [&](std::uint32_t e) { return hash_of_pair(contacts_[e].u, contacts_[e].v); });
  return entry;
}

std::pair<std::vector<Contact>, std::vector<Histogram>> ContactTable::take_sorted() && {
  index_ = HashIndex();
  std::vector<std::uint32_t> order(contacts_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return std::pair(contacts_[i].u, contacts_[i].v) < std::pair(contacts_[j].u, contacts_[j].v);
  });
  // Follows the cycles of the permutation; `order[i] == i` marks what is in its place.
  for (std::uint32_t start = 0; start < order.size(); ++start) {
    std::uint32_t here = start;
    while (order[here] != start) {
      const std::uint32_t next = order[here];
      std::swap(contacts_[here], contacts_[next]);
      if (has_histograms_) std::swap(histograms_[here], histograms_[next]);
      order[here] = here;
      here = next;
    }
    order[here] = here;
  }
  return {std::move(contacts_), std::move(histograms_)};
}

void ContactTable::add_parts(std::uint32_t entry, const Contact& part) {
  Contact& to = contacts_[entry];
  to.touching += part.touching;
  to.samples += part.samples;
  to.sum.add(part.sum);
  to.sum_of_squares.add(part.sum_of_squares);
  to.minimum = std::min(to.minimum, part.minimum);
  to.maximum = std::max(to.maximum, part.maximum);
}

void ContactTable::add(const ContactTable& other) {
  for (std::size_t i = 0; i < other.contacts_.size(); ++i) {
    const Contact& from = other.contacts_[i];
    const std::uint32_t entry = entry_of(from.u, from.v);
    add_parts(entry, from);
    if (!has_histograms_) continue;
    for (std::size_t bin = 0; bin < kEvidenceBins; ++bin) {
      histograms_[entry][bin] += other.histograms_[i][bin];
    }
  }
}

}  // namespace multicut
