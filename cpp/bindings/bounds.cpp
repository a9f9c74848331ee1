#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <tuple>

#include "arrays.hpp"
#include "multicut/bounds/cut_packing.hpp"
#include "multicut/bounds/cycle_packing.hpp"
#include "multicut/bounds/flip_bounds.hpp"
#include "multicut/solvers/instance.hpp"
#include "reporter.hpp"

namespace multicut::bindings {

void bind_bounds(nb::module_& module) {
  module.def(
      "pack_cycles",
      [](const Graph& graph, const Vector<double>& costs, int num_threads, int max_rounds,
         double max_steps, double time_limit, const Callback& callback,
         std::optional<EdgeId> num_ordinary) {
        check_costs(graph, costs);
        Reporter reporter(callback);
        // A watch follows something that falls; the bound rises.
        Watch watch(
            time_limit,
            [&](double negated, double seconds) {
              const bool has_none = negated == Watch::kNothingToTell;
              return reporter(has_none ? negated : -negated, seconds);
            },
            callback.has_value());
        PackingResult result{};
        double bound = 0;
        {
          nb::gil_scoped_release unlocked;
          watch.reserve(seconds_to_finish(graph));
          const Instance instance(graph, as_span(costs), [&] { return watch.expired(); });
          if (instance.is_complete()) {
            instance.attach_to_bound(watch);
            // Contracted must-links may have made one edge of both kinds.
            const bool packs_cuts = num_ordinary && &instance.graph() == &graph;
            result = pack_cycles(instance.graph(), instance.costs(),
                                 {num_threads, max_rounds, max_steps, packs_cuts}, watch);
            double found = result.lower_bound;
            if (!result.left.empty()) {
              const double gain =
                  pack_cuts(graph, instance.costs(), *num_ordinary, result.left, watch, max_steps);
              if (gain > 0) {
                found = std::nextafter(found + gain, found);
                watch.improved(-found);
              }
            }
            bound = instance.bound_in_callers_terms(found);
          } else {
            bound = trivial_bound(as_span(costs));
          }
        }
        const StopReason reason = reporter.finish(watch.reason());
        return std::tuple(bound, result.num_rounds, result.num_cycles,
                          std::string(text_of(reason)));
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("num_threads") = 1,
      nb::arg("max_rounds") = PackingOptions{}.max_rounds,
      nb::arg("max_steps") = PackingOptions{}.max_steps,
      nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
      nb::arg("callback") = nb::none(), nb::arg("num_ordinary") = nb::none(),
      "A lower bound by packing cycles: (bound, rounds, cycles, stopped by). If `num_ordinary` is given, "
      "later edges are lifted, and cuts are packed as well.");
  module.def(
      "pack_and_keep",
      [](const Graph& graph, const Vector<double>& costs, int num_threads, int max_rounds,
         double max_steps) {
        check_costs(graph, costs);
        PackingResult result{};
        {
          nb::gil_scoped_release unlocked;
          Watch watch;
          result = pack_cycles(graph, as_span(costs), {num_threads, max_rounds, max_steps, true}, watch);
        }
        return std::tuple(result.lower_bound, to_numpy<double>(std::move(result.left)));
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("num_threads") = 1,
      nb::arg("max_rounds") = PackingOptions{}.max_rounds,
      nb::arg("max_steps") = PackingOptions{}.max_steps,
      "A lower bound by packing cycles, and what the packing leaves of the |cost| of each edge; "
      "costs are finite.");
  module.def(
      "flip_bounds",
      [](const Graph& graph, const Vector<double>& costs, const Vector<double>& left,
         const Vector<std::int64_t>& labels) {
        check_costs(graph, costs);
        check_costs(graph, left);
        const Labels own = labels_from_numpy(labels, graph.num_nodes());
        std::vector<double> bounds;
        {
          const Unlocked unlocked(size_of(graph));
          bounds = flip_bounds(graph, as_span(costs), as_span(left), own);
        }
        return to_numpy<double>(std::move(bounds));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("left"), nb::arg("labels"),
      "What partitions that treat an edge otherwise cost more than the bound, at least.");
  module.def(
      "simple_flips",
      [](const Graph& graph, const Vector<double>& costs, const Vector<std::int64_t>& labels) {
        check_costs(graph, costs);
        Labels own = labels_from_numpy(labels, graph.num_nodes());
        make_canonical(own);
        std::vector<double> flips;
        {
          const Unlocked unlocked(size_of(graph));
          flips = simple_flips(graph, as_span(costs), own);
        }
        return to_numpy<double>(std::move(flips));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("labels"),
      "What the cheapest of a few simple changes that treat an edge otherwise costs.");
}

}  // namespace multicut::bindings
