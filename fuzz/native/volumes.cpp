// Label volumes and affinities of any content: regions are those of the volume, whatever its slabs.

#include <map>
#include <set>
#include <stdexcept>

#include "input.hpp"
#include "multicut/vision/pixel_mutex_watershed.hpp"
#include "multicut/vision/region_graph.hpp"

using namespace multicut;
using fuzzing::require;

namespace {

template <typename Number>
std::vector<Number> take(fuzzing::Input& input, std::size_t count) {
  std::vector<Number> values(count);
  for (Number& value : values) {
    const std::uint8_t byte = input.byte();
    value = byte < 250 ? static_cast<Number>(byte % 5) : input.raw<Number>();
  }
  return values;
}

void check_regions(fuzzing::Input& input, std::array<std::int64_t, 3> shape, std::uint8_t kind) {
  const auto count = static_cast<std::size_t>(shape[0] * shape[1] * shape[2]);
  const std::vector<std::uint64_t> labels = take<std::uint64_t>(input, count);
  LabelVolume volume{labels.data(), shape, std::nullopt};
  if ((kind & 1) != 0) volume.ignored = 0;
  std::vector<float> evidence(count);
  for (float& value : evidence) value = static_cast<float>(input.byte()) / 255.0F;
  std::vector<Channel> channels;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    Channel channel{{0, 0, 0}, evidence.data(), (kind & 2) != 0, (kind & 4) == 0 || axis > 0};
    channel.offset[axis] = 1 + (input.byte() & 1);
    channels.push_back(channel);
  }
  const RegionGraph one = build_region_graph(volume, channels, (kind & 8) != 0, 1);
  const RegionGraph slabs = build_region_graph(volume, channels, (kind & 8) != 0, 1, 4);
  require(one.regions == slabs.regions && one.edges == slabs.edges &&
              one.region_sizes == slabs.region_sizes,
          "slabs do not change the graph");
  std::map<std::uint64_t, std::int64_t> sizes;
  for (const std::uint64_t label : labels) {
    if (!volume.ignored || label != *volume.ignored) ++sizes[label];
  }
  require(sizes.size() == one.regions.size(), "regions are the labels that occur");
  std::size_t position = 0;
  for (const auto& [label, number] : sizes) {
    require(one.regions[position] == label, "regions ascend");
    require(one.region_sizes[position] == number, "sizes are counted");
    ++position;
  }
  require(one.contacts.size() * 2 == one.edges.size(), "each edge has a contact");
  std::vector<std::int64_t> numbers(count);
  number_voxels(volume, one.regions, numbers);
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_ignored = volume.ignored && labels[i] == *volume.ignored;
    require(is_ignored ? numbers[i] == -1
                       : one.regions[static_cast<std::size_t>(numbers[i])] == labels[i],
            "voxels are numbered by their label");
  }
}

void check_pixels(fuzzing::Input& input, std::array<std::int64_t, 3> shape, std::uint8_t kind) {
  const auto count = static_cast<std::size_t>(shape[0] * shape[1] * shape[2]);
  AffinityMaps maps;
  maps.shape = shape;
  const std::size_t num_channels = 1 + input.up_to(4);
  for (std::size_t c = 0; c < num_channels; ++c) {
    std::array<std::int64_t, 3> offset{};
    for (std::int64_t& step : offset) step = static_cast<std::int64_t>(input.up_to(6)) - 3;
    if (offset == std::array<std::int64_t, 3>{}) offset[2] = 1;
    maps.offsets.push_back(offset);
  }
  maps.num_attractive = input.up_to(static_cast<std::uint32_t>(num_channels));
  for (std::int64_t& stride : maps.strides) stride = 1 + input.up_to(2);
  if ((kind & 1) != 0) maps.seed = input.byte();
  std::vector<float> affinities(count * num_channels);
  for (float& value : affinities) {
    const std::uint8_t byte = input.byte();
    value = byte < 254 ? static_cast<float>(byte) / 253.0F : input.raw<float>();
  }
  maps.affinities = affinities.data();
  Watch watch;
  PixelSegments segments;
  try {
    segments = mutex_watershed(maps, watch);
  } catch (const std::invalid_argument& error) {
    require(std::strchr(error.what(), '\n') == nullptr, "errors are one line");
    return;
  }
  require(segments.labels.size() == count, "each pixel has a label");
  std::int64_t next = 0;
  for (const std::int64_t label : segments.labels) {
    require(label >= 0 && label <= next, "labels are in order of appearance");
    next = std::max(next, label + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const std::uint8_t kind = input.byte();
  const std::array<std::int64_t, 3> shape{1 + input.up_to(2), 1 + input.up_to(4), 1 + input.up_to(4)};
  if ((kind & 128) != 0) {
    check_pixels(input, shape, kind);
  } else {
    check_regions(input, shape, kind);
  }
  return 0;
}
