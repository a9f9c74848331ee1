#include "multicut/learning/chordless_cycles.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <utility>

#include "multicut/parallel/parallel_for.hpp"

namespace multicut {
namespace {

// Start nodes that one thread takes at a time; their cycles are kept apart until the end.
constexpr NodeId kNodesPerTask = 512;

struct Arc {
  NodeId head;
  EdgeId edge;
};

// The graph with its nodes renumbered graph by graph and in each by degree, so that searches begin
// where there is the least to see. Arcs go from large heads to small ones: a search that may only use
// nodes beyond its start stops at the first that is not.
class RankedGraph {
 public:
  RankedGraph(const Graph& graph, std::span<const std::int64_t> node_offsets)
      : offsets_(static_cast<std::size_t>(graph.num_nodes()) + 1, 0), graph_of_(graph.num_nodes()) {
    std::vector<NodeId> node_at(graph.num_nodes());
    std::iota(node_at.begin(), node_at.end(), NodeId{0});
    for (std::size_t g = 0; g + 1 < node_offsets.size(); ++g) {
      const auto first = node_at.begin() + node_offsets[g];
      const auto last = node_at.begin() + node_offsets[g + 1];
      std::stable_sort(first, last, [&](NodeId a, NodeId b) {
        return graph.degree(a) < graph.degree(b);
      });
      std::fill(graph_of_.begin() + node_offsets[g], graph_of_.begin() + node_offsets[g + 1], g);
    }
    std::vector<NodeId> rank(graph.num_nodes());
    for (NodeId r = 0; r < graph.num_nodes(); ++r) rank[node_at[r]] = r;
    arcs_.reserve(2 * static_cast<std::size_t>(graph.num_edges()));
    for (NodeId r = 0; r < graph.num_nodes(); ++r) {
      const auto neighbours = graph.neighbours(node_at[r]);
      const auto incident = graph.incident_edges(node_at[r]);
      const auto begin = static_cast<std::ptrdiff_t>(arcs_.size());
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        arcs_.push_back({rank[neighbours[i]], incident[i]});
      }
      std::sort(arcs_.begin() + begin, arcs_.end(),
                [](const Arc& a, const Arc& b) { return a.head > b.head; });
      offsets_[r + 1] = arcs_.size();
    }
  }

  NodeId num_nodes() const { return static_cast<NodeId>(graph_of_.size()); }
  std::size_t graph_of(NodeId node) const { return graph_of_[node]; }
  std::span<const Arc> arcs(NodeId node) const {
    return {arcs_.data() + offsets_[node], arcs_.data() + offsets_[node + 1]};
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<Arc> arcs_;
  std::vector<std::size_t> graph_of_;
};

// The cycles whose smallest node lies in one range of start nodes.
struct Found {
  std::vector<std::uint8_t> lengths;
  std::vector<EdgeId> edges;
  std::vector<std::pair<std::size_t, std::int64_t>> counts;  // of graphs, in order
};

// Depth-first search over chordless paths start, second, …, last of nodes beyond the start. A node
// may follow if `last` is its only neighbour on the path; it closes a cycle if the start is the other
// one. Paths from whose end the start is too far away are left.
class Search {
 public:
  Search(const RankedGraph& graph, int max_length)
      : graph_(graph), max_length_(max_length), states_(graph.num_nodes()) {}

  // Appends the cycles through `start` and larger nodes; stops after more than `limit` of them.
  std::int64_t run(NodeId start, std::int64_t limit, Found& found) {
    start_ = start;
    found_ = &found;
    room_ = limit;
    count_path_neighbours(start, 1);
    for (const Arc& arc : graph_.arcs(start)) {
      if (arc.head <= start || room_ < 0) break;
      second_ = arc.head;
      path_[0] = arc.edge;
      count_path_neighbours(second_, 1);
      measure_distances();
      extend(second_, 1);
      for (const NodeId node : touched_) states_[node].distance = kFar;
      touched_.clear();
      count_path_neighbours(second_, -1);
    }
    count_path_neighbours(start, -1);
    return limit - room_;
  }

 private:
  static constexpr std::uint8_t kFar = 255;

  struct State {
    std::uint8_t distance = kFar;      // to the start, in edges, on nodes that may follow
    std::uint8_t path_neighbours = 0;  // at most max_length
  };

  // How far it is back to the start for what may follow the second node. The way back ends in a
  // neighbour of the start beyond the second node, since each cycle is met in both directions and
  // only one counts. Neighbours of the second node are reached, but nothing through them.
  void measure_distances() {
    for (const Arc& arc : graph_.arcs(start_)) {
      if (arc.head <= second_) break;
      states_[arc.head].distance = 1;
      touched_.push_back(arc.head);
    }
    for (std::size_t next = 0; next < touched_.size(); ++next) {
      const NodeId node = touched_[next];
      const State state = states_[node];
      // The path has two edges when it gets to a neighbour of the second node.
      if (state.distance + 3 > max_length_) break;
      // A neighbour of both closes a triangle and is of no other use.
      if (state.path_neighbours > (state.distance == 1 ? 1 : 0)) continue;
      for (const Arc& arc : graph_.arcs(node)) {
        if (arc.head <= start_) break;
        State& beyond = states_[arc.head];
        if (beyond.distance != kFar || arc.head == second_) continue;
        beyond.distance = static_cast<std::uint8_t>(state.distance + 1);
        touched_.push_back(arc.head);
      }
    }
  }

  void count_path_neighbours(NodeId node, int change) {
    for (const Arc& arc : graph_.arcs(node)) {
      if (arc.head <= start_) break;
      states_[arc.head].path_neighbours += static_cast<std::uint8_t>(change);
    }
  }

  // `last` is the end of a path of `length` edges, and its neighbours are counted.
  void extend(NodeId last, int length) {
    for (const Arc& arc : graph_.arcs(last)) {
      if (arc.head <= start_) break;
      const State state = states_[arc.head];
      if (length + 1 + state.distance > max_length_) continue;
      path_[static_cast<std::size_t>(length)] = arc.edge;
      if (state.distance == 1) {
        if (state.path_neighbours == 2 && !close(arc.head, length + 1)) break;
      } else if (state.path_neighbours == 1) {
        count_path_neighbours(arc.head, 1);
        extend(arc.head, length + 1);
        count_path_neighbours(arc.head, -1);
        if (room_ < 0) break;
      }
    }
  }

  bool close(NodeId last, int length) {
    if (--room_ < 0) return false;
    const auto back = std::ranges::find(graph_.arcs(last), start_, &Arc::head);
    found_->edges.insert(found_->edges.end(), path_.begin(), path_.begin() + length);
    found_->edges.push_back(back->edge);
    found_->lengths.push_back(static_cast<std::uint8_t>(length + 1));
    return true;
  }

  const RankedGraph& graph_;
  const int max_length_;
  std::vector<State> states_;
  std::vector<NodeId> touched_;
  std::array<EdgeId, kLongestCycle> path_{};
  NodeId start_ = 0;
  NodeId second_ = 0;
  std::int64_t room_ = 0;
  Found* found_ = nullptr;
};

[[noreturn]] void refuse(std::size_t graph, std::size_t limit, int max_length) {
  throw TooManyCyclesError("graph " + std::to_string(graph) + " has more than " +
                           std::to_string(limit) + " chordless cycles of at most " +
                           std::to_string(max_length) +
                           " edges; lower max_length or raise max_cycles");
}

void check_arguments(const Graph& graph, std::span<const std::int64_t> node_offsets,
                     int max_length) {
  if (max_length < kShortestCycle || max_length > kLongestCycle) {
    throw std::invalid_argument("max_length must be from 3 to 8, got " +
                                std::to_string(max_length));
  }
  if (node_offsets.empty() || node_offsets.front() != 0 ||
      node_offsets.back() != static_cast<std::int64_t>(graph.num_nodes()) ||
      !std::ranges::is_sorted(node_offsets)) {
    throw std::invalid_argument("node_offsets must ascend from 0 to the number of nodes, " +
                                std::to_string(graph.num_nodes()));
  }
}

void check_simple(const RankedGraph& graph) {
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto arcs = graph.arcs(node);
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      if (arcs[i].head == node) {
        throw std::invalid_argument("edge " + std::to_string(arcs[i].edge) + " is a self-loop");
      }
      if (i > 0 && arcs[i].head == arcs[i - 1].head) {
        throw std::invalid_argument("edges " + std::to_string(arcs[i - 1].edge) + " and " +
                                    std::to_string(arcs[i].edge) + " join the same nodes");
      }
      if (graph.graph_of(arcs[i].head) != graph.graph_of(node)) {
        throw std::invalid_argument("edge " + std::to_string(arcs[i].edge) +
                                    " joins two graphs");
      }
    }
  }
}

}  // namespace

ChordlessCycles chordless_cycles(const Graph& graph, std::span<const std::int64_t> node_offsets,
                                 int max_length, std::size_t max_cycles_per_graph,
                                 int num_threads) {
  check_arguments(graph, node_offsets, max_length);
  const RankedGraph ranked(graph, node_offsets);
  check_simple(ranked);

  const std::size_t num_graphs = node_offsets.size() - 1;
  const auto limit = static_cast<std::int64_t>(max_cycles_per_graph);
  const std::size_t num_tasks = (ranked.num_nodes() + kNodesPerTask - 1) / kNodesPerTask;
  std::vector<Found> found(num_tasks);
  std::vector<std::atomic<std::int64_t>> totals(num_graphs);
  std::atomic<std::size_t> refused{num_graphs};

  parallel_for(num_tasks, num_threads, [&](bool) {
    return [&, search = Search(ranked, max_length)](std::size_t task) mutable {
      Found& mine = found[task];
      const auto first = static_cast<NodeId>(task * kNodesPerTask);
      const NodeId last = std::min(first + kNodesPerTask, ranked.num_nodes());
      for (NodeId start = first; start < last; ++start) {
        if (refused.load(std::memory_order_relaxed) != num_graphs) return;
        const std::size_t g = ranked.graph_of(start);
        const std::int64_t count = search.run(start, limit, mine);
        if (totals[g].fetch_add(count) + count > limit) {
          refused.store(g);
          return;
        }
        if (mine.counts.empty() || mine.counts.back().first != g) mine.counts.emplace_back(g, 0);
        mine.counts.back().second += count;
      }
    };
  });
  if (refused != num_graphs) refuse(refused, max_cycles_per_graph, max_length);

  ChordlessCycles cycles;
  std::size_t num_cycles = 0;
  std::size_t num_edges = 0;
  for (const Found& part : found) {
    num_cycles += part.lengths.size();
    num_edges += part.edges.size();
  }
  cycles.offsets.reserve(num_cycles + 1);
  cycles.edges.reserve(num_edges);
  cycles.graph_offsets.assign(num_graphs + 1, 0);
  for (Found& part : found) {
    for (const std::uint8_t length : part.lengths) {
      cycles.offsets.push_back(cycles.offsets.back() + length);
    }
    cycles.edges.insert(cycles.edges.end(), part.edges.begin(), part.edges.end());
    for (const auto& [g, count] : part.counts) cycles.graph_offsets[g + 1] += count;
    part = {};
  }
  std::partial_sum(cycles.graph_offsets.begin(), cycles.graph_offsets.end(),
                   cycles.graph_offsets.begin());
  return cycles;
}

}  // namespace multicut
