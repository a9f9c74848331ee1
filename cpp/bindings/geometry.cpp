#include "arrays.hpp"
#include "multicut/geometry/link_nearest.hpp"
#include "multicut/graph/bipartite_matching.hpp"

namespace multicut::bindings {

using PointArray = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

void bind_geometry(nb::module_& module) {
  module.def(
      "link_nearest",
      [](const PointArray& points, const Vector<std::int64_t>& counts) {
        std::vector<std::int64_t> edges;
        {
          nb::gil_scoped_release unlocked;
          edges = link_nearest({points.data(), 2 * points.shape(0)}, as_span(counts));
        }
        return to_numpy_pairs(std::move(edges));
      },
      nb::arg("points"), nb::arg("counts"),
      "Edges u < v, ascending, that link point i of the plane to its counts[i] nearest others.");
  module.def(
      "match_bipartite",
      [](std::size_t num_left, std::size_t num_right, const EdgeArray& edges) {
        std::vector<std::int64_t> partners;
        {
          nb::gil_scoped_release unlocked;
          partners = match_bipartite(num_left, num_right, {edges.data(), 2 * edges.shape(0)});
        }
        return to_numpy<std::int64_t>(std::move(partners));
      },
      nb::arg("num_left"), nb::arg("num_right"), nb::arg("edges"),
      "Partner of each left node, or -1, in a largest matching that prefers early edges (left, right).");
}

}  // namespace multicut::bindings
