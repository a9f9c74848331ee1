#include "multicut/solvers/dual_greedy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

#include "multicut/graph/contraction_graph.hpp"
#include "multicut/graph/local_order.hpp"

namespace multicut {
namespace {

// What contraction by cost alone takes for each edge that is left.
constexpr double kSecondsPerEdge = 3e-7;
// If rounds join a share s of the nodes, those to come take about so much over s times what the last took.
constexpr double kTimesOfRound = 0.5;

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
  Candidates(const ContractionGraph& clusters, std::span<const EdgeId> edges, std::size_t portion)
      : portion_(portion) {
    items_.reserve(edges.size());
    for (const EdgeId e : edges) items_.push_back({clusters.edge(e).cost, e});
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

  // The edge that comes so many steps later, unless others are pushed, or kNoEdge.
  EdgeId peek(std::size_t steps) const {
    return next_ + steps < end_of_sorted_ ? items_[next_ + steps].edge : kNoEdge;
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

// The problem as far as it is contracted, and the rounds that contract it further. Edges keep their ids;
// in the contracted graph, their cost is the key that decides which goes first.
class Contraction {
 public:
  Contraction(const Graph& graph, std::span<const double> costs, const DualGreedyOptions& options,
              Watch& watch)
      : options_(options),
        watch_(watch),
        costs_(costs.begin(), costs.end()),
        clusters_(graph, costs, [&watch] { return watch.expired(); }),
        objective_(std::accumulate(costs.begin(), costs.end(), 0.0)),
        nodes_(singletons(graph.num_nodes())),
        live_(graph.num_edges()),
        index_(graph.num_nodes()) {
    std::iota(live_.begin(), live_.end(), EdgeId{0});
  }

  DualGreedyResult run() {
    DualGreedyResult result{{}, -std::numeric_limits<double>::infinity()};
    if (!watch_.should_stop(objective_)) {
      start_of_round_ = watch_.elapsed();
      collect_edges();
      bool is_scored = score_edges();
      if (is_scored) result.lower_bound = packing_.lower_bound();
      while (is_scored && num_attractive_ > 0 && join(joins_of_round()) &&
             !watch_.improved(objective_)) {
        collect_edges();
        is_scored = score_edges();
      }
      if (is_hurried_ && !watch_.should_stop(objective_)) join_rest();
    }
    if (watch_.reason() == StopReason::kConverged) {
      // As for gaec: every contraction was a gain within a component of the attractive edges, and none of
      // what is left attracts.
      watch_.set_beyond_trivial();
      watch_.improved(objective_);
    }
    result.labels = clusters_.labels();
    return result;
  }

 private:
  // Whether the time left is just what contracting the rest by cost alone takes.
  bool is_short_of_time() const {
    return watch_.seconds_left() < kSecondsPerEdge * static_cast<double>(live_.size());
  }

  // How many nodes to join in this round: more than by the options where time is short.
  NodeId joins_of_round() {
    const double seconds = watch_.elapsed() - start_of_round_;
    start_of_round_ += seconds;
    const double affordable = kTimesOfRound * seconds / std::max(watch_.seconds_left(), 1e-9);
    const double share = std::clamp(affordable, options_.share, 1.0);
    if (share > options_.share) watch_.set_cut_short();
    return std::max(static_cast<NodeId>(share * clusters_.num_nodes()), NodeId{1});
  }

  // Contracts what still attracts by cost alone, where no time is left to pack.
  void join_rest() {
    std::erase_if(live_, [&](EdgeId e) { return clusters_.edge(e).is_dead(); });
    for (const EdgeId e : live_) clusters_.set_cost(e, costs_[e]);
    const auto rest = std::ranges::partition(live_, [&](EdgeId e) { return costs_[e] > 0; });
    num_attractive_ = static_cast<EdgeId>(live_.size() - rest.size());
    join(clusters_.num_nodes());
  }

  // Collects the edges that are left, attractive ones first, and numbers nodes without gaps. Leaves out
  // edges of nodes that nothing attracts: nothing ever will. Gives up if the time is up. Which edges are
  // left is hard to predict: these loops have no branches for it.
  void collect_edges() {
    std::erase_if(nodes_, [&](NodeId node) { return clusters_.find(node) != node; });
    for (NodeId i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
    is_attracted_.assign(index_.size(), 0);  // ends of dead edges have old positions
    const std::size_t room = live_.size() + 1;
    collected_.resize(room);
    repulsive_.resize(room);
    edges_.resize(room);
    own_.resize(room);
    std::size_t num_collected = 0;
    std::size_t num_repulsive = 0;
    const auto put = [&](EdgeId e, const ContractionGraph::WeightedEdge& edge, bool counts) {
      collected_[num_collected] = e;
      edges_[num_collected] = {index_[edge.u], index_[edge.v]};
      own_[num_collected] = costs_[e];
      num_collected += counts ? 1U : 0U;
    };
    for (const EdgeId e : live_) {
      const auto& edge = clusters_.edge(e);
      if (work_.is_due(1) && stop_()) return;
      const bool is_attractive = (costs_[e] > 0) & !edge.is_dead();
      put(e, edge, is_attractive);
      is_attracted_[index_[edge.u]] |= static_cast<std::uint8_t>(is_attractive);
      is_attracted_[index_[edge.v]] |= static_cast<std::uint8_t>(is_attractive);
      repulsive_[num_repulsive] = e;
      num_repulsive += !(costs_[e] > 0) & !edge.is_dead() ? 1U : 0U;
    }
    num_attractive_ = static_cast<EdgeId>(num_collected);
    for (std::size_t i = 0; i < num_repulsive; ++i) {
      const EdgeId e = repulsive_[i];
      const auto& edge = clusters_.edge(e);
      put(e, edge, is_first_ | (is_attracted_[index_[edge.u]] & is_attracted_[index_[edge.v]]));
    }
    collected_.resize(num_collected);
    edges_.resize(num_collected);
    own_.resize(num_collected);
    live_.swap(collected_);
    is_first_ = false;
  }

  // Packs cycles, and gives each edge its key. Returns whether it was not stopped.
  bool score_edges() {
    if (should_stop()) return false;
    const SignedEdges problem{static_cast<NodeId>(nodes_.size()), edges_, own_, num_attractive_};
    const auto left = packing_.pack(problem, options_.sweeps, options_.num_threads, stop_);
    if (should_stop()) return false;
    for (EdgeId i = 0; i < live_.size(); ++i) {
      const double signed_left = i < num_attractive_ ? left[i] : -left[i];
      clusters_.set_cost(live_[i], signed_left + options_.cost_weight * own_[i]);
    }
    return true;
  }

  // Contracts so many nodes at most, strictly in the order of keys. Returns whether it was not stopped.
  bool join(NodeId num_joins) {
    const NodeId num_nodes = clusters_.num_nodes();
    Candidates candidates(clusters_, std::span(live_).first(num_attractive_), num_joins);
    while (clusters_.num_nodes() > num_nodes - num_joins && !candidates.is_empty()) {
      const auto [key, e] = candidates.pop();
      clusters_.prefetch_next(candidates);
      const auto& edge = clusters_.edge(e);
      if (edge.is_dead() || !(costs_[e] > 0)) continue;
      if (edge.cost != key) {
        // A key that has grown was pushed when it grew.
        if (edge.cost < key) candidates.push(edge.cost, e);
        continue;
      }
      objective_ -= costs_[e];
      work_ += clusters_.contract(e, [&](EdgeId kept, EdgeId absorbed, double old_key) {
        costs_[kept] += costs_[absorbed];
        const double new_key = clusters_.edge(kept).cost;
        if (new_key > old_key && costs_[kept] > 0) candidates.push(new_key, kept);
      });
      if (work_.is_due(1) && should_stop()) return false;
    }
    return true;
  }

  bool should_stop() {
    if (watch_.should_stop(objective_)) return true;
    if (is_hurried_) return false;
    is_hurried_ = is_short_of_time();
    if (is_hurried_) watch_.set_cut_short();
    return is_hurried_;
  }

  const DualGreedyOptions& options_;
  Watch& watch_;
  bool is_hurried_ = false;  // whether what is left is contracted by cost alone
  Stop stop_ = [this] { return watch_.expired() || is_short_of_time(); };
  std::vector<double> costs_;  // of all edges that are left
  ContractionGraph clusters_;
  double objective_;
  double start_of_round_ = 0;  // in seconds
  ShortCyclePacking packing_;
  std::vector<NodeId> nodes_;  // those that stand for themselves
  std::vector<EdgeId> live_;   // the edges that are left, attractive ones first, with
  EdgeId num_attractive_ = 0;
  std::vector<Edge> edges_;  // … their ends, as positions in nodes_, and
  std::vector<double> own_;  // … their costs
  std::vector<NodeId> index_;
  bool is_first_ = true;  // then all edges count, for the bound
  std::vector<std::uint8_t> is_attracted_;
  std::vector<EdgeId> repulsive_;
  std::vector<EdgeId> collected_;
  WorkMeter work_;
};

}  // namespace

DualGreedyResult dual_greedy(const Graph& graph, std::span<const double> costs,
                             const DualGreedyOptions& options, Watch& watch) {
  if (is_scattered(graph)) {
    // Rounds walk through all of the graph again and again.
    const LocallyOrdered ordered = order_locally(graph, costs, [&] { return watch.expired(); });
    if (!watch.expired()) {
      auto result = Contraction(ordered.graph, ordered.costs, options, watch).run();
      result.labels = ordered.restore(result.labels);
      return result;
    }
  }
  return Contraction(graph, costs, options, watch).run();
}

}  // namespace multicut
