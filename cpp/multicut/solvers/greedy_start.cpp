#include "multicut/solvers/greedy_start.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/gaec.hpp"

namespace multicut {
namespace {

// From so many edges on, the two run side by side.
constexpr EdgeId kManyEdges = 100'000;
// What guided contraction takes for each edge at least.
constexpr double kSecondsPerEdge = 1.1e-6;
// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// Constants of a quick start, and from which mean degree on a graph is dense.
constexpr DualGreedyOptions kSparse{0.28, 0.108, {3, 2}};
constexpr DualGreedyOptions kDense{0.4, 0.108, {3, 2}};
constexpr double kDenseDegree = 12;

// Of nodes that have neighbours.
double mean_degree(const Graph& graph) {
  std::size_t num_linked = 0;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) num_linked += graph.degree(node) > 0 ? 1U : 0U;
  return 2.0 * static_cast<double>(graph.num_edges()) /
         static_cast<double>(std::max<std::size_t>(1, num_linked));
}

// What the two find, in this order.
using Both = std::array<Labels, 2>;

Both side_by_side(const Graph& graph, std::span<const double> costs, DualGreedyOptions options,
                  int num_threads, Watch& watch) {
  Both found{singletons(graph.num_nodes()), singletons(graph.num_nodes())};
  options.num_threads = num_threads;
  const double start = objective(graph, costs, found[0]);
  const auto make_body = [&](bool is_caller) {
    return [&, quiet = Watch::nested(watch, start, is_caller)](std::size_t i) mutable {
      found[1 - i] = i == 0 ? dual_greedy(graph, costs, options, quiet).labels
                            : gaec(graph, costs, quiet);
    };
  };
  parallel_for(found.size(), num_threads, make_body,
               Meanwhile{kBetweenReports, [&] { watch.should_stop(start); }});
  if (!watch.expired()) watch.set_beyond_trivial();
  return found;
}

Both one_by_one(const Graph& graph, std::span<const double> costs,
                const DualGreedyOptions& options, Watch& watch) {
  Both found{gaec(graph, costs, watch), {}};
  Watch quiet = Watch::nested(watch, objective(graph, costs, found[0]), true);
  found[1] = watch.expired() ? found[0] : dual_greedy(graph, costs, options, quiet).labels;
  return found;
}

}  // namespace

double seconds_to_guide(const Graph& graph) {
  return kSecondsPerEdge * static_cast<double>(graph.num_edges());
}

DualGreedyOptions quick_options(const Graph& graph) {
  return mean_degree(graph) < kDenseDegree ? kSparse : kDense;
}

Labels greedy_start(const Graph& graph, std::span<const double> costs,
                    const DualGreedyOptions& options, int num_threads, Watch& watch) {
  if (watch.seconds_left() < seconds_to_guide(graph)) {
    watch.set_cut_short();
    return gaec(graph, costs, watch);
  }
  const bool are_parallel = num_threads > 1 && graph.num_edges() >= kManyEdges;
  auto [best, guided] = are_parallel ? side_by_side(graph, costs, options, num_threads, watch)
                                     : one_by_one(graph, costs, options, watch);
  take_better_regions(graph, costs, best, guided, [&] { return watch.expired(); });
  if (!watch.expired()) watch.improved(objective(graph, costs, best));
  return best;
}

}  // namespace multicut
