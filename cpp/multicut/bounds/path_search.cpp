#include "multicut/bounds/path_search.hpp"

#include <algorithm>
#include <limits>

namespace multicut {
namespace {

constexpr float kFar = std::numeric_limits<float>::max();

// What one more edge on a path costs: of paths that are about as cheap, short ones are worth more.
constexpr float kHop = 0.01f;

// What it takes to look at an arc, and to reach a node: its place in memory may be anywhere.
constexpr double kStepsPerArc = 3;
constexpr double kStepsPerNode = 40;

}  // namespace

PathSearch::PathSearch(const PackingProblem& problem) : problem_(problem) {
  for (Side& side : sides_) {
    side.distance.assign(problem.num_nodes(), kFar);
    side.parent_edge.assign(problem.num_nodes(), kNoEdge);
  }
}

PathSearch::Outcome PathSearch::find_short(EdgeId edge, std::span<const double> left, double least,
                                           int max_length, std::vector<EdgeId>& path) {
  Outcome outcome = Outcome::kTooLong;
  reach(sides_[0], problem_.edge(edge).u, 0, kNoEdge);
  reach(sides_[1], problem_.edge(edge).v, 0, kNoEdge);
  for (Side& side : sides_) side.frontier.assign(1, side.touched[0]);
  for (int length = 0; length < max_length && outcome == Outcome::kTooLong; ++length) {
    const bool second = sides_[1].frontier.size() < sides_[0].frontier.size();
    Side& near = sides_[second];
    const Side& far = sides_[!second];
    if (near.frontier.empty()) {
      outcome = Outcome::kUnreachable;
      break;
    }
    next_frontier_.clear();
    for (const NodeId node : near.frontier) {
      const auto arcs = problem_.attractive_arcs(node);
      num_steps_ += kStepsPerArc * static_cast<double>(arcs.size());
      for (const auto [head, step] : arcs) {
        if (left[step] <= least || near.distance[head] != kFar) continue;
        if (far.distance[head] != kFar) {
          path.push_back(step);
          collect(near, node, path);
          collect(far, head, path);
          outcome = Outcome::kFound;
          break;
        }
        reach(near, head, 0, step);
        next_frontier_.push_back(head);
      }
      if (outcome == Outcome::kFound) break;
    }
    near.frontier.swap(next_frontier_);
  }
  reset();
  return outcome;
}

bool PathSearch::find_cheap(EdgeId edge, std::span<const double> prices, double limit,
                            std::vector<EdgeId>& path) {
  const auto is_farther = [](const Entry& a, const Entry& b) { return a.distance > b.distance; };
  float shortest = static_cast<float>(limit);
  NodeId meeting = kNoNode;
  const std::array<NodeId, 2> ends{problem_.edge(edge).u, problem_.edge(edge).v};
  for (const std::size_t s : {0u, 1u}) {
    reach(sides_[s], ends[s], 0, kNoEdge);
    sides_[s].heap.assign(1, {0, ends[s]});
  }
  while (!sides_[0].heap.empty() && !sides_[1].heap.empty() &&
         sides_[0].heap.front().distance + sides_[1].heap.front().distance < shortest) {
    const bool second = sides_[1].heap.size() < sides_[0].heap.size();
    Side& near = sides_[second];
    const Side& far = sides_[!second];
    const auto [distance, node] = near.heap.front();
    std::ranges::pop_heap(near.heap, is_farther);
    near.heap.pop_back();
    if (distance > near.distance[node]) continue;
    const auto arcs = problem_.attractive_arcs(node);
    num_steps_ += kStepsPerArc * static_cast<double>(arcs.size());
    for (const auto [head, step] : arcs) {
      const float longer = distance + static_cast<float>(prices[step]) + kHop;
      if (longer >= shortest || longer >= near.distance[head]) continue;
      reach(near, head, longer, step);
      near.heap.push_back({longer, head});
      std::ranges::push_heap(near.heap, is_farther);
      if (longer + far.distance[head] < shortest) {
        shortest = longer + far.distance[head];
        meeting = head;
      }
    }
  }
  if (meeting != kNoNode) {
    for (const Side& side : sides_) collect(side, meeting, path);
  }
  reset();
  return meeting != kNoNode;
}

void PathSearch::reach(Side& side, NodeId node, float distance, EdgeId parent) {
  if (side.distance[node] == kFar) side.touched.push_back(node);
  num_steps_ += kStepsPerNode;
  side.distance[node] = distance;
  side.parent_edge[node] = parent;
}

// Appends the edges from a node back to where a side started.
void PathSearch::collect(const Side& side, NodeId node, std::vector<EdgeId>& path) const {
  while (side.parent_edge[node] != kNoEdge) {
    path.push_back(side.parent_edge[node]);
    node = problem_.other_end(side.parent_edge[node], node);
  }
}

void PathSearch::reset() {
  for (Side& side : sides_) {
    for (const NodeId node : side.touched) side.distance[node] = kFar;
    side.touched.clear();
  }
}

}  // namespace multicut
