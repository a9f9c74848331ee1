#include "multicut/solvers/proposals.hpp"

#include <vector>

#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/label_propagation.hpp"
#include "multicut/solvers/random.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {
namespace {

// Contraction guided by a dual needs less noise to differ, and is spoiled by more.
constexpr double kNoiseOfDual = 0.4;
constexpr double kShareOfDual = 0.3;

// From this mean degree on, a graph is dense: there label propagation finds what contraction does not,
// and packing takes several times as long as contraction.
constexpr double kDense = 16;

}  // namespace

Proposals::Proposals(const Graph& graph, std::span<const double> costs, double noise,
                     std::uint64_t seed)
    : graph_(graph),
      costs_(costs),
      noise_(noise),
      seed_(seed),
      typical_cost_(multicut::typical_cost(costs)),
      is_dense_(2.0 * graph.num_edges() >= kDense * graph.num_nodes()) {}

std::optional<Labels> Proposals::make(std::uint64_t index, Watch& watch) const {
  const RandomStream random(seed_, index);
  Labels proposal;
  if (is_dense_ && index % 4 != 3) {
    proposal = label_propagation(graph_, costs_, random, watch);
  } else {
    const bool is_guided = !is_dense_ && index % 2 == 0;
    const double deviation = (is_guided ? kNoiseOfDual : 1.0) * noise_ * typical_cost_;
    std::vector<double> noisy(costs_.begin(), costs_.end());
    WorkMeter work;
    for (EdgeId e = 0; e < noisy.size(); ++e) {
      if (work.is_due(1) && watch.expired()) return std::nullopt;
      noisy[e] += deviation * random.normal(e);
    }
    if (is_guided) {
      DualGreedyOptions options;
      options.share = kShareOfDual;
      proposal = dual_greedy(graph_, noisy, options, watch).labels;
      make_canonical(proposal);
    } else {
      proposal = gaec(graph_, noisy, watch);
    }
  }
  if (watch.expired()) return std::nullopt;
  return proposal;
}

}  // namespace multicut
