#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/search/clustering.hpp"
#include "multicut/search/node_move.hpp"

// What chains of moves have in common, whichever edges connect: see NodeChains and LiftedChains.
namespace multicut {

struct ChainLimits {
  // A chain ends after this many moves that have not led to a better partition …
  int patience;
  // … or when it has lost this much since the best one.
  double largest_loss;
  // What gains less is rounding.
  double smallest_gain;
};

// Of the mean degree: what makes a hub.
inline constexpr double kHub = 16;

// Where a candidate would move to, while that is not known.
inline constexpr NodeId kUnknown = kNoNode - 1;

// Positions among the candidates of nodes that are none, and of those that have moved.
inline constexpr std::uint32_t kAbsent = kNoNode;
inline constexpr std::uint32_t kMoved = kNoNode - 1;

// By how much the best gain of a node rises at most when a neighbour leaves a cluster for another, if it can
// move to the same clusters as before: each of the two sums of costs changes by that of the edge between
// them. If the node shares one of the two clusters, that is twice what helps it, or once what does not;
// otherwise |cost|. Which of these it is, is hard to predict: there is no branch for it.
inline double largest_rise(double cost, bool shares_old, bool shares_new) {
  const double helps = (static_cast<double>(shares_old) - static_cast<double>(shares_new)) * cost;
  const double of_others = static_cast<double>(!(shares_old | shares_new)) * std::abs(cost);
  return helps + std::max(helps, 0.0) + of_others;
}

// The first of the candidates for a move that gain most; there is one.
template <typename Candidate>
std::size_t most_promising(const std::vector<Candidate>& candidates) {
  std::size_t at = 0;
  double most = candidates[0].gain;
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    const double own = candidates[i].gain;
    at = own > most ? i : at;
    most = own > most ? own : most;
  }
  return at;
}

// Takes the candidate out that gains most. False if none gains `least`. While it is unknown where one would
// move to, what it gains is an upper bound; `best_move` finds both out.
template <typename Candidate, typename BestMove>
bool take_best(std::vector<Candidate>& candidates, std::vector<std::uint32_t>& position,
               const Clustering& clusters, double least, BestMove best_move, std::size_t& work,
               NodeMove& move, double& gain) {
  for (;;) {
    if (candidates.empty()) return false;
    work += candidates.size() / 4;
    const std::size_t at = most_promising(candidates);
    Candidate& candidate = candidates[at];
    if (candidate.gain < least || !std::isfinite(candidate.gain)) return false;
    if (candidate.to == kUnknown) {
      const double bound = candidate.gain;
      const auto best = best_move(candidate.node);
      candidate.gain = best.gain;
      candidate.to = best.to;
      if (best.gain < bound) continue;
    }
    move = {candidate.node, clusters.label(candidate.node), candidate.to};
    gain = candidate.gain;
    position[candidates.back().node] = static_cast<std::uint32_t>(at);
    candidate = candidates.back();
    candidates.pop_back();
    return true;
  }
}

}  // namespace multicut
