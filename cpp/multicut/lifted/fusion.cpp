#include "multicut/lifted/fusion.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/lifted/fusion_moves.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut {
namespace {

// On larger graphs several proposals are fused with the same partition, side by side. How many must not
// depend on the number of threads, or the result would.
constexpr std::size_t kManyEdges = 4096;
constexpr int kProposalsSideBySide = 4;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

std::size_t num_edges(const LiftedProblem& problem) {
  return std::size_t{problem.graph.num_edges()} + problem.lifted.num_edges();
}

Labels fuse_whole(const LiftedProblem& problem, const Labels& labels, const FusionOptions& options,
                  std::uint64_t seed, Watch& watch) {
  double best = objective(problem, labels);
  LiftedFusionMoves moves(problem, labels, options.klj, options.noise, seed);
  bool is_stopped = watch.improved(best);
  const int batch_size = num_edges(problem) < kManyEdges ? 1 : kProposalsSideBySide;
  int idle = 0;
  for (int i = 0; i < options.max_proposals && idle < options.patience && !is_stopped;) {
    std::vector<std::optional<Labels>> fused(
        static_cast<std::size_t>(std::min(batch_size, options.max_proposals - i)));
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch, best, is_caller)](std::size_t k) mutable {
        fused[k] = moves.fuse_proposal(static_cast<std::uint64_t>(i) + k, quiet);
      };
    };
    std::optional<Meanwhile> meanwhile;
    if (options.num_threads > 1 && fused.size() > 1) {
      meanwhile = {kBetweenReports, [&] { watch.should_stop(best); }};
    }
    parallel_for(fused.size(), options.num_threads, make_body, meanwhile);
    double gain = 0;
    for (const std::optional<Labels>& other : fused) {
      if (!other) continue;
      const double gain_of_one = moves.take(*other, watch);
      idle = gain_of_one > 0 ? 0 : idle + 1;
      gain += gain_of_one;
    }
    best -= gain;
    is_stopped = gain > 0 ? watch.improved(best) : watch.should_stop(best);
    i += static_cast<int>(fused.size());
  }
  return moves.labels();
}

}  // namespace

Labels fusion(const LiftedProblem& problem, Labels labels, const FusionOptions& options,
              std::uint64_t seed, Watch& watch) {
  // What comes first are passes over the graph.
  if (problem.graph.num_edges() == 0 || watch.expired()) return labels;
  return fuse_whole(problem, labels, options, seed, watch);
}

Labels greedy_fusion(const LiftedProblem& problem, const FusionOptions& options, std::uint64_t seed,
                     Watch& watch) {
  auto [labels, fragments] = greedy_klj(problem, options.klj, watch);
  if (problem.graph.num_edges() == 0 || watch.expired()) return labels;
  const Stop stop = [&] { return watch.expired(); };
  const Labels part_of = intersect(problem.graph, labels, fragments, stop);
  if (watch.expired()) return labels;
  const NodeId num_parts = *std::ranges::max_element(part_of) + 1;
  const OwnLiftedProblem parts = quotient(problem, part_of, num_parts, stop);
  if (watch.expired()) return labels;
  Labels start(num_parts);
  for (NodeId node = 0; node < labels.size(); ++node) start[part_of[node]] = labels[node];
  const Labels fused = fusion(parts.view(), std::move(start), options, seed, watch);
  for (NodeId node = 0; node < labels.size(); ++node) labels[node] = fused[part_of[node]];
  make_canonical(labels);
  return klj(problem, labels, options.klj, watch);
}

}  // namespace multicut
