#include "multicut/solvers/gasp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "multicut/graph/bucket_queue.hpp"
#include "multicut/graph/interaction_graph.hpp"
#include "multicut/solvers/cost_of_nodes.hpp"
#include "multicut/solvers/mutex_watershed.hpp"

namespace multicut {
namespace {

// The sum, minimum or maximum of the costs between two clusters. A constraint holds whatever else
// there is between them.
template <Linkage linkage>
struct Extreme {
  explicit Extreme(double cost) : value(cost) {}

  double key() const { return value; }
  // By how much the objective goes down if the clusters are joined, where that is known.
  double gain() const { return linkage == Linkage::kSum && !std::isinf(value) ? value : 0; }

  void add(const Extreme& other) {
    if constexpr (linkage == Linkage::kSum) {
      value += other.value;
    } else if (std::isinf(value) || std::isinf(other.value)) {
      value = std::isinf(value) ? value : other.value;
    } else {
      value = linkage == Linkage::kMin ? std::min(value, other.value) : std::max(value, other.value);
    }
  }

  double value;
};

struct Average {
  explicit Average(double cost) : sum(cost) {}

  double key() const { return sum / count; }
  double gain() const { return std::isinf(sum) ? 0 : sum; }

  void add(const Average& other) {
    sum += other.sum;
    count += other.count;
  }

  double sum;
  double count = 1;
};

template <Linkage linkage>
using Interactions =
    InteractionGraph<std::conditional_t<linkage == Linkage::kAverage, Average, Extreme<linkage>>>;

template <Linkage linkage>
Labels join_strongest(const Graph& graph, std::span<const double> costs, Watch& watch) {
  double objective = cost_of_nodes(costs);
  if (watch.improved(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  BucketQueue queue(costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  Interactions<linkage> interactions({{graph, costs}}, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());

  const auto is_dead = [&](EdgeId e) { return interactions.is_dead(e); };
  WorkMeter work;
  while (const auto item = queue.pop(is_dead)) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    interactions.prefetch_next(queue);
    if (is_dead(item->edge)) continue;
    const double value = interactions.value(item->edge).key();
    if (value != item->key) {
      // The key is out of date. A value that has grown was pushed when it grew.
      if (value > 0 && value < item->key) queue.push(value, item->edge);
      continue;
    }
    objective -= interactions.value(item->edge).gain();
    work += interactions.contract(item->edge, [&](EdgeId kept, EdgeId absorbed) {
      const double old_value = interactions.value(kept).key();
      interactions.value(kept).add(interactions.value(absorbed));
      const double grown = interactions.value(kept).key();
      if (grown > 0 && grown > old_value) queue.push(grown, kept);
    });
  }
  return interactions.labels();
}

template <Linkage linkage>
Labels join_or_forbid(const Graph& graph, std::span<const double> costs, Watch& watch) {
  double objective = cost_of_nodes(costs);
  if (watch.improved(objective)) return singletons(graph.num_nodes());
  std::vector<double> keys(costs.size());
  for (EdgeId e = 0; e < graph.num_edges(); ++e) keys[e] = std::abs(costs[e]);
  const Stop stop = [&] { return watch.expired(); };
  BucketQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  Interactions<linkage> interactions({{graph, costs}}, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  std::vector<std::uint8_t> is_forbidden(graph.num_edges(), 0);

  const auto is_dead = [&](EdgeId e) { return interactions.is_dead(e); };
  WorkMeter work;
  while (const auto item = queue.pop(is_dead)) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    interactions.prefetch_next(queue);
    if (is_dead(item->edge) || is_forbidden[item->edge]) continue;
    const double value = interactions.value(item->edge).key();
    const double key = std::abs(value);
    if (key != item->key) {
      // The key is out of date. A value that has grown was pushed when it grew.
      if (key > 0 && key < item->key) queue.push(key, item->edge);
      continue;
    }
    if (value < 0) {
      is_forbidden[item->edge] = 1;
      continue;
    }
    objective -= interactions.value(item->edge).gain();
    work += interactions.contract(item->edge, [&](EdgeId kept, EdgeId absorbed) {
      const double old_value = interactions.value(kept).key();
      interactions.value(kept).add(interactions.value(absorbed));
      is_forbidden[kept] |= is_forbidden[absorbed];
      const double grown = std::abs(interactions.value(kept).key());
      if (!is_forbidden[kept] && grown > std::abs(old_value)) queue.push(grown, kept);
    });
  }
  return interactions.labels();
}

template <Linkage linkage>
Labels agglomerate(const Graph& graph, std::span<const double> costs, bool cannot_links,
                   Watch& watch) {
  return cannot_links ? join_or_forbid<linkage>(graph, costs, watch)
                      : join_strongest<linkage>(graph, costs, watch);
}

}  // namespace

Labels gasp(const Graph& graph, std::span<const double> costs, const GaspOptions& options,
            Watch& watch) {
  switch (options.linkage) {
    case Linkage::kSum:
      return agglomerate<Linkage::kSum>(graph, costs, options.cannot_links, watch);
    case Linkage::kAverage:
      return agglomerate<Linkage::kAverage>(graph, costs, options.cannot_links, watch);
    case Linkage::kMin:
      return agglomerate<Linkage::kMin>(graph, costs, options.cannot_links, watch);
    case Linkage::kMax:
      // Single linkage: the largest edge between two clusters is positive, or all are repulsive.
      return options.cannot_links
                 ? join_or_forbid<Linkage::kMax>(graph, costs, watch)
                 : mutex_watershed(graph, costs, watch, {}, Repulsion::kCannotLinks);
    case Linkage::kMaxAbs:
      break;
  }
  // The strongest edge between two clusters decides alone, and for good: with cannot-links and
  // without, no interaction changes once it is the largest one.
  return mutex_watershed(graph, costs, watch);
}

}  // namespace multicut
