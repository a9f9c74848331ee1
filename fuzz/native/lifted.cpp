// The solvers of lifted problems: connected clusters, never better than the optimum by brute force,
// and searches that never make their start worse.

#include "graphs.hpp"
#include "multicut/lifted/fusion.hpp"
#include "multicut/lifted/gaec.hpp"
#include "multicut/lifted/greedy_fixation.hpp"
#include "multicut/lifted/instance.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/trivial_partition.hpp"

using namespace fuzzing;

namespace {

constexpr std::uint32_t kMostNodes = 5;  // of which there are 52 partitions

long double exact_objective(const LiftedProblem& problem, std::span<const NodeId> labels) {
  return fuzzing::exact_objective(problem.graph, problem.costs, labels) +
         fuzzing::exact_objective(problem.lifted, problem.lifted_costs, labels);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint64_t seed = input.byte();
  const std::uint32_t num_nodes = 2 + input.up_to(kMostNodes - 2);
  const auto ordinary = take_graph(input, num_nodes, 14);
  const auto lifted = take_graph(input, num_nodes, 14);
  if (!ordinary || !lifted) return 0;
  const LiftedProblem problem{ordinary->graph, ordinary->costs, lifted->graph, lifted->costs};
  if (find_contradiction(problem)) return 0;
  long double optimum = kInfinity;
  problems::for_each_partition(num_nodes, [&](const Labels& labels) {
    if (!is_connected(problem.graph, labels)) return;
    optimum = std::min(optimum, exact_objective(problem, labels));
  });
  const double doubt = rounding(problem.costs) + rounding(problem.lifted_costs);
  const auto check = [&](Labels labels) {
    require(labels.size() == num_nodes, "each node has a label");
    make_canonical(labels);
    require(is_connected(problem.graph, labels), "clusters are connected");
    std::vector<std::uint8_t> cut(problem.graph.num_edges());
    std::vector<std::uint8_t> lifted_cut(problem.lifted.num_edges());
    const double reported = evaluate(problem, labels, cut, lifted_cut);
    const long double exact = exact_objective(problem, labels);
    if (std::isfinite(exact) && std::isfinite(reported)) {
      require(std::fabs(static_cast<double>(reported - exact)) <= doubt,
              "the objective is that of the labels");
    }
    require(exact >= optimum, "no partition is better than the best one");
    return exact;
  };
  check(trivial_partition(problem));
  const LiftedInstance instance(problem);
  require(instance.is_complete(), "nothing has stopped the instance");
  const LiftedProblem own = instance.problem();
  Watch watch;
  check(instance.lift(gaec(own, watch)));
  check(instance.lift(greedy_fixation(own, watch)));
  const double own_doubt = rounding(own.costs) + rounding(own.lifted_costs);
  const GreedyStart start = greedy_klj(own, {}, watch);
  check(instance.lift(start.labels));
  const long double before = exact_objective(own, start.labels);
  FusionOptions few;
  few.max_proposals = 3;
  const Labels fused = fusion(own, start.labels, few, seed, watch);
  check(instance.lift(fused));
  require(exact_objective(own, fused) <= before + own_doubt, "fusion never makes it worse");
  const Labels moved = klj(own, instance.lower(singletons(num_nodes)), {}, watch);
  check(instance.lift(moved));
  check(instance.lift(greedy_fusion(own, few, seed, watch)));
  return 0;
}
