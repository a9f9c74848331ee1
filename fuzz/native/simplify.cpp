// Any list of edges becomes a simple graph or a message.

#include <cmath>
#include <set>
#include <stdexcept>

#include "input.hpp"
#include "multicut/graph/simplify.hpp"

using namespace multicut;
using fuzzing::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const std::uint8_t kind = input.byte();
  std::optional<std::int64_t> num_nodes;
  if ((kind & 1) != 0) num_nodes = (kind & 2) != 0 ? input.raw<std::int16_t>() : input.byte();
  std::vector<std::int64_t> endpoints;
  std::vector<double> costs;
  while (!input.is_empty() && costs.size() < 300) {
    for (int end = 0; end < 2; ++end) {
      const std::uint8_t id = input.byte();
      endpoints.push_back(id < 250 ? id % 16 : input.raw<std::int64_t>());
    }
    costs.push_back(input.cost());
  }
  SimpleGraph simple;
  try {
    simple = simplify(endpoints, costs, num_nodes);
  } catch (const std::invalid_argument& error) {
    require(std::strchr(error.what(), '\n') == nullptr, "errors are one line");
    return 0;
  }
  const Graph& graph = simple.graph;
  std::set<std::pair<NodeId, NodeId>> pairs;
  for (const auto [u, v] : graph.edges()) {
    require(u < graph.num_nodes() && v < graph.num_nodes(), "ends are nodes");
    require(u != v, "there are no self-loops");
    require(pairs.emplace(std::min(u, v), std::max(u, v)).second, "no edge is stated twice");
  }
  require(simple.node_ids.empty() || simple.node_ids.size() == graph.num_nodes(), "nodes have ids");
  require(graph.num_edges() + simple.num_self_loops + simple.num_duplicates == costs.size(),
          "every edge is accounted for");
  const bool is_same = simple.edge_of_input.empty();
  require(is_same || simple.edge_of_input.size() == costs.size(), "every edge has a place");
  require(is_same ? graph.num_edges() == costs.size() : simple.costs.size() == graph.num_edges(),
          "every edge has a cost");
  for (std::size_t e = 0; e < costs.size(); ++e) {
    const std::int32_t place = is_same ? static_cast<std::int32_t>(e) : simple.edge_of_input[e];
    require((place < 0) == (endpoints[2 * e] == endpoints[2 * e + 1]), "self-loops are dropped");
    if (place < 0) continue;
    const Edge edge = graph.edge(static_cast<EdgeId>(place));
    const auto id = [&](NodeId node) {
      return simple.node_ids.empty() ? static_cast<std::int64_t>(node) : simple.node_ids[node];
    };
    require(std::minmax(id(edge.u), id(edge.v)) ==
                std::minmax(endpoints[2 * e], endpoints[2 * e + 1]),
            "an edge keeps its ends");
  }
  return 0;
}
