#include "multicut/exact/cycle_separation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <queue>
#include <utility>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {
namespace {

// What one more edge on a path costs: breaks ties without hiding a violation.
constexpr double kHop = 1e-9;

constexpr EdgeId kEdgesBetweenChecks = 64;

// What a thread takes at a time.
constexpr EdgeId kEdgesPerChunk = 2048;

// Dijkstra's algorithm from both ends at once, many times on one graph: only what a search touched
// is reset after it.
class PathFinder {
 public:
  PathFinder(const Graph& graph, std::span<const double> values)
      : graph_(graph), values_(values), sides_{Side(graph.num_nodes()), Side(graph.num_nodes())} {}

  // Edges of the shortest path between the ends of `edge` that avoids it, if shorter than `limit`.
  bool find(EdgeId edge, double limit, std::vector<EdgeId>& path) {
    double shortest = limit;
    NodeId meeting = kNoNode;
    sides_[0].reach(graph_.edge(edge).u, 0, kNoEdge);
    sides_[1].reach(graph_.edge(edge).v, 0, kNoEdge);
    while (!sides_[0].queue.empty() && !sides_[1].queue.empty() &&
           sides_[0].queue.top().first + sides_[1].queue.top().first < shortest) {
      const bool second = sides_[1].queue.size() < sides_[0].queue.size();
      Side& near = sides_[second];
      const Side& far = sides_[!second];
      const auto [distance, node] = near.queue.top();
      near.queue.pop();
      if (distance > near.distance[node]) continue;
      const auto neighbours = graph_.neighbours(node);
      const auto incident = graph_.incident_edges(node);
      for (std::size_t i = 0; i < neighbours.size(); ++i) {
        const NodeId neighbour = neighbours[i];
        const double longer = distance + std::max(values_[incident[i]], 0.0) + kHop;
        if (incident[i] == edge || longer >= shortest || longer >= near.distance[neighbour]) {
          continue;
        }
        near.reach(neighbour, longer, incident[i]);
        if (longer + far.distance[neighbour] < shortest) {
          shortest = longer + far.distance[neighbour];
          meeting = neighbour;
        }
      }
    }
    path.clear();
    for (Side& side : sides_) {
      if (meeting != kNoNode) collect(side, meeting, path);
      side.reset();
    }
    return meeting != kNoNode;
  }

 private:
  static constexpr double kFar = 1e300;
  using Item = std::pair<double, NodeId>;

  struct Side {
    explicit Side(NodeId num_nodes) : distance(num_nodes, kFar), parent_edge(num_nodes, kNoEdge) {}

    void reach(NodeId node, double new_distance, EdgeId parent) {
      if (distance[node] == kFar) touched.push_back(node);
      distance[node] = new_distance;
      parent_edge[node] = parent;
      queue.push({new_distance, node});
    }

    void reset() {
      for (const NodeId node : touched) distance[node] = kFar;
      touched.clear();
      queue = {};
    }

    std::vector<double> distance;
    std::vector<EdgeId> parent_edge;
    std::vector<NodeId> touched;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
  };

  // Appends the edges from a node back to where a side started.
  void collect(const Side& side, NodeId node, std::vector<EdgeId>& path) const {
    while (side.parent_edge[node] != kNoEdge) {
      const EdgeId step = side.parent_edge[node];
      path.push_back(step);
      node = graph_.edge(step).u ^ graph_.edge(step).v ^ node;
    }
  }

  const Graph& graph_;
  std::span<const double> values_;
  std::array<Side, 2> sides_;
};

// The most violated chordless cycle of one edge after the other.
class CycleFinder {
 public:
  CycleFinder(const Graph& graph, std::span<const double> values, double tolerance)
      : graph_(graph),
        values_(values),
        tolerance_(tolerance),
        paths_(graph, values),
        on_cycle_(graph.num_nodes(), 0) {}

  void find(EdgeId edge, Cycles& cycles) {
    if (values_[edge] <= tolerance_) return;
    if (!paths_.find(edge, values_[edge] - tolerance_, path_)) return;
    // A chord would make two shorter cycles, at least one of which is violated, too.
    if (count_edges_inside() != path_.size() + 1) return;
    cycles.edges.push_back(edge);
    cycles.edges.insert(cycles.edges.end(), path_.begin(), path_.end());
    cycles.offsets.push_back(cycles.edges.size());
  }

 private:
  // The number of edges between nodes of the path.
  std::size_t count_edges_inside() {
    std::size_t count = 0;
    for (const EdgeId f : path_) on_cycle_[graph_.edge(f).u] = on_cycle_[graph_.edge(f).v] = 1;
    for (const EdgeId f : path_) {
      for (const NodeId node : {graph_.edge(f).u, graph_.edge(f).v}) {
        if (!on_cycle_[node]) continue;
        on_cycle_[node] = 0;
        for (const NodeId neighbour : graph_.neighbours(node)) count += on_cycle_[neighbour];
      }
    }
    return count;
  }

  const Graph& graph_;
  std::span<const double> values_;
  double tolerance_;
  PathFinder paths_;
  std::vector<EdgeId> path_;
  std::vector<std::uint8_t> on_cycle_;
};

}  // namespace

Cycles separate_cycles(const Graph& graph, std::span<const double> values, double tolerance,
                       double time_limit, int num_threads) {
  Watch clock(time_limit);
  const EdgeId num_chunks = (graph.num_edges() + kEdgesPerChunk - 1) / kEdgesPerChunk;
  std::vector<Cycles> found(num_chunks);
  parallel_for(num_chunks, num_threads, [&](bool) {
    return [&, finder = CycleFinder(graph, values, tolerance)](std::size_t chunk) mutable {
      const auto first = static_cast<EdgeId>(chunk) * kEdgesPerChunk;
      const EdgeId end = std::min(graph.num_edges(), first + kEdgesPerChunk);
      for (EdgeId e = first; e < end; ++e) {
        if (e % kEdgesBetweenChecks == 0 && clock.expired()) return;
        finder.find(e, found[chunk]);
      }
    };
  });
  // In the order of the edges, however many threads there were.
  Cycles cycles;
  for (const Cycles& part : found) cycles.append(part);
  return cycles;
}

}  // namespace multicut
