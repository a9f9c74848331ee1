#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "multicut/proofreading/live_partition.hpp"
#include "multicut/solvers/instance.hpp"

namespace multicut::bindings {
namespace {

std::vector<NodeId> nodes_from_numpy(const Vector<std::int64_t>& values) {
  const auto span = as_span(values);
  return {span.begin(), span.end()};
}

std::vector<std::int64_t> plain(const std::vector<std::uint32_t>& values) {
  return {values.begin(), values.end()};
}

// Columns of borders: two nodes, cost, number of edges, and the weights of both sides.
auto columns_of(const std::vector<Border>& borders) {
  std::vector<std::int64_t> pairs;
  std::vector<double> costs, counts, first, second;
  for (const Border& border : borders) {
    pairs.push_back(border.u);
    pairs.push_back(border.v);
    costs.push_back(border.cost);
    counts.push_back(border.count);
    first.push_back(border.first_weight);
    second.push_back(border.second_weight);
  }
  return std::tuple(to_numpy_pairs(std::move(pairs)), to_numpy<double>(std::move(costs)),
                    to_numpy<double>(std::move(counts)), to_numpy<double>(std::move(first)),
                    to_numpy<double>(std::move(second)));
}

void check_weights(const LivePartition& partition, const Vector<double>& weights) {
  if (weights.shape(0) != partition.labels().size()) {
    throw std::invalid_argument("weights must hold one value per node");
  }
}

}  // namespace

void bind_proofreading(nb::module_& module) {
  nb::class_<LivePartition>(module, "LivePartition",
                            "A partition that is kept good while costs change.")
      .def(
          "__init__",
          [](LivePartition* self, const Graph& graph, const Vector<double>& costs,
             const Vector<std::int64_t>& labels) {
            check_costs(graph, costs);
            Labels own = labels_from_numpy(labels, graph.num_nodes());
            make_canonical(own);
            const Unlocked unlocked(size_of(graph));
            new (self) LivePartition(graph, as_span(costs), split_disconnected(graph, own));
          },
          nb::arg("graph"), nb::arg("costs"), nb::arg("labels"), nb::keep_alive<1, 2>())
      .def_prop_ro("objective", &LivePartition::objective)
      .def_prop_ro("num_clusters", &LivePartition::num_clusters)
      .def_prop_ro("num_edges", [](const LivePartition& self) { return self.graph().num_edges(); })
      .def_prop_ro(
          "labels",
          [](nb::handle_t<LivePartition> self) {
            const Labels& labels = nb::cast<const LivePartition&>(self).labels();
            return nb::ndarray<nb::numpy, const std::uint32_t, nb::ndim<1>>(
                labels.data(), {labels.size()}, self);
          },
          nb::rv_policy::reference_internal, "A view of the cluster of each node.")
      .def_prop_ro(
          "costs",
          [](const LivePartition& self) {
            const auto costs = self.graph().costs();
            return to_numpy<double>(std::vector<double>(costs.begin(), costs.end()));
          },
          kNewArray, "A copy of the costs, those of added edges last.")
      .def_prop_ro(
          "added_edges",
          [](const LivePartition& self) {
            std::vector<std::int64_t> flat;
            for (const auto [u, v] : self.graph().added_edges()) {
              flat.push_back(u);
              flat.push_back(v);
            }
            return to_numpy_pairs(std::move(flat));
          },
          kNewArray)
      .def("size", &LivePartition::size, nb::arg("cluster"))
      .def("cost", [](const LivePartition& self, EdgeId e) { return self.graph().cost(e); },
           nb::arg("edge"))
      .def("edge",
           [](const LivePartition& self, EdgeId e) {
             const auto [u, v] = self.graph().edge(e);
             return std::pair(u, v);
           },
           nb::arg("edge"))
      .def(
          "find_edge",
          [](const LivePartition& self, NodeId u, NodeId v) -> std::optional<EdgeId> {
            const EdgeId e = self.graph().find(u, v);
            return e == kNoEdge ? std::nullopt : std::optional(e);
          },
          nb::arg("u"), nb::arg("v"))
      .def("must_link_path",
           [](const LivePartition& self, NodeId u, NodeId v) {
             return plain(self.graph().must_link_path(u, v));
           },
           nb::arg("u"), nb::arg("v"), "Edges of a shortest path of must-links; none if there is none.")
      .def("cannot_link_between",
           [](const LivePartition& self, NodeId u, NodeId v) {
             return self.graph().cannot_link_between(u, v);
           },
           nb::arg("u"), nb::arg("v"), "A cannot-link between what must-links join with two nodes.")
      .def("set_cost", &LivePartition::set_cost, nb::arg("edge"), nb::arg("cost"))
      .def("add_edge", &LivePartition::add_edge, nb::arg("u"), nb::arg("v"), nb::arg("cost"))
      .def("remove_last_edge", &LivePartition::remove_last_edge)
      .def(
          "improve",
          [](LivePartition& self, const Vector<std::int64_t>& seeds, std::size_t num_nodes,
             int max_rounds) {
            std::vector<NodeId> nodes = nodes_from_numpy(seeds);
            const nb::gil_scoped_release unlocked;
            self.improve(std::move(nodes), num_nodes, max_rounds);
          },
          nb::arg("seeds"), nb::arg("num_nodes"), nb::arg("max_rounds"),
          "Search around nodes, then around what has changed.")
      .def(
          "flips",
          [](LivePartition& self, const Vector<std::int64_t>& edges, std::size_t num_nodes,
             const std::optional<Vector<double>>& weights) {
            if (weights) check_weights(self, *weights);
            std::vector<double> margins;
            std::vector<double> sizes;
            for (const std::int64_t e : as_span(edges)) {
              const auto [margin, nodes] = self.flip(static_cast<EdgeId>(e), num_nodes);
              double size = weights ? 0 : static_cast<double>(nodes.size());
              if (weights) {
                for (const NodeId node : nodes) size += weights->data()[node];
              }
              margins.push_back(margin);
              sizes.push_back(size);
              if (PyErr_CheckSignals() != 0) throw nb::python_error();
            }
            return std::pair(to_numpy<double>(std::move(margins)), to_numpy<double>(std::move(sizes)));
          },
          nb::arg("edges"), nb::arg("num_nodes"), nb::arg("weights") = nb::none(),
          "What it would cost to treat edges otherwise, and the weight of nodes that would change "
          "cluster, by default their number.")
      .def(
          "borders_within",
          [](LivePartition& self, const Vector<std::int64_t>& clusters,
             const Vector<double>& weights) {
            check_weights(self, weights);
            for (const std::int64_t cluster : as_span(clusters)) {
              if (self.size(static_cast<NodeId>(cluster)) == 0) {
                throw std::invalid_argument("clusters must have nodes");
              }
            }
            std::vector<Border> borders;
            std::vector<std::int64_t> cores;
            {
              const nb::gil_scoped_release unlocked;
              for (const std::int64_t cluster : as_span(clusters)) {
                cores.push_back(self.borders_within(static_cast<NodeId>(cluster), as_span(weights), borders));
              }
            }
            return std::pair(to_numpy<std::int64_t>(std::move(cores)), columns_of(borders));
          },
          nb::arg("clusters"), nb::arg("weights"),
          "The core of each cluster, and borders between its parts: nodes, cost, number of edges, weights "
          "of both sides.")
      .def(
          "borders_between",
          [](const LivePartition& self, const Vector<double>& weights) {
            check_weights(self, weights);
            return columns_of(self.borders_between(as_span(weights)));
          },
          nb::arg("weights"), "Borders between clusters that may be joined, as of borders_within.")
      .def(
          "part_around",
          [](LivePartition& self, NodeId u, NodeId v) { return plain(self.part_around(u, v)); },
          nb::arg("u"), nb::arg("v"),
          "The nodes of the first part of a cluster that is divided between two nodes.")
      .def(
          "adopt",
          [](LivePartition& self, const Vector<std::int64_t>& labels) {
            Labels own = labels_from_numpy(labels, self.graph().num_nodes());
            make_canonical(own);
            self.adopt(own);
          },
          nb::arg("labels"), "Take over another partition; clusters keep their numbers.")
      .def(
          "relabel",
          [](LivePartition& self, const Vector<std::int64_t>& nodes,
             const Vector<std::int64_t>& clusters) {
            self.relabel(nodes_from_numpy(nodes), nodes_from_numpy(clusters));
          },
          nb::arg("nodes"), nb::arg("clusters"))
      .def(
          "take_changes",
          [](LivePartition& self) {
            std::vector<std::int64_t> nodes;
            std::vector<std::int64_t> before;
            std::vector<std::int64_t> after;
            for (const Relabelled& change : self.take_changes()) {
              nodes.push_back(change.node);
              before.push_back(change.before);
              after.push_back(change.after);
            }
            return std::tuple(to_numpy<std::int64_t>(std::move(nodes)),
                              to_numpy<std::int64_t>(std::move(before)),
                              to_numpy<std::int64_t>(std::move(after)));
          },
          "Nodes that have changed since the last call, their clusters before and after.");
}

}  // namespace multicut::bindings
