#include "multicut/exact/wheel_separation.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <queue>
#include <set>
#include <utility>
#include <vector>

#include "multicut/solvers/watch.hpp"

namespace multicut {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
constexpr double kFractional = 1e-6;

// Wheels around one centre after the other. With the length
//   l(u, v) = 1/2 − y_uv + (y_cu + y_cv) / 2 ≥ 0
// of a rim edge, a wheel is violated if its odd rim is shorter than 1/2. Shortest odd closed walks are
// shortest paths from (u, even) to (u, odd) where each edge changes the parity.
class WheelFinder {
 public:
  WheelFinder(const Graph& graph, std::span<const double> values, double tolerance,
              double time_limit)
      : graph_(graph),
        values_(values),
        limit_(0.5 - tolerance),
        clock_(time_limit),
        local_id_(graph.num_nodes(), kNoNode) {}

  // False if the time is up.
  bool find(NodeId centre, Cycles& wheels) {
    // An odd rim whose spokes are all cut or joined is at least 1/2 long.
    const auto incident = graph_.incident_edges(centre);
    if (incident.size() < 3 || std::ranges::none_of(incident, [&](EdgeId e) {
          return is_fractional(e);
        })) {
      return !is_time_up(incident.size());
    }
    collect_rim_edges(centre);
    found_.clear();
    for (NodeId start = 0; start < incident.size(); ++start) {
      if (is_time_up(1)) return false;
      if (is_fractional(incident[start])) find_from(centre, start, wheels);
    }
    return true;
  }

 private:
  struct RimEdge {
    NodeId to;
    EdgeId edge;
    double length;
  };
  struct State {
    double distance = kFar;
    NodeId from = kNoNode;
    EdgeId edge = kNoEdge;
  };
  using Item = std::pair<double, NodeId>;

  bool is_fractional(EdgeId e) const {
    return values_[e] > kFractional && values_[e] < 1 - kFractional;
  }

  bool is_time_up(std::size_t work) { return work_.is_due(work) && clock_.expired(); }

  // The edges between neighbours of the centre that are short enough; nodes are numbered by their
  // position among the neighbours.
  void collect_rim_edges(NodeId centre) {
    const auto neighbours = graph_.neighbours(centre);
    const auto spokes = graph_.incident_edges(centre);
    rim_.assign(neighbours.size(), {});
    for (NodeId i = 0; i < neighbours.size(); ++i) local_id_[neighbours[i]] = i;
    for (NodeId i = 0; i < neighbours.size(); ++i) {
      const auto seconds = graph_.neighbours(neighbours[i]);
      work_ += seconds.size();
      for (std::size_t k = 0; k < seconds.size(); ++k) {
        const NodeId j = local_id_[seconds[k]];
        if (j == kNoNode) continue;
        const EdgeId e = graph_.incident_edges(neighbours[i])[k];
        const double length = 0.5 - values_[e] + (values_[spokes[i]] + values_[spokes[j]]) / 2;
        if (length < limit_) rim_[i].push_back({j, e, std::max(length, 0.0)});
      }
    }
    for (const NodeId node : neighbours) local_id_[node] = kNoNode;
  }

  void find_from(NodeId centre, NodeId start, Cycles& wheels) {
    // State 2i is node i after an even number of edges, 2i + 1 after an odd number.
    states_.assign(2 * rim_.size(), {});
    work_ += rim_.size();
    states_[2 * start].distance = 0;
    std::priority_queue<Item, std::vector<Item>, std::greater<>> queue;
    queue.push({0, 2 * start});
    const NodeId goal = 2 * start + 1;
    while (!queue.empty()) {
      const auto [distance, state] = queue.top();
      queue.pop();
      if (state == goal) break;
      if (distance > states_[state].distance) continue;
      work_ += rim_[state / 2].size();
      for (const RimEdge& rim_edge : rim_[state / 2]) {
        const NodeId next = 2 * rim_edge.to + (1 - state % 2);
        const double longer = distance + rim_edge.length;
        if (longer >= limit_ || longer >= states_[next].distance) continue;
        states_[next] = {longer, state, rim_edge.edge};
        queue.push({longer, next});
      }
    }
    if (states_[goal].distance == kFar) return;

    nodes_.clear();
    const std::size_t first = wheels.edges.size();
    for (NodeId state = goal; state != 2 * start; state = states_[state].from) {
      nodes_.push_back(state / 2);
      wheels.edges.push_back(states_[state].edge);
    }
    std::vector<NodeId> sorted = nodes_;
    std::ranges::sort(sorted);
    const bool is_simple = std::ranges::adjacent_find(sorted) == sorted.end();
    if (!is_simple || !found_.insert(std::move(sorted)).second) {
      wheels.edges.resize(first);
      return;
    }
    for (const NodeId node : nodes_) wheels.edges.push_back(graph_.incident_edges(centre)[node]);
    wheels.offsets.push_back(wheels.edges.size());
  }

  const Graph& graph_;
  std::span<const double> values_;
  double limit_;
  Watch clock_;
  WorkMeter work_;
  std::vector<NodeId> local_id_;
  std::vector<std::vector<RimEdge>> rim_;
  std::vector<State> states_;
  std::vector<NodeId> nodes_;
  std::set<std::vector<NodeId>> found_;  // rims around the centre at hand
};

}  // namespace

Cycles separate_odd_wheels(const Graph& graph, std::span<const double> values, double tolerance,
                           double time_limit) {
  Cycles wheels;
  WheelFinder finder(graph, values, tolerance, time_limit);
  for (NodeId centre = 0; centre < graph.num_nodes(); ++centre) {
    if (!finder.find(centre, wheels)) break;
  }
  return wheels;
}

}  // namespace multicut
