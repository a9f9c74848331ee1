#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace multicut {

// Links each point of the plane to its nearest others: point i to counts[i] of them, and two points
// at most once. `points` holds x0 y0 x1 y1 …; of others at the same distance the one with the
// smaller index is nearer. Returns u0 v0 u1 v1 … with u < v, ascending.
//
// Takes linear time where points are spread evenly over their bounding box.
std::vector<std::int64_t> link_nearest(std::span<const double> points,
                                       std::span<const std::int64_t> counts);

}  // namespace multicut
