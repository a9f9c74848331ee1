#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace multicut {

// The evidence along an edge is counted in so many bins of equal width between 0 and 1.
inline constexpr std::size_t kEvidenceBins = 32;
using Histogram = std::array<std::uint32_t, kEvidenceBins>;

// The sum of numbers between 0 and 1, of which each is rounded to a multiple of 2^-62 first: exact
// from there on. So it does not depend on the order in which numbers are added, nor on how a volume
// is divided into parts that are summed on their own.
struct FixedSum {
  static constexpr double kUnits = 4611686018427387904.0;  // 2^62 of them make one

  std::uint64_t high = 0;  // multiples of four
  std::uint64_t low = 0;   // multiples of 2^-62

  void add(double value) { add({0, static_cast<std::uint64_t>(value * kUnits)}); }
  void add(const FixedSum& other) {
    low += other.low;
    high += other.high + (low < other.low ? 1 : 0);
  }
  bool operator==(const FixedSum&) const = default;
  double value() const {
    return static_cast<double>(high) * 4.0 + static_cast<double>(low) / kUnits;
  }
};

// Where two regions meet.
struct Contact {
  std::uint64_t u;  // label of one region, smaller than
  std::uint64_t v;  // the other's
  std::int64_t touching = 0;  // pairs of neighbouring pixels
  std::int64_t samples = 0;   // pairs that carry evidence
  FixedSum sum = {};
  FixedSum sum_of_squares = {};
  double minimum = 1.0;
  double maximum = 0.0;
};

// Entries in the order in which their keys first came up, found by hashing. Room grows with the
// number of entries; linear probing, at most half full.
class HashIndex {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  // Calls is_same(entry) until it is true; returns that entry or kNone and leaves the place of the
  // key in `place_`, for insert().
  template <typename IsSame>
  std::uint32_t find(std::uint64_t hash, const IsSame& is_same) {
    for (place_ = hash & mask_;; place_ = (place_ + 1) & mask_) {
      const std::uint32_t entry = slots_[place_];
      if (entry == kNone || is_same(entry)) return entry;
    }
  }

  // Puts an entry where find() has just found nothing; hash_of(entry) is asked when room grows.
  template <typename HashOf>
  void insert(std::uint32_t entry, const HashOf& hash_of) {
    slots_[place_] = entry;
    if (2 * (static_cast<std::size_t>(entry) + 1) <= slots_.size()) return;
    slots_ = std::vector<std::uint32_t>(2 * slots_.size(), kNone);
    mask_ = slots_.size() - 1;
    for (std::uint32_t e = 0; e <= entry; ++e) {
      std::size_t place = hash_of(e) & mask_;
      while (slots_[place] != kNone) place = (place + 1) & mask_;
      slots_[place] = e;
    }
  }

 private:
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kNone);
  std::size_t mask_ = 63;
  std::size_t place_ = 0;
};

inline std::uint64_t mix_bits(std::uint64_t x) {  // the finaliser of splitmix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

// The regions of a volume, or of a part of it, with the number of their voxels.
class RegionTable {
 public:
  struct Region {
    std::uint64_t label;
    std::int64_t size;
  };

  void add(std::uint64_t label, std::int64_t size) { regions_[entry_of(label)].size += size; }
  void add(const RegionTable& other);
  std::uint32_t entry_of(std::uint64_t label);
  std::vector<Region>& regions() { return regions_; }

 private:
  std::vector<Region> regions_;
  HashIndex index_;
};

// The contacts between the regions of a volume, or of a part of it.
class ContactTable {
 public:
  explicit ContactTable(bool has_histograms) : has_histograms_(has_histograms) {}

  std::uint32_t entry_of(std::uint64_t u, std::uint64_t v);  // u < v
  void add_touch(std::uint32_t entry) { ++contacts_[entry].touching; }
  void add_sample(std::uint32_t entry, double value) {
    Contact& contact = contacts_[entry];
    ++contact.samples;
    contact.sum.add(value);
    contact.sum_of_squares.add(value * value);
    contact.minimum = std::min(contact.minimum, value);
    contact.maximum = std::max(contact.maximum, value);
    if (has_histograms_) {
      const auto bin = static_cast<std::size_t>(value * kEvidenceBins);
      ++histograms_[entry][std::min(bin, kEvidenceBins - 1)];
    }
  }
  // Adds what another part of the volume has found where the same two regions meet.
  void add_parts(std::uint32_t entry, const Contact& part);
  void add(const ContactTable& other);
  // Hands over all contacts by ascending labels, and their histograms. There may be millions, so
  // they are sorted in place.
  std::pair<std::vector<Contact>, std::vector<Histogram>> take_sorted() &&;

 private:
  bool has_histograms_;
  std::vector<Contact> contacts_;
  std::vector<Histogram> histograms_;
  HashIndex index_;
};

}  // namespace multicut
