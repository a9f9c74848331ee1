#include "multicut/solvers/fusion_moves.hpp"

#include <algorithm>

#include "multicut/graph/quotient.hpp"

namespace multicut {
namespace {

// What gains less than this times a typical cost is rounding.
constexpr double kRounding = 1e-9;

}  // namespace

FusionMoves::FusionMoves(const Graph& graph, std::span<const double> costs, Labels labels,
                         const KljOptions& options, double noise, std::uint64_t seed)
    : graph_(graph),
      costs_(costs),
      labels_(std::move(labels)),
      options_(options),
      proposals_(graph, costs, noise, seed) {}

std::optional<Labels> FusionMoves::fuse(const Labels& other, Watch& watch) const {
  const Stop stop = [&] { return watch.expired(); };
  Labels part_of = intersect(graph_, labels_, other, stop);
  if (watch.expired()) return std::nullopt;
  const NodeId num_parts = *std::ranges::max_element(part_of) + 1;
  const WeightedGraph parts = quotient(graph_, costs_, part_of, num_parts, stop);
  if (watch.expired()) return std::nullopt;
  Labels start(num_parts);
  for (NodeId node = 0; node < part_of.size(); ++node) start[part_of[node]] = other[node];
  make_canonical(start);
  const Labels improved = klj(parts.graph, parts.costs, start, options_, watch);
  if (watch.expired()) return std::nullopt;
  for (NodeId& part : part_of) part = improved[part];
  make_canonical(part_of);
  return part_of;
}

std::optional<Labels> FusionMoves::fuse_proposal(std::uint64_t index, Watch& watch) const {
  const std::optional<Labels> proposal = proposals_.make(index, watch);
  return proposal ? fuse(*proposal, watch) : std::nullopt;
}

double FusionMoves::take(const Labels& other, Watch& watch) {
  const double gain =
      take_better_regions(graph_, costs_, labels_, other, [&] { return watch.expired(); });
  return gain > kRounding * proposals_.typical_cost() ? gain : 0;
}

double FusionMoves::run(std::uint64_t first, int count, Watch& watch) {
  double gain = 0;
  for (int i = 0; i < count; ++i) {
    const auto fused = fuse_proposal(first + static_cast<std::uint64_t>(i), watch);
    if (!fused) break;
    gain += take(*fused, watch);
  }
  return gain;
}

double FusionMoves::recombine(const Labels& other, Watch& watch) {
  const double gain = take(other, watch);
  const std::optional<Labels> fused = fuse(other, watch);
  return fused ? gain + take(*fused, watch) : gain;
}

}  // namespace multicut
