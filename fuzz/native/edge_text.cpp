// Lists of edges: whatever is read can be written, and comes back the same.

#include "input.hpp"
#include "multicut/io/edge_text.hpp"

using namespace multicut;
using fuzzing::require;

namespace {

bool same_costs(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  constexpr char kSeparators[] = {' ', ',', '\t', ';'};
  EdgeTextLayout layout;
  const std::uint8_t flags = input.byte();
  layout.separator = kSeparators[flags & 3];
  layout.has_names = (flags & 4) != 0;
  layout.header_rows = (flags & 8) != 0 ? 1 : 0;
  layout.comment_marks = (flags & 16) != 0 ? "#c" : "#";
  if ((flags & 32) != 0) layout.cost_column.reset();
  const std::uint8_t columns = input.byte();
  layout.num_columns = 2U + (columns & 3U) + (layout.cost_column ? 1U : 0U);
  // Any distinct columns, as a header may name them in any order.
  const std::size_t shift = (columns >> 2U) % layout.num_columns;
  const auto column = [&](std::size_t i) { return (i + shift) % layout.num_columns; };
  layout.u_column = column(0);
  layout.v_column = column(1);
  if (layout.cost_column) layout.cost_column = column(2);
  if ((flags & 64) != 0 && layout.num_columns > 3) layout.lifted_column = column(3);

  split_row(input.rest(), layout.separator);
  EdgeText text;
  try {
    text = parse_edge_text(input.rest(), layout);
  } catch (const TextError& error) {
    require(error.line() >= 1, "errors have a line");
    require(std::strchr(error.what(), '\n') == nullptr, "errors are one line");
    return 0;
  }
  const std::size_t num_edges = text.endpoints.size() / 2;
  require(text.endpoints.size() % 2 == 0, "edges have two ends");
  require(text.costs.size() == (layout.cost_column ? num_edges : 0), "each edge has a cost");
  require(text.lifted.size() == (layout.lifted_column ? num_edges : 0), "each edge has a flag");
  for (const double cost : text.costs) require(cost == cost, "no cost is NaN");
  for (const std::int64_t end : text.endpoints) {
    require(end >= 0, "ids are not negative");
    if (layout.has_names) {
      require(end < static_cast<std::int64_t>(text.names.size()), "names are numbered");
    }
  }
  const std::string written = format_edge_text(text.endpoints, text.costs, layout.separator);
  EdgeTextLayout plain;
  plain.separator = layout.separator;
  if (!layout.cost_column) {
    plain.num_columns = 2;
    plain.cost_column.reset();
  }
  const EdgeText again = parse_edge_text(written, plain);
  require(again.endpoints == text.endpoints, "edges come back");
  require(same_costs(again.costs, text.costs), "costs come back to the last bit");
  return 0;
}
