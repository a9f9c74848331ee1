#include "multicut/vision/pixel_mutex_watershed.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "multicut/graph/mutex_sets.hpp"
#include "multicut/graph/radix_sort.hpp"
#include "multicut/solvers/random.hpp"
#include "multicut/vision/short_number.hpp"

namespace multicut {
namespace {

constexpr std::size_t kManyForLargeDigits = 4096;
constexpr std::int64_t kNoClass = -1;

std::invalid_argument out_of_range(const AffinityMaps& maps, const char* what, std::size_t channel,
                                   std::int64_t pixel, double value) {
  const std::int64_t row = maps.shape[2];
  const std::int64_t plane = maps.shape[1] * row;
  std::string place = std::to_string(pixel % plane / row) + ", " + std::to_string(pixel % row);
  if (maps.shape[0] > 1) place = std::to_string(pixel / plane) + ", " + place;
  return std::invalid_argument(std::string(what) + " must lie between 0 and 1, got " +
                               short_number(value) + " in channel " + std::to_string(channel) +
                               " at (" + place + ")");
}

// A value in single precision, NaN where it was none.
template <typename T>
float as_float(T value) {
  if constexpr (std::is_same_v<T, std::uint8_t>) return static_cast<float>(value) / 255.0F;
  return static_cast<float>(value);
}

// Numbers between 0 and 1 order like their bit patterns.
std::uint32_t rank_of(float priority) {
  constexpr auto kHighest = std::bit_cast<std::uint32_t>(1.0F);
  return kHighest - std::bit_cast<std::uint32_t>(priority + 0.0F);  // there is a −0
}

// Edges by descending priority. An edge is named by its channel and its first pixel, channel ·
// pixels + pixel; the choice of a class is an edge of one more channel.
class Edges {
 public:
  explicit Edges(const AffinityMaps& maps) : maps_(maps) {
    const auto num_pixels = static_cast<std::size_t>(maps.num_pixels());
    const std::size_t num_channels = maps.offsets.size() + (maps.num_classes > 0 ? 1 : 0);
    if (num_pixels >= kMaxId ||
        num_pixels * num_channels > std::numeric_limits<std::uint32_t>::max()) {
      throw std::invalid_argument(
          "affinities must have fewer than 2^32 values; segment them in blocks");
    }
  }

  // Returns whether it was not stopped.
  bool sort(const Stop& stop) {
    for (std::size_t channel = 0; channel < maps_.offsets.size(); ++channel) {
      if (stop()) return false;
      std::visit(
          [&](auto values) {
            if constexpr (!std::is_same_v<decltype(values), std::monostate>) {
              collect(values + channel * static_cast<std::size_t>(maps_.num_pixels()), channel);
            }
          },
          maps_.affinities);
    }
    if (maps_.num_classes > 0) {
      std::visit(
          [&](auto values) {
            if constexpr (!std::is_same_v<decltype(values), std::monostate>) collect_classes(values);
          },
          maps_.classes);
    }
    return sorted_.size() < kManyForLargeDigits ? radix_sort<8>(sorted_, stop)
                                                : radix_sort<11>(sorted_, stop);
  }

  const std::vector<Ranked>& sorted() const { return sorted_; }

  // The most likely class of a pixel.
  std::int64_t best_class(NodeId pixel) const { return best_classes_[pixel]; }

 private:
  // Visits runs of pixels along x whose partners lie in the image: visit(first pixel, length, z, y, x).
  template <typename Visit>
  void for_each_run(const std::array<std::int64_t, 3>& offset, const Visit& visit) const {
    std::array<std::int64_t, 3> begin{};
    std::array<std::int64_t, 3> end{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      begin[axis] = std::max<std::int64_t>(0, -offset[axis]);
      end[axis] = std::min(maps_.shape[axis], maps_.shape[axis] - offset[axis]);
    }
    if (begin[2] >= end[2]) return;
    for (std::int64_t z = begin[0]; z < end[0]; ++z) {
      for (std::int64_t y = begin[1]; y < end[1]; ++y) {
        const std::int64_t row = (z * maps_.shape[1] + y) * maps_.shape[2];
        visit(row, z, y, begin[2], end[2]);
      }
    }
  }

  template <typename T>
  void collect(const T* values, std::size_t channel) {
    const auto& offset = maps_.offsets[channel];
    const std::int64_t step =
        (offset[0] * maps_.shape[1] + offset[1]) * maps_.shape[2] + offset[2];
    const bool is_attractive = channel < maps_.num_attractive;
    const bool is_random = !is_attractive && maps_.seed.has_value();
    const bool is_regular = !is_attractive && !is_random;
    const auto [stride_z, stride_y, stride_x] =
        is_regular ? maps_.strides : std::array<std::int64_t, 3>{1, 1, 1};
    const RandomStream random(maps_.seed.value_or(0), channel);
    const auto share = static_cast<std::uint64_t>(maps_.strides[0] * maps_.strides[1] *
                                                  maps_.strides[2]);
    const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max() / share;
    const auto first_id = static_cast<std::uint32_t>(channel *
                                                     static_cast<std::size_t>(maps_.num_pixels()));
    for_each_run(offset, [&](std::int64_t row, std::int64_t z, std::int64_t y, std::int64_t begin,
                             std::int64_t end) {
      if (z % stride_z != 0 || y % stride_y != 0) return;
      begin = (begin + stride_x - 1) / stride_x * stride_x;
      for (std::int64_t x = begin; x < end; x += stride_x) {
        const std::int64_t pixel = row + x;
        if (is_random && random.bits(static_cast<std::uint64_t>(pixel)) > limit) continue;
        if (maps_.mask != nullptr && !(maps_.mask[pixel] && maps_.mask[pixel + step])) continue;
        const float affinity = as_float(values[pixel]);
        if (!(affinity >= 0 && affinity <= 1)) {
          throw out_of_range(maps_, "affinities", channel, pixel, affinity);
        }
        sorted_.push_back({rank_of(is_attractive ? affinity : 1 - affinity),
                           first_id + static_cast<std::uint32_t>(pixel)});
      }
    });
  }

  template <typename T>
  void collect_classes(const T* values) {
    const std::int64_t num_pixels = maps_.num_pixels();
    const auto first_id = static_cast<std::uint32_t>(maps_.offsets.size() *
                                                     static_cast<std::size_t>(num_pixels));
    best_classes_.assign(static_cast<std::size_t>(num_pixels), 0);
    std::vector<float> best(static_cast<std::size_t>(num_pixels), -1);
    // A class that is not a pixel's best comes after that, when the pixel has one already.
    for (std::size_t c = 0; c < maps_.num_classes; ++c) {
      for (std::int64_t pixel = 0; pixel < num_pixels; ++pixel, ++values) {
        if (maps_.mask != nullptr && !maps_.mask[pixel]) continue;
        const float value = as_float(*values);
        if (!(value >= 0 && value <= 1)) throw out_of_range(maps_, "classes", c, pixel, value);
        if (value > best[static_cast<std::size_t>(pixel)]) {
          best[static_cast<std::size_t>(pixel)] = value;
          best_classes_[static_cast<std::size_t>(pixel)] = static_cast<std::uint32_t>(c);
        }
      }
    }
    for (std::uint32_t pixel = 0; pixel < best.size(); ++pixel) {
      if (maps_.mask != nullptr && !maps_.mask[pixel]) continue;
      sorted_.push_back({rank_of(best[pixel]), first_id + pixel});
    }
  }

  const AffinityMaps& maps_;
  std::vector<Ranked> sorted_;
  std::vector<std::uint32_t> best_classes_;
};

// Joins segments and keeps them apart, edge by edge.
class Segments {
 public:
  Segments(const AffinityMaps& maps, const Edges& edges)
      : maps_(maps),
        edges_(edges),
        sets_(static_cast<NodeId>(maps.num_pixels())),
        num_pixels_(static_cast<std::uint32_t>(maps.num_pixels())) {
    for (const auto& [z, y, x] : maps.offsets) {
      // Offsets that lead out of the image have no edges, so they may as well be truncated.
      steps_.push_back(static_cast<std::uint32_t>((z * maps.shape[1] + y) * maps.shape[2] + x));
    }
    steps_.push_back(0);
    if (maps.num_classes > 0) classes_.assign(num_pixels_, kNoClass);
  }

  void take_all(Watch& watch) {
    const std::vector<Ranked>& sorted = edges_.sorted();
    // Pixels come in an order that jumps through memory. What they need is fetched ahead, one hop at a
    // time; they are taken apart once, as that takes a division.
    constexpr std::size_t kRing = 32;
    constexpr std::size_t kToNodes = 20;
    constexpr std::size_t kToParents = 13;
    constexpr std::size_t kToPairs = 6;
    std::array<Pixels, kRing> ring{};
    const std::size_t size = sorted.size();
    WorkMeter work;
    for (std::size_t i = 0; i < size + kToNodes; ++i) {
      if (i < size) {
        const Pixels pixels = ring[i % kRing] = take_apart(sorted[i].id);
        sets_.prefetch_node(pixels.u);
        sets_.prefetch_node(pixels.v);
      }
      if (i >= kToNodes - kToParents && i - (kToNodes - kToParents) < size) {
        const Pixels& pixels = ring[(i - (kToNodes - kToParents)) % kRing];
        sets_.prefetch_parent(pixels.u);
        sets_.prefetch_parent(pixels.v);
      }
      if (i >= kToNodes - kToPairs && i - (kToNodes - kToPairs) < size) {
        const Pixels& pixels = ring[(i - (kToNodes - kToPairs)) % kRing];
        sets_.prefetch_pair(pixels.u, pixels.v);
      }
      if (i < kToNodes) continue;
      if (work.is_due(1) && watch.should_stop(0)) return;
      work += take(ring[(i - kToNodes) % kRing]);
    }
  }

  PixelSegments result() {
    PixelSegments segments;
    segments.labels.assign(num_pixels_, -1);
    if (!classes_.empty()) segments.classes.assign(num_pixels_, kNoClass);
    std::int64_t count = 0;
    std::vector<std::int64_t> numbers(num_pixels_, -1);
    for (NodeId pixel = 0; pixel < num_pixels_; ++pixel) {
      if (maps_.mask != nullptr && !maps_.mask[pixel]) continue;
      const NodeId set = sets_.find(pixel);
      if (numbers[set] < 0) numbers[set] = count++;
      segments.labels[pixel] = numbers[set];
      if (!classes_.empty()) segments.classes[pixel] = classes_[set];
    }
    return segments;
  }

 private:
  struct Pixels {
    NodeId u;
    NodeId v;
    std::uint32_t channel;
  };

  Pixels take_apart(std::uint32_t id) const {
    const std::uint32_t channel = id / num_pixels_;
    const NodeId u = id - channel * num_pixels_;
    return {u, u + steps_[channel], channel};
  }

  // Returns how much work it was.
  std::size_t take(const Pixels& pixels) {
    const NodeId u = sets_.find(pixels.u);
    if (pixels.channel == maps_.offsets.size()) {
      if (classes_[u] == kNoClass) classes_[u] = edges_.best_class(pixels.u);
      return 0;
    }
    const NodeId v = sets_.find(pixels.v);
    if (u == v) return 0;
    if (pixels.channel >= maps_.num_attractive) {
      sets_.keep_apart(u, v);
      return 0;
    }
    if (!classes_.empty() && classes_[u] != kNoClass && classes_[v] != kNoClass &&
        classes_[u] != classes_[v]) {
      return 0;
    }
    if (sets_.are_apart(u, v)) return 0;
    const auto [kept, absorbed, renamed] = sets_.merge(u, v);
    if (!classes_.empty() && classes_[kept] == kNoClass) classes_[kept] = classes_[absorbed];
    return renamed;
  }

  const AffinityMaps& maps_;
  const Edges& edges_;
  MutexSets sets_;
  std::uint32_t num_pixels_;
  std::vector<std::uint32_t> steps_;
  std::vector<std::int64_t> classes_;  // of sets, if there are any
};

}  // namespace

PixelSegments mutex_watershed(const AffinityMaps& maps, Watch& watch) {
  Edges edges(maps);
  const bool is_sorted = edges.sort([&] { return watch.should_stop(0); });
  Segments segments(maps, edges);
  if (is_sorted && maps.num_pixels() > 0) segments.take_all(watch);
  return segments.result();
}

}  // namespace multicut
