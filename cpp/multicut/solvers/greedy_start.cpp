#include "multicut/solvers/greedy_start.hpp"

#include <array>
#include <chrono>
#include <optional>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/dual_greedy.hpp"
#include "multicut/solvers/gaec.hpp"

namespace multicut {
namespace {

// From so many edges on, the two run side by side.
constexpr EdgeId kManyEdges = 100'000;
// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// What the two find, in this order.
using Both = std::array<Labels, 2>;

Both side_by_side(const Graph& graph, std::span<const double> costs, int num_threads, Watch& watch) {
  Both found{singletons(graph.num_nodes()), singletons(graph.num_nodes())};
  const double start = objective(graph, costs, found[0]);
  const auto make_body = [&](bool is_caller) {
    return [&, quiet = Watch::nested(watch, start, is_caller)](std::size_t i) mutable {
      DualGreedyOptions options;
      options.num_threads = num_threads;
      found[1 - i] = i == 0 ? dual_greedy(graph, costs, options, quiet).labels
                            : gaec(graph, costs, quiet);
    };
  };
  parallel_for(found.size(), num_threads, make_body,
               Meanwhile{kBetweenReports, [&] { watch.should_stop(start); }});
  if (!watch.expired()) watch.set_beyond_trivial();
  return found;
}

Both one_by_one(const Graph& graph, std::span<const double> costs, Watch& watch) {
  Both found{gaec(graph, costs, watch), {}};
  Watch quiet = Watch::nested(watch, objective(graph, costs, found[0]), true);
  found[1] = watch.expired() ? found[0] : dual_greedy(graph, costs, {}, quiet).labels;
  return found;
}

}  // namespace

Labels greedy_start(const Graph& graph, std::span<const double> costs, int num_threads,
                    Watch& watch) {
  const bool are_parallel = num_threads > 1 && graph.num_edges() >= kManyEdges;
  auto [best, guided] = are_parallel ? side_by_side(graph, costs, num_threads, watch)
                                     : one_by_one(graph, costs, watch);
  take_better_regions(graph, costs, best, guided, [&] { return watch.expired(); });
  watch.improved(objective(graph, costs, best));
  return best;
}

}  // namespace multicut
