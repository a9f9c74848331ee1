#include "multicut/solvers/dual_greedy.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"

namespace multicut {
namespace {

struct Item {
  double key;
  EdgeId edge;
};

// By descending key, ties by ascending id.
bool is_before(const Item& a, const Item& b) {
  return a.key != b.key ? a.key > b.key : a.edge < b.edge;
}

struct After {
  bool operator()(const Item& a, const Item& b) const { return is_before(b, a); }
};

// Hands out the attractive edges of the largest keys, and those that become as large.
class Candidates {
 public:
  Candidates(std::span<const double> keys, EdgeId num_attractive, std::size_t num_wanted) {
    first_.reserve(num_attractive);
    for (EdgeId e = 0; e < num_attractive; ++e) first_.push_back({keys[e], e});
    if (num_wanted < first_.size()) {
      const auto last = first_.begin() + static_cast<std::ptrdiff_t>(num_wanted) - 1;
      std::nth_element(first_.begin(), last, first_.end(), is_before);
      least_ = last->key;
      first_.resize(num_wanted);
    }
    std::sort(first_.begin(), first_.end(), is_before);
  }

  bool is_empty() const { return next_ == first_.size() && later_.empty(); }

  Item pop() {
    if (later_.empty() || (next_ < first_.size() && is_before(first_[next_], later_.top()))) {
      return first_[next_++];
    }
    const Item item = later_.top();
    later_.pop();
    return item;
  }

  void push(double key, EdgeId edge) {
    if (key >= least_) later_.push({key, edge});
  }

 private:
  std::vector<Item> first_;
  std::size_t next_ = 0;
  double least_ = -std::numeric_limits<double>::infinity();
  std::priority_queue<Item, std::vector<Item>, After> later_;
};

}  // namespace

Labels dual_greedy(const Graph& graph, std::span<const double> costs,
                   const DualGreedyOptions& options, Watch& watch) {
  double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  const Stop stop = [&] { return watch.expired(); };
  Labels labels(graph.num_nodes());
  std::iota(labels.begin(), labels.end(), NodeId{0});
  if (watch.should_stop(objective)) return labels;
  SignedGraph problem = sort_by_sign(graph.num_nodes(), graph.edges(), costs, stop);
  ShortCyclePacking packing;
  std::vector<double> keys;
  std::vector<Edge> edges;
  std::vector<double> sums;
  WorkMeter work;
  while (problem.num_attractive > 0) {
    if (watch.should_stop(objective)) return labels;
    const auto left = packing.pack(problem, options.sweeps, stop);
    if (watch.should_stop(objective)) return labels;
    const EdgeId num_edges = problem.graph.num_edges();
    std::vector<double>& own = problem.costs;
    keys.resize(num_edges);
    for (EdgeId e = 0; e < num_edges; ++e) {
      keys[e] = (e < problem.num_attractive ? left[e] : -left[e]) + options.weight_of_cost * own[e];
    }
    const double wanted = options.share * problem.graph.num_nodes();
    Candidates candidates(keys, problem.num_attractive,
                          std::max<std::size_t>(static_cast<std::size_t>(wanted), 1));
    ContractionGraph clusters(problem.graph, keys, stop);
    if (watch.should_stop(objective)) return labels;
    bool is_stopped = false;
    while (!candidates.is_empty()) {
      const Item item = candidates.pop();
      const auto& edge = clusters.edge(item.edge);
      if (edge.is_dead() || !(own[item.edge] > 0)) continue;
      if (edge.cost != item.key) {
        // A key that has grown was pushed when it grew.
        if (edge.cost < item.key) candidates.push(edge.cost, item.edge);
        continue;
      }
      objective -= own[item.edge];
      work += clusters.contract(item.edge, [&](EdgeId kept, EdgeId absorbed, double old_key) {
        own[kept] += own[absorbed];
        const double key = clusters.edge(kept).cost;
        if (key > old_key && own[kept] > 0) candidates.push(key, kept);
      });
      is_stopped = work.is_due(1) && watch.should_stop(objective);
      if (is_stopped) break;
    }
    const Labels joined = clusters.labels();
    for (NodeId& label : labels) label = joined[label];
    if (is_stopped) return labels;
    edges.clear();
    sums.clear();
    for (EdgeId e = 0; e < num_edges; ++e) {
      const auto& edge = clusters.edge(e);
      if (edge.is_dead()) continue;
      edges.push_back({joined[edge.u], joined[edge.v]});
      sums.push_back(own[e]);
    }
    problem = sort_by_sign(clusters.num_nodes(), edges, sums, stop);
    watch.improved(objective);
  }
  // As for gaec: every contraction was a gain within a component of the attractive edges, and none of
  // what is left attracts.
  watch.set_beyond_trivial();
  watch.improved(objective);
  return labels;
}

}  // namespace multicut
