#include "arrays.hpp"
#include "multicut/geometry/link_nearest.hpp"

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
}

}  // namespace multicut::bindings
