#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <limits>
#include <optional>

#include "arrays.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/greedy_fixation.hpp"
#include "multicut/solvers/instance.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/monitor.hpp"
#include "reporter.hpp"

namespace multicut::bindings {
namespace {

// Properties hand out arrays that own their memory.
constexpr auto kNewArray = nb::rv_policy::automatic;

using Initial = std::optional<Vector<std::int64_t>>;
using Start = std::optional<Labels>;

// What a solver hands back, ready for Python.
struct Solution {
  Labels labels;
  NodeId num_clusters = 0;
  double objective = 0;
  std::vector<std::uint8_t> cut;
  std::vector<TracePoint> trace;
  StopReason reason = StopReason::kConverged;
};

// Runs run(instance, initial, monitor) → labels of the instance, without the GIL, and evaluates
// what it returns on the caller's graph and costs. What only passes over the edges a few times says
// how many there are.
template <typename Run>
Solution solve(const Graph& graph, const Vector<double>& costs, const Initial& initial,
               double time_limit, const Callback& callback, Run run,
               std::size_t num_elements = std::numeric_limits<std::size_t>::max()) {
  check_costs(graph, costs);
  Reporter reporter(callback);
  Monitor monitor(time_limit, std::ref(reporter), callback.has_value());
  Start start;
  if (initial) start = labels_from_numpy(*initial, graph.num_nodes());

  Solution solution;
  {
    const Unlocked unlocked(num_elements);
    const Instance instance(graph, as_span(costs));
    instance.attach(monitor);
    if (start) start = instance.lower(*start);
    solution.labels = instance.lift(run(instance, start, monitor));
    solution.num_clusters = make_canonical(solution.labels);
    solution.cut.resize(graph.num_edges());
    solution.objective = evaluate(graph, as_span(costs), solution.labels, solution.cut);
    monitor.finish(solution.objective);
    solution.trace = monitor.trace();
  }
  solution.reason = reporter.finish(monitor.reason());
  return solution;
}

Labels run_klj(const Instance& instance, const Start& start, const KljOptions& options,
               Monitor& monitor) {
  const Graph& graph = instance.graph();
  const Labels labels = start ? *start : gaec(graph, instance.costs(), monitor);
  return klj(graph, instance.costs(), labels, options, monitor);
}

Labels run_fusion(const Instance& instance, const Start& start, const FusionOptions& options,
                  bool reduces, std::uint64_t seed, Monitor& monitor) {
  if (!reduces) {
    const Labels labels = run_klj(instance, start, options.klj, monitor);
    return fusion(instance.graph(), instance.costs(), labels, options, seed, monitor);
  }
  const Reduction reduction = reduce(instance.graph(), instance.costs(), monitor);
  const auto& [graph, costs] = reduction.problem;
  monitor.add_to_offset(reduction.offset);
  Labels labels = gaec(graph, costs, monitor);
  labels = klj(graph, costs, labels, options.klj, monitor);
  return reduction.lift(fusion(graph, costs, labels, options, seed, monitor));
}

}  // namespace

void bind_solvers(nb::module_& module) {
  nb::class_<Solution>(module, "Solution", "What a native solver found.")
      .def_prop_ro(
          "labels", [](const Solution& s) { return labels_to_numpy(s.labels); }, kNewArray)
      .def_prop_ro(
          "cut",
          [](const Solution& s) { return to_numpy<bool>(std::vector<std::uint8_t>(s.cut)); },
          kNewArray)
      .def_prop_ro(
          "trace",
          [](const Solution& s) {
            std::vector<double> flat;
            for (const auto [seconds, objective] : s.trace) {
              flat.push_back(seconds);
              flat.push_back(objective);
            }
            return to_numpy_pairs(std::move(flat));
          },
          kNewArray)
      .def_ro("num_clusters", &Solution::num_clusters)
      .def_ro("objective", &Solution::objective)
      .def_prop_ro("stopped_by", [](const Solution& s) { return name_of(s.reason); });

  constexpr double kForever = std::numeric_limits<double>::infinity();
  module.def(
      "gaec",
      [](const Graph& graph, const Vector<double>& costs, double time_limit,
         const Callback& callback) {
        return solve(graph, costs, std::nullopt, time_limit, callback,
                     [](const Instance& instance, const Start&, Monitor& monitor) {
                       return gaec(instance.graph(), instance.costs(), monitor);
                     });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("time_limit") = kForever,
      nb::arg("callback") = nb::none(), "Greedy additive edge contraction.");
  module.def(
      "greedy_fixation",
      [](const Graph& graph, const Vector<double>& costs, double time_limit,
         const Callback& callback) {
        return solve(graph, costs, std::nullopt, time_limit, callback,
                     [](const Instance& instance, const Start&, Monitor& monitor) {
                       return greedy_fixation(instance.graph(), instance.costs(), monitor);
                     });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("time_limit") = kForever,
      nb::arg("callback") = nb::none(), "Greedy fixation.");
  module.def(
      "klj",
      [](const Graph& graph, const Vector<double>& costs, const Initial& initial, int max_rounds,
         int patience, double largest_loss, double time_limit, const Callback& callback) {
        const KljOptions options{max_rounds, patience, largest_loss};
        return solve(graph, costs, initial, time_limit, callback,
                     [&](const Instance& instance, const Start& start, Monitor& monitor) {
                       return run_klj(instance, start, options, monitor);
                     });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("max_rounds"), nb::arg("patience"), nb::arg("largest_loss"),
      nb::arg("time_limit") = kForever, nb::arg("callback") = nb::none(),
      "Kernighan-Lin with joins, from `initial` labels or else from GAEC.");
  module.def(
      "fusion",
      [](const Graph& graph, const Vector<double>& costs, const Initial& initial,
         std::uint64_t seed, int max_proposals, int patience, double noise, int num_threads,
         bool reduces, double time_limit, const Callback& callback) {
        const FusionOptions options{max_proposals, patience, noise, num_threads, {}};
        return solve(graph, costs, initial, time_limit, callback,
                     [&](const Instance& instance, const Start& start, Monitor& monitor) {
                       return run_fusion(instance, start, options, reduces, seed, monitor);
                     });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("seed"), nb::arg("max_proposals"), nb::arg("patience"), nb::arg("noise"),
      nb::arg("num_threads"), nb::arg("reduces"), nb::arg("time_limit") = kForever,
      nb::arg("callback") = nb::none(),
      "Fusion moves, from KLj; on the reduced problem if it `reduces`, which ignores `initial`.");
  module.def(
      "better_regions",
      [](const Graph& graph, const Vector<double>& costs, const Vector<std::int64_t>& labels,
         const Vector<std::int64_t>& other) {
        const Labels second = labels_from_numpy(other, graph.num_nodes());
        const auto take = [&](const Instance& instance, const Start& start, Monitor&) {
          Labels best = *start;
          take_better_regions(instance.graph(), instance.costs(), best, instance.lower(second));
          return best;
        };
        return solve(graph, costs, labels, kForever, std::nullopt, take, graph.num_edges());
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("labels"), nb::arg("other"),
      "The better of two partitions in each region that is closed under both.");
}

}  // namespace multicut::bindings
