#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "multicut/exact/blocks.hpp"
#include "multicut/exact/cut_separation.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/exact/wheel_separation.hpp"
#include "reporter.hpp"
#include "side_by_side.hpp"

namespace multicut::bindings {
namespace {

std::pair<NewVector<std::int32_t>, NewVector<std::int32_t>> to_numpy_rows(Cycles&& cycles) {
  // HiGHS takes rows with offsets of 32 bits. The last offset is the largest.
  if (!std::in_range<std::int32_t>(cycles.edges.size())) {
    throw std::length_error("violated inequalities must hold fewer than 2^31 edges in all, got " +
                            std::to_string(cycles.edges.size()) + "; raise the tolerance");
  }
  std::vector<std::int32_t> offsets(cycles.offsets.begin(), cycles.offsets.end());
  return {to_numpy<std::int32_t>(std::move(offsets)),
          to_numpy<std::int32_t>(std::move(cycles.edges))};
}

void check_begins_with(const Graph& both, const Graph& ordinary) {
  if (both.num_nodes() == ordinary.num_nodes() && both.num_edges() >= ordinary.num_edges() &&
      std::ranges::equal(both.edges().first(ordinary.num_edges()), ordinary.edges())) {
    return;
  }
  throw std::invalid_argument("both must have the nodes of ordinary and begin with its edges");
}

// What a reduction hands back, ready for Python.
struct Reduced {
  Reduction reduction;
  double seconds = 0;
  StopReason reason = StopReason::kConverged;
};

std::vector<Reduced> reduce_all(const nb::typed<nb::iterable, Graph>& graphs,
                                const std::vector<Vector<double>>& costs, int num_threads,
                                double total_time_limit, const Callback& callback) {
  const Held<Graph> todo(graphs, "graphs must be Graph objects");
  if (todo.size() != costs.size()) {
    throw std::invalid_argument("graphs and costs must be as many, got " +
                                std::to_string(todo.size()) + " and " +
                                std::to_string(costs.size()));
  }
  for (std::size_t i = 0; i < todo.size(); ++i) check_costs(todo[i], costs[i]);
  std::vector<Reduced> results(todo.size());
  const std::vector<StopReason> reasons =
      side_by_side(todo.size(), num_threads, {kForever, total_time_limit}, callback,
                   [&](std::size_t i, Watch& watch) {
                     results[i].reduction = reduce(todo[i], as_span(costs[i]), watch);
                     results[i].seconds = watch.elapsed();
                   });
  for (std::size_t i = 0; i < todo.size(); ++i) results[i].reason = reasons[i];
  return results;
}

}  // namespace

void bind_exact(nb::module_& module) {
  nb::class_<Reduced>(module, "Reduced", "A smaller problem with the same optimum.")
      .def_prop_ro(
          "node_of_input", [](const Reduced& r) { return labels_to_numpy(r.reduction.group_of); },
          kNewArray)
      .def_prop_ro(
          "graph", [](const Reduced& r) -> const Graph& { return r.reduction.problem.graph; },
          nb::rv_policy::reference_internal)
      .def_prop_ro(
          "costs",
          [](const Reduced& r) {
            return to_numpy<double>(std::vector<double>(r.reduction.problem.costs));
          },
          kNewArray)
      .def_prop_ro("offset", [](const Reduced& r) { return r.reduction.offset; })
      .def_prop_ro("error", [](const Reduced& r) { return r.reduction.error; })
      .def_ro("seconds", &Reduced::seconds)
      .def_prop_ro("stopped_by", [](const Reduced& r) { return text_of(r.reason); });

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
      "separate_cuts",
      [](const Graph& ordinary, const Graph& both, const Vector<double>& values, double tolerance,
         double time_limit, int num_threads) {
        check_begins_with(both, ordinary);
        check_costs(both, values);
        Cycles cuts;
        {
          nb::gil_scoped_release unlocked;
          cuts = separate_cuts(ordinary, both, as_span(values), tolerance, time_limit, num_threads);
        }
        return to_numpy_rows(std::move(cuts));
      },
      nb::arg("ordinary"), nb::arg("both"), nb::arg("values"), nb::arg("tolerance"),
      nb::arg("time_limit") = kForever, nb::arg("num_threads") = 1,
      "Violated cut inequalities of lifted edges, the last ones of `both`: (offsets, edges); of each "
      "the lifted edge comes first, then the ordinary edges that separate its ends.");
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
         const Callback& callback, const Callback& is_interrupted) {
        check_costs(graph, costs);
        Reporter reporter(callback, is_interrupted);
        Watch watch(time_limit, std::ref(reporter));
        Reduced reduced;
        {
          nb::gil_scoped_release unlocked;
          reduced.reduction = reduce(graph, as_span(costs), watch);
        }
        reduced.seconds = watch.elapsed();
        reduced.reason = reporter.finish(watch.reason());
        return reduced;
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("time_limit") = kForever,
      nb::arg("callback") = nb::none(), nb::arg("is_interrupted") = nb::none(),
      "A smaller problem with the same optimum. `is_interrupted` is asked whether Ctrl-C was pressed.");
  module.def("reduce_all", &reduce_all, nb::arg("graphs"), nb::arg("costs"), nb::kw_only(),
             nb::arg("num_threads"), nb::arg("total_time_limit") = kForever,
             nb::arg("callback") = nb::none(),
             "Smaller problems with the same optima, found side by side; the time limit is of all "
             "together. The callback hears NaN for the objective; if it is true, that counts as an "
             "interrupt.");
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
