#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "check.hpp"
#include "multicut/geometry/link_nearest.hpp"
#include "multicut/solvers/random.hpp"

using namespace multicut;

namespace {

std::vector<std::int64_t> link_by_sorting(const std::vector<double>& points,
                                          const std::vector<std::int64_t>& counts) {
  std::set<std::pair<std::int64_t, std::int64_t>> links;
  const auto n = static_cast<std::int64_t>(counts.size());
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::pair<double, std::int64_t>> others;
    for (std::int64_t j = 0; j < n; ++j) {
      const double dx = points[2 * j] - points[2 * i];
      const double dy = points[2 * j + 1] - points[2 * i + 1];
      if (j != i) others.emplace_back(dx * dx + dy * dy, j);
    }
    std::sort(others.begin(), others.end());
    for (std::int64_t k = 0; k < counts[i]; ++k) links.insert(std::minmax(i, others[k].second));
  }
  std::vector<std::int64_t> edges;
  for (const auto& [u, v] : links) edges.insert(edges.end(), {u, v});
  return edges;
}

}  // namespace

TEST(nearest_points_are_those_found_by_sorting_all) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const RandomStream random(seed, 2);
    const std::size_t n = 2 + random.bits(0) % 70;
    std::vector<double> points(2 * n);
    std::vector<std::int64_t> counts(n);
    for (std::size_t i = 0; i < 2 * n; ++i) {
      const double value = static_cast<double>(random.bits(1 + i) >> 11) * 0x1p-53;
      // Also points with many ties, on one line, in one heap, and far from the origin.
      points[i] = seed % 5 == 0   ? static_cast<double>(random.bits(1 + i) % 4)
                  : seed % 5 == 1 ? (i % 2 ? 0.5 : value)
                  : seed % 5 == 2 ? value * value * value * value * value * value
                  : seed % 5 == 3 ? 1e9 + 1e-3 * value
                                  : value;
    }
    for (std::size_t i = 0; i < n; ++i) {
      counts[i] = static_cast<std::int64_t>(random.bits(1000 + i) % n);
    }
    CHECK(link_nearest(points, counts) == link_by_sorting(points, counts));
  }
}

TEST(nearest_points_of_odd_input) {
  CHECK(link_nearest({}, {}).empty());
  CHECK(link_nearest(std::vector<double>{3, 4}, std::vector<std::int64_t>{0}).empty());
  const std::vector<double> same{1, 1, 1, 1, 1, 1};
  CHECK(link_nearest(same, std::vector<std::int64_t>{1, 0, 0}) ==
        (std::vector<std::int64_t>{0, 1}));
  CHECK_THROWS(link_nearest(same, std::vector<std::int64_t>{3, 0, 0}), std::invalid_argument);
  CHECK_THROWS(link_nearest(same, std::vector<std::int64_t>{1, 1}), std::invalid_argument);
  const std::vector<double> odd{1, std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS(link_nearest(odd, std::vector<std::int64_t>{0}), std::invalid_argument);
}
