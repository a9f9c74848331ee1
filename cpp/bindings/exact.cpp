#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <functional>
#include <limits>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "multicut/exact/blocks.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/exact/wheel_separation.hpp"
#include "reporter.hpp"

namespace multicut::bindings {
namespace {

std::pair<NewVector<std::int32_t>, NewVector<std::int32_t>> to_numpy_rows(Cycles&& cycles) {
  std::vector<std::int32_t> offsets(cycles.offsets.begin(), cycles.offsets.end());
  return {to_numpy<std::int32_t>(std::move(offsets)),
          to_numpy<std::int32_t>(std::move(cycles.edges))};
}

}  // namespace

void bind_exact(nb::module_& module) {
  constexpr double kForever = std::numeric_limits<double>::infinity();
  module.def(
      "separate_cycles",
      [](const Graph& graph, const Vector<double>& values, double tolerance, double time_limit,
         int num_threads) {
        check_costs(graph, values);
        Cycles cycles;
        {
          nb::gil_scoped_release unlocked;
          cycles = separate_cycles(graph, as_span(values), tolerance, time_limit, num_threads);
        }
        return to_numpy_rows(std::move(cycles));
      },
      nb::arg("graph"), nb::arg("values"), nb::arg("tolerance"), nb::arg("time_limit") = kForever,
      nb::arg("num_threads") = 1,
      "Violated cycle inequalities: (offsets, edges); the first edge of each cycle is the left "
      "hand side.");
  module.def(
      "separate_odd_wheels",
      [](const Graph& graph, const Vector<double>& values, double tolerance, double time_limit) {
        check_costs(graph, values);
        Cycles wheels;
        {
          nb::gil_scoped_release unlocked;
          wheels = separate_odd_wheels(graph, as_span(values), tolerance, time_limit);
        }
        return to_numpy_rows(std::move(wheels));
      },
      nb::arg("graph"), nb::arg("values"), nb::arg("tolerance"), nb::arg("time_limit") = kForever,
      "Violated odd wheel inequalities: (offsets, edges); of each wheel the edges of the rim come "
      "first, then as many spokes.");
  module.def(
      "reduce",
      [](const Graph& graph, const Vector<double>& costs, double time_limit,
         const Callback& callback) {
        check_costs(graph, costs);
        Reporter reporter(callback);
        Monitor monitor(time_limit, std::ref(reporter));
        Reduction reduction;
        {
          nb::gil_scoped_release unlocked;
          reduction = reduce(graph, as_span(costs), monitor);
        }
        const StopReason reason = reporter.finish(monitor.reason());
        return std::tuple(labels_to_numpy(reduction.group_of),
                          std::move(reduction.problem.graph),
                          to_numpy<double>(std::move(reduction.problem.costs)), reduction.offset,
                          std::string(name_of(reason)));
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("time_limit") = kForever,
      nb::arg("callback") = nb::none(),
      "A smaller problem with the same optimum: (node of it for each node, graph, costs, offset, "
      "stopped by).");
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
