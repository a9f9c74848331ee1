#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "multicut/lifted/problem.hpp"
#include "multicut/lifted/trivial_partition.hpp"

namespace multicut::bindings {
namespace {

std::size_t size_of(const LiftedProblem& problem) {
  return bindings::size_of(problem.graph) + problem.lifted.num_edges();
}

LiftedProblem checked(const Graph& graph, const Vector<double>& costs, const Graph& lifted_graph,
                      const Vector<double>& lifted_costs) {
  check_costs(graph, costs);
  check_costs(lifted_graph, lifted_costs);
  if (graph.num_nodes() != lifted_graph.num_nodes()) {
    throw std::invalid_argument("graph and lifted_graph must have as many nodes, got " +
                                std::to_string(graph.num_nodes()) + " and " +
                                std::to_string(lifted_graph.num_nodes()));
  }
  return {graph, as_span(costs), lifted_graph, as_span(lifted_costs)};
}

std::tuple<double, NewVector<bool>, NewVector<bool>> evaluate_labels(
    const Graph& graph, const Vector<double>& costs, const Graph& lifted_graph,
    const Vector<double>& lifted_costs, const Vector<std::int64_t>& labels) {
  const LiftedProblem problem = checked(graph, costs, lifted_graph, lifted_costs);
  Labels dense = labels_from_numpy(labels, graph.num_nodes());
  std::vector<std::uint8_t> cut(graph.num_edges());
  std::vector<std::uint8_t> lifted_cut(lifted_graph.num_edges());
  double value = 0;
  {
    const Unlocked unlocked(size_of(problem));
    dense = split_disconnected(graph, dense);
    value = evaluate(problem, dense, cut, lifted_cut);
  }
  return {value, to_numpy<bool>(std::move(cut)), to_numpy<bool>(std::move(lifted_cut))};
}

std::optional<std::tuple<NodeId, NodeId, bool>> contradiction(const Graph& graph,
                                                              const Vector<double>& costs,
                                                              const Graph& lifted_graph,
                                                              const Vector<double>& lifted_costs) {
  const LiftedProblem problem = checked(graph, costs, lifted_graph, lifted_costs);
  const Unlocked unlocked(size_of(problem));
  const auto found = find_contradiction(problem);
  if (!found) return std::nullopt;
  return std::tuple(found->u, found->v, found->is_apart);
}

NewVector<std::int64_t> without_search(const Graph& graph, const Vector<double>& costs,
                                       const Graph& lifted_graph,
                                       const Vector<double>& lifted_costs) {
  const LiftedProblem problem = checked(graph, costs, lifted_graph, lifted_costs);
  Labels labels;
  {
    const Unlocked unlocked(size_of(problem));
    labels = trivial_partition(problem);
  }
  return labels_to_numpy(labels);
}

}  // namespace

void bind_lifted(nb::module_& module) {
  module.def("evaluate_lifted", &evaluate_labels, nb::arg("graph"), nb::arg("costs"),
             nb::arg("lifted_graph"), nb::arg("lifted_costs"), nb::arg("labels"),
             "The objective of a labelling whose clusters that are not connected are split first, "
             "and which edges and lifted edges it cuts.");
  module.def("find_lifted_contradiction", &contradiction, nb::arg("graph"), nb::arg("costs"),
             nb::arg("lifted_graph"), nb::arg("lifted_costs"),
             "Nodes u and v whose constraints contradict each other, or None. If the third value is "
             "true, they are must-linked, but no path without cannot-links joins them; otherwise "
             "they are cannot-linked, but must-links join them.");
  module.def("trivial_lifted_partition", &without_search, nb::arg("graph"), nb::arg("costs"),
             nb::arg("lifted_graph"), nb::arg("lifted_costs"),
             "The best partition that needs no search: single nodes or what must-links make of "
             "them, the components of attractive edges, or those of the graph without cannot-links.");
}

}  // namespace multicut::bindings
