#include "multicut/solvers/fusion.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/blocks.hpp"
#include "multicut/solvers/proposals.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

// On larger graphs several proposals are fused side by side: with the same partition if there are few
// nodes, and block by block otherwise. Nothing of that may depend on the number of threads, or the
// result would.
constexpr EdgeId kManyEdges = 4096;
constexpr NodeId kManyNodes = 600;
constexpr int kProposalsSideBySide = 4;

// On one processor, larger blocks gain more in the same time; but there should be several.
constexpr NodeId kNumBlocks = 8;
constexpr NodeId kSmallestBlock = 300;
constexpr NodeId kLargestBlock = 3000;
constexpr int kProposalsOfBlock = 4;

// Up to so many edges, a second local search at the start takes no longer than a few proposals.
constexpr EdgeId kFewEdges = 20'000;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// What gains less than this times a typical cost is rounding.
constexpr double kRounding = 1e-9;

// Fuses the best partition with one proposal after the other.
class Fusion {
 public:
  Fusion(const Graph& graph, std::span<const double> costs, Labels labels,
         const FusionOptions& options, std::uint64_t seed)
      : graph_(graph),
        costs_(costs),
        best_(std::move(labels)),
        options_(options),
        proposals_(graph, costs, options.noise, seed) {}

  // What the proposal of this index makes of the best partition; nothing if the time is up.
  std::optional<Labels> propose(int index, Watch& watch) const {
    const auto proposal = proposals_.make(static_cast<std::uint64_t>(index), watch);
    if (!proposal) return std::nullopt;
    return fuse(graph_, costs_, best_, *proposal, options_.klj, watch);
  }

  // Takes the better regions of another partition. Returns what they gain.
  double take(const Labels& other, Watch& watch) {
    const double gain = take_better_regions(graph_, costs_, best_, other,
                                            [&] { return watch.expired(); });
    return gain > kRounding * proposals_.typical_cost() ? gain : 0;
  }

  const Labels& labels() const { return best_; }

 private:
  const Graph& graph_;
  std::span<const double> costs_;
  Labels best_;
  const FusionOptions& options_;
  Proposals proposals_;
};

class WholeSearch {
 public:
  WholeSearch(const Graph& graph, std::span<const double> costs, const Labels& labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch)
      : graph_(graph),
        costs_(costs),
        options_(options),
        watch_(watch),
        objective_(objective(graph, costs, labels)),
        fusion_(graph, costs, labels, options, seed) {}

  Labels run() {
    bool is_stopped = watch_.improved(objective_) || options_.max_proposals == 0;
    if (graph_.num_edges() <= kFewEdges && !is_stopped) is_stopped = search_from_nodes();
    const int batch_size = graph_.num_edges() < kManyEdges ? 1 : kProposalsSideBySide;
    int idle = 0;
    for (int i = 0; i < options_.max_proposals && idle < options_.patience && !is_stopped;) {
      const int count = std::min(batch_size, options_.max_proposals - i);
      double gain = 0;
      for (const std::optional<Labels>& fused : propose(i, count)) {
        if (!fused) continue;
        const double gain_of_one = fusion_.take(*fused, watch_);
        idle = gain_of_one > 0 ? 0 : idle + 1;
        gain += gain_of_one;
      }
      i += count;
      is_stopped = tell(gain);
    }
    return fusion_.labels();
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
    return tell(fusion_.take(klj(graph_, costs_, nodes, options_.klj, quiet), watch_));
  }

  std::vector<std::optional<Labels>> propose(int first, int count) {
    std::vector<std::optional<Labels>> results(static_cast<std::size_t>(count));
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch_, objective_, is_caller)](std::size_t i) mutable {
        results[i] = fusion_.propose(first + static_cast<int>(i), quiet);
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
  Fusion fusion_;
};

NodeId nodes_of_block(const Graph& graph) {
  return std::clamp(graph.num_nodes() / kNumBlocks, kSmallestBlock, kLargestBlock);
}

double fuse_block(Block& block, const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  double gain = 0;
  Fusion fusion(block.graph, block.costs, block.labels, options, seed);
  for (int i = 0; i < options.max_proposals; ++i) {
    const std::optional<Labels> fused = fusion.propose(i, watch);
    if (!fused) break;
    gain += fusion.take(*fused, watch);
  }
  block.labels = fusion.labels();
  return gain;
}

Labels fuse_blocks(const Graph& graph, std::span<const double> costs, Labels labels,
                   const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  BlockSearch search(graph, costs, std::move(labels), options.num_threads, watch);
  const RandomStream seeds(seed, 0);
  int idle = 0;
  for (int i = 0; i < options.max_proposals && idle < options.patience && !search.is_stopped();) {
    FusionOptions of_block = options;
    of_block.max_proposals = std::min(kProposalsOfBlock, options.max_proposals - i);
    const double gain =
        search.run_round(nodes_of_block(graph), seeds.bits(static_cast<std::uint64_t>(i)),
                         [&](Block& block, std::uint64_t seed_of_block, Watch& quiet) {
                           return fuse_block(block, of_block, seed_of_block, quiet);
                         });
    i += of_block.max_proposals;
    idle = gain > 0 ? 0 : idle + of_block.max_proposals;
  }
  return search.labels();
}

}  // namespace

Labels fusion(const Graph& graph, std::span<const double> costs, Labels labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  // What comes first are passes over the graph.
  if (graph.num_edges() == 0 || watch.expired()) return labels;
  if (graph.num_edges() < kManyEdges || graph.num_nodes() < kManyNodes) {
    return WholeSearch(graph, costs, labels, options, seed, watch).run();
  }
  return fuse_blocks(graph, costs, std::move(labels), options, seed, watch);
}

}  // namespace multicut
