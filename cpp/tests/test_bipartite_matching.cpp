#include <algorithm>
#include <vector>

#include "framework.hpp"
#include "multicut/graph/bipartite_matching.hpp"
#include "multicut/solvers/random.hpp"

using namespace multicut;

namespace {

// The size of a largest matching, by trying everything: `used` is a set of right nodes.
std::size_t largest(std::size_t l, std::size_t num_left, std::uint64_t used,
                    const std::vector<std::int64_t>& edges) {
  if (l == num_left) return 0;
  std::size_t best = largest(l + 1, num_left, used, edges);
  for (std::size_t e = 0; e < edges.size(); e += 2) {
    const std::uint64_t bit = std::uint64_t{1} << edges[e + 1];
    if (static_cast<std::size_t>(edges[e]) == l && !(used & bit)) {
      best = std::max(best, 1 + largest(l + 1, num_left, used | bit, edges));
    }
  }
  return best;
}

}  // namespace

TEST_CASE("matching is largest") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const RandomStream random(seed, 3);
    const std::size_t num_left = random.bits(0) % 8, num_right = random.bits(1) % 7;
    std::vector<std::int64_t> edges;
    for (std::size_t l = 0; l < num_left; ++l) {
      for (std::size_t r = 0; r < num_right; ++r) {
        if (random.bits(2 + l * 7 + r) % 3 == 0) {
          edges.insert(edges.end(), {static_cast<std::int64_t>(l), static_cast<std::int64_t>(r)});
        }
      }
    }
    const auto partners = match_bipartite(num_left, num_right, edges);
    REQUIRE(partners.size() == num_left);
    std::vector<int> taken(num_right);
    std::size_t size = 0;
    for (std::size_t l = 0; l < num_left; ++l) {
      if (partners[l] < 0) continue;
      ++size;
      CHECK(++taken[static_cast<std::size_t>(partners[l])] == 1);
      bool exists = false;
      for (std::size_t e = 0; e < edges.size(); e += 2) {
        exists |= edges[e] == static_cast<std::int64_t>(l) && edges[e + 1] == partners[l];
      }
      CHECK(exists);
    }
    CHECK(size == largest(0, num_left, 0, edges));
  }
}

TEST_CASE("matching prefers early edges unless fewer would match") {
  CHECK(match_bipartite(1, 2, std::vector<std::int64_t>{0, 1, 0, 0}) ==
        std::vector<std::int64_t>{1});
  CHECK(match_bipartite(2, 2, std::vector<std::int64_t>{0, 0, 0, 1, 1, 0}) ==
        (std::vector<std::int64_t>{1, 0}));
}

TEST_CASE("matching follows a long path") {
  // Preferred edges i – i+1 leave both ends of a long path free; one exchange along all of it.
  const std::int64_t n = 100000;
  std::vector<std::int64_t> edges;
  std::vector<std::int64_t> expected;
  for (std::int64_t i = 0; i + 1 < n; ++i) edges.insert(edges.end(), {i, i + 1});
  for (std::int64_t i = 0; i < n; ++i) {
    edges.insert(edges.end(), {i, i});
    expected.push_back(i);
  }
  CHECK(match_bipartite(n, n, edges) == expected);
}
