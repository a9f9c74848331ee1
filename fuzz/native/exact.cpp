// What proofs rest on: reductions keep the optimum, packings of cycles bound it, and separated
// inequalities are violated by the point and by no multicut.

#include "graphs.hpp"
#include "multicut/bounds/cycle_packing.hpp"
#include "multicut/exact/blocks.hpp"
#include "multicut/exact/cycle_separation.hpp"
#include "multicut/exact/reduction.hpp"
#include "multicut/exact/wheel_separation.hpp"

using namespace fuzzing;

namespace {

constexpr std::uint32_t kMostNodes = 6;

long double best_of(const Graph& graph, std::span<const double> costs) {
  long double best = kInfinity;
  problems::for_each_partition(graph.num_nodes(), [&](const Labels& labels) {
    best = std::min(best, exact_objective(graph, costs, labels));
  });
  return best;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Input input(data, size);
  const std::uint8_t kind = input.byte();
  const auto problem = take_graph(input, 1 + input.up_to(kMostNodes - 1), 24);
  if (!problem) return 0;
  const auto& [graph, costs] = *problem;
  if (find_contradiction(graph, costs)) return 0;
  const long double optimum = best_of(graph, costs);
  const Instance instance(graph, costs);
  const Graph& own = instance.graph();
  const auto own_costs = instance.costs();
  Watch watch;

  const PackingResult packing = pack_cycles(own, own_costs, {1, 20, kInfinity, true}, watch);
  require(instance.bound_in_callers_terms(packing.lower_bound) <= optimum + rounding(costs),
          "a packing of cycles is a lower bound");
  require(packing.left.size() == own.num_edges(), "each edge has something left, or nothing");
  for (EdgeId e = 0; e < own.num_edges(); ++e) {
    // Rounded down, it may be less than nothing.
    const double cost = std::fabs(own_costs[e]);
    require(packing.left[e] >= -1e-12 * cost && packing.left[e] <= cost,
            "no more is left than there was");
  }

  const long double own_optimum = best_of(own, own_costs);
  const Reduction reduction = reduce(own, own_costs, watch);
  const long double reduced = best_of(reduction.problem.graph, reduction.problem.costs);
  const double doubt = reduction.error + rounding(own_costs);
  require(std::fabs(static_cast<double>(own_optimum - reduced - reduction.offset)) <= doubt,
          "a reduction keeps the optimum");

  const std::vector<EdgeId> block_of = blocks(own);
  require(block_of.size() == own.num_edges(), "each edge has a block");

  // A point between 0 and 1, such as a linear program might find.
  std::vector<double> values(own.num_edges());
  for (double& value : values) value = input.byte() / ((kind & 1) != 0 ? 255.0 : 254.0);
  for (double& value : values) value = std::min(value, 1.0);
  const double tolerance = 1e-7;
  const Cycles cycles = separate_cycles(own, values, tolerance);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    const auto cycle = cycles[i];
    require(cycle.size() >= 3, "a cycle has three edges or more");
    double path = 0;
    for (std::size_t j = 1; j < cycle.size(); ++j) path += values[cycle[j]];
    require(values[cycle[0]] > path, "a separated inequality is violated");
    problems::for_each_partition(own.num_nodes(), [&](const Labels& labels) {
      const auto is_cut = [&](EdgeId e) { return labels[own.edge(e).u] != labels[own.edge(e).v]; };
      std::size_t others = 0;
      for (std::size_t j = 1; j < cycle.size(); ++j) others += is_cut(cycle[j]);
      require(!is_cut(cycle[0]) || others > 0, "no multicut violates an inequality");
    });
  }
  if (cycles.size() > 0) return 0;  // wheels are for points that satisfy the triangles
  const Cycles wheels = separate_odd_wheels(own, values, tolerance);
  for (std::size_t i = 0; i < wheels.size(); ++i) {
    const auto wheel = wheels[i];
    const std::size_t length = wheel.size() / 2;
    require(wheel.size() % 2 == 0 && length % 2 == 1, "the rim of an odd wheel is odd");
    problems::for_each_partition(own.num_nodes(), [&](const Labels& labels) {
      int left = 0;
      for (std::size_t j = 0; j < wheel.size(); ++j) {
        const bool is_cut = labels[own.edge(wheel[j]).u] != labels[own.edge(wheel[j]).v];
        left += is_cut ? (j < length ? 1 : -1) : 0;
      }
      require(left <= static_cast<int>(length / 2), "no multicut violates a wheel");
    });
  }
  return 0;
}
