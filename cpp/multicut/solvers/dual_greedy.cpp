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

// Hands out edges by descending key. Most of them are never asked for, so they are sorted in portions,
// when their turn has come.
class Candidates {
 public:
  Candidates(std::span<const double> keys, std::size_t portion) : portion_(portion) {
    items_.reserve(keys.size());
    for (EdgeId e = 0; e < keys.size(); ++e) items_.push_back({keys[e], e});
    sort_portion();
  }

  bool is_empty() const { return next_ == items_.size() && later_.empty(); }

  Item pop() {
    if (next_ == end_of_sorted_ && (later_.empty() || is_before(least_, later_.top()))) {
      sort_portion();
    }
    if (later_.empty() || (next_ < end_of_sorted_ && is_before(items_[next_], later_.top()))) {
      return items_[next_++];
    }
    const Item item = later_.top();
    later_.pop();
    return item;
  }

  void push(double key, EdgeId edge) { later_.push({key, edge}); }

 private:
  void sort_portion() {
    const auto begin = items_.begin() + static_cast<std::ptrdiff_t>(end_of_sorted_);
    end_of_sorted_ = std::min(end_of_sorted_ + portion_, items_.size());
    const auto end = items_.begin() + static_cast<std::ptrdiff_t>(end_of_sorted_);
    if (begin == end) return;
    if (end != items_.end()) std::nth_element(begin, end - 1, items_.end(), is_before);
    std::sort(begin, end, is_before);
    least_ = *(end - 1);
  }

  std::size_t portion_;
  std::vector<Item> items_;  // sorted up to end_of_sorted_, and none after that comes before
  std::size_t next_ = 0;
  std::size_t end_of_sorted_ = 0;
  Item least_{};  // the last that is sorted
  std::priority_queue<Item, std::vector<Item>, After> later_;
};

}  // namespace

DualGreedyResult dual_greedy(const Graph& graph, std::span<const double> costs,
                             const DualGreedyOptions& options, Watch& watch) {
  double objective = std::accumulate(costs.begin(), costs.end(), 0.0);
  const Stop stop = [&] { return watch.expired(); };
  DualGreedyResult result{Labels(graph.num_nodes()), -std::numeric_limits<double>::infinity()};
  Labels& labels = result.labels;
  std::iota(labels.begin(), labels.end(), NodeId{0});
  if (watch.should_stop(objective)) return result;
  SignedGraph problem = sort_by_sign(graph.num_nodes(), graph.edges(), costs, stop);
  if (watch.should_stop(objective)) return result;
  ShortCyclePacking packing;
  std::vector<double> keys;
  std::vector<Edge> edges;
  std::vector<double> sums;
  WorkMeter work;
  for (bool is_first = true; is_first || problem.num_attractive > 0; is_first = false) {
    const auto left = packing.pack(problem, options.sweeps, stop);
    if (watch.should_stop(objective)) return result;
    if (is_first) result.lower_bound = packing.lower_bound(problem);
    const EdgeId num_edges = problem.graph.num_edges();
    std::vector<double>& own = problem.costs;
    keys.resize(num_edges);
    for (EdgeId e = 0; e < num_edges; ++e) {
      keys[e] = (e < problem.num_attractive ? left[e] : -left[e]) + options.cost_weight * own[e];
    }
    const NodeId num_joins = std::max(
        static_cast<NodeId>(options.share * problem.graph.num_nodes()), NodeId{1});
    const NodeId num_nodes_after = problem.graph.num_nodes() - num_joins;
    Candidates candidates(std::span<const double>(keys).first(problem.num_attractive), num_joins);
    ContractionGraph clusters(problem.graph, keys, stop);
    if (watch.should_stop(objective)) return result;
    bool is_stopped = false;
    while (clusters.num_nodes() > num_nodes_after && !candidates.is_empty()) {
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
    if (is_stopped) return result;
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
  return result;
}

}  // namespace multicut
