#include "multicut/bounds/cut_packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "multicut/graph/sums.hpp"
#include "multicut/graph/union_find.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Of a typical cost, what is too little to be packed.
constexpr double kTooLittle = 1e-3;
// A ball ends after so many arcs; what attraction joins to more nodes than that is not begun with.
constexpr std::size_t kMostArcs = 2048;
constexpr double kStepsPerArc = 10;

double rounded_down(double value) { return std::nextafter(value, -kInfinity); }
double rounded_up(double value) { return std::nextafter(value, kInfinity); }

struct Use {
  EdgeId edge;
  double amount;
};

// Sets around one end of an edge, as the distances at which they end, and what they use of each edge.
struct Ball {
  double radius = 0;
  std::vector<Use> uses;
  double total = 0;
};

class CutPacking {
 public:
  CutPacking(const Graph& graph, std::span<const double> costs, EdgeId num_ordinary,
             std::vector<double>& left, Watch& watch)
      : graph_(graph),
        costs_(costs),
        num_ordinary_(num_ordinary),
        left_(left),
        watch_(watch),
        least_(kTooLittle * typical_cost(costs)),
        joined_(graph.num_nodes()),
        num_joined_(graph.num_nodes(), 1),
        distance_(graph.num_nodes(), kInfinity),
        is_inside_(graph.num_nodes(), 0) {
    for (double& amount : left_) amount = std::max(amount, 0.0);
    for (EdgeId e = 0; e < num_ordinary_; ++e) {
      if (length(e) == 0) join(graph_.edge(e).u, graph_.edge(e).v);
    }
  }

  double run(double max_steps) {
    for (EdgeId f = num_ordinary_; f < graph_.num_edges() && num_steps_ < max_steps; ++f) {
      if (work_.is_due(1) && watch_.expired()) break;
      if (costs_[f] > 0 && left_[f] > least_) pack(f);
    }
    return packed_.rounded_down();
  }

 private:
  double length(EdgeId e) const { return costs_[e] < 0 ? left_[e] : 0; }

  void join(NodeId u, NodeId v) {
    u = joined_.find(u);
    v = joined_.find(v);
    if (u == v) return;
    joined_.merge_into(u, v);
    num_joined_[u] += num_joined_[v];
  }

  void pack(EdgeId f) {
    const auto [u, v] = graph_.edge(f);
    if (joined_.find(u) == joined_.find(v)) return;
    grow(u, v, left_[f], balls_[0]);
    grow(v, u, left_[f], balls_[1]);
    // The one that uses less of other edges for what it gains.
    const auto is_worse = [](const Ball& a, const Ball& b) {
      return a.total * b.radius > b.total * a.radius || a.radius == 0;
    };
    const Ball& ball = is_worse(balls_[0], balls_[1]) ? balls_[1] : balls_[0];
    if (ball.radius <= least_) return;
    for (const auto [e, amount] : ball.uses) {
      left_[e] = std::max(0.0, rounded_down(left_[e] - rounded_up(amount)));
      if (left_[e] == 0) join(graph_.edge(e).u, graph_.edge(e).v);
    }
    left_[f] = std::max(0.0, rounded_down(left_[f] - ball.radius));
    packed_.add(ball.radius);
  }

  // Grows a ball to a radius of at most `limit`, which does not hold `goal`. Distances are rounded down, so
  // that no edge is used more than what is left of it.
  void grow(NodeId start, NodeId goal, double limit, Ball& ball) {
    ball.radius = 0;
    ball.uses.clear();
    ball.total = 0;
    if (num_joined_[joined_.find(start)] > kMostArcs) return;
    ball.radius = limit;
    std::size_t num_arcs = 0;
    reach(start, 0);
    while (!heap_.empty()) {
      std::ranges::pop_heap(heap_, {}, &Entry::negated);
      const auto [negated, node] = heap_.back();
      heap_.pop_back();
      if (is_inside_[node]) continue;
      const double here = -negated;
      if (here >= limit) break;
      if (node == goal || num_arcs > kMostArcs) {
        ball.radius = here;
        break;
      }
      is_inside_[node] = 1;
      inside_.push_back(node);
      num_arcs += graph_.degree(node);
      visit_arcs(node, [&](NodeId other, EdgeId e) {
        if (is_inside_[other]) return;
        const double step = length(e);
        reach(other, step == 0 ? here : std::max(here, rounded_down(here + step)));
      });
    }
    for (const NodeId node : inside_) collect_uses(node, ball);
    for (const NodeId node : reached_) {
      distance_[node] = kInfinity;
      is_inside_[node] = 0;
    }
    reached_.clear();
    inside_.clear();
    heap_.clear();
    work_ += 2 * num_arcs;
    num_steps_ += kStepsPerArc * static_cast<double>(num_arcs);
  }

  void reach(NodeId node, double distance) {
    if (!(distance < distance_[node])) return;
    if (distance_[node] == kInfinity) reached_.push_back(node);
    distance_[node] = distance;
    heap_.push_back({-distance, node});
    std::ranges::push_heap(heap_, {}, &Entry::negated);
  }

  // Those of edges to nodes that lie farther out.
  void collect_uses(NodeId node, Ball& ball) {
    const double here = distance_[node];
    visit_arcs(node, [&](NodeId other, EdgeId e) {
      const double there = is_inside_[other] ? distance_[other] : ball.radius;
      if (costs_[e] >= 0 || there <= here) return;
      ball.uses.push_back({e, there - here});
      ball.total += there - here;
    });
  }

  template <typename Visit>
  void visit_arcs(NodeId node, Visit visit) const {
    const auto neighbours = graph_.neighbours(node);
    const auto edges = graph_.incident_edges(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) {
      if (edges[i] < num_ordinary_) visit(neighbours[i], edges[i]);
    }
  }

  struct Entry {
    double negated;  // the distance
    NodeId node;
  };

  const Graph& graph_;
  std::span<const double> costs_;
  EdgeId num_ordinary_;
  std::vector<double>& left_;
  Watch& watch_;
  double least_;
  UnionFind joined_;  // by ordinary edges without length
  std::vector<NodeId> num_joined_;
  std::vector<double> distance_;  // of the search at hand, as are those below
  std::vector<std::uint8_t> is_inside_;
  std::vector<NodeId> reached_;
  std::vector<NodeId> inside_;
  std::vector<Entry> heap_;
  std::array<Ball, 2> balls_;
  Sum packed_;
  WorkMeter work_;
  double num_steps_ = 0;
};

}  // namespace

double pack_cuts(const Graph& graph, std::span<const double> costs, EdgeId num_ordinary,
                 std::vector<double>& left, Watch& watch, double max_steps) {
  if (watch.expired()) return 0;
  return CutPacking(graph, costs, num_ordinary, left, watch).run(max_steps);
}

}  // namespace multicut
