#include "multicut/lifted/join_components.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "multicut/graph/union_find.hpp"

namespace multicut {

Labels join_components(LiftedContraction& clusters, double& objective) {
  Labels labels = clusters.labels();
  // Which edges are dead is hard to predict: there is no branch for it.
  std::vector<EdgeId> live(clusters.num_ids() + 1);
  std::size_t num_live = 0;
  bool any_attracts = false;
  for (EdgeId e = 0; e < clusters.num_ids(); ++e) {
    const bool is_live = !clusters.is_dead(e);
    live[num_live] = e;
    num_live += is_live ? 1U : 0U;
    any_attracts |= is_live & (clusters.cost(e) > 0);
  }
  if (!any_attracts) return labels;
  live.resize(num_live);
  // The ends of live edges are nodes that stand for clusters.
  const auto cluster_of = [&](NodeId end) { return labels[end]; };
  UnionFind components(clusters.num_nodes());
  for (const EdgeId e : live) {
    if (!clusters.connects(e)) continue;
    components.merge(cluster_of(clusters.edge(e).u), cluster_of(clusters.edge(e).v));
  }
  std::vector<double> gains(clusters.num_nodes(), 0);
  for (const EdgeId e : live) {
    const NodeId component = components.find(cluster_of(clusters.edge(e).u));
    const bool is_inside = component == components.find(cluster_of(clusters.edge(e).v));
    if (is_inside) gains[component] += clusters.cost(e);
  }
  double total = 0;
  for (const double gain : gains) total += std::max(gain, 0.0);
  if (total == 0) return labels;
  objective -= total;
  for (NodeId& label : labels) {
    const NodeId component = components.find(label);
    if (gains[component] > 0) label = component;
  }
  make_canonical(labels);
  return labels;
}

}  // namespace multicut
