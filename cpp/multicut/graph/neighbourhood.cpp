#include "multicut/graph/neighbourhood.hpp"

#include <algorithm>

namespace multicut {

std::vector<std::int64_t> neighbourhood(const Graph& graph, std::uint32_t distance,
                                        const Stop& stop) {
  std::vector<std::int64_t> pairs;
  std::vector<NodeId> seen_from(graph.num_nodes(), kNoNode);
  std::vector<NodeId> reached;  // by breadth-first search, nearest first
  std::vector<NodeId> partners;
  WorkMeter work;
  for (NodeId source = 0; source < graph.num_nodes(); ++source) {
    reached.assign(1, source);
    seen_from[source] = source;
    partners.clear();
    std::size_t begin = 0;
    for (std::uint32_t step = 1; step <= distance && begin < reached.size(); ++step) {
      for (const std::size_t end = reached.size(); begin < end; ++begin) {
        if (work.is_due(graph.degree(reached[begin])) && stop()) return pairs;
        for (const NodeId next : graph.neighbours(reached[begin])) {
          if (seen_from[next] == source) continue;
          seen_from[next] = source;
          reached.push_back(next);
          if (step > 1 && next > source) partners.push_back(next);
        }
      }
    }
    std::ranges::sort(partners);
    for (const NodeId partner : partners) {
      pairs.push_back(source);
      pairs.push_back(partner);
    }
  }
  return pairs;
}

}  // namespace multicut
