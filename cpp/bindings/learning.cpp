#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "arrays.hpp"
#include "multicut/learning/chordless_cycles.hpp"

namespace multicut::bindings {
namespace {

Graph graph_of_edges(const EdgeArray& edges, std::span<const std::int64_t> node_offsets) {
  const std::int64_t num_nodes = node_offsets.empty() ? 0 : node_offsets.back();
  if (num_nodes < 0 || static_cast<std::uint64_t>(num_nodes) >= kMaxId ||
      edges.shape(0) >= kMaxId) {
    throw std::invalid_argument("node_offsets and edges must count fewer than 2^31, got " +
                                std::to_string(num_nodes) + " nodes and " +
                                std::to_string(edges.shape(0)) + " edges");
  }
  std::vector<Edge> list(edges.shape(0));
  for (std::size_t e = 0; e < list.size(); ++e) {
    const std::int64_t u = edges(e, 0);
    const std::int64_t v = edges(e, 1);
    if (u < 0 || v < 0 || u >= num_nodes || v >= num_nodes) {
      throw std::invalid_argument("edges must join nodes from 0 to " +
                                  std::to_string(num_nodes - 1) + ", got " + std::to_string(u) +
                                  " and " + std::to_string(v) + " at edge " + std::to_string(e));
    }
    list[e] = {static_cast<NodeId>(u), static_cast<NodeId>(v)};
  }
  return Graph(static_cast<NodeId>(num_nodes), std::move(list));
}

}  // namespace

void bind_learning(nb::module_& module) {
  nb::exception<TooManyCyclesError>(module, "TooManyCyclesError", PyExc_ValueError);
  module.def(
      "chordless_cycles",
      [](const EdgeArray& edges, const Vector<std::int64_t>& node_offsets, int max_length,
         std::size_t max_cycles, int num_threads) {
        ChordlessCycles cycles;
        {
          nb::gil_scoped_release unlocked;
          const Graph graph = graph_of_edges(edges, as_span(node_offsets));
          cycles = chordless_cycles(graph, as_span(node_offsets), max_length, max_cycles,
                                    num_threads);
        }
        return std::tuple(to_numpy<std::int64_t>(std::move(cycles.offsets)),
                          to_numpy<std::int32_t>(std::move(cycles.edges)),
                          to_numpy<std::int64_t>(std::move(cycles.graph_offsets)));
      },
      nb::arg("edges"), nb::arg("node_offsets"), nb::arg("max_length"), nb::arg("max_cycles"),
      nb::arg("num_threads"),
      "All chordless cycles of many graphs: (offsets, edges, graph_offsets). max_cycles is per "
      "graph.");
}

}  // namespace multicut::bindings
