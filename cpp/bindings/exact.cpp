#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <limits>
#include <tuple>

#include "arrays.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"

namespace multicut::bindings {

void bind_exact(nb::module_& module) {
  module.def(
      "separate_cycles",
      [](const Graph& graph, const Vector<double>& values, double tolerance, double time_limit) {
        check_costs(graph, values);
        Cycles cycles;
        {
          nb::gil_scoped_release unlocked;
          cycles = separate_cycles(graph, as_span(values), tolerance, time_limit);
        }
        std::vector<std::int32_t> offsets(cycles.offsets.begin(), cycles.offsets.end());
        return std::pair(to_numpy<std::int32_t>(std::move(offsets)),
                         to_numpy<std::int32_t>(std::move(cycles.edges)));
      },
      nb::arg("graph"), nb::arg("values"), nb::arg("tolerance"),
      nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
      "Violated cycle inequalities: (offsets, edges); the first edge of each cycle is the left "
      "hand side.");
  module.def(
      "reduce",
      [](const Graph& graph, const Vector<double>& costs) {
        check_costs(graph, costs);
        Reduction reduction;
        {
          nb::gil_scoped_release unlocked;
          reduction = reduce(graph, as_span(costs));
        }
        return std::tuple(labels_to_numpy(reduction.group_of),
                          std::move(reduction.problem.graph),
                          to_numpy<double>(std::move(reduction.problem.costs)));
      },
      nb::arg("graph"), nb::arg("costs"),
      "A smaller problem with the same optimum: (node of it for each node, graph, costs).");
  module.def(
      "blocks",
      [](const Graph& graph) {
        std::vector<EdgeId> block;
        {
          nb::gil_scoped_release unlocked;
          block = blocks(graph);
        }
        return to_numpy<std::int32_t>(std::move(block));
      },
      nb::arg("graph"), "The block (biconnected component) of each edge.");
}

}  // namespace multicut::bindings
