#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"

namespace multicut::bindings {

namespace nb = nanobind;

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <typename T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

template <typename T>
std::span<const T> as_span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// A numpy array that takes over the memory of a vector.
template <typename T, typename U>
NewVector<T> to_numpy(std::vector<U>&& values) {
  static_assert(sizeof(T) == sizeof(U));
  auto* owned = new std::vector<U>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<U>*>(p); });
  return NewVector<T>(reinterpret_cast<T*>(owned->data()), {owned->size()}, owner);
}

template <typename T>
NewMatrix<T> to_numpy_pairs(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NewMatrix<T>(owned->data(), {owned->size() / 2, 2}, owner);
}

inline NewVector<std::int64_t> labels_to_numpy(const Labels& labels) {
  return to_numpy<std::int64_t>(std::vector<std::int64_t>(labels.begin(), labels.end()));
}

// Labels from Python may be any integers; the core's are dense.
Labels labels_from_numpy(const Vector<std::int64_t>& labels, NodeId num_nodes);

inline void check_costs(const Graph& graph, const Vector<double>& costs) {
  if (costs.shape(0) != graph.num_edges()) {
    throw std::invalid_argument("costs must hold one value per edge: " +
                                std::to_string(graph.num_edges()) + " edges, " +
                                std::to_string(costs.shape(0)) + " costs");
  }
}

void bind_graph(nb::module_& module);
void bind_solvers(nb::module_& module);
void bind_io(nb::module_& module);

}  // namespace multicut::bindings
