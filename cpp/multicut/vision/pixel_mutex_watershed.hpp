#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "multicut/solvers/watch.hpp"
#include "multicut/vision/region_graph.hpp"

namespace multicut {

// Affinities of an image or volume with axes z, y, x. Channel c holds for each pixel how much it and
// the one at offsets[c] from it belong together, between 0 and 1.
struct AffinityMaps {
  std::array<std::int64_t, 3> shape;
  std::vector<std::array<std::int64_t, 3>> offsets;
  Evidence affinities;
  std::size_t num_attractive;  // channels that join; the others keep apart

  // Repulsive channels are read only at pixels whose position is a multiple of these; or, given a
  // seed, at random ones, as many on average.
  std::array<std::int64_t, 3> strides{1, 1, 1};
  std::optional<std::uint64_t> seed;

  const bool* mask = nullptr;  // pixels to segment; all if there is none

  // How much each pixel belongs to each class, by class; none for a segmentation without classes.
  Evidence classes;
  std::size_t num_classes = 0;

  std::int64_t num_pixels() const { return shape[0] * shape[1] * shape[2]; }
};

struct PixelSegments {
  std::vector<std::int64_t> labels;   // 0 … k−1 in order of first appearance, −1 outside of the mask
  std::vector<std::int64_t> classes;  // of each pixel, if there are any; −1 outside of the mask
};

// Mutex watershed of pixels (Wolf et al., ECCV 2018, TPAMI 2020), with classes the semantic one (Wolf
// et al., 2020). An affinity a joins with priority a or keeps apart with priority 1 − a, in single
// precision; ties go by channel, then by pixel, and pixels choose their classes last. Needs 16 bytes
// for each edge, and for each pixel. Values that are not between 0 and 1 are invalid_argument, if they
// are read. Stopped early, it returns the segments so far.
PixelSegments mutex_watershed(const AffinityMaps& maps, Watch& watch);

}  // namespace multicut
