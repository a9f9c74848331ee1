#include "multicut/solvers/gasp.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/edge_queue.hpp"
#include "multicut/solvers/cost_of_nodes.hpp"
#include "multicut/solvers/mutex_watershed.hpp"

namespace multicut {
namespace {

// Interactions between clusters. The contraction graph adds costs up; what else a linkage makes of
// them is put right as soon as two edges have become one.
template <Linkage linkage>
class Interactions {
 public:
  Interactions(const Graph& graph, std::span<const double> costs, const Stop& stop)
      : clusters_(graph, costs, stop) {
    if constexpr (linkage == Linkage::kAverage) counts_.assign(graph.num_edges(), 1);
  }

  bool is_dead(EdgeId e) const { return clusters_.edge(e).is_dead(); }

  double value(EdgeId e) const {
    if constexpr (linkage == Linkage::kAverage) return clusters_.edge(e).cost / counts_[e];
    return clusters_.edge(e).cost;
  }

  // By how much the objective goes down if the clusters are joined, where that is known.
  double gain(EdgeId e) const {
    constexpr bool is_sum = linkage == Linkage::kSum || linkage == Linkage::kAverage;
    const double cost = clusters_.edge(e).cost;
    return is_sum && !std::isinf(cost) ? cost : 0;
  }

  // Calls on_merge(kept, absorbed, old value of kept).
  template <typename OnMerge>
  std::size_t contract(EdgeId e, const OnMerge& on_merge) {
    return clusters_.contract(e, [&](EdgeId kept, EdgeId absorbed, double old_cost) {
      double old_value = old_cost;
      if constexpr (linkage == Linkage::kAverage) {
        old_value /= counts_[kept];
        counts_[kept] += counts_[absorbed];
      } else if constexpr (linkage != Linkage::kSum) {
        clusters_.set_cost(kept, combine(old_cost, clusters_.edge(absorbed).cost));
      }
      on_merge(kept, absorbed, old_value);
    });
  }

  void prefetch_next(const EdgeQueue& queue) const { clusters_.prefetch_next(queue); }
  Labels labels() { return clusters_.labels(); }

 private:
  // A constraint holds whatever else is between two clusters.
  static double combine(double a, double b) {
    if (std::isinf(a)) return a;
    if (std::isinf(b)) return b;
    return linkage == Linkage::kMin ? std::min(a, b) : std::max(a, b);
  }

  ContractionGraph clusters_;
  std::vector<std::uint32_t> counts_;
};

template <Linkage linkage>
Labels join_strongest(const Graph& graph, std::span<const double> costs, Watch& watch) {
  double objective = cost_of_nodes(costs);
  if (watch.improved(objective)) return singletons(graph.num_nodes());
  const Stop stop = [&] { return watch.expired(); };
  EdgeQueue queue(costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  Interactions<linkage> interactions(graph, costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    interactions.prefetch_next(queue);
    if (interactions.is_dead(item->edge)) continue;
    const double value = interactions.value(item->edge);
    if (value != item->key) {
      // The key is out of date. A value that has grown was pushed when it grew.
      if (value > 0 && value < item->key) queue.push(value, item->edge);
      continue;
    }
    objective -= interactions.gain(item->edge);
    work += interactions.contract(item->edge, [&](EdgeId kept, EdgeId, double old_value) {
      const double grown = interactions.value(kept);
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
  EdgeQueue queue(keys, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  Interactions<linkage> interactions(graph, costs, stop);
  if (watch.should_stop(objective)) return singletons(graph.num_nodes());
  std::vector<std::uint8_t> is_forbidden(graph.num_edges(), 0);

  WorkMeter work;
  while (const auto item = queue.pop()) {
    if (work.is_due(1) && watch.should_stop(objective)) break;
    interactions.prefetch_next(queue);
    if (interactions.is_dead(item->edge) || is_forbidden[item->edge]) continue;
    const double value = interactions.value(item->edge);
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
    objective -= interactions.gain(item->edge);
    work += interactions.contract(item->edge, [&](EdgeId kept, EdgeId absorbed, double old_value) {
      is_forbidden[kept] |= is_forbidden[absorbed];
      const double grown = std::abs(interactions.value(kept));
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
                 : mutex_watershed(graph, costs, watch, Repulsion::kCannotLinks);
    case Linkage::kMaxAbs:
      break;
  }
  // The strongest edge between two clusters decides alone, and for good: with cannot-links and
  // without, no interaction changes once it is the largest one.
  return mutex_watershed(graph, costs, watch);
}

}  // namespace multicut
