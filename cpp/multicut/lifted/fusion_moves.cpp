#include "multicut/lifted/fusion_moves.hpp"

#include <algorithm>
#include <vector>

#include "multicut/lifted/gaec.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/lifted/regions.hpp"
#include "multicut/lifted/typical_cost.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

// What gains less than this times a typical cost is rounding.
constexpr double kRounding = 1e-9;

}  // namespace

LiftedFusionMoves::LiftedFusionMoves(const LiftedProblem& problem, Labels labels,
                                     const KljOptions& options, double noise, std::uint64_t seed)
    : problem_(problem),
      labels_(std::move(labels)),
      options_(options),
      noise_(noise),
      seed_(seed),
      typical_cost_(multicut::typical_cost(problem)) {}

std::optional<Labels> LiftedFusionMoves::propose(std::uint64_t index, Watch& watch,
                                                 std::vector<EdgeId>* contracted) const {
  const RandomStream random(seed_, index);
  const double deviation = noise_ * typical_cost_;
  WorkMeter work;
  std::uint64_t counter = 0;
  const auto add_noise = [&](std::span<const double> costs) {
    std::vector<double> noisy(costs.begin(), costs.end());
    for (double& cost : noisy) {
      if (work.is_due(1) && watch.expired()) break;
      cost += deviation * random.normal(counter++);
    }
    return noisy;
  };
  const std::vector<double> costs = add_noise(problem_.costs);
  const std::vector<double> lifted_costs = add_noise(problem_.lifted_costs);
  if (watch.expired()) return std::nullopt;
  const LiftedProblem noisy{problem_.graph, costs, problem_.lifted, lifted_costs};
  Labels proposal = gaec(noisy, watch, contracted);
  if (watch.expired()) return std::nullopt;
  return proposal;
}

std::optional<Labels> LiftedFusionMoves::fuse(const Labels& other, Watch& watch) const {
  const Stop stop = [&] { return watch.expired(); };
  Labels part_of = intersect(problem_.graph, labels_, other, stop);
  if (watch.expired()) return std::nullopt;
  const NodeId num_parts = *std::ranges::max_element(part_of) + 1;
  const OwnLiftedProblem parts = quotient(problem_, part_of, num_parts, stop);
  if (watch.expired()) return std::nullopt;
  Labels start(num_parts);
  Labels ours(num_parts);
  for (NodeId node = 0; node < part_of.size(); ++node) {
    start[part_of[node]] = other[node];
    ours[part_of[node]] = labels_[node];
  }
  make_canonical(start);
  const Labels improved =
      klj(parts.view(), start, options_, watch, false, changed_nodes(ours, start));
  if (watch.expired()) return std::nullopt;
  for (NodeId& part : part_of) part = improved[part];
  make_canonical(part_of);
  return part_of;
}

std::optional<Labels> LiftedFusionMoves::fuse_proposal(std::uint64_t index, Watch& watch) const {
  const std::optional<Labels> proposal = propose(index, watch);
  return proposal ? fuse(*proposal, watch) : std::nullopt;
}

double LiftedFusionMoves::take(const Labels& other, Watch& watch) {
  const double gain =
      take_better_regions(problem_, labels_, other, [&] { return watch.expired(); });
  return gain > kRounding * typical_cost_ ? gain : 0;
}

}  // namespace multicut
