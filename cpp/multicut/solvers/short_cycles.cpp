#include "multicut/solvers/short_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multicut/graph/sums.hpp"

namespace multicut {
namespace {

// Of long rows only so many edges are looked at: at the end of a repulsive edge where fewer attract, and
// at each node between.
constexpr std::uint32_t kMostInTriangles = 16;
constexpr std::uint32_t kMostInSquares = 8;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What is left of a cost and due to rounding alone.
constexpr double kRounding = 1e-9;

// Each repulsive edge is looked at from the end where more attracts, so that the shorter row is walked.
bool is_owner(const SignedGraph& problem, NodeId node, NodeId other) {
  const std::uint32_t own = problem.attractive_degree(node);
  const std::uint32_t others = problem.attractive_degree(other);
  return own != others ? own > others : node < other;
}

}  // namespace

SignedGraph sort_by_sign(NodeId num_nodes, std::span<const Edge> edges,
                         std::span<const double> costs, const Stop& stop) {
  SignedGraph sorted;
  sorted.attractive_degrees.assign(num_nodes, 0);
  sorted.costs.reserve(costs.size());
  std::vector<Edge> order;
  order.reserve(edges.size());
  for (EdgeId e = 0; e < edges.size(); ++e) {
    if (!(costs[e] > 0)) continue;
    order.push_back(edges[e]);
    sorted.costs.push_back(costs[e]);
    ++sorted.attractive_degrees[edges[e].u];
    ++sorted.attractive_degrees[edges[e].v];
  }
  sorted.num_attractive = static_cast<EdgeId>(order.size());
  for (EdgeId e = 0; e < edges.size(); ++e) {
    if (costs[e] > 0) continue;
    order.push_back(edges[e]);
    sorted.costs.push_back(costs[e]);
  }
  sorted.graph = Graph(num_nodes, std::move(order), stop);
  return sorted;
}

std::span<const double> ShortCyclePacking::pack(const SignedGraph& problem, Sweeps sweeps,
                                                const Stop& stop) {
  const EdgeId num_edges = problem.graph.num_edges();
  doubt_ = 0;
  left_.resize(num_edges);
  std::transform(problem.costs.begin(), problem.costs.end(), left_.begin(),
                 [](double cost) { return std::abs(cost); });
  share_.resize(num_edges);
  count_.assign(num_edges, 0);
  mark_.assign(problem.graph.num_nodes(), kNoEdge);
  if (sweeps.triangles > 0) {
    if (!find_triangles(problem, stop)) return {};
    sweep<3>(problem, sweeps.triangles);
  }
  if (sweeps.squares > 0) {
    if (!find_squares(problem, stop)) return {};
    sweep<4>(problem, sweeps.squares);
  }
  return left_;
}

double ShortCyclePacking::lower_bound(const SignedGraph& problem) const {
  // Each cycle has one repulsive edge, which has given what the cycle weighs.
  Sum left;
  for (EdgeId e = problem.num_attractive; e < left_.size(); ++e) left.add(left_[e]);
  return -std::nextafter(left.value() + left.error() + 2 * doubt_, kInfinity);
}

bool ShortCyclePacking::find_triangles(const SignedGraph& problem, const Stop& stop) {
  const Graph& graph = problem.graph;
  cycles_.clear();
  WorkMeter work;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto neighbours = graph.neighbours(node);
    const auto incident = graph.incident_edges(node);
    const std::uint32_t attractive = problem.attractive_degree(node);
    if (attractive == 0 || attractive == neighbours.size()) continue;
    bool is_marked = false;
    for (std::size_t i = attractive; i < neighbours.size(); ++i) {
      const NodeId other = neighbours[i];
      const std::uint32_t length =
          std::min(problem.attractive_degree(other), kMostInTriangles);
      if (length == 0 || !is_owner(problem, node, other)) continue;
      if (!is_marked) {
        is_marked = true;
        for (std::size_t j = 0; j < attractive; ++j) mark_[neighbours[j]] = incident[j];
      }
      const NodeId* const heads = graph.neighbours(other).data();
      const EdgeId* const edges = graph.incident_edges(other).data();
      for (std::uint32_t j = 0; j < length; ++j) {
        const EdgeId opposite = mark_[heads[j]];
        if (opposite != kNoEdge) cycles_.push_back({incident[i], opposite, edges[j], 0});
      }
      work += length;
    }
    if (is_marked) {
      for (std::size_t j = 0; j < attractive; ++j) mark_[neighbours[j]] = kNoEdge;
    }
    if (work.is_due(neighbours.size()) && stop()) return false;
  }
  return true;
}

bool ShortCyclePacking::find_squares(const SignedGraph& problem, const Stop& stop) {
  const Graph& graph = problem.graph;
  cycles_.clear();
  WorkMeter work;
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    const auto neighbours = graph.neighbours(node);
    const auto incident = graph.incident_edges(node);
    const std::uint32_t attractive = problem.attractive_degree(node);
    if (attractive == 0) continue;
    bool is_marked = false;
    for (std::size_t i = attractive; i < neighbours.size(); ++i) {
      const NodeId other = neighbours[i];
      const std::uint32_t length = std::min(problem.attractive_degree(other), kMostInSquares);
      if (!(left_[incident[i]] > 0) || length == 0 || !is_owner(problem, node, other)) continue;
      if (!is_marked) {
        is_marked = true;
        for (std::size_t j = 0; j < attractive; ++j) {
          if (left_[incident[j]] > 0) mark_[neighbours[j]] = incident[j];
        }
      }
      const NodeId* const heads = graph.neighbours(other).data();
      const EdgeId* const edges = graph.incident_edges(other).data();
      for (std::uint32_t j = 0; j < length; ++j) {
        if (!(left_[edges[j]] > 0)) continue;
        const NodeId middle = heads[j];
        const std::uint32_t fan = std::min(problem.attractive_degree(middle), kMostInSquares);
        const NodeId* const ends = graph.neighbours(middle).data();
        const EdgeId* const rungs = graph.incident_edges(middle).data();
        for (std::uint32_t k = 0; k < fan; ++k) {
          const EdgeId opposite = mark_[ends[k]];
          if (opposite != kNoEdge && left_[rungs[k]] > 0) {
            cycles_.push_back({incident[i], opposite, rungs[k], edges[j]});
          }
        }
        work += fan;
      }
    }
    if (is_marked) {
      for (std::size_t j = 0; j < attractive; ++j) mark_[neighbours[j]] = kNoEdge;
    }
    if (work.is_due(neighbours.size()) && stop()) return false;
  }
  return true;
}

template <std::size_t kLength>
void ShortCyclePacking::sweep(const SignedGraph& problem, int times) {
  for (int i = 0; i < times && !cycles_.empty(); ++i) {
    touched_.clear();
    std::size_t num_live = 0;
    for (std::size_t j = 0; j < cycles_.size(); ++j) {
      const Cycle cycle = cycles_[j];
      bool is_live = true;
      for (std::size_t k = 0; k < kLength; ++k) is_live &= left_[cycle[k]] > 0;
      if (!is_live) continue;
      cycles_[num_live++] = cycle;
      for (std::size_t k = 0; k < kLength; ++k) {
        if (count_[cycle[k]]++ == 0) touched_.push_back(cycle[k]);
      }
    }
    cycles_.resize(num_live);
    for (const EdgeId e : touched_) {
      // Each subtraction rounds by at most half of this.
      doubt_ += kEpsilon * count_[e] * std::abs(problem.costs[e]);
      share_[e] = left_[e] / count_[e];
      count_[e] = 0;
    }
    for (const Cycle& cycle : cycles_) {
      double weight = share_[cycle[0]];
      for (std::size_t k = 1; k < kLength; ++k) weight = std::min(weight, share_[cycle[k]]);
      for (std::size_t k = 0; k < kLength; ++k) left_[cycle[k]] -= weight;
    }
    for (const EdgeId e : touched_) {
      if (left_[e] < kRounding * std::abs(problem.costs[e])) {
        doubt_ += std::abs(left_[e]);
        left_[e] = 0;
      }
    }
  }
}

}  // namespace multicut
