#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "multicut/io/text.hpp"

namespace multicut {

// How a text states edges: one per line, in columns. A cell may stand in double quotes.
struct EdgeTextLayout {
  std::string comment_marks = "#";  // a line that begins with one of these is a comment
  char separator = ' ';             // ' ' stands for any run of blanks and tabs
  std::size_t num_columns = 3;      // every line has this many
  std::size_t u_column = 0;
  std::size_t v_column = 1;
  std::optional<std::size_t> cost_column = 2;
  std::size_t header_rows = 0;  // lines to pass over, comments and empty lines not counted
  bool has_names = false;       // nodes are named by any text, not by integers
  std::optional<std::size_t> lifted_column = std::nullopt;  // 0 or 1, false or true
};

struct EdgeText {
  std::vector<std::int64_t> endpoints;  // u0 v0 u1 v1 …
  std::vector<double> costs;            // empty without a cost column
  std::vector<std::uint8_t> lifted;     // whether each edge is lifted; empty without such a column
  Notes notes;
  // With names, endpoints are positions in this list: names in order of appearance, where a note
  // `# multicut node_ids` counts, too.
  std::vector<std::string> names;
};

// Throws TextError, and std::invalid_argument if the layout names a column that there is not. Empty lines are
// passed over.
EdgeText parse_edge_text(std::string_view text, const EdgeTextLayout& layout);

// The cells of a line, without quotes and blanks around them.
std::vector<std::string_view> split_row(std::string_view row, char separator);

// One line per edge; costs, where there are any, in the shortest form that reads back exactly. With
// an `ending`, a column more: the same character on each line.
std::string format_edge_text(std::span<const std::int64_t> endpoints, std::span<const double> costs,
                             char separator, std::optional<char> ending = std::nullopt);

}  // namespace multicut
