#include "multicut/proofreading/region_search.hpp"

#include <cstdint>
#include <utility>

#include "multicut/solvers/fusion_moves.hpp"
#include "multicut/solvers/greedy_start.hpp"
#include "multicut/solvers/instance.hpp"
#include "multicut/solvers/klj.hpp"

namespace multicut {
namespace {

// Fusion moves that follow a greedy start. They find what local search does not, and make up for what
// many corrections one after the other may miss.
constexpr int kNumMoves = 2;
constexpr double kNoise = 0.5;
constexpr std::uint64_t kSeed = 0;

}  // namespace

std::optional<Labels> search_region(const Region& region, const std::vector<Labels>& starts,
                                    bool fresh) {
  if (find_contradiction(region.graph, region.costs)) return std::nullopt;
  const Instance instance(region.graph, region.costs);
  const Graph& graph = instance.graph();
  const auto costs = instance.costs();
  Watch watch;
  std::optional<Labels> best;
  double best_cost = 0;
  const auto take = [&](Labels labels) {
    const double cost = objective(graph, costs, labels);
    if (!best) {
      best = std::move(labels);
      best_cost = cost;
      return;
    }
    // Either may be better in some places; the better one has the last word in all others.
    const bool is_better = cost < best_cost;
    Labels& first = is_better ? labels : *best;
    const Labels& second = is_better ? *best : labels;
    const double gain = take_better_regions(graph, costs, first, second);
    best_cost = (is_better ? cost : best_cost) - gain;
    if (is_better) best = std::move(labels);
  };
  for (const Labels& start : starts) {
    take(klj(graph, costs, instance.lower(start), {}, watch));
  }
  if (fresh) {
    take(klj(graph, costs, greedy_start(graph, costs, {}, 1, watch), {}, watch));
    const KljOptions options;
    FusionMoves moves(graph, costs, std::move(*best), options, kNoise, kSeed);
    moves.run(0, kNumMoves, watch);
    best = moves.exchange({});
  }
  return best ? std::optional(instance.lift(std::move(*best))) : std::nullopt;
}

}  // namespace multicut
