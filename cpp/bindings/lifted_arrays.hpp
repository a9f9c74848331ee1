#pragma once

#include <stdexcept>
#include <string>

#include "arrays.hpp"
#include "multicut/lifted/problem.hpp"

namespace multicut::bindings {

// The arrays of a lifted problem, which it keeps alive.
struct LiftedArrays {
  LiftedArrays(nb::handle_t<Graph> graph_, const Vector<double>& costs_,
               nb::handle_t<Graph> lifted_graph_, const Vector<double>& lifted_costs_)
      : graph(nb::borrow(graph_)),
        lifted_graph(nb::borrow(lifted_graph_)),
        costs(costs_),
        lifted_costs(lifted_costs_),
        problem{nb::cast<const Graph&>(graph_), as_span(costs), nb::cast<const Graph&>(lifted_graph_),
                as_span(lifted_costs)} {
    check_costs(problem.graph, costs);
    check_costs(problem.lifted, lifted_costs);
    if (problem.graph.num_nodes() != problem.lifted.num_nodes()) {
      throw std::invalid_argument("graph and lifted_graph must have the same nodes, got " +
                                  std::to_string(problem.graph.num_nodes()) + " and " +
                                  std::to_string(problem.lifted.num_nodes()));
    }
  }

  nb::object graph;
  nb::object lifted_graph;
  Vector<double> costs;
  Vector<double> lifted_costs;
  LiftedProblem problem;
};

}  // namespace multicut::bindings
