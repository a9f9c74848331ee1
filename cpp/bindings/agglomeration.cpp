#include <cmath>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "lifted_arrays.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/trivial_partition.hpp"
#include "multicut/solvers/finite_sums.hpp"
#include "multicut/solvers/gasp.hpp"
#include "multicut/solvers/mutex_watershed.hpp"
#include "multicut/solvers/trivial_partition.hpp"
#include "task.hpp"

namespace multicut::bindings {
namespace {

// Costs as an agglomeration sees them: with constraints, divided by a power of two if their sum would
// overflow.
class Costs {
 public:
  Costs(std::span<const double> costs, int exponent) : costs_(costs) {
    if (exponent == 0) return;
    own_.assign(costs.begin(), costs.end());
    for (double& cost : own_) cost = std::ldexp(cost, -exponent);
    costs_ = own_;
  }

  std::span<const double> get() const { return costs_; }

 private:
  std::vector<double> own_;
  std::span<const double> costs_;
};

// The arrays of an ordinary problem, which it keeps alive.
struct OrdinaryArrays {
  OrdinaryArrays(nb::handle_t<Graph> graph_, const Vector<double>& costs_)
      : owner(nb::borrow(graph_)), costs(costs_), graph(nb::cast<const Graph&>(graph_)) {
    check_costs(graph, costs);
  }

  nb::object owner;
  Vector<double> costs;
  const Graph& graph;
};

double seconds_for(const OrdinaryArrays& arrays, double (*seconds)(const Graph&)) {
  return seconds(arrays.graph);
}
double seconds_for(const LiftedArrays& arrays, double (*seconds)(const Graph&)) {
  return seconds(arrays.problem.graph) + seconds(arrays.problem.lifted);
}

void take(Solution& solution, const OrdinaryArrays& arrays, Labels labels) {
  solution.labels = std::move(labels);
  solution.num_clusters = make_canonical(solution.labels);
  solution.cut.resize(arrays.graph.num_edges());
  solution.objective =
      evaluate(arrays.graph, as_span(arrays.costs), solution.labels, solution.cut);
}
void take(Solution& solution, const LiftedArrays& arrays, Labels labels) {
  solution.labels = std::move(labels);
  solution.num_clusters = make_canonical(solution.labels);
  solution.cut.resize(arrays.problem.graph.num_edges());
  solution.lifted_cut.resize(arrays.problem.lifted.num_edges());
  solution.objective =
      evaluate(arrays.problem, solution.labels, solution.cut, solution.lifted_cut);
}

void take_trivial(Solution& solution, const OrdinaryArrays& arrays) {
  take_trivial_partition(solution, arrays.graph, as_span(arrays.costs));
}
void take_trivial(Solution& solution, const LiftedArrays& arrays) {
  take(solution, arrays, trivial_partition(arrays.problem));
}

// An agglomeration and the problem for it. It does not minimise the objective, so what a complete run
// returns is kept as it is. A run that was stopped returns nothing worse than a trivial partition.
template <typename Arrays>
class Agglomeration {
 public:
  using Run = std::function<Labels(const Arrays&, Watch&)>;

  Agglomeration(Arrays arrays, Run run) : arrays_(std::move(arrays)), run_(std::move(run)) {}

  Solution operator()(Watch& watch) const {
    watch.reserve(seconds_for(arrays_, seconds_to_finish),
                  2 * seconds_for(arrays_, seconds_to_fall_back));
    Solution solution;
    const bool is_late = watch.expired();
    if (is_late) {
      take_trivial(solution, arrays_);
    } else {
      take(solution, arrays_, run_(arrays_, watch));
    }
    if (watch.reason() == StopReason::kConverged) {
      watch.completed(solution.objective);
    } else if (!is_late) {
      Solution trivial;
      take_trivial(trivial, arrays_);
      if (trivial.objective < solution.objective) solution = std::move(trivial);
    }
    solution.finish(watch);
    return solution;
  }

 private:
  Arrays arrays_;
  Run run_;
};

Task make_gasp(nb::handle_t<Graph> graph, const Vector<double>& costs, const GaspOptions& options) {
  return Task(Agglomeration<OrdinaryArrays>(
      {graph, costs}, [=](const OrdinaryArrays& arrays, Watch& watch) {
        const int exponent = exponent_for_sums(as_span(arrays.costs));
        const Costs own(as_span(arrays.costs), exponent);
        watch.set_unit(std::ldexp(1.0, exponent), 0);
        return gasp(arrays.graph, own.get(), options, watch);
      }));
}

}  // namespace

void bind_agglomeration(nb::module_& module) {
  nb::enum_<Linkage>(module, "Linkage", "What the costs between two clusters amount to.")
      .value("SUM", Linkage::kSum)
      .value("AVERAGE", Linkage::kAverage)
      .value("MAX_ABS", Linkage::kMaxAbs)
      .value("MIN", Linkage::kMin)
      .value("MAX", Linkage::kMax);
  module.def(
      "gasp",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, Linkage linkage,
         bool cannot_links) {
        return make_gasp(graph, costs, {linkage, cannot_links});
      },
      nb::arg("graph"), nb::arg("costs"), nb::kw_only(), nb::arg("linkage"),
      nb::arg("cannot_links"), "Signed agglomeration.");
  module.def(
      "mutex_watershed",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs) {
        return make_gasp(graph, costs, {Linkage::kMaxAbs, false});
      },
      nb::arg("graph"), nb::arg("costs"), "Mutex watershed.");
  module.def(
      "lifted_mutex_watershed",
      [](nb::handle_t<Graph> graph, const Vector<double>& costs, nb::handle_t<Graph> lifted_graph,
         const Vector<double>& lifted_costs) {
        return Task(Agglomeration<LiftedArrays>(
            {graph, costs, lifted_graph, lifted_costs},
            [](const LiftedArrays& arrays, Watch& watch) {
              const auto& [own_graph, own_costs, lifted, own_lifted_costs] = arrays.problem;
              return mutex_watershed(own_graph, own_costs, watch,
                                     {lifted.edges(), own_lifted_costs});
            }));
      },
      nb::arg("graph"), nb::arg("costs"), nb::arg("lifted_graph"), nb::arg("lifted_costs"),
      "Mutex watershed in which repulsive lifted edges forbid joins; attractive ones have no effect.");
}

}  // namespace multicut::bindings
