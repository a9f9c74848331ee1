#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/graph/quotient.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/gaec_prefix.hpp"
#include "multicut/solvers/greedy_fixation.hpp"
#include "multicut/solvers/greedy_start.hpp"
#include "multicut/solvers/instance.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/memetic.hpp"
#include "multicut/solvers/trivial_partition.hpp"
#include "multicut/solvers/watch.hpp"
#include "reporter.hpp"
#include "side_by_side.hpp"
#include "task.hpp"

namespace multicut::bindings {
namespace {

using Initial = std::optional<Vector<std::int64_t>>;
using Start = std::optional<Labels>;

// Of the nodes, how many are joined before cycles are packed anew, where a longer search follows.
constexpr double kShareOfFirst = 0.1;

// What a solver found for an instance: labels, and a bound if it has one.
struct Found {
  Found(Labels of_instance, double bound = -kForever)
      : labels(std::move(of_instance)), lower_bound(bound) {}

  Labels labels;
  double lower_bound;
};

// A solver and the ordinary problem that it is to solve, whose arrays it keeps alive.
class OrdinaryTask {
 public:
  using Run = std::function<Found(const Instance&, const Start&, Watch&)>;

  OrdinaryTask(nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
               Run run, bool checks_initial = true)
      : owner_(nb::borrow(graph)),
        graph_(nb::cast<const Graph&>(graph)),
        costs_(costs),
        checks_start_(checks_initial),
        run_(std::move(run)) {
    check_costs(graph_, costs_);
    if (initial) start_ = labels_from_numpy(*initial, graph_.num_nodes());
  }

  // Needs no GIL. What comes back is never worse than a trivial partition. Labels to start from that
  // need no check are not, either, or their caller compares them.
  Solution operator()(Watch& watch) const {
    const bool compares = !start_ || checks_start_;
    const double seconds_to_compare = compares ? seconds_to_fall_back(graph_) : 0;
    watch.reserve(seconds_to_finish(graph_), seconds_to_compare);
    Solution solution;
    double cost_of_nodes = kForever;  // of single nodes, where the solver need not be better
    bool is_trivial = false;
    {
      const Instance instance(graph_, as_span(costs_), [&] { return watch.expired(); });
      instance.attach(watch);
      if (&instance.graph() != &graph_) {
        watch.reserve(seconds_to_finish(graph_) + seconds_to_lift(graph_), seconds_to_compare);
      }
      is_trivial = !instance.is_complete() || (!start_ && watch.expired());
      if (is_trivial) {
        take_trivial(solution);
      } else {
        Start start;
        if (start_) {
          start = instance.lower(*start_, !checks_start_);
          cost_of_nodes = instance.in_callers_terms(
              std::accumulate(instance.costs().begin(), instance.costs().end(), 0.0));
        }
        Found found = run_(instance, start, watch);
        take(solution, instance.lift(std::move(found.labels)));
        if (found.lower_bound > -kForever) {
          solution.lower_bound = instance.bound_in_callers_terms(found.lower_bound);
        }
      }
    }
    const bool is_stopped = watch.reason() != StopReason::kConverged;
    const bool is_open = compares && is_stopped && !watch.is_beyond_trivial();
    if (!is_trivial && (is_open || solution.objective > std::min(0.0, cost_of_nodes))) {
      Solution trivial;
      take_trivial(trivial);
      trivial.lower_bound = solution.lower_bound;
      if (trivial.objective < solution.objective) solution = std::move(trivial);
    }
    solution.finish(watch);
    return solution;
  }

 private:
  void take_trivial(Solution& solution) const {
    take_trivial_partition(solution, graph_, as_span(costs_));
  }

  void take(Solution& solution, Labels labels) const {
    solution.labels = std::move(labels);
    solution.num_clusters = make_canonical(solution.labels);
    solution.cut.resize(graph_.num_edges());
    solution.objective = evaluate(graph_, as_span(costs_), solution.labels, solution.cut);
  }

  nb::object owner_;
  const Graph& graph_;
  Vector<double> costs_;
  Start start_;
  bool checks_start_;
  Run run_;
};

Task make_task(nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
               OrdinaryTask::Run run, bool checks_initial = true) {
  return Task(OrdinaryTask(graph, costs, initial, std::move(run), checks_initial));
}

Solution run_alone(const Task& task, double time_limit, const Callback& callback,
                   bool every_improvement, const Callback& is_interrupted) {
  Reporter reporter(callback, is_interrupted);
  Watch watch(time_limit, std::ref(reporter), callback.has_value() && every_improvement);
  Solution solution;
  {
    nb::gil_scoped_release unlocked;
    solution = task.solve(watch);
  }
  solution.reason = reporter.finish(solution.reason);
  return solution;
}

// Tasks that are stopped return what they have, and those that were not begun what they would begin
// with.
std::vector<Solution> run_all(const nb::typed<nb::iterable, Task>& tasks, int num_threads,
                              double time_limit, double total_time_limit,
                              const Callback& callback) {
  const Held<Task> todo(tasks, "tasks must be Task objects");
  std::vector<Solution> solutions(todo.size());
  const std::vector<StopReason> reasons =
      side_by_side(todo.size(), num_threads, {time_limit, total_time_limit}, callback,
                   [&](std::size_t i, Watch& watch) { solutions[i] = todo[i].solve(watch); });
  for (std::size_t i = 0; i < todo.size(); ++i) solutions[i].reason = reasons[i];
  return solutions;
}

// Runs a greedy solver on the graph in which the clusters of the start, if there is one, are contracted.
template <typename Greedy>
Found contract_from(const Instance& instance, const Start& start, Greedy greedy) {
  if (!start) return greedy(instance.graph(), instance.costs());
  const NodeId num_clusters =
      start->empty() ? 0 : *std::max_element(start->begin(), start->end()) + 1;
  const WeightedGraph clusters = quotient(instance.graph(), instance.costs(), *start, num_clusters);
  const Labels joined = greedy(clusters.graph, std::span<const double>(clusters.costs)).labels;
  Labels labels = *start;
  for (NodeId& label : labels) label = joined[label];
  make_canonical(labels);
  // Contraction in another order than that of costs may make things worse, and so may rounding.
  Labels best = *start;
  take_better_regions(instance.graph(), instance.costs(), best, labels);
  return best;
}

Labels run_klj(const Instance& instance, const Start& start, const KljOptions& options,
               int num_threads, Watch& watch) {
  const Graph& graph = instance.graph();
  const Labels labels = start ? *start
                              : greedy_start(graph, instance.costs(), quick_options(graph),
                                             num_threads, watch);
  return klj(graph, instance.costs(), labels, options, watch);
}

// Local search from a greedy start that takes its time, for longer searches to begin with.
Labels first_partition(const Graph& graph, std::span<const double> costs, const KljOptions& options,
                       int num_threads, Watch& watch) {
  DualGreedyOptions thorough;
  thorough.share = kShareOfFirst;
  return klj(graph, costs, greedy_start(graph, costs, thorough, num_threads, watch), options, watch);
}

// Searches the reduced problem if it `reduces`, which ignores the start. `search` is fusion(…) or the like.
template <typename Options, typename Search>
Labels run_search(const Instance& instance, const Start& start, const Options& options,
                  bool reduces, Watch& watch, Search search) {
  if (!reduces) {
    const Graph& graph = instance.graph();
    const auto costs = instance.costs();
    return search(graph, costs,
                  start ? klj(graph, costs, *start, options.klj, watch)
                        : first_partition(graph, costs, options.klj, options.num_threads, watch));
  }
  const Reduction reduction = reduce(instance.graph(), instance.costs(), watch);
  const auto& [graph, costs] = reduction.problem;
  watch.add_to_offset(reduction.offset);
  return reduction.lift(search(
      graph, costs, first_partition(graph, costs, options.klj, options.num_threads, watch)));
}

Labels run_fusion(const Instance& instance, const Start& start, const FusionOptions& options,
                  bool reduces, std::uint64_t seed, Watch& watch) {
  return run_search(instance, start, options, reduces, watch,
                    [&](const Graph& graph, std::span<const double> costs, Labels labels) {
                      return fusion(graph, costs, std::move(labels), options, seed, watch);
                    });
}

Labels run_memetic(const Instance& instance, const Start& start, const MemeticOptions& options,
                   bool reduces, std::uint64_t seed, Watch& watch) {
  return run_search(instance, start, options, reduces, watch,
                    [&](const Graph& graph, std::span<const double> costs, Labels labels) {
                      return memetic(graph, costs, std::move(labels), options, seed, watch);
                    });
}

}  // namespace

void bind_solvers(nb::module_& module) {
  nb::class_<Solution>(module, "Solution", "What a native solver found.")
      .def_prop_ro(
          "labels", [](const Solution& s) { return labels_to_numpy(s.labels); }, kNewArray)
      .def_prop_ro(
          "cut", [](const Solution& s) { return converted_to_numpy<bool>(s.cut); }, kNewArray)
      .def_prop_ro(
          "lifted_cut",
          [](const Solution& s) -> std::optional<NewVector<bool>> {
            if (s.lifted_cut.empty()) return std::nullopt;
            return to_numpy<bool>(std::vector<std::uint8_t>(s.lifted_cut));
          },
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
      .def_ro("lower_bound", &Solution::lower_bound)
      .def_ro("seconds", &Solution::seconds)
      .def_prop_ro("stopped_by", [](const Solution& s) { return text_of(s.reason); });

  nb::class_<Task>(module, "Task", "A solver and the problem that it is to solve.")
      .def("run", &run_alone, nb::kw_only(), nb::arg("time_limit") = kForever,
           nb::arg("callback") = nb::none(), nb::arg("every_improvement") = true,
           nb::arg("is_interrupted") = nb::none(),
           "Solve the problem; the callback hears of every improvement, or only now and then. "
           "`is_interrupted` is asked whether Ctrl-C was pressed, also before there is a partition.");
  module.def("run_all", &run_all, nb::arg("tasks"), nb::kw_only(), nb::arg("num_threads"),
             nb::arg("time_limit") = kForever, nb::arg("total_time_limit") = kForever,
             nb::arg("callback") = nb::none(),
             "Solve many problems side by side; the time limits are of each and of all together. "
             "The callback hears NaN for the objective; if it is true, that counts as an interrupt.");

  module.def(
      "gaec",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial) {
        return make_task(graph, costs, initial,
                    [](const Instance& instance, const Start& start, Watch& watch) {
                      return contract_from(instance, start,
                                           [&](const Graph& of, std::span<const double> own) {
                                             return Found(gaec(of, own, watch));
                                           });
                    });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      "Greedy additive edge contraction, of nodes or of the clusters of `initial` labels.");
  module.def(
      "gaec_prefix",
      [](const Graph& graph, const Vector<double>& costs, const Vector<std::int64_t>& groups,
         double threshold, int num_threads) {
        check_costs(graph, costs);
        Labels dense = labels_from_numpy(groups, graph.num_nodes());
        Labels labels;
        {
          const nb::gil_scoped_release unlocked;
          const NodeId num_groups = make_canonical(dense);
          labels = gaec_prefix(graph, as_span(costs), dense, num_groups, threshold, num_threads);
        }
        return labels_to_numpy(labels);
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("groups"), nb::arg("threshold"), nb::kw_only(),
      nb::arg("num_threads"),
      "Clusters that gaec joins, for sure, while it finds edges of at least `threshold`; no two "
      "groups may attract each other by so much.");
  module.def(
      "dual_greedy",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, double share, double cost_weight,
         int triangle_sweeps, int square_sweeps, int num_threads, const Initial& initial) {
        const DualGreedyOptions options{
            share, cost_weight, {triangle_sweeps, square_sweeps}, num_threads};
        return make_task(graph, costs, initial,
                    [=](const Instance& instance, const Start& start, Watch& watch) {
                      return contract_from(
                          instance, start, [&](const Graph& of, std::span<const double> own) {
                            auto [labels, bound] = dual_greedy(of, own, options, watch);
                            return Found(std::move(labels), bound);
                          });
                    });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("share"), nb::arg("cost_weight"),
      nb::arg("triangle_sweeps"), nb::arg("square_sweeps"), nb::arg("num_threads") = 1,
      nb::arg("initial") = nb::none(),
      "Greedy contraction by what a packing of short cycles leaves of each cost; with the packing's "
      "lower bound, unless it starts from `initial` labels.");
  module.def(
      "quick_dual_greedy",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, int num_threads) {
        return make_task(graph, costs, std::nullopt,
                         [=](const Instance& instance, const Start&, Watch& watch) {
                           DualGreedyOptions options = quick_options(instance.graph());
                           options.num_threads = num_threads;
                           return Found(dual_greedy(instance.graph(), instance.costs(), options,
                                                    watch).labels);
                         });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("num_threads") = 1,
      "The contraction that klj starts from beside gaec.");
  module.def(
      "greedy_fixation",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial) {
        return make_task(graph, costs, initial,
                    [](const Instance& instance, const Start& start, Watch& watch) {
                      return contract_from(instance, start,
                                           [&](const Graph& of, std::span<const double> own) {
                                             return Found(greedy_fixation(of, own, watch));
                                           });
                    });
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      "Greedy fixation, of nodes or of the clusters of `initial` labels.");
  module.def(
      "klj",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
         int max_rounds, int patience, double largest_loss, int chain_patience, double chain_loss,
         int num_threads, bool checks_initial) {
        const KljOptions options{max_rounds, patience, largest_loss, chain_patience, chain_loss};
        return make_task(
            graph, costs, initial,
            [=](const Instance& instance, const Start& start, Watch& watch) {
              return run_klj(instance, start, options, num_threads, watch);
            },
            checks_initial);
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("max_rounds"), nb::arg("patience"), nb::arg("largest_loss"),
      nb::arg("chain_patience"), nb::arg("chain_loss"), nb::arg("num_threads") = 1,
      nb::arg("checks_initial") = true,
      "Kernighan-Lin with joins, from `initial` labels or a greedy start. Labels that a solver found "
      "need no check whether clusters are connected and constraints are met.");
  module.def(
      "fusion",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
         std::uint64_t seed, int max_proposals, int patience, double noise, int num_threads,
         bool reduces, bool checks_initial) {
        const FusionOptions options{max_proposals, patience, noise, num_threads, {}};
        return make_task(
            graph, costs, initial,
            [=](const Instance& instance, const Start& start, Watch& watch) {
              return run_fusion(instance, start, options, reduces, seed, watch);
            },
            checks_initial);
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("seed"), nb::arg("max_proposals"), nb::arg("patience"), nb::arg("noise"),
      nb::arg("num_threads"), nb::arg("reduces"), nb::arg("checks_initial") = true,
      "Fusion moves, from KLj; on the reduced problem if it `reduces`, which ignores `initial`.");
  module.def(
      "memetic",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, const Initial& initial,
         std::uint64_t seed, int max_rounds, int patience, double noise, int num_threads,
         bool reduces, bool checks_initial) {
        const MemeticOptions options{max_rounds, patience, noise, num_threads, {}};
        return make_task(
            graph, costs, initial,
            [=](const Instance& instance, const Start& start, Watch& watch) {
              return run_memetic(instance, start, options, reduces, seed, watch);
            },
            checks_initial);
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("initial") = nb::none(),
      nb::arg("seed"), nb::arg("max_rounds"), nb::arg("patience"), nb::arg("noise"),
      nb::arg("num_threads"), nb::arg("reduces"), nb::arg("checks_initial") = true,
      "Populations of partitions, from KLj; on the reduced problem if it `reduces`, which ignores "
      "`initial`.");
  module.def(
      "trivial_partition",
      [](const Graph& graph, const Vector<double>& costs) {
        check_costs(graph, costs);
        Solution solution;
        {
          const Unlocked unlocked(size_of(graph));
          take_trivial_partition(solution, graph, as_span(costs));
        }
        return solution;
      },
      nb::arg("graph"), nb::arg("costs"),
      "The best partition that needs no search: meets all constraints, costs no more than single "
      "nodes do, and without cannot-links no more than 0.");
  module.def("seconds_to_guide", &seconds_to_guide, nb::arg("graph"),
             "How much time has to be left for dual_greedy to be worth its while.");
  module.def(
      "better_regions",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs,
         const Vector<std::int64_t>& labels, const Vector<std::int64_t>& other,
         const Callback& is_interrupted) {
        const auto& structure = nb::cast<const Graph&>(graph);
        const Labels second = labels_from_numpy(other, structure.num_nodes());
        const Task task = make_task(graph, costs, labels,
                        [&](const Instance& instance, const Start& start, Watch& watch) {
                          watch.set_beyond_trivial();  // as labels are, if that matters
                          Labels best = *start;
                          take_better_regions(instance.graph(), instance.costs(), best,
                                              instance.lower(second),
                                              [&] { return watch.expired(); });
                          return best;
                        });
        const Callback nobody;
        Reporter reporter(nobody, is_interrupted);
        Watch watch(kForever, std::ref(reporter));
        Solution solution;
        {
          const Unlocked unlocked(size_of(structure));
          solution = task.solve(watch);
        }
        solution.reason = reporter.finish(solution.reason);
        return solution;
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("labels"), nb::arg("other"), nb::kw_only(),
      nb::arg("is_interrupted") = nb::none(),
      "The better of two partitions in each region that is closed under both; the first one if Ctrl-C "
      "was pressed, which `is_interrupted` tells.");
}

}  // namespace multicut::bindings
