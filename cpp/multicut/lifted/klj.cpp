#include "multicut/lifted/klj.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "multicut/lifted/fragments.hpp"
#include "multicut/lifted/gaec.hpp"
#include "multicut/lifted/ordered_problem.hpp"
#include "multicut/lifted/quotient.hpp"
#include "multicut/lifted/search.hpp"
#include "multicut/lifted/typical_cost.hpp"

namespace multicut {
namespace {

// So often, at most, are clusters joined several at a time, and nodes moved again after that.
constexpr int kMostLevels = 3;

// Where fragments have fewer nodes on average, they move hardly any better than single nodes.
constexpr NodeId kNodesOfFragments = 2;

// Searches on the nodes of a problem; if `is_changed` is not empty, only where it says so. Returns by how
// much the objective went down.
double search(const LiftedProblem& problem, Labels& labels, double typical, const KljOptions& options,
              Watch& watch, std::span<const std::uint8_t> is_changed = {}) {
  const OrderedProblem ordered(problem, labels, watch);
  if (!ordered.is_complete()) return 0;
  LiftedSearch search(ordered, ordered.reorder(labels), typical, options, watch,
                      ordered.reorder(is_changed));
  if (!search.is_complete()) return 0;
  const double gain = search.run();
  if (gain > 0) labels = ordered.restore(search.labels());
  return gain;
}

// The same, with clusters as nodes. Sets `is_changed` for each node whose cluster has become larger.
double search_clusters(const LiftedProblem& problem, Labels& labels, double typical,
                       const KljOptions& options, Watch& watch, std::vector<std::uint8_t>& is_changed) {
  const NodeId num_clusters = labels.empty() ? 0 : *std::ranges::max_element(labels) + 1;
  if (num_clusters < 3) return 0;
  const OwnLiftedProblem clusters =
      quotient(problem, labels, num_clusters, [&] { return watch.expired(); });
  if (watch.expired() || clusters.lifted.graph.num_edges() == 0) return 0;
  Labels joined = singletons(num_clusters);
  const double gain = search(clusters.view(), joined, typical, options, watch);
  if (gain > 0) {
    std::vector<NodeId> num_joined(num_clusters, 0);
    for (const NodeId label : joined) ++num_joined[label];
    is_changed.resize(labels.size());
    for (NodeId node = 0; node < labels.size(); ++node) {
      labels[node] = joined[labels[node]];
      is_changed[node] = num_joined[labels[node]] > 1;
    }
    make_canonical(labels);
  }
  return gain;
}

// The same, with fragments of clusters as nodes.
double search_fragments(const LiftedProblem& problem, Labels& labels, const Labels& fragment_of,
                        double typical, const KljOptions& options, Watch& watch) {
  const NodeId count = fragment_of.empty() ? 0 : *std::ranges::max_element(fragment_of) + 1;
  if (kNodesOfFragments * count > problem.graph.num_nodes()) return 0;
  const OwnLiftedProblem coarse =
      quotient(problem, fragment_of, count, [&] { return watch.expired(); });
  if (watch.expired()) return 0;
  Labels start(count);
  for (NodeId node = 0; node < labels.size(); ++node) start[fragment_of[node]] = labels[node];
  make_canonical(start);
  const double gain = search(coarse.view(), start, typical, options, watch);
  if (gain > 0) {
    for (NodeId node = 0; node < labels.size(); ++node) labels[node] = start[fragment_of[node]];
    make_canonical(labels);
  }
  return gain;
}

}  // namespace

GreedyStart greedy_klj(const LiftedProblem& problem, const KljOptions& options, Watch& watch) {
  std::vector<EdgeId> contracted;
  GreedyStart start{gaec(problem, watch, &contracted), {}};
  if (watch.expired()) return start;
  start.fragments = fragments(problem.graph, contracted, kFragment);
  search_fragments(problem, start.labels, start.fragments, typical_cost(problem), options, watch);
  start.labels = klj(problem, start.labels, options, watch);
  return start;
}

Labels klj(const LiftedProblem& problem, const Labels& labels, const KljOptions& options,
           Watch& watch, bool joins_many, std::vector<std::uint8_t> is_changed) {
  if (watch.expired()) return labels;
  const double typical = typical_cost(problem);
  Labels best = labels;
  for (int level = 0; level < kMostLevels && options.max_rounds > 0; ++level) {
    const double gain = search(problem, best, typical, options, watch, is_changed);
    if ((level > 0 && gain <= 0) || !joins_many || watch.expired()) break;
    if (search_clusters(problem, best, typical, options, watch, is_changed) <= 0) break;
  }
  return best;
}

std::vector<std::uint8_t> changed_nodes(const Labels& before, const Labels& after) {
  const auto sizes_of = [](const Labels& labels) {
    std::vector<NodeId> sizes(labels.empty() ? 0 : *std::ranges::max_element(labels) + 1, 0);
    for (const NodeId label : labels) ++sizes[label];
    return sizes;
  };
  const std::vector<NodeId> sizes_before = sizes_of(before);
  const std::vector<NodeId> sizes_after = sizes_of(after);
  // Two clusters that have a node in common are the same if all nodes of the one are in the other.
  Labels counterpart(sizes_after.size(), kNoNode);
  std::vector<NodeId> num_shared(sizes_after.size(), 0);
  for (NodeId node = 0; node < after.size(); ++node) {
    NodeId& other = counterpart[after[node]];
    if (other == kNoNode) other = before[node];
    num_shared[after[node]] += other == before[node] ? 1U : 0U;
  }
  std::vector<std::uint8_t> is_changed(after.size());
  for (NodeId node = 0; node < after.size(); ++node) {
    const NodeId label = after[node];
    is_changed[node] =
        num_shared[label] < sizes_after[label] || sizes_before[before[node]] != sizes_after[label];
  }
  return is_changed;
}

}  // namespace multicut
