#include "multicut/solvers/short_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multicut/graph/sums.hpp"

namespace multicut {
namespace {

// Of long rows only so many edges are looked at: at the end of a repulsive edge where fewer attract, and
// at each node between.
constexpr std::size_t kMostInTriangles = 16;
constexpr std::size_t kMostInSquares = 8;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What is left of a cost and due to rounding alone.
constexpr double kRounding = 1e-9;

}  // namespace

std::span<const double> ShortCyclePacking::pack(const SignedEdges& problem, Sweeps sweeps,
                                                const Stop& stop) {
  const std::size_t num_edges = problem.edges.size();
  num_attractive_ = problem.num_attractive;
  doubt_ = 0;
  left_.resize(num_edges);
  std::ranges::transform(problem.costs, left_.begin(), [](double cost) { return std::abs(cost); });
  share_.resize(num_edges);
  count_.resize(num_edges);
  mark_.assign(problem.num_nodes, kNoEdge);
  build_rows(problem);
  if (sweeps.triangles > 0) {
    if (!find_triangles(stop)) return {};
    sweep<3>(problem.costs, sweeps.triangles);
  }
  if (sweeps.squares > 0) {
    drop_exhausted_arcs();
    if (!find_squares(stop)) return {};
    sweep<4>(problem.costs, sweeps.squares);
  }
  return left_;
}

double ShortCyclePacking::lower_bound() const {
  // Each cycle has one repulsive edge, which has given what the cycle weighs.
  Sum left;
  for (EdgeId e = num_attractive_; e < left_.size(); ++e) left.add(left_[e]);
  return -std::nextafter(left.value() + left.error() + 2 * doubt_, kInfinity);
}

void ShortCyclePacking::Rows::allocate(std::span<const std::uint32_t> sizes) {
  begin.resize(sizes.size());
  std::uint32_t total = 0;
  for (NodeId node = 0; node < sizes.size(); ++node) {
    begin[node] = total;
    total += sizes[node];
  }
  end = begin;
  arcs.resize(total);
}

void ShortCyclePacking::build_rows(const SignedEdges& problem) {
  const auto attractive = problem.edges.first(problem.num_attractive);
  const auto repulsive = problem.edges.subspan(problem.num_attractive);
  sizes_.assign(problem.num_nodes, 0);
  for (const auto [u, v] : attractive) {
    ++sizes_[u];
    ++sizes_[v];
  }
  attractive_.allocate(sizes_);
  for (EdgeId e = 0; e < attractive.size(); ++e) {
    const auto [u, v] = attractive[e];
    attractive_.add(u, {v, e});
    attractive_.add(v, {u, e});
  }
  // A repulsive edge is looked at from the end where more attracts, so that the shorter row is walked; not
  // at all where nothing attracts at the other end.
  const auto owner_and_other = [&](Edge edge) {
    const std::size_t at_u = attractive_[edge.u].size();
    const std::size_t at_v = attractive_[edge.v].size();
    const bool owns_u = at_u != at_v ? at_u > at_v : edge.u < edge.v;
    return owns_u ? edge : Edge{edge.v, edge.u};
  };
  sizes_.assign(problem.num_nodes, 0);
  for (const Edge edge : repulsive) {
    const auto [owner, other] = owner_and_other(edge);
    if (!attractive_[other].empty()) ++sizes_[owner];
  }
  repulsive_.allocate(sizes_);
  for (EdgeId i = 0; i < repulsive.size(); ++i) {
    const auto [owner, other] = owner_and_other(repulsive[i]);
    if (!attractive_[other].empty()) repulsive_.add(owner, {other, problem.num_attractive + i});
  }
}

void ShortCyclePacking::drop_exhausted_arcs() {
  for (Rows* const rows : {&attractive_, &repulsive_}) {
    for (NodeId node = 0; node < rows->begin.size(); ++node) {
      std::uint32_t end = rows->begin[node];
      for (std::uint32_t i = end; i < rows->end[node]; ++i) {
        const Arc arc = rows->arcs[i];
        rows->arcs[end] = arc;
        end += left_[arc.edge] > 0 ? 1U : 0U;
      }
      rows->end[node] = end;
    }
  }
}

void ShortCyclePacking::make_room(std::size_t size) {
  if (num_cycles_ + size > cycles_.size()) cycles_.resize(2 * cycles_.size() + size);
}

bool ShortCyclePacking::find_triangles(const Stop& stop) {
  num_cycles_ = 0;
  WorkMeter work;
  for (NodeId node = 0; node < mark_.size(); ++node) {
    const auto others = repulsive_[node];
    if (others.empty()) continue;
    for (const Arc& arc : attractive_[node]) mark_[arc.head] = arc.edge;
    for (const auto [other, closing] : others) {
      const auto row = attractive_[other];
      make_room(kMostInTriangles);
      for (const auto [head, edge] : row.first(std::min(row.size(), kMostInTriangles))) {
        cycles_[num_cycles_] = {closing, mark_[head], edge, 0};
        num_cycles_ += mark_[head] != kNoEdge ? 1U : 0U;
      }
      work += kMostInTriangles;
    }
    for (const Arc& arc : attractive_[node]) mark_[arc.head] = kNoEdge;
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return false;
  }
  return true;
}

bool ShortCyclePacking::find_squares(const Stop& stop) {
  num_cycles_ = 0;
  WorkMeter work;
  for (NodeId node = 0; node < mark_.size(); ++node) {
    const auto others = repulsive_[node];
    if (others.empty() || attractive_[node].empty()) continue;
    for (const Arc& arc : attractive_[node]) mark_[arc.head] = arc.edge;
    for (const auto [other, closing] : others) {
      const auto row = attractive_[other];
      for (const auto [middle, edge] : row.first(std::min(row.size(), kMostInSquares))) {
        const auto fan = attractive_[middle];
        make_room(kMostInSquares);
        for (const auto [end, rung] : fan.first(std::min(fan.size(), kMostInSquares))) {
          cycles_[num_cycles_] = {closing, mark_[end], rung, edge};
          num_cycles_ += mark_[end] != kNoEdge ? 1U : 0U;
        }
        work += fan.size();
      }
    }
    for (const Arc& arc : attractive_[node]) mark_[arc.head] = kNoEdge;
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return false;
  }
  return true;
}

// Which cycles there are, and which of them are still alive, is hard to predict: these loops have no
// branches for it.
template <std::size_t kLength>
void ShortCyclePacking::sweep(std::span<const double> costs, int times) {
  const std::size_t num_edges = costs.size();
  for (int i = 0; i < times; ++i) {
    std::size_t num_live = 0;
    for (std::size_t j = 0; j < num_cycles_; ++j) {
      const Cycle cycle = cycles_[j];
      double least = left_[cycle[0]];
      for (std::size_t k = 1; k < kLength; ++k) least = std::min(least, left_[cycle[k]]);
      cycles_[num_live] = cycle;
      num_live += least > 0 ? 1U : 0U;
    }
    num_cycles_ = num_live;
    if (num_live == 0) return;
    const std::span<const Cycle> live{cycles_.data(), num_live};
    std::ranges::fill(count_, 0);
    for (const Cycle& cycle : live) {
      for (std::size_t k = 0; k < kLength; ++k) ++count_[cycle[k]];
    }
    double num_rounded = 0;
    for (std::size_t e = 0; e < num_edges; ++e) {
      share_[e] = left_[e] / count_[e];  // of those without a cycle, never used
      num_rounded += count_[e] * std::abs(costs[e]);
    }
    for (const Cycle& cycle : live) {
      double weight = share_[cycle[0]];
      for (std::size_t k = 1; k < kLength; ++k) weight = std::min(weight, share_[cycle[k]]);
      for (std::size_t k = 0; k < kLength; ++k) left_[cycle[k]] -= weight;
    }
    double dropped = 0;
    for (std::size_t e = 0; e < num_edges; ++e) {
      const bool is_rounding = left_[e] < kRounding * std::abs(costs[e]);
      dropped += is_rounding ? std::abs(left_[e]) : 0;
      left_[e] = is_rounding ? 0 : left_[e];
    }
    // Each subtraction rounds by at most half of an epsilon.
    doubt_ += kEpsilon * num_rounded + dropped;
  }
}

}  // namespace multicut
