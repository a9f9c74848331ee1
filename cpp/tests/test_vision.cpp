#include <array>
#include <map>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "failing_allocations.hpp"
#include "framework.hpp"
#include "multicut/solvers/random.hpp"
#include "multicut/vision/region_graph.hpp"

using namespace multicut;

namespace {

std::vector<Channel> faces(Evidence evidence) {
  return {{{0, 0, 1}, evidence}, {{0, 1, 0}, evidence}, {{1, 0, 0}, evidence}};
}

}  // namespace

TEST_CASE("hash tables grow and keep their entries") {
  RegionTable table;
  std::map<std::uint64_t, std::int64_t> expected;
  for (std::uint64_t i = 0; i < 20000; ++i) {
    const std::uint64_t label = RandomStream(0, 1).bits(i) % 3000;
    table.add(label << 40, 1);
    ++expected[label << 40];
  }
  CHECK(table.regions().size() == expected.size());
  for (const auto& region : table.regions()) CHECK(expected[region.label] == region.size);
}

TEST_CASE("contacts are those of all pairs") {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    CAPTURE(seed);
    const RandomStream random(seed, 2);
    LabelVolume volume;
    volume.shape = {1 + static_cast<std::int64_t>(random.bits(0) % 5),
                    1 + static_cast<std::int64_t>(random.bits(1) % 5),
                    1 + static_cast<std::int64_t>(random.bits(2) % 5)};
    std::vector<std::uint64_t> labels(static_cast<std::size_t>(volume.num_voxels()));
    std::vector<float> evidence(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      labels[i] = random.bits(10 + i) % 4;
      evidence[i] = static_cast<float>(random.bits(1000 + i) % 11) / 10.0f;
    }
    volume.labels = labels.data();
    if (seed % 2) volume.ignored = 2;
    const RegionGraph graph = build_region_graph(volume, faces(evidence.data()), true, 2);

    std::map<std::pair<std::uint64_t, std::uint64_t>, std::pair<std::int64_t, double>> expected;
    const auto [depth, height, width] = volume.shape;
    const auto look = [&](std::int64_t first, std::int64_t second) {
      const auto a = static_cast<std::size_t>(first);
      const auto b = static_cast<std::size_t>(second);
      const auto key = std::minmax(labels[a], labels[b]);
      if (labels[a] == labels[b]) return;
      if (volume.ignored && (key.first == 2 || key.second == 2)) return;
      auto& [count, sum] = expected[key];
      ++count;
      sum += 0.5 * (static_cast<double>(evidence[a]) + static_cast<double>(evidence[b]));
    };
    for (std::int64_t z = 0; z < depth; ++z) {
      for (std::int64_t y = 0; y < height; ++y) {
        for (std::int64_t x = 0; x < width; ++x) {
          const std::int64_t here = (z * height + y) * width + x;
          if (x + 1 < width) look(here, here + 1);
          if (y + 1 < height) look(here, here + width);
          if (z + 1 < depth) look(here, here + width * height);
        }
      }
    }
    REQUIRE(graph.contacts.size() == expected.size());
    std::size_t i = 0;
    for (const auto& [key, value] : expected) {
      const Contact& contact = graph.contacts[i];
      CHECK(std::pair(contact.u, contact.v) == key);
      CHECK(graph.regions[static_cast<std::size_t>(graph.edges[2 * i])] == key.first);
      CHECK(graph.regions[static_cast<std::size_t>(graph.edges[2 * i + 1])] == key.second);
      CHECK(contact.touching == value.first);
      CHECK(contact.samples == value.first);
      CHECK(std::abs(contact.sum.value() - value.second) < 1e-9);
      ++i;
    }

    std::vector<std::int64_t> numbers(labels.size());
    number_voxels(volume, graph.regions, numbers);
    for (std::size_t v = 0; v < labels.size(); ++v) {
      if (volume.ignored && labels[v] == 2) {
        CHECK(numbers[v] == -1);
      } else {
        CHECK(graph.regions[static_cast<std::size_t>(numbers[v])] == labels[v]);
      }
    }
  }
}

TEST_CASE("evidence beyond zero and one is refused") {
  const std::vector<std::uint32_t> labels{0, 1};
  const std::vector<float> evidence{1.5f, 0.0f};
  const LabelVolume volume{labels.data(), {1, 1, 2}, {}};
  CHECK_THROWS_AS(build_region_graph(volume, faces(evidence.data()), true, 2),
                  std::invalid_argument);
}

TEST_CASE("a volume in many slabs") {
  constexpr std::array<std::int64_t, 3> kShape{40, 6, 5};
  constexpr std::int64_t kTwoPlanes = 2 * 6 * 5;
  std::vector<std::uint32_t> labels(40 * 6 * 5);
  std::vector<float> evidence(labels.size());
  const RandomStream random(0, 3);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    labels[i] = static_cast<std::uint32_t>(random.bits(i) % 300);
    evidence[i] = static_cast<float>(random.bits(i + labels.size()) % 1000) / 1000.0f;
  }
  const LabelVolume volume{labels.data(), kShape, {}};
  const auto build = [&](int num_threads) {
    return build_region_graph(volume, faces(evidence.data()), true, num_threads, kTwoPlanes);
  };

  SUBCASE("is the sum of its boxes, bit for bit") {
    const RegionGraph whole = build_region_graph(volume, faces(evidence.data()), true, 1);
    std::map<std::uint64_t, std::int64_t> sizes;
    ContactTable total(false);
    std::vector<std::uint32_t> samples_in_bins(kEvidenceBins, 0);
    for (const std::int64_t z : {0, 7, 31}) {
      for (const std::int64_t y : {0, 2}) {
        for (const std::int64_t x : {0, 4}) {
          const Box box{{z, y, x}, {z == 0 ? 7 : z == 7 ? 31 : 40, y == 0 ? 2 : 6, x == 0 ? 4 : 5}};
          const RegionPart part = build_region_part(volume, box, faces(evidence.data()), true, 2);
          for (std::size_t i = 0; i < part.regions.size(); ++i) {
            sizes[part.regions[i]] += part.region_sizes[i];
          }
          for (const Contact& contact : part.contacts) {
            const std::uint32_t entry = total.entry_of(contact.u, contact.v);
            total.add_parts(entry, contact);
          }
          for (const Histogram& histogram : part.histograms) {
            for (std::size_t bin = 0; bin < kEvidenceBins; ++bin) {
              samples_in_bins[bin] += histogram[bin];
            }
          }
        }
      }
    }
    REQUIRE(sizes.size() == whole.regions.size());
    for (std::size_t i = 0; i < whole.regions.size(); ++i) {
      CHECK(sizes.at(whole.regions[i]) == whole.region_sizes[i]);
    }
    const auto [contacts, none] = std::move(total).take_sorted();
    REQUIRE(contacts.size() == whole.contacts.size());
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      CHECK(contacts[i].u == whole.contacts[i].u);
      CHECK(contacts[i].v == whole.contacts[i].v);
      CHECK(contacts[i].touching == whole.contacts[i].touching);
      CHECK(contacts[i].sum == whole.contacts[i].sum);
      CHECK(contacts[i].sum_of_squares == whole.contacts[i].sum_of_squares);
      CHECK(contacts[i].minimum == whole.contacts[i].minimum);
      CHECK(contacts[i].maximum == whole.contacts[i].maximum);
    }
    for (std::size_t bin = 0; bin < kEvidenceBins; ++bin) {
      std::uint32_t expected = 0;
      for (const Histogram& histogram : whole.histograms) expected += histogram[bin];
      CHECK(samples_in_bins[bin] == expected);
    }
  }

  SUBCASE("has one graph, whatever the number of threads") {
    const RegionGraph one = build(1);
    const RegionGraph whole = build_region_graph(volume, faces(evidence.data()), true, 1);
    CHECK(one.edges == whole.edges);
    CHECK(one.histograms == whole.histograms);
    for (const int num_threads : {2, 4, 30}) {
      CAPTURE(num_threads);
      const RegionGraph several = build(num_threads);
      CHECK(several.regions == one.regions);
      CHECK(several.region_sizes == one.region_sizes);
      CHECK(several.edges == one.edges);
      REQUIRE(several.contacts.size() == one.contacts.size());
      for (std::size_t i = 0; i < one.contacts.size(); ++i) {
        CHECK(several.contacts[i].sum == one.contacts[i].sum);
        CHECK(several.contacts[i].sum_of_squares == one.contacts[i].sum_of_squares);
      }
    }
  }

  SUBCASE("is refused for the first wrong value, whatever the number of threads") {
    evidence[700] = 2.5f;
    evidence[1000] = 3.5f;
    for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::uint32_t>(i);
    for (const int num_threads : {1, 2, 4}) {
      for (int round = 0; round < 20; ++round) {
        CHECK_THROWS_WITH(build(num_threads), "boundaries must lie between 0 and 1, got 2.5");
      }
    }
  }

  SUBCASE("may find helpers without memory, at any allocation") {
    const RegionGraph expected = build(1);
    int num_refused = 0;
    for (int num_allowed = 0; num_allowed < 60; ++num_allowed) {
      CAPTURE(num_allowed);
      const FailingAllocations failing(num_allowed);
      try {
        const RegionGraph found = build(3);
        CHECK(found.edges == expected.edges);
      } catch (const std::bad_alloc&) {
        ++num_refused;
      }
    }
    CHECK(num_refused > 0);
  }
}
