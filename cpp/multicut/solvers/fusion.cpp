#include "multicut/solvers/fusion.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/blocks.hpp"
#include "multicut/solvers/fusion_moves.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

// On larger graphs several proposals are fused with the same partition, side by side, or each block
// gets several. How many must not depend on the number of threads, or the result would.
constexpr EdgeId kManyEdges = 4096;
constexpr int kProposalsSideBySide = 4;
constexpr int kProposalsOfBlock = 4;

// Up to so many edges, a second local search at the start takes no longer than a few proposals.
constexpr EdgeId kFewEdges = 20'000;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

class WholeSearch {
 public:
  WholeSearch(const Graph& graph, std::span<const double> costs, const Labels& labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch)
      : graph_(graph),
        costs_(costs),
        options_(options),
        watch_(watch),
        objective_(objective(graph, costs, labels)),
        moves_(graph, costs, labels, options.klj, options.noise, seed) {}

  Labels run() {
    bool is_stopped = watch_.improved(objective_) || options_.max_proposals == 0;
    if (graph_.num_edges() <= kFewEdges && !is_stopped) is_stopped = search_from_nodes();
    const int batch_size = graph_.num_edges() < kManyEdges ? 1 : kProposalsSideBySide;
    int idle = 0;
    for (int i = 0; i < options_.max_proposals && idle < options_.patience && !is_stopped;) {
      const int count = std::min(batch_size, options_.max_proposals - i);
      double gain = 0;
      for (const std::optional<Labels>& fused : propose(static_cast<std::uint64_t>(i), count)) {
        if (!fused) continue;
        const double gain_of_one = moves_.take(*fused, watch_);
        idle = gain_of_one > 0 ? 0 : idle + 1;
        gain += gain_of_one;
      }
      i += count;
      is_stopped = tell(gain);
    }
    return moves_.labels();
  }

 private:
  // Returns whether it is time to stop.
  bool tell(double gain) {
    objective_ -= gain;
    return gain > 0 ? watch_.improved(objective_) : watch_.should_stop(objective_);
  }

  // On dense graphs all greedy partitions may be caught in the same place, those of noisy costs as
  // well. Local search from single nodes ends elsewhere. Returns whether it is time to stop.
  bool search_from_nodes() {
    Watch quiet = Watch::nested(watch_, objective_, true);
    const Labels nodes = singletons(graph_.num_nodes());
    return tell(moves_.take(klj(graph_, costs_, nodes, options_.klj, quiet), watch_));
  }

  std::vector<std::optional<Labels>> propose(std::uint64_t first, int count) {
    std::vector<std::optional<Labels>> results(static_cast<std::size_t>(count));
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch_, objective_, is_caller)](std::size_t i) mutable {
        results[i] = moves_.fuse_proposal(first + i, quiet);
      };
    };
    std::optional<Meanwhile> meanwhile;
    if (options_.num_threads > 1 && count > 1) {
      meanwhile = {kBetweenReports, [&] { watch_.should_stop(objective_); }};
    }
    parallel_for(results.size(), options_.num_threads, make_body, meanwhile);
    return results;
  }

  const Graph& graph_;
  std::span<const double> costs_;
  const FusionOptions& options_;
  Watch& watch_;
  double objective_;
  FusionMoves moves_;
};

Labels fuse_blocks(const Graph& graph, std::span<const double> costs, Labels labels,
                   const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  BlockSearch search(graph, costs, std::move(labels), options.num_threads, watch);
  const RandomStream seeds(seed, 0);
  int idle = 0;
  for (int i = 0; i < options.max_proposals && idle < options.patience && !search.is_stopped();) {
    const int count = std::min(kProposalsOfBlock, options.max_proposals - i);
    const double gain = search.run_round(
        seeds.bits(static_cast<std::uint64_t>(i)),
        [&](Block& block, std::uint64_t seed_of_block, Watch& quiet) {
          FusionMoves moves(block.graph, block.costs, std::move(block.labels), options.klj,
                            options.noise, seed_of_block);
          const double gain_of_block = moves.run(0, count, quiet);
          block.labels = moves.exchange({});
          return gain_of_block;
        });
    i += count;
    idle = gain > 0 ? 0 : idle + count;
  }
  return search.labels();
}

}  // namespace

Labels fusion(const Graph& graph, std::span<const double> costs, Labels labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  // What comes first are passes over the graph.
  if (graph.num_edges() == 0 || watch.expired()) return labels;
  if (is_worth_dividing(graph, labels)) {
    return fuse_blocks(graph, costs, std::move(labels), options, seed, watch);
  }
  return WholeSearch(graph, costs, labels, options, seed, watch).run();
}

}  // namespace multicut
