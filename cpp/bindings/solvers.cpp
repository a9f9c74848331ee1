#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <functional>
#include <limits>
#include <optional>

#include "arrays.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/instance.hpp"
#include "multicut/solvers/monitor.hpp"

namespace multicut::bindings {
namespace {

// Properties hand out arrays that own their memory.
constexpr auto kNewArray = nb::rv_policy::automatic;

using Callback = std::optional<nb::callable>;
using Initial = std::optional<Vector<std::int64_t>>;

// What a solver hands back, ready for Python.
struct Solution {
  Labels labels;
  NodeId num_clusters = 0;
  double objective = 0;
  std::vector<std::uint8_t> cut;
  std::vector<TracePoint> trace;
  StopReason reason = StopReason::kConverged;
};

const char* name_of(StopReason reason) {
  switch (reason) {
    case StopReason::kTimeLimit:
      return "time_limit";
    case StopReason::kCallback:
      return "callback";
    case StopReason::kInterrupt:
      return "interrupt";
    case StopReason::kConverged:
      break;
  }
  return "converged";
}

// Lets Python see signals and lets the callback speak. Called without the GIL.
class Reporter {
 public:
  explicit Reporter(const Callback& callback) : callback_(callback) {}

  StopReason operator()(double objective, double seconds) {
    nb::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) {
      if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) {
        error_.emplace();  // a handler of the caller's own raised: pass it on
        return StopReason::kCallback;
      }
      PyErr_Clear();
      return StopReason::kInterrupt;
    }
    if (!callback_) return StopReason::kConverged;
    try {
      return nb::cast<bool>(nb::bool_((*callback_)(objective, seconds))) ? StopReason::kCallback
                                                                         : StopReason::kConverged;
    } catch (nb::python_error& error) {
      error_.emplace(std::move(error));
      return StopReason::kCallback;
    }
  }

  void rethrow() {
    if (error_) throw std::move(*error_);
  }

 private:
  const Callback& callback_;
  std::optional<nb::python_error> error_;
};

// Runs run(instance, initial, monitor) → labels of the instance, without the GIL, and evaluates
// what it returns on the caller's graph and costs.
template <typename Run>
Solution solve(const Graph& graph, const Vector<double>& costs, const Initial& initial,
               double time_limit, const Callback& callback, Run run) {
  check_costs(graph, costs);
  Reporter reporter(callback);
  Monitor monitor(time_limit, std::ref(reporter), callback.has_value());
  std::optional<Labels> start;
  if (initial) start = labels_from_numpy(*initial, graph.num_nodes());

  Solution solution;
  {
    nb::gil_scoped_release unlocked;
    const Instance instance(graph, as_span(costs));
    instance.attach(monitor);
    if (start) start = instance.lower(*start);
    solution.labels = instance.lift(run(instance, start, monitor));
    solution.num_clusters = make_canonical(solution.labels);
    solution.cut.resize(graph.num_edges());
    solution.objective = evaluate(graph, as_span(costs), solution.labels, solution.cut);
    solution.trace = monitor.trace();
    solution.reason = monitor.reason();
  }
  reporter.rethrow();
  return solution;
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

  module.def(
      "gaec",
      [](const Graph& graph, const Vector<double>& costs, double time_limit,
         const Callback& callback) {
        return solve(graph, costs, std::nullopt, time_limit, callback,
                     [](const Instance& instance, const auto&, Monitor& monitor) {
                       return gaec(instance.graph(), instance.costs(), monitor);
                     });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(),
      nb::arg("time_limit") = std::numeric_limits<double>::infinity(),
      nb::arg("callback") = nb::none(), "Greedy additive edge contraction.");
}

}  // namespace multicut::bindings
