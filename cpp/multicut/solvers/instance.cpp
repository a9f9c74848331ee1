#include "multicut/solvers/instance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multicut/graph/sums.hpp"
#include "multicut/solvers/trivial_partition.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of up to 2^31 costs, and their squares, are exact enough and finite within these exponents.
constexpr int kLargestExponent = 400;

bool all_finite(std::span<const double> costs) {
  return std::ranges::all_of(costs, [](double cost) { return std::isfinite(cost); });
}

}  // namespace

std::optional<EdgeId> find_contradiction(const Graph& graph, std::span<const double> costs) {
  if (all_finite(costs)) return std::nullopt;
  const Labels groups = must_link_groups(graph, costs);
  for (EdgeId e = 0; e < graph.num_edges(); ++e) {
    if (std::isnan(costs[e])) return e;
    if (costs[e] == -kInfinity && groups[graph.edge(e).u] == groups[graph.edge(e).v]) return e;
  }
  return std::nullopt;
}

Instance::Instance(const Graph& graph, std::span<const double> costs, const Stop& stop)
    : original_(graph), costs_(costs) {
  double largest = 0;
  bool constrained = false;
  for (const double cost : costs) {
    if (std::isinf(cost)) {
      constrained = true;
    } else {
      largest = std::max(largest, std::abs(cost));
    }
  }
  if (stop()) return;
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  const bool scaled = std::abs(exponent) > kLargestExponent;
  if (!constrained && !scaled) {
    is_complete_ = true;
    return;
  }
  own_costs_.assign(costs.begin(), costs.end());
  if (scaled) {
    unit_ = std::ldexp(1.0, exponent);
    for (double& cost : own_costs_) cost = std::ldexp(cost, -exponent);
    // Costs that are too small for the new unit lose digits.
    rounding_ = static_cast<double>(costs.size()) *
                std::ldexp(std::numeric_limits<double>::denorm_min(), std::max(exponent, 0));
  }
  is_complete_ = !constrained || replace_constraints(costs, stop);
  costs_ = own_costs_;
}

// Returns whether it was not stopped.
bool Instance::replace_constraints(std::span<const double> costs, const Stop& stop) {
  double total = 0;
  for (const double cost : own_costs_) {
    if (!std::isinf(cost)) total += std::abs(cost);
  }
  // Nothing that all other costs together could gain is worth a violation.
  const double penalty = total > 0 ? 2 * total : 1;
  bool any_must_link = false;
  for (EdgeId e = 0; e < original_.num_edges(); ++e) {
    if (!std::isinf(costs[e])) continue;
    any_must_link |= costs[e] > 0;
    own_costs_[e] = costs[e] > 0 ? 0 : -penalty;
    if (costs[e] < 0) cannot_links_.push_back(original_.edge(e));
  }
  offset_ = penalty * static_cast<double>(cannot_links_.size());
  rounding_ += std::abs(std::fma(-penalty, static_cast<double>(cannot_links_.size()), offset_)) * unit_;
  if (!any_must_link) return true;
  if (stop()) return false;

  group_of_ = must_link_groups(original_, costs);
  for (Edge& link : cannot_links_) link = {group_of_[link.u], group_of_[link.v]};
  const NodeId num_groups = *std::ranges::max_element(group_of_) + 1;
  std::vector<double> residuals(own_costs_.size(), 0);
  double doubt = 0;
  contracted_ = quotient(original_, own_costs_, group_of_, num_groups, residuals, doubt, stop);
  own_costs_ = std::move(contracted_->costs);
  for (const double residual : residuals) doubt += std::abs(residual);
  rounding_ += 2 * doubt * unit_;
  return !stop();
}

double Instance::bound_in_callers_terms(double bound) const {
  const double sum = bound + offset_;
  const double lost = std::abs(sum_error(bound, offset_, sum));
  return Sum::down(sum * unit_, 1.001 * (lost * unit_ + rounding_));
}

Labels Instance::lower(std::span<const NodeId> labels, bool is_valid) const {
  Labels lowered(labels.begin(), labels.end());
  if (contracted_) {
    lowered.assign(graph().num_nodes(), kNoNode);
    for (NodeId node = 0; node < labels.size(); ++node) {
      if (lowered[group_of_[node]] == kNoNode) lowered[group_of_[node]] = labels[node];
    }
  }
  NodeId num_clusters = make_canonical(lowered);
  if (is_valid) return lowered;
  std::vector<std::uint8_t> violated(num_clusters, 0);
  for (const auto [u, v] : cannot_links_) {
    if (lowered[u] == lowered[v]) violated[lowered[u]] = 1;
  }
  for (NodeId& label : lowered) {
    if (violated[label]) label = num_clusters++;
  }
  return split_disconnected(graph(), lowered);
}

Labels Instance::lift(Labels labels) const {
  if (!contracted_) return labels;
  Labels lifted(group_of_.size());
  for (NodeId node = 0; node < lifted.size(); ++node) lifted[node] = labels[group_of_[node]];
  return lifted;
}

}  // namespace multicut
