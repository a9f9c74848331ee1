// Every native solver on any small problem: valid partitions that meet the constraints, never worse
// than what needs no search, never better than the optimum by brute force, the same with more threads.

#include "graphs.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/fusion.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/gasp.hpp"
#include "multicut/solvers/greedy_fixation.hpp"
#include "multicut/solvers/greedy_start.hpp"
#include "multicut/solvers/klj.hpp"
#include "multicut/solvers/memetic.hpp"
#include "multicut/solvers/mutex_watershed.hpp"
#include "multicut/solvers/trivial_partition.hpp"

using namespace fuzzing;

namespace {

constexpr std::uint32_t kMostNodes = 6;  // of which there are 203 partitions

struct Case {
  const Graph& graph;
  std::span<const double> costs;
  const Instance& instance;
  long double optimum;
  double rounding;

  // The objective of labels of the instance, of which everything is checked that is promised of any.
  long double check(const Labels& found) const {
    require(found.size() == instance.graph().num_nodes(), "each node has a label");
    require(is_connected(instance.graph(), found), "clusters are connected");
    return check_lifted(instance.lift(found));
  }

  long double check_lifted(Labels labels) const {
    require(labels.size() == graph.num_nodes(), "each node has a label");
    make_canonical(labels);
    std::vector<std::uint8_t> cut(graph.num_edges());
    const double reported = evaluate(graph, costs, labels, cut);
    const long double exact = exact_objective(graph, costs, labels);
    require(std::isfinite(exact), "constraints are met");
    if (std::isfinite(reported)) {
      require(std::fabs(static_cast<double>(reported - exact)) <= rounding,
              "the objective is that of the labels");
    }
    require(exact >= optimum, "no partition is better than the best one");
    return exact;
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint64_t seed = input.byte();
  const auto problem = take_graph(input, 1 + input.up_to(kMostNodes - 1), 24);
  if (!problem) return 0;
  const auto& [graph, costs] = *problem;
  if (find_contradiction(graph, costs)) return 0;
  long double optimum = kInfinity;
  problems::for_each_partition(graph.num_nodes(), [&](const Labels& labels) {
    optimum = std::min(optimum, exact_objective(graph, costs, labels));
  });
  const Instance instance(graph, costs);
  require(instance.is_complete(), "nothing has stopped the instance");
  const Case the{graph, costs, instance, optimum, rounding(costs)};
  const Graph& own = instance.graph();
  const auto own_costs = instance.costs();

  const long double trivial = the.check_lifted(trivial_partition(graph, costs));
  Watch watch;
  const Labels greedy = gaec(own, own_costs, watch);
  const long double of_gaec = the.check(greedy);
  require(of_gaec <= trivial + the.rounding, "gaec is no worse than what needs no search");
  the.check(greedy_fixation(own, own_costs, watch));
  DualGreedyOptions guided;
  const DualGreedyResult dual = dual_greedy(own, own_costs, guided, watch);
  the.check(dual.labels);
  const double bound = instance.bound_in_callers_terms(dual.lower_bound);
  require(bound <= optimum + the.rounding, "the bound of dual_greedy is one");
  const Labels start = greedy_start(own, own_costs, guided, 1, watch);
  const long double of_start = the.check(start);
  require(of_start <= of_gaec + the.rounding, "the start is no worse than gaec");
  const Labels moved = klj(own, own_costs, start, {}, watch);
  const long double of_klj = the.check(moved);
  require(of_klj <= of_start + the.rounding, "klj never makes it worse");
  the.check(klj(own, own_costs, singletons(own.num_nodes()), {}, watch));
  FusionOptions few;
  few.max_proposals = 4;
  const Labels fused = fusion(own, own_costs, moved, few, seed, watch);
  require(the.check(fused) <= of_klj + the.rounding, "fusion never makes it worse");
  if ((seed & 15) == 0) {
    MemeticOptions one;
    one.max_rounds = 1;
    require(the.check(memetic(own, own_costs, moved, one, seed, watch)) <= of_klj + the.rounding,
            "memetic never makes it worse");
    few.num_threads = 2;
    require(fusion(own, own_costs, moved, few, seed, watch) == fused,
            "threads do not change the result");
  }
  for (const Linkage linkage : {Linkage::kSum, Linkage::kAverage, Linkage::kMaxAbs, Linkage::kMin,
                                Linkage::kMax}) {
    for (const bool cannot_links : {false, true}) {
      the.check_lifted(gasp(graph, costs, {linkage, cannot_links}, watch));
    }
  }
  the.check_lifted(mutex_watershed(graph, costs, watch));
  return 0;
}
