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
constexpr std::size_t kMostInSquares = 16;
// From so many repulsive edges on, several threads look for cycles.
constexpr std::size_t kManyEdges = 50'000;
constexpr std::size_t kPartsPerThread = 4;
// Groups of arcs to look at where there is no limit.
constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max() / 4;
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
  count_.assign(num_edges, 0);
  if (touched_.size() < num_edges + 1) touched_.resize(num_edges + 1);
  if (exhausted_.size() < num_edges + 1) exhausted_.resize(num_edges + 1);
  num_exhausted_ = 0;
  found_.mark.assign(problem.num_nodes + std::size_t{1}, kNoEdge);
  build_rows(problem);
  if (stop()) return {};
  if (sweeps.triangles > 0) {
    find_all(&ShortCyclePacking::find_triangles, num_threads, stop);
    if (stop()) return {};
    sweep<3>(problem.costs, sweeps.triangles, stop);
  }
  if (sweeps.squares > 0) {
    drop_exhausted_arcs(problem);
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
  const auto num_nodes = static_cast<NodeId>(sizes.size());
  begin.resize(num_nodes);
  std::uint32_t total = 0;
  for (NodeId node = 0; node < num_nodes; ++node) {
    begin[node] = total;
    total += (sizes[node] + kGroup - 1) / kGroup * kGroup;
  }
  end = begin;
  arcs.assign(total + std::size_t{1}, Arc{num_nodes, kNoEdge});
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
  // at all where nothing attracts at the other end, or where it costs nothing. Which end that is, is hard
  // to predict: there is no branch for it.
  degrees_ = sizes_;
  const auto owner_and_other = [&](Edge edge) {
    const std::uint32_t at_u = degrees_[edge.u];
    const std::uint32_t at_v = degrees_[edge.v];
    const bool owns_u = (at_u > at_v) | ((at_u == at_v) & (edge.u < edge.v));
    const NodeId owner = owns_u ? edge.u : edge.v;
    return Edge{owner, edge.u ^ edge.v ^ owner};
  };
  const auto counts = [&](EdgeId i, NodeId other) {
    return (degrees_[other] > 0) & (problem.costs[problem.num_attractive + i] < 0);
  };
  sizes_.assign(problem.num_nodes, 0);
  for (EdgeId i = 0; i < repulsive.size(); ++i) {
    const auto [owner, other] = owner_and_other(repulsive[i]);
    sizes_[owner] += counts(i, other) ? 1U : 0U;
  }
  repulsive_.allocate(sizes_);
  for (EdgeId i = 0; i < repulsive.size(); ++i) {
    const auto [owner, other] = owner_and_other(repulsive[i]);
    repulsive_.add_if(counts(i, other), owner, {other, problem.num_attractive + i});
  }
}

void ShortCyclePacking::drop_exhausted_arcs(const SignedEdges& problem) {
  has_exhausted_.assign(problem.num_nodes, 0);
  for (const EdgeId e : std::span(exhausted_).first(num_exhausted_)) {
    const auto [u, v] = problem.edges[e];
    has_exhausted_[u] = has_exhausted_[v] = 1;
  }
  for (NodeId node = 0; node < problem.num_nodes; ++node) {
    if (!has_exhausted_[node]) continue;
    for (Rows* const rows : {&attractive_, &repulsive_}) {
      std::uint32_t end = rows->begin[node];
      for (std::uint32_t i = end; i < rows->end[node]; ++i) {
        const Arc arc = rows->arcs[i];
        rows->arcs[end] = arc;
        end += left_[arc.edge] > 0 ? 1U : 0U;
      }
      std::fill(rows->arcs.begin() + end, rows->arcs.begin() + rows->end[node],
                Arc{problem.num_nodes, kNoEdge});
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
    attractive_.for_each_in_groups(node, kAll, [&](const Arc& arc) { mark[arc.head] = arc.edge; });
    for (const auto [other, closing] : others) {
      finder.make_room(kMostInTriangles);
      Cycle* next = cycles.data() + num_cycles;
      attractive_.for_each_in_groups(other, kMostInTriangles / Rows::kGroup, [&](const Arc& arc) {
        const EdgeId first = mark[arc.head];
        *next = {closing, first, arc.edge, 0};
        next += first != kNoEdge ? 1 : 0;
      });
      num_cycles = static_cast<std::size_t>(next - cycles.data());
      work += kMostInTriangles;
    }
    attractive_.for_each_in_groups(node, kAll, [&](const Arc& arc) { mark[arc.head] = kNoEdge; });
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return;
  }
}

void ShortCyclePacking::find_squares(NodeId begin, NodeId end, Finder& finder,
                                     const Stop& stop) const {
  auto& [mark, cycles, num_cycles] = finder;
  const double degree = 2.0 * static_cast<double>(left_.size()) /
                        std::max(static_cast<double>(mark.size() - 1), 1.0);
  const auto most = static_cast<std::size_t>(
      std::clamp(kMostInSquaresTimesDegree / degree, kFewestInSquares, double{kMostInSquares}));
  WorkMeter work;
  for (NodeId node = begin; node < end; ++node) {
    const auto others = repulsive_[node];
    if (others.empty() || attractive_.is_empty(node)) continue;
    attractive_.for_each_in_groups(node, kAll, [&](const Arc& arc) { mark[arc.head] = arc.edge; });
    for (const auto [other, closing] : others) {
      const auto row = attractive_[other];
      for (const auto [middle, edge] : row.first(std::min(row.size(), most))) {
        finder.make_room(kMostInSquares);
        Cycle* next = cycles.data() + num_cycles;
        const auto visit = [&](const Arc& arc) {
          const EdgeId first = mark[arc.head];
          *next = {closing, first, arc.edge, edge};
          next += first != kNoEdge ? 1 : 0;
        };
        if (const auto fan = attractive_[middle]; fan.size() > most) {
          std::ranges::for_each(fan.first(most), visit);
        } else {
          attractive_.for_each_in_groups(middle, kAll, visit);
        }
        num_cycles = static_cast<std::size_t>(next - cycles.data());
        work += most;
      }
    }
    attractive_.for_each_in_groups(node, kAll, [&](const Arc& arc) { mark[arc.head] = kNoEdge; });
    if (work.is_due(others.size() + attractive_[node].size()) && stop()) return;
  }
}

void ShortCyclePacking::find_all(Find find, int num_threads, const Stop& stop) {
  const auto num_nodes = static_cast<NodeId>(found_.mark.size() - 1);
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
    return [&, finder = Finder{std::vector<EdgeId>(num_nodes + std::size_t{1}, kNoEdge), {}, 0}](std::size_t i) mutable {
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
    std::size_t num_touched = 0;
    for (const Cycle& cycle : live) {
      for (std::size_t k = 0; k < kLength; ++k) {
        touched_[num_touched] = cycle[k];
        num_touched += count_[cycle[k]]++ == 0 ? 1U : 0U;
      }
    }
    const std::span<const EdgeId> touched{touched_.data(), num_touched};
    double num_rounded = 0;
    for (const EdgeId e : touched) {
      share_[e] = left_[e] / count_[e];
      num_rounded += count_[e] * std::abs(costs[e]);
      count_[e] = 0;
    }
    for (const Cycle& cycle : live) {
      double weight = share_[cycle[0]];
      for (std::size_t k = 1; k < kLength; ++k) weight = std::min(weight, share_[cycle[k]]);
      for (std::size_t k = 0; k < kLength; ++k) left_[cycle[k]] -= weight;
    }
    double dropped = 0;
    for (const EdgeId e : touched) {
      const bool is_rounding = left_[e] < kRounding * std::abs(costs[e]);
      dropped += is_rounding ? std::abs(left_[e]) : 0;
      left_[e] = is_rounding ? 0 : left_[e];
      exhausted_[num_exhausted_] = e;
      num_exhausted_ += is_rounding ? 1U : 0U;
    }
    // Each subtraction rounds by at most half of an epsilon.
    doubt_ += kEpsilon * num_rounded + dropped;
  }
}

}  // namespace multicut
