#include <algorithm>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "framework.hpp"
#include "multicut/geometry/link_nearest.hpp"
#include "multicut/solvers/random.hpp"

using namespace multicut;

namespace {

std::vector<std::int64_t> link_by_sorting(const std::vector<double>& points,
                                          const std::vector<std::int64_t>& counts) {
  std::set<std::pair<std::size_t, std::size_t>> links;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      const double dx = points[2 * j] - points[2 * i];
      const double dy = points[2 * j + 1] - points[2 * i + 1];
      if (j != i) others.emplace_back(dx * dx + dy * dy, j);
    }
    std::sort(others.begin(), others.end());
    others.resize(static_cast<std::size_t>(counts[i]));
    for (const auto& [distance, j] : others) links.insert(std::minmax(i, j));
  }
  std::vector<std::int64_t> edges;
  for (const auto& [u, v] : links) {
    edges.push_back(static_cast<std::int64_t>(u));
    edges.push_back(static_cast<std::int64_t>(v));
  }
  return edges;
}

}  // namespace

TEST_CASE("nearest points are those found by sorting all") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
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

TEST_CASE("nearest points of odd input") {
  CHECK(link_nearest({}, {}).empty());
  CHECK(link_nearest(std::vector<double>{3, 4}, std::vector<std::int64_t>{0}).empty());
  const std::vector<double> same{1, 1, 1, 1, 1, 1};
  CHECK(link_nearest(same, std::vector<std::int64_t>{1, 0, 0}) ==
        (std::vector<std::int64_t>{0, 1}));
  CHECK_THROWS_AS(link_nearest(same, std::vector<std::int64_t>{3, 0, 0}), std::invalid_argument);
  CHECK_THROWS_AS(link_nearest(same, std::vector<std::int64_t>{1, 1}), std::invalid_argument);
  const std::vector<double> odd{1, std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(link_nearest(odd, std::vector<std::int64_t>{0}), std::invalid_argument);
}
