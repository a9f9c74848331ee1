#include "multicut/vision/region_graph.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/vision/short_number.hpp"

namespace multicut {

namespace {

struct Tables {
  RegionTable regions;
  ContactTable contacts;
};

[[noreturn]] void refuse(double value, bool is_affinity) {
  throw std::invalid_argument(std::string(is_affinity ? "affinities" : "boundaries") +
                              " must lie between 0 and 1, got " + short_number(value));
}

struct NoEvidence {};

// Looks at the pairs of one channel that begin in one row.
template <typename Label, typename Value>
class RowScan {
 public:
  RowScan(const LabelVolume& volume, const Box& box, const Label* labels, const Channel& channel,
          const Value* evidence, ContactTable& contacts)
      : volume_(volume), box_(box), labels_(labels), channel_(channel), evidence_(evidence),
        contacts_(contacts), has_ignored_(volume.ignored.has_value()),
        ignored_(static_cast<Label>(volume.ignored.value_or(0))) {}

  void scan(std::int64_t z, std::int64_t y) {
    const auto [depth, height, width] = volume_.shape;
    const auto [dz, dy, dx] = channel_.offset;
    if (z + dz < 0 || z + dz >= depth || y + dy < 0 || y + dy >= height) return;
    const std::int64_t here = (z * height + y) * width;
    const std::int64_t there = ((z + dz) * height + y + dy) * width + dx;
    const std::int64_t end = std::min(box_.end[2], width - std::max<std::int64_t>(dx, 0));
    for (std::int64_t x = std::max(box_.begin[2], -dx); x < end; ++x) {
      const Label a = labels_[here + x];
      const Label b = labels_[there + x];
      if (a != b) meet(a, b, here + x, there + x);
    }
  }

 private:
  void meet(Label a, Label b, std::int64_t first, std::int64_t second) {
    if (has_ignored_ && (a == ignored_ || b == ignored_)) return;
    const auto [u, v] = std::minmax(a, b);
    if (entry_ == HashIndex::kNone || u != u_ || v != v_) {
      entry_ = contacts_.entry_of(u, v);
      u_ = u;
      v_ = v;
    }
    if (channel_.is_touching) contacts_.add_touch(entry_);
    if constexpr (!std::is_same_v<Value, NoEvidence>) {
      const double value = channel_.is_affinity ? 1.0 - probability_at(first)
                                                : 0.5 * (probability_at(first) +
                                                         probability_at(second));
      contacts_.add_sample(entry_, value);
    }
  }

  double probability_at(std::int64_t voxel) const {
    if constexpr (std::is_same_v<Value, std::uint8_t>) {
      return static_cast<double>(evidence_[voxel]) / 255.0;
    } else {
      const auto value = static_cast<double>(evidence_[voxel]);
      if (!(value >= 0.0 && value <= 1.0)) refuse(value, channel_.is_affinity);
      return value;
    }
  }

  const LabelVolume& volume_;
  const Box& box_;
  const Label* labels_;
  const Channel& channel_;
  const Value* evidence_;
  ContactTable& contacts_;
  bool has_ignored_;
  Label ignored_;
  // Where surfaces meet, the same two regions come up again and again.
  std::uint32_t entry_ = HashIndex::kNone;
  Label u_ = 0;
  Label v_ = 0;
};

template <typename Label>
void count_voxels(const LabelVolume& volume, const Label* labels, std::int64_t begin,
                  std::int64_t end, RegionTable& regions) {
  for (std::int64_t first = begin; first < end;) {
    const Label label = labels[first];
    std::int64_t last = first + 1;
    while (last < end && labels[last] == label) ++last;
    if (!volume.ignored || static_cast<Label>(*volume.ignored) != label) {
      regions.add(label, last - first);
    }
    first = last;
  }
}

template <typename Label>
void count_box(const LabelVolume& volume, const Label* labels, const Box& box,
               RegionTable& regions) {
  const auto [depth, height, width] = volume.shape;
  const auto voxel = [&](std::int64_t z, std::int64_t y, std::int64_t x) {
    return (z * height + y) * width + x;
  };
  const bool has_whole_rows = box.begin[2] == 0 && box.end[2] == width;
  for (std::int64_t z = box.begin[0]; z < box.end[0]; ++z) {
    if (has_whole_rows) {
      count_voxels(volume, labels, voxel(z, box.begin[1], 0), voxel(z, box.end[1], 0), regions);
      continue;
    }
    for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y) {
      count_voxels(volume, labels, voxel(z, y, box.begin[2]), voxel(z, y, box.end[2]), regions);
    }
  }
}

template <typename Label>
void scan_slab(const LabelVolume& volume, const Label* labels, std::span<const Channel> channels,
               const Box& slab, Tables& tables) {
  count_box(volume, labels, slab, tables.regions);
  for (const Channel& channel : channels) {
    std::visit(
        [&](auto evidence) {
          using Pointer = decltype(evidence);
          using Value = std::conditional_t<std::is_same_v<Pointer, std::monostate>, NoEvidence,
                                           std::remove_cv_t<std::remove_pointer_t<Pointer>>>;
          const Value* values = nullptr;
          if constexpr (!std::is_same_v<Pointer, std::monostate>) values = evidence;
          RowScan<Label, Value> row(volume, slab, labels, channel, values, tables.contacts);
          for (std::int64_t z = slab.begin[0]; z < slab.end[0]; ++z) {
            for (std::int64_t y = slab.begin[1]; y < slab.end[1]; ++y) row.scan(z, y);
          }
        },
        channel.evidence);
  }
}

// Scans slabs of a box on several threads and adds them up in their order.
Tables scan(const LabelVolume& volume, const Box& box, std::span<const Channel> channels,
            bool with_histograms, int num_threads, std::int64_t voxels_per_slab) {
  Tables total{{}, ContactTable(with_histograms)};
  const std::int64_t depth = box.end[0] - box.begin[0];
  const std::int64_t plane = (box.end[1] - box.begin[1]) * (box.end[2] - box.begin[2]);
  if (depth <= 0 || plane <= 0) return total;
  const std::int64_t thickness = std::max<std::int64_t>(1, voxels_per_slab / plane);
  const auto num_slabs = static_cast<std::size_t>((depth + thickness - 1) / thickness);
  Turns turns;
  bool is_whole = true;  // the total, which a failed addition leaves in pieces
  parallel_for(num_slabs, num_threads, [&](bool) {
    return [&](std::size_t slab) {
      Turns::Place place(turns, slab);
      Tables found{{}, ContactTable(with_histograms)};
      Box part = box;
      part.begin[0] += static_cast<std::int64_t>(slab) * thickness;
      part.end[0] = std::min(part.begin[0] + thickness, box.end[0]);
      std::visit([&](auto labels) { scan_slab(volume, labels, channels, part, found); },
                 volume.labels);
      place.wait();
      if (!std::exchange(is_whole, false)) return;  // the failure is on its way to the caller
      if (slab == 0) {
        total = std::move(found);
      } else {
        total.regions.add(found.regions);
        total.contacts.add(found.contacts);
      }
      is_whole = true;
    };
  });
  return total;
}

// Entries of regions by ascending label.
std::vector<std::uint32_t> by_label(const std::vector<RegionTable::Region>& regions) {
  std::vector<std::uint32_t> order(regions.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t i, std::uint32_t j) {
    return regions[i].label < regions[j].label;
  });
  return order;
}

}  // namespace

RegionGraph build_region_graph(const LabelVolume& volume, std::span<const Channel> channels,
                               bool with_histograms, int num_threads,
                               std::int64_t voxels_per_slab) {
  Tables tables =
      scan(volume, {{0, 0, 0}, volume.shape}, channels, with_histograms, num_threads,
           voxels_per_slab);

  RegionGraph graph;
  const std::vector<RegionTable::Region>& regions = tables.regions.regions();
  std::vector<std::uint32_t> rank(regions.size());  // of each entry, by label
  graph.regions.reserve(regions.size());
  graph.region_sizes.reserve(regions.size());
  for (const std::uint32_t entry : by_label(regions)) {
    rank[entry] = static_cast<std::uint32_t>(graph.regions.size());
    graph.regions.push_back(regions[entry].label);
    graph.region_sizes.push_back(regions[entry].size);
  }

  std::tie(graph.contacts, graph.histograms) = std::move(tables.contacts).take_sorted();
  graph.edges.reserve(2 * graph.contacts.size());
  for (const Contact& contact : graph.contacts) {
    graph.edges.push_back(rank[tables.regions.entry_of(contact.u)]);
    graph.edges.push_back(rank[tables.regions.entry_of(contact.v)]);
  }
  return graph;
}

RegionPart build_region_part(const LabelVolume& volume, const Box& box,
                             std::span<const Channel> channels, bool with_histograms,
                             int num_threads) {
  Tables tables = scan(volume, box, channels, with_histograms, num_threads, kVoxelsPerSlab);
  RegionPart part;
  const std::vector<RegionTable::Region>& regions = tables.regions.regions();
  for (const std::uint32_t entry : by_label(regions)) {
    part.regions.push_back(regions[entry].label);
    part.region_sizes.push_back(regions[entry].size);
  }
  std::tie(part.contacts, part.histograms) = std::move(tables.contacts).take_sorted();
  return part;
}

void number_voxels(const LabelVolume& volume, std::span<const std::uint64_t> regions,
                   std::span<std::int64_t> numbers) {
  RegionTable table;
  for (const std::uint64_t label : regions) table.entry_of(label);
  std::visit(
      [&](auto labels) {
        const auto end = static_cast<std::size_t>(volume.num_voxels());
        for (std::size_t first = 0; first < end;) {
          auto label = labels[first];
          std::size_t last = first + 1;
          while (last < end && labels[last] == label) ++last;
          const bool is_ignored =
              volume.ignored && static_cast<decltype(label)>(*volume.ignored) == label;
          const std::int64_t number = is_ignored ? -1 : std::int64_t{table.entry_of(label)};
          std::fill(numbers.begin() + static_cast<std::ptrdiff_t>(first),
                    numbers.begin() + static_cast<std::ptrdiff_t>(last), number);
          first = last;
        }
      },
      volume.labels);
}

}  // namespace multicut
