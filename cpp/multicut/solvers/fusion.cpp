#include "multicut/solvers/fusion.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/graph/quotient.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/gaec.hpp"
#include "multicut/solvers/random.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {
namespace {

// On larger graphs several proposals are fused with the same partition, side by side. How many must
// not depend on the number of threads, or the result would.
constexpr EdgeId kManyEdges = 4096;
constexpr int kProposalsSideBySide = 4;

// Up to so many edges, a second local search at the start takes no longer than a few proposals.
constexpr EdgeId kFewEdges = 20'000;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// What gains less than this times a typical cost is rounding.
constexpr double kRounding = 1e-9;

class Fusion {
 public:
  Fusion(const Graph& graph, std::span<const double> costs, Labels labels,
         const FusionOptions& options, std::uint64_t seed, Watch& watch)
      : graph_(graph),
        costs_(costs),
        best_(std::move(labels)),
        objective_(objective(graph, costs, best_)),
        options_(options),
        seed_(seed),
        watch_(watch),
        typical_cost_(typical_cost(costs)) {}

  Labels run() {
    const int batch_size = graph_.num_edges() < kManyEdges ? 1 : kProposalsSideBySide;
    int idle = 0;
    bool stopped = watch_.improved(objective_);
    if (graph_.num_edges() <= kFewEdges && !stopped && options_.max_proposals > 0) {
      stopped = search_from_nodes();
    }
    for (int i = 0; i < options_.max_proposals && idle < options_.patience && !stopped;) {
      const int count = std::min(batch_size, options_.max_proposals - i);
      double gain = 0;
      const auto batch = fuse_batch(i, count);
      for (const std::optional<Labels>& fused : batch) {
        if (!fused) continue;
        const double gain_of_one = take_better_regions(graph_, costs_, best_, *fused, stop_);
        idle = gain_of_one > kRounding * typical_cost_ ? 0 : idle + 1;
        gain += gain_of_one;
      }
      objective_ -= gain;
      i += count;
      stopped = gain > 0 ? watch_.improved(objective_) : watch_.should_stop(objective_);
    }
    return best_;
  }

 private:
  // On dense graphs all greedy partitions may be caught in the same place, those of noisy costs as
  // well. Local search from single nodes ends elsewhere. Returns whether it is time to stop.
  bool search_from_nodes() {
    Labels nodes(graph_.num_nodes());
    std::iota(nodes.begin(), nodes.end(), NodeId{0});
    Watch quiet = Watch::nested(watch_, objective_, true);
    const Labels found = klj(graph_, costs_, nodes, options_.klj, quiet);
    const double gain = take_better_regions(graph_, costs_, best_, found, stop_);
    objective_ -= gain;
    return gain > 0 ? watch_.improved(objective_) : watch_.should_stop(objective_);
  }

  std::vector<std::optional<Labels>> fuse_batch(int first, int count) {
    std::vector<std::optional<Labels>> results(static_cast<std::size_t>(count));
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch_, objective_, is_caller)](std::size_t i) mutable {
        results[i] = fuse(first + static_cast<int>(i), quiet);
      };
    };
    std::optional<Meanwhile> meanwhile;
    if (options_.num_threads > 1 && count > 1) {
      meanwhile = {kBetweenReports, [&] { watch_.should_stop(objective_); }};
    }
    parallel_for(results.size(), options_.num_threads, make_body, meanwhile);
    return results;
  }

  // Nothing if the time is up.
  std::optional<Labels> fuse(int index, Watch& watch) const {
    const RandomStream random(seed_, static_cast<std::uint64_t>(index));
    std::vector<double> noisy(costs_.begin(), costs_.end());
    const double deviation = options_.noise * typical_cost_;
    WorkMeter work;
    for (EdgeId e = 0; e < noisy.size(); ++e) {
      if (work.is_due(1) && watch.expired()) return std::nullopt;
      noisy[e] += deviation * random.normal(e);
    }
    const Labels proposal = gaec(graph_, noisy, watch);
    if (watch.expired()) return std::nullopt;

    const Stop stop = [&] { return watch.expired(); };
    Labels part_of = intersect(graph_, best_, proposal, stop);
    if (watch.expired()) return std::nullopt;
    const NodeId num_parts = *std::ranges::max_element(part_of) + 1;
    const WeightedGraph parts = quotient(graph_, costs_, part_of, num_parts, stop);
    if (watch.expired()) return std::nullopt;
    Labels start(num_parts);
    for (NodeId node = 0; node < part_of.size(); ++node) start[part_of[node]] = proposal[node];
    make_canonical(start);
    const Labels improved = klj(parts.graph, parts.costs, start, options_.klj, watch);
    if (watch.expired()) return std::nullopt;

    for (NodeId& part : part_of) part = improved[part];
    make_canonical(part_of);
    return part_of;
  }

  const Graph& graph_;
  std::span<const double> costs_;
  Labels best_;
  double objective_;
  const FusionOptions& options_;
  std::uint64_t seed_;
  Watch& watch_;
  double typical_cost_;
  Stop stop_ = [this] { return watch_.expired(); };
};

}  // namespace

Labels fusion(const Graph& graph, std::span<const double> costs, Labels labels,
              const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  // What comes first are passes over the graph.
  if (graph.num_edges() == 0 || watch.expired()) return labels;
  return Fusion(graph, costs, std::move(labels), options, seed, watch).run();
}

}  // namespace multicut
