#include "multicut/graph/graph.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>

#include "arrays.hpp"
#include "multicut/graph/growing_sets.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/graph/simplify.hpp"
#include "multicut/solvers/instance.hpp"

namespace multicut::bindings {
namespace {

NewMatrix<std::int64_t> edge_array(const Graph& graph) {
  std::vector<std::int64_t> ends;
  {
    const Unlocked unlocked(graph.num_edges());
    ends.reserve(2 * static_cast<std::size_t>(graph.num_edges()));
    for (const auto [u, v] : graph.edges()) {
      ends.push_back(u);
      ends.push_back(v);
    }
  }
  return to_numpy_pairs(std::move(ends));
}

using Simplified = std::tuple<Graph, std::optional<NewVector<double>>,
                              std::optional<NewVector<std::int64_t>>,
                              std::optional<NewVector<std::int32_t>>, std::size_t, std::size_t>;

Simplified simplify_edges(const EdgeArray& edges, const Vector<double>& costs,
                          std::optional<std::int64_t> num_nodes, const std::string& prefix) {
  SimpleGraph simple;
  {
    const Unlocked unlocked(costs.shape(0) + static_cast<std::size_t>(num_nodes.value_or(0)));
    simple = simplify({edges.data(), edges.size()}, as_span(costs), num_nodes, kMaxId,
                      prefix);
  }
  const bool changed = !simple.edge_of_input.empty();
  Simplified result(std::move(simple.graph), std::nullopt, std::nullopt, std::nullopt,
                    simple.num_self_loops, simple.num_duplicates);
  if (changed) {
    std::get<1>(result) = to_numpy<double>(std::move(simple.costs));
    std::get<3>(result) = to_numpy<std::int32_t>(std::move(simple.edge_of_input));
  }
  if (!simple.node_ids.empty()) {
    std::get<2>(result) = to_numpy<std::int64_t>(std::move(simple.node_ids));
  }
  return result;
}

std::pair<double, NewVector<bool>> evaluate_labels(const Graph& graph, const Vector<double>& costs,
                                                   const Vector<std::int64_t>& labels) {
  check_costs(graph, costs);
  const Labels dense = labels_from_numpy(labels, graph.num_nodes());
  std::vector<std::uint8_t> cut(graph.num_edges());
  double value = 0;
  {
    const Unlocked unlocked(size_of(graph));
    value = evaluate(graph, as_span(costs), dense, cut);
  }
  return {value, to_numpy<bool>(std::move(cut))};
}

NewVector<bool> cut_edges(const Graph& graph, const Vector<std::int64_t>& labels) {
  if (labels.shape(0) != graph.num_nodes()) {
    throw std::invalid_argument("labels must hold one value per node: " +
                                std::to_string(graph.num_nodes()) + " nodes, " +
                                std::to_string(labels.shape(0)) + " labels");
  }
  std::vector<std::uint8_t> cut(graph.num_edges());
  {
    const Unlocked unlocked(size_of(graph));
    const auto values = as_span(labels);
    std::ranges::transform(graph.edges(), cut.begin(),
                           [&](const Edge& edge) { return values[edge.u] != values[edge.v]; });
  }
  return to_numpy<bool>(std::move(cut));
}

NewVector<std::int64_t> components(const Graph& graph, const Vector<bool>& cut) {
  if (cut.shape(0) != graph.num_edges()) {
    throw std::invalid_argument("cut must hold one flag per edge: " +
                                std::to_string(graph.num_edges()) + " edges, " +
                                std::to_string(cut.shape(0)) + " flags");
  }
  Labels labels;
  {
    const Unlocked unlocked(size_of(graph));
    const auto* flags = reinterpret_cast<const std::uint8_t*>(cut.data());
    labels = connected_components(graph, {flags, cut.shape(0)});
  }
  return labels_to_numpy(labels);
}

}  // namespace

Labels labels_from_numpy(const Vector<std::int64_t>& labels, NodeId num_nodes) {
  if (labels.shape(0) != num_nodes) {
    throw std::invalid_argument("labels must hold one value per node: " +
                                std::to_string(num_nodes) + " nodes, " +
                                std::to_string(labels.shape(0)) + " labels");
  }
  const Unlocked unlocked(num_nodes);
  const auto values = as_span(labels);
  Labels dense(values.size());
  const bool small = std::ranges::all_of(values, [&](std::int64_t label) {
    return label >= 0 && label < static_cast<std::int64_t>(num_nodes);
  });
  if (small) {
    std::ranges::transform(values, dense.begin(),
                           [](std::int64_t label) { return static_cast<NodeId>(label); });
  } else {
    std::unordered_map<std::int64_t, NodeId> renumbered;
    std::ranges::transform(values, dense.begin(), [&](std::int64_t label) {
      return renumbered.try_emplace(label, static_cast<NodeId>(renumbered.size())).first->second;
    });
  }
  make_canonical(dense);
  return dense;
}

void bind_graph(nb::module_& module) {
  nb::class_<Graph>(module, "Graph", "An undirected simple graph; immutable.")
      .def_prop_ro("num_nodes", &Graph::num_nodes)
      .def_prop_ro("num_edges", &Graph::num_edges)
      .def("edges", &edge_array, "The ends of each edge, as a new array.");

  module.def("simplify", &simplify_edges, nb::arg("edges"), nb::arg("costs"),
             nb::arg("num_nodes") = nb::none(), nb::arg("prefix") = "",
             "Validate edges and make them simple: (graph, costs, node_ids, edge_of_input, "
             "num_self_loops, num_duplicates), with None for what did not change. Messages put "
             "`prefix` before the names of the arguments.");
  module.def(
      "find_contradiction",
      [](const Graph& graph, const Vector<double>& costs) {
        check_costs(graph, costs);
        const Unlocked unlocked(size_of(graph));
        return find_contradiction(graph, as_span(costs));
      },
      nb::arg("graph"), nb::arg("costs"),
      "An edge of cost -inf whose ends are joined by edges of cost +inf, or None.");
  module.def(
      "canonical_labels",
      [](const Vector<std::int64_t>& labels) {
        if (labels.shape(0) >= kMaxId) throw std::invalid_argument("too many labels");
        return labels_to_numpy(labels_from_numpy(labels, static_cast<NodeId>(labels.shape(0))));
      },
      nb::arg("labels"), "Labels renumbered to 0 … k−1 in order of first appearance.");
  module.def("evaluate", &evaluate_labels, nb::arg("graph"), nb::arg("costs"), nb::arg("labels"),
             "The objective of a labelling, and which edges it cuts.");
  module.def("cut_edges", &cut_edges, nb::arg("graph"), nb::arg("labels"),
             "Which edges join different labels.");
  module.def("connected_components", &components, nb::arg("graph"), nb::arg("cut"),
             "Canonical labels of the components that the edges not in `cut` span.");
  using Writable = nb::ndarray<std::uint32_t, nb::numpy, nb::ndim<1>, nb::c_contig>;
  module.def(
      "grow_sets",
      [](Writable parents, Writable sizes, const Vector<std::int64_t>& u, const Vector<std::int64_t>& v,
         const Vector<double>& costs, double least_cost, std::uint32_t most) {
        const auto num_nodes = static_cast<std::int64_t>(parents.shape(0));
        if (sizes.shape(0) != parents.shape(0) || u.shape(0) != v.shape(0) ||
            u.shape(0) != costs.shape(0)) {
          throw nb::value_error("arrays must have equal lengths");
        }
        const Unlocked unlocked(u.shape(0));
        for (const auto ends : {as_span(u), as_span(v)}) {
          if (std::ranges::any_of(ends, [&](auto node) { return node < 0 || node >= num_nodes; })) {
            throw std::out_of_range("nodes must be below the number of nodes");
          }
        }
        grow_sets({parents.data(), parents.size()}, {sizes.data(), sizes.size()}, as_span(u), as_span(v),
                  as_span(costs), least_cost, most);
      },
      nb::arg("parents"), nb::arg("sizes"), nb::arg("u"), nb::arg("v"), nb::arg("costs"), nb::kw_only(),
      nb::arg("least_cost"), nb::arg("most"),
      "Join the sets of the ends of each edge, in order, if they have at most `most` nodes together.");
  module.def(
      "finish_sets",
      [](Writable parents) { finish_sets({parents.data(), parents.size()}); }, nb::arg("parents"),
      "Replace the parent of each node by what represents its set.");
}

}  // namespace multicut::bindings
