#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "multicut/vision/region_table.hpp"

namespace multicut {

// A label for each voxel of a volume with axes z, y, x; an image has one of these of length 1.
struct LabelVolume {
  std::variant<const std::uint32_t*, const std::uint64_t*> labels;
  std::array<std::int64_t, 3> shape;
  std::optional<std::uint64_t> ignored;  // voxels of this label belong to no region

  std::int64_t num_voxels() const { return shape[0] * shape[1] * shape[2]; }
};

// Evidence of a boundary for each voxel, between 0 and 1; integers stand for their share of the
// largest one, 255.
using Evidence = std::variant<std::monostate, const std::uint8_t*, const float*, const double*>;

// Pairs of voxels to look at: each voxel with the one at an offset from it.
struct Channel {
  std::array<std::int64_t, 3> offset;
  Evidence evidence;
  // Evidence is about voxels, and a pair's is the mean of both; or it is about the pair itself, is
  // found at the first of its voxels, and tells how much they belong together.
  bool is_affinity = false;
  bool is_touching = true;  // such pairs are neighbours; others only reach across
};

// A box of voxels, from `begin` up to but not including `end`.
struct Box {
  std::array<std::int64_t, 3> begin;
  std::array<std::int64_t, 3> end;
};

struct RegionGraph {
  std::vector<std::uint64_t> regions;    // labels, ascending
  std::vector<std::int64_t> region_sizes;  // in voxels
  std::vector<std::int64_t> edges;  // u0 v0 u1 v1 …, positions in `regions`, u < v, ascending
  std::vector<Contact> contacts;    // one for each edge
  std::vector<Histogram> histograms;
};

// Large enough that few contacts are found twice, small enough that all processors have work.
inline constexpr std::int64_t kVoxelsPerSlab = std::int64_t{1} << 22;

// Finds the regions of a volume, which of them meet, and statistics of the evidence where they do,
// in one pass over the volume. Beside the volume, memory is needed only for regions and edges. The
// result does not depend on the number of threads, nor on the size of slabs. Only tests make these
// smaller.
RegionGraph build_region_graph(const LabelVolume& volume, std::span<const Channel> channels,
                               bool with_histograms, int num_threads,
                               std::int64_t voxels_per_slab = kVoxelsPerSlab);

// What one of several boxes that a volume is divided into has to add to the region graph.
struct RegionPart {
  std::vector<std::uint64_t> regions;      // labels within the box, ascending
  std::vector<std::int64_t> region_sizes;  // in voxels of the box
  std::vector<Contact> contacts;           // ascending; a label may lie outside of the box
  std::vector<Histogram> histograms;
};

// Counts the voxels of a box, and the pairs whose first voxel lies in it. The volume has to reach
// beyond the box by the offsets. Since sums are exact, the parts of all boxes add up to the region
// graph of the whole volume, bit for bit.
RegionPart build_region_part(const LabelVolume& volume, const Box& box,
                             std::span<const Channel> channels, bool with_histograms,
                             int num_threads);

// Writes for each voxel the position of its label in `regions`, which are ascending, or -1 where it
// has none.
void number_voxels(const LabelVolume& volume, std::span<const std::uint64_t> regions,
                   std::span<std::int64_t> numbers);

}  // namespace multicut
