#include "multicut/exact/cut_separation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "multicut/graph/components.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {
namespace {

// Less is no capacity: sums of so little stay far below any tolerance.
constexpr double kLeastCapacity = 1e-10;

constexpr EdgeId kEdgesBetweenChecks = 16;

// What a thread takes at a time.
constexpr EdgeId kEdgesPerChunk = 256;

// The ordinary edges with capacities 1 − y_e. Edges that let through all that a lifted edge could ask
// for are contracted, which leaves little of a solution that is almost integral.
class Network {
 public:
  Network(const Graph& ordinary, std::span<const double> values, double tolerance)
      : node_of_(components_of(ordinary, [&](EdgeId e) { return values[e] <= tolerance; })) {
    std::vector<Edge> edges;
    for (EdgeId e = 0; e < ordinary.num_edges(); ++e) {
      const Edge edge{node_of_[ordinary.edge(e).u], node_of_[ordinary.edge(e).v]};
      if (edge.u == edge.v) continue;
      edges.push_back(edge);
      edge_of_input_.push_back(e);
      capacities_.push_back(std::max(1 - values[e], 0.0));
    }
    // Labels are canonical, so the largest is the last new one.
    const NodeId count = node_of_.empty() ? 0 : *std::ranges::max_element(node_of_) + 1;
    graph_ = Graph(count, std::move(edges));
  }

  const Graph& graph() const { return graph_; }
  NodeId node_of(NodeId input) const { return node_of_[input]; }
  EdgeId edge_of_input(EdgeId e) const { return edge_of_input_[e]; }
  double capacity(EdgeId e) const { return capacities_[e]; }

 private:
  Labels node_of_;
  Graph graph_;
  std::vector<EdgeId> edge_of_input_;
  std::vector<double> capacities_;
};

// Maximum flows between the ends of one lifted edge after the other, by shortest augmenting paths. A
// flow ends when it is as large as the lifted edge asks for; only what it touched is reset.
class CutFinder {
 public:
  CutFinder(const Network& network, const Graph& both, std::span<const double> values,
            double tolerance)
      : network_(network),
        both_(both),
        values_(values),
        tolerance_(tolerance),
        flow_(network.graph().num_edges(), 0),
        mark_(network.graph().num_nodes(), 0),
        from_(network.graph().num_nodes(), kNoEdge) {}

  void find(EdgeId lifted, Cycles& cuts) {
    const double asked = 1 - values_[lifted] - tolerance_;
    const NodeId source = network_.node_of(both_.edge(lifted).u);
    const NodeId sink = network_.node_of(both_.edge(lifted).v);
    if (source == sink || asked <= 0) return;
    double total = 0;
    while (total < asked && search(source, sink, true)) total += augment(source, sink);
    if (total < asked) {
      // The nodes that were reached are the smallest side of a minimum cut; then, from the other end,
      // the smallest other side.
      const std::size_t first = cuts.edges.size();
      add_cut(lifted, sink, cuts);
      const std::size_t second = cuts.edges.size();
      search(sink, source, false);
      add_cut(lifted, source, cuts);
      const bool is_same = std::ranges::equal(
          cuts.edges.begin() + static_cast<std::ptrdiff_t>(first),
          cuts.edges.begin() + static_cast<std::ptrdiff_t>(second),
          cuts.edges.begin() + static_cast<std::ptrdiff_t>(second), cuts.edges.end());
      if (is_same && second > first) {
        cuts.edges.resize(second);
        cuts.offsets.pop_back();
      }
    }
    for (const EdgeId e : touched_) flow_[e] = 0;
    touched_.clear();
  }

 private:
  // What an edge lets through from a node, or towards it; flows go from u to v.
  double residual(EdgeId e, NodeId node, bool forward) const {
    const bool along = (network_.graph().edge(e).u == node) == forward;
    return network_.capacity(e) - (along ? flow_[e] : -flow_[e]);
  }

  // Whether there is a way from `start` to `goal`; else marks all nodes that can be reached. Backward,
  // it is a way for flow from the nodes reached to `start`.
  bool search(NodeId start, NodeId goal, bool forward) {
    const Graph& graph = network_.graph();
    const std::uint32_t mark = next_mark();
    queue_.assign(1, start);
    mark_[start] = mark;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const NodeId node = queue_[i];
      const auto neighbours = graph.neighbours(node);
      const auto incident = graph.incident_edges(node);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        if (mark_[neighbours[k]] == mark) continue;
        if (residual(incident[k], node, forward) <= kLeastCapacity) continue;
        mark_[neighbours[k]] = mark;
        from_[neighbours[k]] = incident[k];
        if (neighbours[k] == goal) return true;
        queue_.push_back(neighbours[k]);
      }
    }
    return false;
  }

  double augment(NodeId source, NodeId sink) {
    const Graph& graph = network_.graph();
    const auto other = [&](EdgeId e, NodeId node) {
      return graph.edge(e).u ^ graph.edge(e).v ^ node;
    };
    double least = 1;
    for (NodeId node = sink; node != source;) {
      const NodeId before = other(from_[node], node);
      least = std::min(least, residual(from_[node], before, true));
      node = before;
    }
    for (NodeId node = sink; node != source;) {
      const EdgeId e = from_[node];
      node = other(e, node);
      flow_[e] += graph.edge(e).u == node ? least : -least;
      touched_.push_back(e);
    }
    return least;
  }

  // Adds the inequality of the cut between the marked nodes and what is left of the graph around
  // `far`, if it is violated. Edges to other parts of what is left are not needed to separate the ends.
  void add_cut(EdgeId lifted, NodeId far, Cycles& cuts) {
    const Graph& graph = network_.graph();
    const std::uint32_t near_mark = current_mark_;
    const std::uint32_t mark = next_mark();
    const std::size_t first = cuts.edges.size();
    cuts.edges.push_back(lifted);
    double slack = values_[lifted] - 1;
    queue_.assign(1, far);
    mark_[far] = mark;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
      const auto neighbours = graph.neighbours(queue_[i]);
      const auto incident = graph.incident_edges(queue_[i]);
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        if (mark_[neighbours[k]] == near_mark) {
          slack += network_.capacity(incident[k]);
          cuts.edges.push_back(network_.edge_of_input(incident[k]));
        } else if (mark_[neighbours[k]] != mark) {
          mark_[neighbours[k]] = mark;
          queue_.push_back(neighbours[k]);
        }
      }
    }
    if (slack >= -tolerance_) {
      cuts.edges.resize(first);
      return;
    }
    std::sort(cuts.edges.begin() + static_cast<std::ptrdiff_t>(first) + 1, cuts.edges.end());
    cuts.offsets.push_back(cuts.edges.size());
  }

  std::uint32_t next_mark() {
    if (++current_mark_ == 0) {
      std::ranges::fill(mark_, 0);
      current_mark_ = 1;
    }
    return current_mark_;
  }

  const Network& network_;
  const Graph& both_;
  std::span<const double> values_;
  double tolerance_;
  std::vector<double> flow_;
  std::vector<EdgeId> touched_;  // edges of the network with a flow, some of them several times
  std::vector<std::uint32_t> mark_;
  std::uint32_t current_mark_ = 0;
  std::vector<EdgeId> from_;
  std::vector<NodeId> queue_;
};

}  // namespace

Cycles separate_cuts(const Graph& ordinary, const Graph& both, std::span<const double> values,
                     double tolerance, double time_limit, int num_threads) {
  Watch clock(time_limit);
  const Network network(ordinary, values, tolerance);
  const EdgeId num_lifted = both.num_edges() - ordinary.num_edges();
  const EdgeId num_chunks = (num_lifted + kEdgesPerChunk - 1) / kEdgesPerChunk;
  std::vector<Cycles> found(num_chunks);
  parallel_for(num_chunks, num_threads, [&](bool) {
    return [&, finder = CutFinder(network, both, values, tolerance)](std::size_t chunk) mutable {
      const EdgeId first = ordinary.num_edges() + static_cast<EdgeId>(chunk) * kEdgesPerChunk;
      const EdgeId end = std::min(both.num_edges(), first + kEdgesPerChunk);
      for (EdgeId f = first; f < end; ++f) {
        if ((f - first) % kEdgesBetweenChecks == 0 && clock.expired()) return;
        finder.find(f, found[chunk]);
      }
    };
  });
  // In the order of the edges, however many threads there were.
  Cycles cuts;
  for (const Cycles& part : found) cuts.append(part);
  return cuts;
}

}  // namespace multicut
