#include <nanobind/stl/optional.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "lifted_arrays.hpp"
#include "multicut/lifted/fusion.hpp"
#include "multicut/lifted/gaec.hpp"
#include "multicut/lifted/greedy_fixation.hpp"
#include "multicut/lifted/instance.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/lifted/regions.hpp"
#include "multicut/lifted/trivial_partition.hpp"
#include "task.hpp"

namespace multicut::bindings {
namespace {

using Initial = std::optional<Vector<std::int64_t>>;
using Start = std::optional<Labels>;

// A solver and the lifted problem that it is to solve.
class LiftedTask {
 public:
  using Run = std::function<Labels(const LiftedInstance&, const Start&, Watch&)>;

  LiftedTask(LiftedArrays arrays, const Initial& initial, Run run)
      : arrays_(std::move(arrays)), run_(std::move(run)) {
    if (initial) start_ = labels_from_numpy(*initial, arrays_.problem.graph.num_nodes());
  }

  // What comes back is never worse than a trivial partition.
  Solution operator()(Watch& watch) const {
    const LiftedProblem& problem = arrays_.problem;
    const double finish = seconds_to_finish(problem.graph) + seconds_to_finish(problem.lifted);
    const double compare =
        2 * (seconds_to_fall_back(problem.graph) + seconds_to_fall_back(problem.lifted));
    watch.reserve(finish, compare);
    Solution solution;
    bool is_trivial = false;
    {
      const LiftedInstance instance(problem, [&] { return watch.expired(); });
      instance.attach(watch);
      if (instance.is_contracted()) watch.reserve(finish + seconds_to_lift(problem.graph), compare);
      is_trivial = !instance.is_complete() || (!start_ && watch.expired());
      if (is_trivial) {
        take(solution, trivial_partition(problem));
      } else {
        Start start;
        if (start_) start = instance.lower(*start_);
        take(solution, instance.lift(run_(instance, start, watch)));
        mend(instance, solution, watch);
      }
    }
    if (!is_trivial && (!watch.is_beyond_trivial() || solution.objective == kInfinity)) {
      Solution trivial;
      take(trivial, trivial_partition(problem));
      if (trivial.objective < solution.objective) solution = std::move(trivial);
    }
    solution.finish(watch);
    return solution;
  }

 private:
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  // Greedy solvers may pass a must-link by, whose nodes only edges that repel connect. Solves the problem again
  // from single nodes and paths that connect them, if these meet all constraints.
  void mend(const LiftedInstance& instance, Solution& solution, Watch& watch) const {
    if (solution.objective < kInfinity || instance.must_links().empty() || watch.expired()) return;
    const Labels connected = join_must_links(arrays_.problem);
    if (objective(arrays_.problem, connected) == kInfinity) return;
    take(solution, instance.lift(run_(instance, instance.lower(connected), watch)));
  }

  void take(Solution& solution, Labels labels) const {
    solution.labels = std::move(labels);
    solution.num_clusters = make_canonical(solution.labels);
    solution.cut.resize(arrays_.problem.graph.num_edges());
    solution.lifted_cut.resize(arrays_.problem.lifted.num_edges());
    solution.objective =
        evaluate(arrays_.problem, solution.labels, solution.cut, solution.lifted_cut);
  }

  LiftedArrays arrays_;
  Start start_;
  Run run_;
};

// Runs a greedy solver on the problem in which the clusters of the start, if there is one, are contracted.
template <typename Greedy>
Labels contract_from(const LiftedProblem& problem, const Start& start, Greedy greedy) {
  if (!start) return greedy(problem);
  const NodeId num_clusters = start->empty() ? 0 : *std::ranges::max_element(*start) + 1;
  const OwnLiftedProblem clusters = quotient(problem, *start, num_clusters);
  const Labels joined = greedy(clusters.view());
  Labels labels = *start;
  for (NodeId& label : labels) label = joined[label];
  make_canonical(labels);
  Labels best = *start;
  take_better_regions(problem, best, labels);
  return best;
}

}  // namespace

void bind_lifted_solvers(nb::module_& module) {
  module.def(
      "lifted_gaec",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, nb::handle_t<Graph> lifted_graph,
         const Vector<double>& lifted_costs, const Initial& initial) {
        return Task(LiftedTask({graph, costs, lifted_graph, lifted_costs}, initial,
                               [](const LiftedInstance& instance, const Start& start, Watch& watch) {
                                 return contract_from(
                                     instance.problem(), start,
                                     [&](const LiftedProblem& of) { return gaec(of, watch); });
                               }));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("lifted_graph"), nb::arg("lifted_costs"),
      nb::kw_only(), nb::arg("initial") = nb::none(),
      "Greedy additive edge contraction of a lifted problem, of nodes or of the clusters of `initial` labels.");
  module.def(
      "lifted_greedy_fixation",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, nb::handle_t<Graph> lifted_graph,
         const Vector<double>& lifted_costs, const Initial& initial) {
        return Task(LiftedTask({graph, costs, lifted_graph, lifted_costs}, initial,
                               [](const LiftedInstance& instance, const Start& start, Watch& watch) {
                                 return contract_from(
                                     instance.problem(), start,
                                     [&](const LiftedProblem& of) { return greedy_fixation(of, watch); });
                               }));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("lifted_graph"), nb::arg("lifted_costs"),
      nb::kw_only(), nb::arg("initial") = nb::none(),
      "Greedy fixation of a lifted problem, of nodes or of the clusters of `initial` labels.");
  module.def(
      "lifted_klj",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, nb::handle_t<Graph> lifted_graph,
         const Vector<double>& lifted_costs, const Initial& initial, int max_rounds, int patience,
         double largest_loss, int chain_patience, double chain_loss) {
        const KljOptions options{max_rounds, patience, largest_loss, chain_patience, chain_loss};
        return Task(LiftedTask(
            {graph, costs, lifted_graph, lifted_costs}, initial,
            [=](const LiftedInstance& instance, const Start& start, Watch& watch) {
              return start ? klj(instance.problem(), *start, options, watch)
                           : greedy_klj(instance.problem(), options, watch).labels;
            }));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("lifted_graph"), nb::arg("lifted_costs"),
      nb::kw_only(), nb::arg("initial") = nb::none(), nb::arg("max_rounds"), nb::arg("patience"),
      nb::arg("largest_loss"), nb::arg("chain_patience"), nb::arg("chain_loss"),
      "Kernighan-Lin with joins of a lifted problem, from `initial` labels or a greedy start.");
  module.def(
      "lifted_fusion",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, nb::handle_t<Graph> lifted_graph,
         const Vector<double>& lifted_costs, const Initial& initial, std::uint64_t seed,
         int max_proposals, int patience, double noise, int num_threads) {
        const FusionOptions options{max_proposals, patience, noise, num_threads, {}};
        return Task(LiftedTask(
            {graph, costs, lifted_graph, lifted_costs}, initial,
            [=](const LiftedInstance& instance, const Start& start, Watch& watch) {
              const LiftedProblem problem = instance.problem();
              if (!start) return greedy_fusion(problem, options, seed, watch);
              return fusion(problem, klj(problem, *start, options.klj, watch), options, seed, watch);
            }));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("lifted_graph"), nb::arg("lifted_costs"),
      nb::kw_only(), nb::arg("initial") = nb::none(), nb::arg("seed"), nb::arg("max_proposals"),
      nb::arg("patience"), nb::arg("noise"), nb::arg("num_threads"),
      "Fusion moves of a lifted problem, from KLj.");
}

}  // namespace multicut::bindings
