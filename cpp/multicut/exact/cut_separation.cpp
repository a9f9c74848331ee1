#include "multicut/exact/cut_separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/components.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {
namespace {

// Less is no capacity: sums of so little stay far below any tolerance.
constexpr double kLeastCapacity = 1e-10;

constexpr EdgeId kEdgesBetweenChecks = 16;

// What a thread takes at a time.
constexpr EdgeId kEdgesPerChunk = 256;

// Maximum flows between the ends of one lifted edge after the other, by shortest augmenting paths. A
// flow ends when it is as large as the lifted edge asks for; only what it touched is reset.
//
// Each node is an entrance and an exit, with an arc in between whose capacity is that of the node.
// Arcs of an edge e, of capacity 1 − y_e, lead from exits to entrances. State 2i is the entrance of
// node i, 2i + 1 its exit.
class CutFinder {
 public:
  // `components` are those of the ordinary edges that are joined for all that the tolerance tells.
  CutFinder(const Graph& graph, const Labels& components, const Graph& both,
            std::span<const double> values, double tolerance)
      : graph_(graph),
        components_(components),
        both_(both),
        values_(values),
        tolerance_(tolerance),
        flow_(2 * std::size_t{graph.num_edges()}, 0),
        node_flow_(graph.num_nodes(), 0),
        node_capacity_(graph.num_nodes(), kUnlimited),
        edge_to_node_(graph.num_nodes(), kNoEdge),
        mark_(2 * std::size_t{graph.num_nodes()}, 0),
        from_(2 * std::size_t{graph.num_nodes()}, kNoState),
        from_edge_(from_.size(), kNoEdge) {}

  void find(EdgeId lifted, Cycles& cuts) {
    const double asked = 1 - values_[lifted] - tolerance_;
    const auto [source, sink] = both_.edge(lifted);
    // Where edges that are joined connect the ends, all that is asked for gets through.
    if (components_[source] == components_[sink] || asked <= 0) return;
    limit_nodes(source, sink);
    double total = 0;
    while (total < asked && search(exit(source), entrance(sink), true)) {
      total += augment(exit(source), entrance(sink));
    }
    if (total < asked) {
      // What was reached is the smallest side of a minimum cut; then, from the other end, the smallest
      // other side.
      const std::size_t first = cuts.edges.size();
      add_cut(lifted, entrance(sink), false, cuts);
      const std::size_t second = cuts.edges.size();
      search(entrance(sink), exit(source), false);
      add_cut(lifted, exit(source), true, cuts);
      if (second > first && is_repeated(cuts.edges, first, second)) {
        cuts.edges.resize(second);
        cuts.offsets.pop_back();
      }
    }
    reset();
  }

 private:
  using State = NodeId;
  static constexpr State kNoState = kNoNode;
  static constexpr double kUnlimited = 2;

  static State entrance(NodeId node) { return 2 * node; }
  static State exit(NodeId node) { return 2 * node + 1; }

  // Nodes that have an edge of either kind to an end of the lifted edge let through no more than it.
  void limit_nodes(NodeId source, NodeId sink) {
    for (const NodeId end : {source, sink}) {
      const auto neighbours = both_.neighbours(end);
      const auto incident = both_.incident_edges(end);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        const NodeId node = neighbours[k];
        const double capacity = capacity_of(incident[k]);
        if (node == source || node == sink || capacity >= node_capacity_[node]) continue;
        node_capacity_[node] = capacity;
        edge_to_node_[node] = incident[k];
        limited_.push_back(node);
      }
    }
  }

  void reset() {
    for (const NodeId node : limited_) node_capacity_[node] = kUnlimited;
    for (const NodeId node : touched_nodes_) node_flow_[node] = 0;
    for (const std::size_t arc : touched_) flow_[arc] = 0;
    limited_.clear();
    touched_nodes_.clear();
    touched_.clear();
  }

  double capacity_of(EdgeId e) const { return std::max(1 - values_[e], 0.0); }

  // The arc of an edge away from a node.
  std::size_t arc(EdgeId e, NodeId from) const {
    return 2 * std::size_t{e} + (graph_.edge(e).u == from ? 0 : 1);
  }

  // Whether there is a way from `start` to `goal`; else marks all that can be reached. Backward, it is
  // all from where flow can reach `start`.
  bool search(State start, State goal, bool forward) {
    const std::uint32_t mark = next_mark();
    const auto reach = [&](State state, State from, EdgeId edge, double residual) {
      if (mark_[state] == mark || residual <= kLeastCapacity) return false;
      mark_[state] = mark;
      from_[state] = from;
      from_edge_[state] = edge;
      queue_.push_back(state);
      return state == goal;
    };
    queue_.assign(1, start);
    mark_[start] = mark;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const State state = queue_[i];
      const NodeId node = state / 2;
      const bool is_exit = state % 2 == 1;
      // Along the arc of the node, or against the flow through it.
      const bool along = is_exit != forward;
      const double through =
          along ? node_capacity_[node] - node_flow_[node] : node_flow_[node];
      if (reach(state ^ 1, state, kNoEdge, through)) return true;
      const auto neighbours = graph_.neighbours(node);
      const auto incident = graph_.incident_edges(node);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        const NodeId neighbour = neighbours[k];
        const EdgeId e = incident[k];
        // The arc that joins this state with one of the neighbour leads from the exit of one of them.
        const double flow = flow_[arc(e, is_exit ? node : neighbour)];
        const double residual = along ? flow : capacity_of(e) - flow;
        if (reach(2 * neighbour + (is_exit ? 0 : 1), state, e, residual)) return true;
      }
    }
    return false;
  }

  double augment(State source, State sink) {
    double least = 1;
    for (State state = sink; state != source; state = from_[state]) {
      const State from = from_[state];
      const bool from_exit = from % 2 == 1;
      if (from_edge_[state] == kNoEdge) {
        const NodeId node = state / 2;
        least = std::min(least, from_exit ? node_flow_[node]
                                          : node_capacity_[node] - node_flow_[node]);
      } else {
        const EdgeId e = from_edge_[state];
        const double flow = flow_[arc(e, (from_exit ? from : state) / 2)];
        least = std::min(least, from_exit ? capacity_of(e) - flow : flow);
      }
    }
    for (State state = sink; state != source; state = from_[state]) {
      const State from = from_[state];
      const bool from_exit = from % 2 == 1;
      if (from_edge_[state] == kNoEdge) {
        node_flow_[state / 2] += from_exit ? -least : least;
        touched_nodes_.push_back(state / 2);
      } else {
        const std::size_t used = arc(from_edge_[state], (from_exit ? from : state) / 2);
        flow_[used] += from_exit ? least : -least;
        touched_.push_back(used);
      }
    }
    return least;
  }

  // Adds the inequality of the cut between what is marked and what is left of the graph around
  // `far`, if it is violated. Arcs to other parts of what is left are not needed to separate the ends.
  // Forward, `far` is the source: arcs lead from around it to what is marked.
  void add_cut(EdgeId lifted, State far, bool forward, Cycles& cuts) {
    const std::uint32_t near_mark = current_mark_;
    const std::uint32_t mark = next_mark();
    const std::size_t first = cuts.edges.size();
    cuts.edges.push_back(lifted);
    queue_.assign(1, far);
    mark_[far] = mark;
    const auto reach = [&](State state, EdgeId edge) {
      if (mark_[state] == near_mark) {
        cuts.edges.push_back(edge);
      } else if (mark_[state] != mark) {
        mark_[state] = mark;
        queue_.push_back(state);
      }
    };
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const State state = queue_[i];
      const NodeId node = state / 2;
      const bool is_exit = state % 2 == 1;
      if (is_exit != forward) {
        reach(state ^ 1, edge_to_node_[node]);
        continue;
      }
      const auto neighbours = graph_.neighbours(node);
      const auto incident = graph_.incident_edges(node);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        reach(2 * neighbours[k] + (is_exit ? 0 : 1), incident[k]);
      }
    }
    const auto begin = cuts.edges.begin() + static_cast<std::ptrdiff_t>(first) + 1;
    std::sort(begin, cuts.edges.end());
    cuts.edges.erase(std::unique(begin, cuts.edges.end()), cuts.edges.end());
    double slack = values_[lifted] - 1;
    for (auto e = begin; e != cuts.edges.end(); ++e) slack += 1 - values_[*e];
    if (slack >= -tolerance_) {
      cuts.edges.resize(first);
    } else {
      cuts.offsets.push_back(cuts.edges.size());
    }
  }

  // Whether what begins at `second` is the same as what begins at `first`.
  static bool is_repeated(const std::vector<EdgeId>& edges, std::size_t first, std::size_t second) {
    const auto middle = edges.begin() + static_cast<std::ptrdiff_t>(second);
    return std::ranges::equal(edges.begin() + static_cast<std::ptrdiff_t>(first), middle, middle,
                              edges.end());
  }

  std::uint32_t next_mark() {
    if (++current_mark_ == 0) {
      std::ranges::fill(mark_, 0);
      current_mark_ = 1;
    }
    return current_mark_;
  }

  const Graph& graph_;
  const Labels& components_;
  const Graph& both_;
  std::span<const double> values_;
  double tolerance_;
  std::vector<double> flow_;  // along each arc
  std::vector<double> node_flow_;
  std::vector<double> node_capacity_;
  std::vector<EdgeId> edge_to_node_;  // that limits the capacity
  std::vector<NodeId> limited_;
  std::vector<NodeId> touched_nodes_;
  std::vector<std::size_t> touched_;  // arcs with a flow, some of them several times
  std::vector<std::uint32_t> mark_;
  std::uint32_t current_mark_ = 0;
  std::vector<State> from_;
  std::vector<EdgeId> from_edge_;  // kNoEdge for the arc of a node
  std::vector<State> queue_;
};

}  // namespace

Cycles separate_cuts(const Graph& ordinary, const Graph& both, std::span<const double> values,
                     double tolerance, double time_limit, int num_threads) {
  Watch clock(time_limit);
  const Labels components =
      components_of(ordinary, [&](EdgeId e) { return values[e] <= tolerance; });
  const EdgeId num_lifted = both.num_edges() - ordinary.num_edges();
  const EdgeId num_chunks = (num_lifted + kEdgesPerChunk - 1) / kEdgesPerChunk;
  std::vector<Cycles> found(num_chunks);
  parallel_for(num_chunks, num_threads, [&](bool) {
    return [&, finder = CutFinder(ordinary, components, both, values, tolerance)](
               std::size_t chunk) mutable {
      const EdgeId first = ordinary.num_edges() + static_cast<EdgeId>(chunk) * kEdgesPerChunk;
      const EdgeId end = std::min(both.num_edges(), first + kEdgesPerChunk);
      for (EdgeId f = first; f < end; ++f) {
        if ((f - first) % kEdgesBetweenChecks == 0 && clock.expired()) return;
        finder.find(f, found[chunk]);
      }
    };
  });
  // In the order of the edges, however many threads there were.
  Cycles cuts;
  for (const Cycles& part : found) cuts.append(part);
  return cuts;
}

}  // namespace multicut
