#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

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
  double seconds = 0;
  StopReason reason = StopReason::kConverged;
};

// A solver and the problem that it is to solve, whose arrays it keeps alive.
class Task {
 public:
  // Returns labels of the instance.
  using Run = std::function<Labels(const Instance&, const Start&, Monitor&)>;

  Task(nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial, Run run)
      : owner_(nb::borrow(graph)),
        graph_(nb::cast<const Graph&>(graph)),
        costs_(costs),
        run_(std::move(run)) {
    check_costs(graph_, costs_);
    if (initial) start_ = labels_from_numpy(*initial, graph_.num_nodes());
  }

  // Needs no GIL.
  Solution solve(Monitor& monitor) const {
    const Instance instance(graph_, as_span(costs_));
    instance.attach(monitor);
    Start start;
    if (start_) start = instance.lower(*start_);
    Solution solution;
    solution.labels = instance.lift(run_(instance, start, monitor));
    solution.num_clusters = make_canonical(solution.labels);
    solution.cut.resize(graph_.num_edges());
    solution.objective = evaluate(graph_, as_span(costs_), solution.labels, solution.cut);
    monitor.finish(solution.objective);
    solution.trace = monitor.trace();
    solution.seconds = monitor.elapsed();
    solution.reason = monitor.reason();
    return solution;
  }

 private:
  nb::object owner_;
  const Graph& graph_;
  Vector<double> costs_;
  Start start_;
  Run run_;
};

Solution run_alone(const Task& task, double time_limit, const Callback& callback,
                   bool every_improvement) {
  Reporter reporter(callback);
  Monitor monitor(time_limit, std::ref(reporter), callback.has_value() && every_improvement);
  Solution solution;
  {
    nb::gil_scoped_release unlocked;
    solution = task.solve(monitor);
  }
  solution.reason = reporter.finish(solution.reason);
  return solution;
}

// Runs tasks side by side; meanwhile Python only looks at signals and calls back now and then.
// Threads of Python would mostly wait for each other where problems are small. Once it is to stop,
// tasks return what they have, and those that were not begun what they would begin with.
std::vector<Solution> run_all(const nb::typed<nb::iterable, Task>& tasks, int num_threads,
                              double time_limit, double total_time_limit,
                              const Callback& callback) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetweenSignals{20};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (num_threads < 1) {
    throw std::invalid_argument("num_threads must be at least 1, got " +
                                std::to_string(num_threads));
  }
  std::vector<nb::object> owners;
  std::vector<const Task*> todo;
  for (const nb::handle task : tasks) {
    if (!nb::isinstance<Task>(task)) throw nb::type_error("tasks must be Task objects");
    owners.push_back(nb::borrow(task));
    todo.push_back(&nb::cast<const Task&>(task));
  }
  std::vector<Solution> solutions(todo.size());
  Reporter reporter(callback);
  StopReason verdict = reporter(kUnknown, 0);
  std::atomic<bool> cancelled = verdict != StopReason::kConverged;
  std::atomic<std::size_t> next = 0;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto listen = [&](double, double) {
    return cancelled ? StopReason::kInterrupt : StopReason::kConverged;
  };
  const auto work = [&] {
    try {
      for (std::size_t i = next++; i < todo.size(); i = next++) {
        const bool is_late = cancelled;
        const double left = std::max(total_time_limit - elapsed(), 0.0);
        Monitor monitor(is_late ? 0.0 : std::min(time_limit, left), listen,
                        /*every_improvement=*/true);
        solutions[i] = todo[i]->solve(monitor);
        if (is_late) solutions[i].reason = StopReason::kInterrupt;
      }
    } catch (...) {
      cancelled = true;
      throw;
    }
  };
  {
    nb::gil_scoped_release unlocked;
    std::vector<std::future<void>> workers;
    try {
      while (workers.size() < std::min<std::size_t>(num_threads, todo.size())) {
        workers.push_back(std::async(std::launch::async, work));
      }
    } catch (const std::system_error&) {
      // There are no more threads; those there are will do.
      if (workers.empty()) throw;
    }
    for (std::future<void>& worker : workers) {
      while (worker.wait_for(kBetweenSignals) != std::future_status::ready) {
        if (const auto now = reporter(kUnknown, elapsed()); now != StopReason::kConverged) {
          verdict = now;
          cancelled = true;
        }
      }
      worker.get();
    }
  }
  verdict = reporter.finish(verdict);
  const bool is_known = std::ranges::any_of(
      solutions, [](const Solution& s) { return s.reason == StopReason::kInterrupt; });
  if (verdict != StopReason::kConverged && !is_known && !solutions.empty()) {
    solutions.back().reason = StopReason::kInterrupt;  // it came too late for all of them
  }
  return solutions;
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
      .def_ro("seconds", &Solution::seconds)
      .def_prop_ro("stopped_by", [](const Solution& s) { return name_of(s.reason); });

  constexpr double kForever = std::numeric_limits<double>::infinity();
  nb::class_<Task>(module, "Task", "A solver and the problem that it is to solve.")
      .def("run", &run_alone, nb::kw_only(), nb::arg("time_limit") = kForever,
           nb::arg("callback") = nb::none(), nb::arg("every_improvement") = true,
           "Solve the problem; the callback hears of every improvement, or only now and then.");
  module.def("run_all", &run_all, nb::arg("tasks"), nb::kw_only(), nb::arg("num_threads"),
             nb::arg("time_limit") = kForever, nb::arg("total_time_limit") = kForever,
             nb::arg("callback") = nb::none(),
             "Solve many problems side by side; the time limits are of each and of all together. "
             "The callback hears NaN for the objective; if it is true, that counts as an interrupt.");

  module.def(
      "gaec",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs) {
        return Task(graph, costs, std::nullopt,
                    [](const Instance& instance, const Start&, Monitor& monitor) {
                      return gaec(instance.graph(), instance.costs(), monitor);
                    });
      },
      nb::arg("graph"), nb::arg("costs"), "Greedy additive edge contraction.");
  module.def(
      "greedy_fixation",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs) {
        return Task(graph, costs, std::nullopt,
                    [](const Instance& instance, const Start&, Monitor& monitor) {
                      return greedy_fixation(instance.graph(), instance.costs(), monitor);
                    });
      },
      nb::arg("graph"), nb::arg("costs"), "Greedy fixation.");
  module.def(
      "klj",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
         int max_rounds, int patience, double largest_loss) {
        const KljOptions options{max_rounds, patience, largest_loss};
        return Task(graph, costs, initial,
                    [=](const Instance& instance, const Start& start, Monitor& monitor) {
                      return run_klj(instance, start, options, monitor);
                    });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("max_rounds"), nb::arg("patience"), nb::arg("largest_loss"),
      "Kernighan-Lin with joins, from `initial` labels or else from GAEC.");
  module.def(
      "fusion",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
         std::uint64_t seed, int max_proposals, int patience, double noise, int num_threads,
         bool reduces) {
        const FusionOptions options{max_proposals, patience, noise, num_threads, {}};
        return Task(graph, costs, initial,
                    [=](const Instance& instance, const Start& start, Monitor& monitor) {
                      return run_fusion(instance, start, options, reduces, seed, monitor);
                    });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("seed"), nb::arg("max_proposals"), nb::arg("patience"), nb::arg("noise"),
      nb::arg("num_threads"), nb::arg("reduces"),
      "Fusion moves, from KLj; on the reduced problem if it `reduces`, which ignores `initial`.");
  module.def(
      "better_regions",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs,
         const Vector<std::int64_t>& labels, const Vector<std::int64_t>& other) {
        const auto& structure = nb::cast<const Graph&>(graph);
        const Labels second = labels_from_numpy(other, structure.num_nodes());
        const Task task(graph, costs, labels,
                        [&](const Instance& instance, const Start& start, Monitor&) {
                          Labels best = *start;
                          take_better_regions(instance.graph(), instance.costs(), best,
                                              instance.lower(second));
                          return best;
                        });
        const Callback nobody;
        Reporter reporter(nobody);
        Monitor monitor;
        Solution solution;
        {
          const Unlocked unlocked(size_of(structure));
          solution = task.solve(monitor);
        }
        solution.reason = reporter.finish(solution.reason);
        return solution;
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("labels"), nb::arg("other"),
      "The better of two partitions in each region that is closed under both.");
}

}  // namespace multicut::bindings
