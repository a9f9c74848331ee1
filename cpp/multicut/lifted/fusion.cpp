#include "multicut/lifted/fusion.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/lifted/fragments.hpp"
#include "multicut/lifted/fusion_moves.hpp"
#include "multicut/lifted/klj.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

// On larger graphs several proposals are fused with the same partition, side by side. How many must not
// depend on the number of threads, or the result would.
constexpr std::size_t kManyEdges = 4096;
constexpr int kProposalsSideBySide = 4;

// So many proposals are made for the same fragments.
constexpr int kProposalsOfFragments = 10;

// Of the random numbers that are drawn for fragments.
constexpr std::uint64_t kIndexOfFragments = std::uint64_t{1} << 32;

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

// Fragments of what greedy contraction of costs with noise joins. Not to be used if the time is up.
Labels noisy_fragments(const LiftedProblem& problem, double noise, std::uint64_t seed, Watch& watch) {
  std::vector<EdgeId> contracted;
  const LiftedFusionMoves moves(problem, {}, {}, noise, seed);
  moves.propose(kIndexOfFragments, watch, &contracted);
  return fragments(problem.graph, contracted, kFragment);
}

// Fuses a partition with proposals for the problem whose nodes are parts of its clusters and of fragments.
Labels fuse_fragments(const LiftedProblem& problem, const Labels& labels, const Labels& fragment_of,
                      const FusionOptions& options, std::uint64_t seed, Watch& watch) {
  const Stop stop = [&] { return watch.expired(); };
  const Labels part_of = intersect(problem.graph, labels, fragment_of, stop);
  if (watch.expired()) return labels;
  const NodeId num_parts = *std::ranges::max_element(part_of) + 1;
  const OwnLiftedProblem parts = quotient(problem, part_of, num_parts, stop);
  if (watch.expired()) return labels;
  Labels fused(num_parts);
  for (NodeId node = 0; node < labels.size(); ++node) fused[part_of[node]] = labels[node];
  fused = fusion(parts.view(), std::move(fused), options, seed, watch);
  Labels result(labels.size());
  for (NodeId node = 0; node < labels.size(); ++node) result[node] = fused[part_of[node]];
  make_canonical(result);
  return result;
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
  auto [labels, parts] = greedy_klj(problem, options.klj, watch);
  if (problem.graph.num_edges() == 0) return labels;
  const RandomStream seeds(seed, 0);
  double best = objective(problem, labels);
  int idle = 0;
  for (int done = 0; done < options.max_proposals && idle < options.patience && !watch.expired();) {
    FusionOptions own = options;
    own.max_proposals = std::min(kProposalsOfFragments, options.max_proposals - done);
    const std::uint64_t own_seed = seeds.bits(static_cast<std::uint64_t>(done));
    if (done > 0) parts = noisy_fragments(problem, options.noise, own_seed, watch);
    if (watch.expired()) break;
    Labels fused = fuse_fragments(problem, labels, parts, own, own_seed, watch);
    const double value = objective(problem, fused);
    done += own.max_proposals;
    idle = value < best ? 0 : idle + own.max_proposals;
    if (!(value < best)) continue;
    labels = klj(problem, fused, options.klj, watch, true, changed_nodes(labels, fused));
    best = objective(problem, labels);
    watch.improved(best);
  }
  return labels;
}

}  // namespace multicut
