#include "multicut/lifted/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "multicut/graph/sums.hpp"
#include "multicut/solvers/trivial_partition.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of up to 2^31 costs, and their squares, are exact enough and finite within these exponents.
constexpr int kLargestExponent = 400;

struct Sizes {
  double largest = 0;
  bool constrained = false;

  void add(std::span<const double> costs) {
    if (sums_are_finite(costs)) {
      largest = std::max(largest, largest_size(costs));
      return;
    }
    for (const double cost : costs) {
      if (std::isinf(cost)) {
        constrained = true;
      } else {
        largest = std::max(largest, std::abs(cost));
      }
    }
  }
};

// Whether any lifted edge has the ends of an ordinary one. Nothing is known if it was stopped.
bool any_parallel(const LiftedProblem& problem, const Stop& stop) {
  const auto& [graph, costs, lifted, lifted_costs] = problem;
  std::vector<NodeId> reached_from(graph.num_nodes(), kNoNode);
  WorkMeter work;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    if (lifted.degree(node) == 0) continue;
    if (work.is_due(graph.degree(node) + lifted.degree(node)) && stop()) return false;
    for (const NodeId neighbour : graph.neighbours(node)) reached_from[neighbour] = node;
    for (const NodeId neighbour : lifted.neighbours(node)) {
      if (reached_from[neighbour] == node) return true;
    }
  }
  return false;
}

double total_of(std::span<const double> costs) {
  double total = 0;
  for (const double cost : costs) total += std::isinf(cost) ? 0 : std::abs(cost);
  return total;
}

}  // namespace

LiftedInstance::LiftedInstance(const LiftedProblem& problem, const Stop& stop)
    : original_(problem) {
  Sizes sizes;
  sizes.add(problem.costs);
  sizes.add(problem.lifted_costs);
  if (stop()) return;
  const int exponent = sizes.largest > 0 ? std::ilogb(sizes.largest) : 0;
  const bool scaled = std::abs(exponent) > kLargestExponent;
  const bool has_parallel = any_parallel(problem, stop);
  if (stop()) return;
  if (scaled || sizes.constrained) {
    has_own_costs_ = true;
    costs_.assign(problem.costs.begin(), problem.costs.end());
    lifted_costs_.assign(problem.lifted_costs.begin(), problem.lifted_costs.end());
  }
  if (scaled) {
    unit_ = std::ldexp(1.0, exponent);
    for (double& cost : costs_) cost = std::ldexp(cost, -exponent);
    for (double& cost : lifted_costs_) cost = std::ldexp(cost, -exponent);
  }
  if (sizes.constrained && !replace_constraints(stop)) return;
  if (has_parallel || !group_of_.empty()) {
    const NodeId num_groups = group_of_.empty() ? problem.graph.num_nodes()
                                                : *std::ranges::max_element(group_of_) + 1;
    own_ = quotient(this->problem(), group_of_.empty() ? singletons(num_groups) : group_of_,
                    num_groups, stop);
    if (stop()) return;
    costs_ = {};
    lifted_costs_ = {};
  }
  is_complete_ = true;
}

// Returns whether it was not stopped.
bool LiftedInstance::replace_constraints(const Stop& stop) {
  const double total = total_of(costs_) + total_of(lifted_costs_);
  // Nothing that all other costs together could gain is worth a violation.
  const double penalty = total > 0 ? 2 * total : 1;
  bool any_must_link = false;
  for (EdgeId e = 0; e < original_.graph.num_edges(); ++e) {
    if (!std::isinf(costs_[e])) continue;
    any_must_link |= costs_[e] > 0;
    if (costs_[e] < 0) cannot_links_.push_back(original_.graph.edge(e));
    costs_[e] = costs_[e] > 0 ? 0 : -penalty;
  }
  for (EdgeId e = 0; e < original_.lifted.num_edges(); ++e) {
    if (!std::isinf(lifted_costs_[e])) continue;
    auto& links = lifted_costs_[e] < 0 ? cannot_links_ : must_links_;
    links.push_back(original_.lifted.edge(e));
    lifted_costs_[e] = std::copysign(penalty, lifted_costs_[e]);
  }
  offset_ = penalty * static_cast<double>(cannot_links_.size());
  if (!any_must_link) return true;
  if (stop()) return false;
  group_of_ = must_link_groups(original_.graph, original_.costs);
  for (Edge& link : cannot_links_) link = {group_of_[link.u], group_of_[link.v]};
  for (Edge& link : must_links_) link = {group_of_[link.u], group_of_[link.v]};
  std::erase_if(must_links_, [](const Edge& link) { return link.u == link.v; });
  return true;
}

LiftedProblem LiftedInstance::problem() const {
  if (own_) return own_->view();
  if (!has_own_costs_) return original_;
  return {original_.graph, costs_, original_.lifted, lifted_costs_};
}

Labels LiftedInstance::lower(std::span<const NodeId> labels) const {
  Labels lowered(labels.begin(), labels.end());
  const Graph& graph = problem().graph;
  if (!group_of_.empty()) {
    lowered.assign(graph.num_nodes(), kNoNode);
    for (NodeId node = 0; node < labels.size(); ++node) {
      if (lowered[group_of_[node]] == kNoNode) lowered[group_of_[node]] = labels[node];
    }
  }
  NodeId num_clusters = make_canonical(lowered);
  std::vector<std::uint8_t> violated(num_clusters, 0);
  for (const auto [u, v] : cannot_links_) {
    if (lowered[u] == lowered[v]) violated[lowered[u]] = 1;
  }
  for (const auto [u, v] : must_links_) {
    if (lowered[u] == lowered[v]) violated[lowered[u]] = 0;
  }
  for (NodeId& label : lowered) {
    if (violated[label]) label = num_clusters++;
  }
  return split_disconnected(graph, lowered);
}

Labels LiftedInstance::lift(Labels labels) const {
  if (group_of_.empty()) return labels;
  Labels lifted(group_of_.size());
  for (NodeId node = 0; node < lifted.size(); ++node) lifted[node] = labels[group_of_[node]];
  return lifted;
}

}  // namespace multicut
