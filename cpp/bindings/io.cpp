#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "arrays.hpp"
#include "multicut/io/edge_text.hpp"
#include "multicut/io/number_text.hpp"

namespace multicut::bindings {
namespace {

// Runs a parser without the lock; a broken text becomes ValueError(line, message).
template <typename Parse>
auto parse_unlocked(Parse&& parse) {
  try {
    nb::gil_scoped_release unlocked;
    return parse();
  } catch (const TextError& error) {
    PyErr_SetObject(PyExc_ValueError, nb::make_tuple(error.line(), error.what()).ptr());
    throw nb::python_error();
  }
}

std::string_view view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

std::optional<NewVector<std::int64_t>> ids_to_numpy(Notes&& notes) {
  if (notes.node_ids.empty()) return std::nullopt;
  return to_numpy<std::int64_t>(std::move(notes.node_ids));
}

char separator_of(const std::string& separator) {
  if (separator.size() != 1) throw std::invalid_argument("separator must be one character");
  return separator[0];
}

using ParsedEdges =
    std::tuple<NewMatrix<std::int64_t>, NewVector<double>, std::optional<std::int64_t>,
               std::optional<NewVector<std::int64_t>>, std::optional<nb::list>,
               std::optional<NewVector<bool>>>;

nb::list names_to_python(const std::vector<std::string>& names) {
  nb::list result;
  for (const std::string& name : names) {
    PyObject* text = PyUnicode_DecodeUTF8(name.data(), static_cast<Py_ssize_t>(name.size()), nullptr);
    if (text == nullptr) throw nb::python_error();
    result.append(nb::steal(text));
  }
  return result;
}

ParsedEdges parse_edges(const nb::bytes& text, const std::string& comment_marks,
                        const std::string& separator, std::size_t num_columns,
                        std::size_t u_column, std::size_t v_column,
                        std::optional<std::size_t> cost_column, std::size_t header_rows,
                        bool has_names, std::optional<std::size_t> lifted_column) {
  const EdgeTextLayout layout{comment_marks, separator_of(separator), num_columns,
                              u_column,      v_column,                cost_column,
                              header_rows,   has_names,               lifted_column};
  EdgeText parsed = parse_unlocked([&] { return parse_edge_text(view(text), layout); });
  const auto num_nodes = parsed.notes.num_nodes;
  std::optional<nb::list> names;
  if (has_names) names = names_to_python(parsed.names);
  std::optional<NewVector<bool>> lifted;
  if (lifted_column) lifted = to_numpy<bool>(std::move(parsed.lifted));
  return {to_numpy_pairs(std::move(parsed.endpoints)), to_numpy<double>(std::move(parsed.costs)),
          num_nodes, ids_to_numpy(std::move(parsed.notes)), std::move(names), std::move(lifted)};
}

std::vector<std::string> split(const nb::bytes& row, const std::string& separator) {
  const auto fields = split_row(view(row), separator_of(separator));
  return {fields.begin(), fields.end()};
}

nb::bytes format_edges(const EdgeArray& edges, const std::optional<Vector<double>>& costs,
                       const std::string& separator, const std::optional<std::string>& ending) {
  if (costs && costs->shape(0) != edges.shape(0)) {
    throw std::invalid_argument("costs must hold one value per edge");
  }
  const char mark = separator_of(separator);
  std::optional<char> last;
  if (ending) last = separator_of(*ending);
  std::string text;
  {
    nb::gil_scoped_release unlocked;
    text = format_edge_text({edges.data(), edges.size()},
                            costs ? as_span(*costs) : std::span<const double>(), mark, last);
  }
  return nb::bytes(text.data(), text.size());
}

using ParsedNumbers = std::tuple<NewVector<double>, std::optional<std::int64_t>,
                                 std::optional<NewVector<std::int64_t>>>;

ParsedNumbers parse_numbers(const nb::bytes& text) {
  NumberText parsed = parse_unlocked([&] { return parse_number_text(view(text)); });
  const auto num_nodes = parsed.notes.num_nodes;
  return {to_numpy<double>(std::move(parsed.values)), num_nodes,
          ids_to_numpy(std::move(parsed.notes))};
}

nb::bytes format_rows(const Vector<double>& values, const Vector<std::int64_t>& row_lengths) {
  const auto lengths = as_span(row_lengths);
  const bool negative = std::ranges::any_of(lengths, [](std::int64_t length) { return length < 0; });
  const auto total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  if (negative || total != static_cast<std::int64_t>(values.shape(0))) {
    throw std::invalid_argument("row_lengths must add up to the number of values");
  }
  std::string text;
  {
    nb::gil_scoped_release unlocked;
    text = format_number_rows(as_span(values), lengths);
  }
  return nb::bytes(text.data(), text.size());
}

}  // namespace

void bind_io(nb::module_& module) {
  module.def("parse_edge_text", &parse_edges, nb::arg("text"), nb::kw_only(),
             nb::arg("comment_marks"), nb::arg("separator"), nb::arg("num_columns"),
             nb::arg("u_column") = 0, nb::arg("v_column") = 1, nb::arg("cost_column") = 2,
             nb::arg("header_rows") = 0, nb::arg("has_names") = false,
             nb::arg("lifted_column") = nb::none(),
             "Edges from lines of text: (edges, costs, num_nodes, node_ids, names, lifted); num_nodes and "
             "node_ids from comments that multicut writes, else None. With names, edges are "
             "positions in that list. ValueError(line, message) on bad text.");
  module.def("split_row", &split, nb::arg("row"), nb::arg("separator"),
             "The cells of one line of UTF-8 text, without quotes and blanks around them.");
  module.def("format_edge_text", &format_edges, nb::arg("edges"), nb::arg("costs").none(),
             nb::arg("separator"), nb::arg("ending") = nb::none(),
             "One line per edge; doubles in their shortest exact form. An `ending` of one character "
             "is a column more.");
  module.def("parse_number_text", &parse_numbers, nb::arg("text"),
             "Numbers from text: (values, num_nodes, node_ids), as parse_edge_text.");
  module.def("format_number_rows", &format_rows, nb::arg("values"), nb::arg("row_lengths"),
             "Numbers in rows of the given lengths; doubles in their shortest exact form.");
}

}  // namespace multicut::bindings
