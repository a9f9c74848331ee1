#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "multicut/graph/graph.hpp"

namespace multicut {

// A simple graph whose costs change and that edges are added to, last in, first out. A cost of +inf is a
// must-link, −inf a cannot-link. The graph it starts from must outlive it.
class LiveGraph {
 public:
  LiveGraph(const Graph& graph, std::span<const double> costs);

  NodeId num_nodes() const { return graph_.num_nodes(); }
  EdgeId num_edges() const { return static_cast<EdgeId>(costs_.size()); }
  Edge edge(EdgeId e) const {
    return e < graph_.num_edges() ? graph_.edge(e) : added_[e - graph_.num_edges()];
  }
  std::span<const Edge> added_edges() const { return added_; }
  std::span<const double> costs() const { return costs_; }
  double cost(EdgeId e) const { return costs_[e]; }
  std::size_t degree(NodeId node) const {
    return graph_.degree(node) + (has_added_[node] ? added_at_.at(node).size() : 0);
  }

  void set_cost(EdgeId e, double cost) { costs_[e] = cost; }
  // The two nodes differ and have no edge yet.
  EdgeId add_edge(NodeId u, NodeId v, double cost);
  void remove_last_edge();

  // The edge between two nodes, kNoEdge if there is none.
  EdgeId find(NodeId u, NodeId v) const;

  // Calls visit(neighbour, edge) for each edge of a node.
  template <typename Visit>
  void for_each_arc(NodeId node, Visit visit) const {
    const auto neighbours = graph_.neighbours(node);
    const auto incident = graph_.incident_edges(node);
    for (std::size_t i = 0; i < neighbours.size(); ++i) visit(neighbours[i], incident[i]);
    if (!has_added_[node]) return;
    for (const EdgeId e : added_at_.at(node)) {
      const auto [u, v] = edge(e);
      visit(u == node ? v : u, e);
    }
  }

  // The nodes that must-links join with one, that one first.
  std::vector<NodeId> must_link_group(NodeId node) const;

  // A shortest path of must-links, as edges; empty if there is none.
  std::vector<EdgeId> must_link_path(NodeId from, NodeId to) const;

  // A cannot-link between the groups of two nodes, if there is one.
  std::optional<EdgeId> cannot_link_between(NodeId u, NodeId v) const;

 private:
  const Graph& graph_;
  std::vector<double> costs_;
  std::vector<Edge> added_;
  std::unordered_map<NodeId, std::vector<EdgeId>> added_at_;
  std::vector<std::uint8_t> has_added_;
};

}  // namespace multicut
