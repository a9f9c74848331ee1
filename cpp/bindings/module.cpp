#include "arrays.hpp"

NB_MODULE(_core, module) {
  module.doc() = "The native core of multicut; use the package's Python interface instead.";
  multicut::bindings::bind_graph(module);
  multicut::bindings::bind_lifted(module);
  multicut::bindings::bind_solvers(module);
  multicut::bindings::bind_agglomeration(module);
  multicut::bindings::bind_lifted_solvers(module);
  multicut::bindings::bind_io(module);
  multicut::bindings::bind_exact(module);
  multicut::bindings::bind_learning(module);
  multicut::bindings::bind_geometry(module);
  multicut::bindings::bind_bounds(module);
  multicut::bindings::bind_vision(module);
  multicut::bindings::bind_proofreading(module);
}
