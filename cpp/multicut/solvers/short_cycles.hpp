#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/stop.hpp"

namespace multicut {

// Edges of a graph, those that attract (of positive cost) first.
struct SignedEdges {
  NodeId num_nodes = 0;
  std::span<const Edge> edges;
  std::span<const double> costs;
  EdgeId num_attractive = 0;
};

// Packs triangles and then cycles of four edges that have exactly one repulsive edge, quickly: in each
// of a few sweeps every cycle takes an equal share of what its edges have left, as far as all of them
// have it. What is left of |cost| says how sure an edge is to be kept or cut.
class ShortCyclePacking {
 public:
  struct Sweeps {
    int triangles = 3;
    int squares = 2;
  };

  // What is left of each edge's |cost|; valid until the next call. Empty if stopped. Does not depend on
  // the number of threads, which `stop` must be safe for.
  std::span<const double> pack(const SignedEdges& problem, Sweeps sweeps, int num_threads = 1,
                               const Stop& stop = kNeverStop);

  // Of the latest call: no partition costs less, in exact arithmetic. Cutting all repulsive edges and
  // nothing else would cost least, but each cycle makes every partition pay its weight more.
  double lower_bound() const;

 private:
  using Cycle = std::array<EdgeId, 4>;

  struct Arc {
    NodeId head;
    EdgeId edge;
  };

  // The arcs of each node, node after node, in groups of four that are filled up with arcs that lead
  // nowhere: loops over whole groups are short and easy to predict.
  struct Rows {
    static constexpr std::uint32_t kGroup = 4;

    std::vector<Arc> arcs;  // and one more
    std::vector<std::uint32_t> begin;
    std::vector<std::uint32_t> end;

    std::span<const Arc> operator[](NodeId node) const {
      return {arcs.data() + begin[node], arcs.data() + end[node]};
    }
    // Calls visit(arc) for the arcs of a node, of the first `most` groups, and what fills up the last group.
    template <typename Visit>
    void for_each_in_groups(NodeId node, std::uint32_t most, Visit visit) const {
      const Arc* arc = arcs.data() + begin[node];
      const Arc* const last = arc + std::min(end[node] - begin[node], kGroup * most);
      for (; arc < last; arc += kGroup) {
        for (std::uint32_t k = 0; k < kGroup; ++k) visit(arc[k]);
      }
    }
    bool is_empty(NodeId node) const { return begin[node] == end[node]; }
    void allocate(std::span<const std::uint32_t> sizes);
    void add(NodeId node, Arc arc) { arcs[end[node]++] = arc; }
    // Without a branch: an arc that is not wanted goes to the place that no row has.
    void add_if(bool is_wanted, NodeId node, Arc arc) {
      arcs[is_wanted ? end[node] : arcs.size() - 1] = arc;
      end[node] += is_wanted ? 1U : 0U;
    }
  };

  // Cycles, and what it takes to find them.
  struct Finder {
    // The attractive edge to a node, of the node at hand, or kNoEdge; one more for arcs that lead nowhere.
    std::vector<EdgeId> mark;
    std::vector<Cycle> cycles;  // the first num_cycles, and room for more
    std::size_t num_cycles = 0;

    void make_room(std::size_t size);
  };

  // Finds the cycles that close with a repulsive edge of some nodes. Gives up if stopped.
  using Find = void (ShortCyclePacking::*)(NodeId begin, NodeId end, Finder& finder,
                                           const Stop& stop) const;

  void build_rows(const SignedEdges& problem);
  void drop_exhausted_arcs(const SignedEdges& problem);
  void find_triangles(NodeId begin, NodeId end, Finder& finder, const Stop& stop) const;
  void find_squares(NodeId begin, NodeId end, Finder& finder, const Stop& stop) const;
  void find_all(Find find, int num_threads, const Stop& stop);
  template <std::size_t kLength>
  void sweep(std::span<const double> costs, int times, const Stop& stop);

  EdgeId num_attractive_ = 0;
  Rows attractive_;  // both directions of each edge
  Rows repulsive_;   // from one end of each edge only
  std::vector<std::uint32_t> sizes_;
  std::vector<std::uint32_t> degrees_;  // how many edges attract at each node
  std::vector<double> left_;
  std::vector<double> share_;
  std::vector<std::uint32_t> count_;  // of the cycles through each edge
  std::vector<EdgeId> touched_;    // the edges of the cycles that are alive, each once
  std::vector<EdgeId> exhausted_;  // those of which nothing is left
  std::size_t num_exhausted_ = 0;
  std::vector<std::uint8_t> has_exhausted_;  // which nodes have such an edge
  Finder found_;
  double doubt_ = 0;  // what rounding may have added to the weights of all cycles
};

}  // namespace multicut
