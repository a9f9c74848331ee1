#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut::bindings {

namespace nb = nanobind;

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using EdgeArray = nb::ndarray<const std::int64_t, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
template <typename T>
using NewVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
template <typename T>
using NewMatrix = nb::ndarray<nb::numpy, T, nb::ndim<2>>;

// Properties hand out arrays that own their memory.
constexpr auto kNewArray = nb::rv_policy::automatic;

// Lets other threads of Python run, unless the work is a few passes over so few elements: then it is
// over before another thread would have begun, and waiting for one's turn again would take longer.
class Unlocked {
 public:
  explicit Unlocked(std::size_t num_elements) {
    if (num_elements >= kManyElements) released_.emplace();
  }

 private:
  static constexpr std::size_t kManyElements = 10'000;
  std::optional<nb::gil_scoped_release> released_;
};

inline std::size_t size_of(const Graph& graph) {
  return std::size_t{graph.num_nodes()} + graph.num_edges();
}

// How long it takes to hand over what was found and to free what it was found with; to return from a
// graph whose must-links are contracted; and to make a trivial partition, if what was found may be
// worse: a few passes over nodes and edges each. Measured on graphs of 10⁵ and 10⁶ nodes.
inline double seconds_to_finish(const Graph& graph) {
  return 2e-8 * static_cast<double>(size_of(graph));
}
inline double seconds_to_lift(const Graph& graph) {
  return 1e-8 * static_cast<double>(size_of(graph));
}
inline double seconds_to_fall_back(const Graph& graph) {
  return 1.5e-8 * static_cast<double>(size_of(graph));
}

template <typename T>
std::span<const T> as_span(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

// Memory of a vector that belongs to Python from now on.
template <typename T>
std::pair<T*, nb::capsule> hand_over(std::vector<T>&& values) {
  auto* owned = new std::vector<T>(std::move(values));
  return {owned->data(),
          nb::capsule(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); })};
}

// A numpy array that takes over the memory of a vector.
template <typename T, typename U>
NewVector<T> to_numpy(std::vector<U>&& values) {
  static_assert(sizeof(T) == sizeof(U));
  const std::size_t size = values.size();
  const auto [data, owner] = hand_over(std::move(values));
  return NewVector<T>(reinterpret_cast<T*>(data), {size}, owner);
}

// The same, with two values in each row.
template <typename T>
NewMatrix<T> to_numpy_pairs(std::vector<T>&& values) {
  const std::size_t size = values.size();
  const auto [data, owner] = hand_over(std::move(values));
  return NewMatrix<T>(data, {size / 2, 2}, owner);
}

// A numpy array of converted values; several threads fill in a long one.
template <typename T, typename U>
NewVector<T> converted_to_numpy(const std::vector<U>& values) {
  const std::size_t size = values.size();
  auto owned = std::make_unique_for_overwrite<T[]>(size);
  for_ranges(size, std::size_t{1} << 17, [&](std::size_t begin, std::size_t end) {
    std::transform(values.begin() + static_cast<std::ptrdiff_t>(begin),
                   values.begin() + static_cast<std::ptrdiff_t>(end), owned.get() + begin,
                   [](U value) { return static_cast<T>(value); });
  });
  T* const data = owned.get();
  nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
  owned.release();
  return NewVector<T>(data, {size}, owner);
}

inline NewVector<std::int64_t> labels_to_numpy(const Labels& labels) {
  return converted_to_numpy<std::int64_t>(labels);
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
void bind_lifted(nb::module_& module);
void bind_solvers(nb::module_& module);
void bind_agglomeration(nb::module_& module);
void bind_lifted_solvers(nb::module_& module);
void bind_io(nb::module_& module);
void bind_exact(nb::module_& module);
void bind_learning(nb::module_& module);
void bind_geometry(nb::module_& module);
void bind_bounds(nb::module_& module);
void bind_vision(nb::module_& module);
void bind_proofreading(nb::module_& module);

}  // namespace multicut::bindings
