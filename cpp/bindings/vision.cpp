#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "multicut/graph/neighbourhood.hpp"
#include "multicut/vision/pixel_mutex_watershed.hpp"
#include "multicut/vision/region_graph.hpp"
#include "reporter.hpp"
#include "side_by_side.hpp"

namespace multicut::bindings {

namespace {

// One-dimensional arrays of one of several types.
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OffsetArray =
    nb::ndarray<const std::int64_t, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Shape = std::tuple<std::int64_t, std::int64_t, std::int64_t>;

LabelVolume volume_of(const AnyVector& labels, const Shape& shape,
                      std::optional<std::uint64_t> ignored) {
  LabelVolume volume;
  volume.shape = {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)};
  volume.ignored = ignored;
  if (labels.dtype() == nb::dtype<std::uint32_t>()) {
    volume.labels = static_cast<const std::uint32_t*>(labels.data());
  } else if (labels.dtype() == nb::dtype<std::uint64_t>()) {
    volume.labels = static_cast<const std::uint64_t*>(labels.data());
  } else {
    throw nb::type_error("labels must be uint32 or uint64");
  }
  if (volume.num_voxels() < 0 ||
      static_cast<std::uint64_t>(volume.num_voxels()) != labels.shape(0)) {
    throw std::invalid_argument("labels must hold one value per voxel of the shape");
  }
  return volume;
}

// The evidence that begins at an index of the array.
Evidence evidence_at(const std::optional<AnyVector>& array, std::size_t index) {
  if (!array) return std::monostate{};
  const auto from = [&](auto* data) -> Evidence { return data + index; };
  if (array->dtype() == nb::dtype<std::uint8_t>()) {
    return from(static_cast<const std::uint8_t*>(array->data()));
  }
  if (array->dtype() == nb::dtype<float>()) return from(static_cast<const float*>(array->data()));
  if (array->dtype() == nb::dtype<double>()) return from(static_cast<const double*>(array->data()));
  throw nb::type_error("evidence must be uint8, float32 or float64");
}

// What numpy gets of all contacts: one vector for each of their fields.
template <typename T, typename Get>
NewVector<T> field_of(const std::vector<Contact>& contacts, const Get& get) {
  std::vector<T> values(contacts.size());
  std::transform(contacts.begin(), contacts.end(), values.begin(), get);
  return to_numpy<T>(std::move(values));
}

nb::object histograms_to_numpy(std::vector<Histogram>&& histograms) {
  static_assert(sizeof(Histogram) == kEvidenceBins * sizeof(std::uint32_t));
  const std::size_t size = histograms.size();
  const auto [data, owner] = hand_over(std::move(histograms));
  return nb::cast(NewMatrix<std::uint32_t>(reinterpret_cast<std::uint32_t*>(data),
                                           {size, kEvidenceBins}, owner));
}

// Exact sums: a row of two integers for each contact, see FixedSum.
template <typename Get>
NewMatrix<std::uint64_t> sums_of(const std::vector<Contact>& contacts, const Get& get) {
  std::vector<std::uint64_t> parts;
  parts.reserve(2 * contacts.size());
  for (const Contact& contact : contacts) {
    const FixedSum& sum = get(contact);
    parts.push_back(sum.high);
    parts.push_back(sum.low);
  }
  const auto [data, owner] = hand_over(std::move(parts));
  return NewMatrix<std::uint64_t>(data, {contacts.size(), 2}, owner);
}

nb::dict contacts_to_python(const std::vector<Contact>& contacts,
                            std::vector<Histogram>&& histograms, bool with_histograms) {
  nb::dict fields;
  fields["touching"] =
      field_of<std::int64_t>(contacts, [](const Contact& contact) { return contact.touching; });
  fields["samples"] =
      field_of<std::int64_t>(contacts, [](const Contact& contact) { return contact.samples; });
  fields["sum"] =
      sums_of(contacts, [](const Contact& contact) -> const FixedSum& { return contact.sum; });
  fields["sum_of_squares"] = sums_of(
      contacts, [](const Contact& contact) -> const FixedSum& { return contact.sum_of_squares; });
  fields["minimum"] =
      field_of<double>(contacts, [](const Contact& contact) { return contact.minimum; });
  fields["maximum"] =
      field_of<double>(contacts, [](const Contact& contact) { return contact.maximum; });
  if (with_histograms) {
    fields["histogram"] = histograms_to_numpy(std::move(histograms));
  } else {
    fields["histogram"] = nb::none();
  }
  return fields;
}

std::vector<Channel> channels_of(const LabelVolume& volume, const OffsetArray& offsets,
                                 const Vector<bool>& touching,
                                 const std::optional<AnyVector>& evidence, bool are_affinities) {
  const std::size_t num_channels = offsets.shape(0);
  const auto size = static_cast<std::size_t>(volume.num_voxels());
  if (evidence && evidence->shape(0) != (are_affinities ? num_channels * size : size)) {
    throw std::invalid_argument("evidence must hold one value per voxel and channel");
  }
  if (touching.shape(0) != num_channels) {
    throw std::invalid_argument("touching must hold one value per offset");
  }
  std::vector<Channel> channels(num_channels);
  for (std::size_t c = 0; c < num_channels; ++c) {
    std::copy_n(offsets.data() + 3 * c, 3, channels[c].offset.begin());
    channels[c].evidence = evidence_at(evidence, are_affinities ? c * size : 0);
    channels[c].is_affinity = are_affinities;
    channels[c].is_touching = touching.data()[c];
  }
  return channels;
}

void check_threads(int num_threads) {
  if (num_threads < 1) {
    throw std::invalid_argument("num_threads must be at least 1, got " +
                                std::to_string(num_threads));
  }
}

nb::dict region_graph(const AnyVector& labels, const Shape& shape,
                      std::optional<std::uint64_t> ignored, const OffsetArray& offsets,
                      const Vector<bool>& touching, const std::optional<AnyVector>& evidence,
                      bool are_affinities, bool with_histograms, int num_threads) {
  const LabelVolume volume = volume_of(labels, shape, ignored);
  const std::vector<Channel> channels =
      channels_of(volume, offsets, touching, evidence, are_affinities);
  check_threads(num_threads);
  RegionGraph graph;
  {
    nb::gil_scoped_release unlocked;
    graph = build_region_graph(volume, channels, with_histograms, num_threads);
  }
  nb::dict fields =
      contacts_to_python(graph.contacts, std::move(graph.histograms), with_histograms);
  fields["edges"] = to_numpy_pairs(std::move(graph.edges));
  fields["regions"] = to_numpy<std::uint64_t>(std::move(graph.regions));
  fields["counts"] = to_numpy<std::int64_t>(std::move(graph.region_sizes));
  return fields;
}

nb::dict region_graph_part(const AnyVector& labels, const Shape& shape,
                           std::optional<std::uint64_t> ignored, const Shape& begin,
                           const Shape& end, const OffsetArray& offsets,
                           const Vector<bool>& touching, const std::optional<AnyVector>& evidence,
                           bool are_affinities, bool with_histograms, int num_threads) {
  const LabelVolume volume = volume_of(labels, shape, ignored);
  const std::vector<Channel> channels =
      channels_of(volume, offsets, touching, evidence, are_affinities);
  check_threads(num_threads);
  const Box box{{std::get<0>(begin), std::get<1>(begin), std::get<2>(begin)},
                {std::get<0>(end), std::get<1>(end), std::get<2>(end)}};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (box.begin[axis] < 0 || box.end[axis] > volume.shape[axis]) {
      throw std::invalid_argument("the box must lie in the volume");
    }
  }
  RegionPart part;
  {
    nb::gil_scoped_release unlocked;
    part = build_region_part(volume, box, channels, with_histograms, num_threads);
  }
  std::vector<std::uint64_t> pairs;
  pairs.reserve(2 * part.contacts.size());
  for (const Contact& contact : part.contacts) {
    pairs.push_back(contact.u);
    pairs.push_back(contact.v);
  }
  const std::size_t size = part.contacts.size();
  nb::dict fields = contacts_to_python(part.contacts, std::move(part.histograms), with_histograms);
  const auto [data, owner] = hand_over(std::move(pairs));
  fields["pairs"] = NewMatrix<std::uint64_t>(data, {size, 2}, owner);
  fields["regions"] = to_numpy<std::uint64_t>(std::move(part.regions));
  fields["counts"] = to_numpy<std::int64_t>(std::move(part.region_sizes));
  return fields;
}

NewVector<std::int64_t> number_voxels_of(const AnyVector& labels, const Shape& shape,
                                         std::optional<std::uint64_t> ignored,
                                         const Vector<std::uint64_t>& regions) {
  const LabelVolume volume = volume_of(labels, shape, ignored);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(volume.num_voxels()));
  {
    nb::gil_scoped_release unlocked;
    number_voxels(volume, as_span(regions), numbers);
  }
  return to_numpy<std::int64_t>(std::move(numbers));
}

// Ctrl-C is raised: what is not complete is of no use.
void finish(Reporter& reporter, const Watch& watch) {
  if (reporter.finish(watch.reason()) != StopReason::kInterrupt) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

NewMatrix<std::int64_t> pairs_within(const Graph& graph, std::uint32_t distance) {
  const Callback nobody;
  Reporter reporter(nobody);
  Watch watch(kForever, std::ref(reporter));
  std::vector<std::int64_t> pairs;
  {
    nb::gil_scoped_release unlocked;
    pairs = neighbourhood(graph, distance, [&] { return watch.should_stop(0); });
  }
  finish(reporter, watch);
  return to_numpy_pairs(std::move(pairs));
}

nb::tuple pixel_mutex_watershed(const Shape& shape, const OffsetArray& offsets,
                                const AnyVector& affinities, std::size_t num_attractive,
                                const Shape& strides, std::optional<std::uint64_t> seed,
                                const std::optional<Vector<bool>>& mask,
                                const std::optional<AnyVector>& classes, std::size_t num_classes) {
  AffinityMaps maps;
  maps.shape = {std::get<0>(shape), std::get<1>(shape), std::get<2>(shape)};
  maps.strides = {std::get<0>(strides), std::get<1>(strides), std::get<2>(strides)};
  maps.seed = seed;
  maps.num_attractive = num_attractive;
  maps.num_classes = num_classes;
  maps.offsets.resize(offsets.shape(0));
  for (std::size_t c = 0; c < offsets.shape(0); ++c) {
    std::copy_n(offsets.data() + 3 * c, 3, maps.offsets[c].begin());
  }
  const auto size = static_cast<std::size_t>(maps.num_pixels());
  if (affinities.shape(0) != size * offsets.shape(0) ||
      (classes && classes->shape(0) != size * num_classes) || (mask && mask->shape(0) != size)) {
    throw std::invalid_argument("affinities, classes and mask must fit the shape");
  }
  maps.affinities = evidence_at(affinities, 0);
  maps.classes = evidence_at(classes, 0);
  if (mask) maps.mask = mask->data();
  const Callback nobody;
  Reporter reporter(nobody);
  Watch watch(kForever, std::ref(reporter));
  PixelSegments segments;
  {
    nb::gil_scoped_release unlocked;
    segments = mutex_watershed(maps, watch);
  }
  finish(reporter, watch);
  return nb::make_tuple(to_numpy<std::int64_t>(std::move(segments.labels)),
                        to_numpy<std::int64_t>(std::move(segments.classes)));
}

}  // namespace

void bind_vision(nb::module_& module) {
  module.attr("EVIDENCE_BINS") = kEvidenceBins;
  module.def("region_graph", &region_graph, nb::arg("labels"), nb::arg("shape"),
             nb::arg("ignored").none(), nb::arg("offsets"), nb::arg("touching"),
             nb::arg("evidence").none(), nb::arg("are_affinities"), nb::arg("with_histograms"),
             nb::arg("num_threads"),
             "The regions of a volume, which of them meet, and the evidence where they do.");
  module.def("region_graph_part", &region_graph_part, nb::arg("labels"), nb::arg("shape"),
             nb::arg("ignored").none(), nb::arg("begin"), nb::arg("end"), nb::arg("offsets"),
             nb::arg("touching"), nb::arg("evidence").none(), nb::arg("are_affinities"),
             nb::arg("with_histograms"), nb::arg("num_threads"),
             "The part of a region graph whose pairs of voxels begin in a box, as pairs of labels.");
  module.def("neighbourhood", &pairs_within, nb::arg("graph"), nb::arg("distance"),
             "Pairs of nodes whose shortest path has at least 2 and at most `distance` edges.");
  module.def("pixel_mutex_watershed", &pixel_mutex_watershed, nb::arg("shape"), nb::arg("offsets"),
             nb::arg("affinities"), nb::arg("num_attractive"), nb::arg("strides"),
             nb::arg("seed").none(), nb::arg("mask").none(), nb::arg("classes").none(),
             nb::arg("num_classes"),
             "The segment of each pixel, and its class if there are classes; -1 outside of the mask.");
  module.def("number_voxels", &number_voxels_of, nb::arg("labels"), nb::arg("shape"),
             nb::arg("ignored").none(), nb::arg("regions"),
             "The position of each voxel's label among ascending `regions`, -1 for the ignored.");
}

}  // namespace multicut::bindings
