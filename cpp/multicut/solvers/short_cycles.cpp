#include "multicut/solvers/short_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "multicut/graph/sums.hpp"
#include "multicut/parallel/parallel_for.hpp"

namespace multicut {
namespace {

// Of long rows only so many edges are looked at: at the end of a repulsive edge where fewer attract, and
// at each node between.
constexpr std::size_t kMostInTriangles = 16;
// Squares are so many in dense graphs that fewer suffice: at a mean degree of d, so many over d.
constexpr double kMostInSquaresTimesDegree = 100;
constexpr double kFewestInSquares = 3;
constexpr double kMostInSquares = 16;
// From so many repulsive edges on, several threads look for cycles.
constexpr std::size_t kManyEdges = 50'000;
constexpr std::size_t kPartsPerThread = 4;
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// What is left of a cost and due to rounding alone.
constexpr double kRounding = 1e-9;

}  // namespace

std::span<const double> ShortCyclePacking::pack(const SignedEdges& problem, Sweeps sweeps,
                                                int num_threads, const Stop& stop) {
  const std::size_t num_edges = problem.edges.size();
  num_attractive_ = problem.num_attractive;
  doubt_ = 0;
  left_.resize(num_edges);
  std::ranges::transform(problem.costs, left_.begin(), [](double cost) { return std::abs(cost); });
  share_.resize(num_edges);
  count_.resize(num_edges);
  found_.mark.assign(problem.num_nodes, kNoEdge);
  build_rows(problem);
  if (stop()) return {};
  if (sweeps.triangles > 0) {
    find_all(&ShortCyclePacking::find_triangles, num_threads, stop);
    if (stop()) return {};
    sweep<3>(problem.costs, sweeps.triangles, stop);
  }
  if (sweeps.squares > 0) {
    drop_exhausted_arcs();
    find_all(&ShortCyclePacking::find_squares, num_threads, stop);
    if (stop()) return {};
    sweep<4>(problem.costs, sweeps.squares, stop);
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

void ShortCyclePacking::Finder::make_room(std::size_t size) {
  if (num_cycles + size > cycles.size()) cycles.resize(2 * cycles.size() + size);
}

void ShortCyclePacking::find_triangles(NodeId begin, NodeId end, Finder& finder,
                                       const Stop& stop) const {
  auto& [mark, cycles, num_cycles] = finder;
  WorkMeter work;
  for (NodeId node = begin; node < end; ++node) {
    const auto others = repulsive_[node];
    if (others.empty()) continue;
    for (const Arc& arc : attractive_[node]) mark[arc.head] = arc.edge;
    for (const auto [other, closing] : others) {
      const auto row = attractive_[other];
      finder.make_room(kMostInTriangles);
      for (const auto [head, edge] : row.first(std::min(row.size(), kMostInTriangles))) {
        cycles[num_cycles] = {closing, mark[head], edge, 0};
        num_cycles += mark[head] != kNoEdge ? 1U : 0U;
      }
      work += kMostInTriangles;
    }
    for (const Arc& arc : attractive_[node]) mark[arc.head] = kNoEdge;
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return;
  }
}

void ShortCyclePacking::find_squares(NodeId begin, NodeId end, Finder& finder,
                                     const Stop& stop) const {
  auto& [mark, cycles, num_cycles] = finder;
  const double degree = 2.0 * static_cast<double>(left_.size()) /
                        std::max(static_cast<double>(mark.size()), 1.0);
  const auto most = static_cast<std::size_t>(
      std::clamp(kMostInSquaresTimesDegree / degree, kFewestInSquares, kMostInSquares));
  WorkMeter work;
  for (NodeId node = begin; node < end; ++node) {
    const auto others = repulsive_[node];
    if (others.empty() || attractive_[node].empty()) continue;
    for (const Arc& arc : attractive_[node]) mark[arc.head] = arc.edge;
    for (const auto [other, closing] : others) {
      const auto row = attractive_[other];
      for (const auto [middle, edge] : row.first(std::min(row.size(), most))) {
        const auto fan = attractive_[middle];
        finder.make_room(most);
        for (const auto [last, rung] : fan.first(std::min(fan.size(), most))) {
          cycles[num_cycles] = {closing, mark[last], rung, edge};
          num_cycles += mark[last] != kNoEdge ? 1U : 0U;
        }
        work += fan.size();
      }
    }
    for (const Arc& arc : attractive_[node]) mark[arc.head] = kNoEdge;
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return;
  }
}

void ShortCyclePacking::find_all(Find find, int num_threads, const Stop& stop) {
  const auto num_nodes = static_cast<NodeId>(found_.mark.size());
  found_.num_cycles = 0;
  if (num_threads <= 1 || repulsive_.arcs.size() < kManyEdges) {
    (this->*find)(0, num_nodes, found_, stop);
    return;
  }
  // Parts of the nodes side by side, whose cycles are put together in the order of nodes.
  const std::size_t num_parts = kPartsPerThread * static_cast<std::size_t>(num_threads);
  const auto border = [&](std::size_t part) {
    return static_cast<NodeId>(part * num_nodes / num_parts);
  };
  std::vector<std::vector<Cycle>> parts(num_parts);
  parallel_for(num_parts, num_threads, [&](bool) {
    return [&, finder = Finder{std::vector<EdgeId>(num_nodes, kNoEdge), {}, 0}](std::size_t i) mutable {
      finder.num_cycles = 0;
      (this->*find)(border(i), border(i + 1), finder, stop);
      parts[i].assign(finder.cycles.begin(),
                      finder.cycles.begin() + static_cast<std::ptrdiff_t>(finder.num_cycles));
    };
  });
  for (const auto& part : parts) found_.num_cycles += part.size();
  if (found_.cycles.size() < found_.num_cycles) found_.cycles.resize(found_.num_cycles);
  auto next = found_.cycles.begin();
  for (const auto& part : parts) next = std::ranges::copy(part, next).out;
}

// Which cycles there are, and which of them are still alive, is hard to predict: these loops have no
// branches for it.
template <std::size_t kLength>
void ShortCyclePacking::sweep(std::span<const double> costs, int times, const Stop& stop) {
  const std::size_t num_edges = costs.size();
  auto& [_, cycles, num_cycles] = found_;
  for (int i = 0; i < times && !stop(); ++i) {
    std::size_t num_live = 0;
    for (std::size_t j = 0; j < num_cycles; ++j) {
      const Cycle cycle = cycles[j];
      double least = left_[cycle[0]];
      for (std::size_t k = 1; k < kLength; ++k) least = std::min(least, left_[cycle[k]]);
      cycles[num_live] = cycle;
      num_live += least > 0 ? 1U : 0U;
    }
    num_cycles = num_live;
    if (num_live == 0) return;
    const std::span<const Cycle> live{cycles.data(), num_live};
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
