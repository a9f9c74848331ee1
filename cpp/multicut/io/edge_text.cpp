#include "multicut/io/edge_text.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <stdexcept>
#include <unordered_map>

#include "multicut/io/decimal.hpp"

namespace multicut {
namespace {

constexpr std::size_t kShortestLine = 4;  // "0 1" and its line break
constexpr std::size_t kLongestLine = 80;  // two ids of 19 digits, a cost of 24, separators

// Blanks around a cell; a tab that separates cells is none.
const char* skip_around(const char* position, const char* end, char separator) {
  while (position != end && is_blank(*position) && (separator != '\t' || *position != '\t')) {
    ++position;
  }
  return position;
}

// The end of a cell that begins at `position`; in quotes, two in a row stand for one.
const char* find_cell_end(const char* position, const char* end, char separator) {
  if (position != end && *position == '"') {
    for (++position; position != end; ++position) {
      if (*position != '"') continue;
      if (position + 1 == end || position[1] != '"') break;
      ++position;
    }
  }
  return std::find_if(position, end, [separator](char c) {
    return separator == ' ' ? is_blank(c) : c == separator;
  });
}

// Parses a number that may stand in quotes; the position after it, or nullptr.
template <typename Number>
const char* parse_cell(const char* (*parse)(const char*, const char*, Number&),
                       const char* position, const char* end, Number& number) {
  if (position == end || *position != '"') return parse(position, end, number);
  position = parse(skip_blanks(position + 1, end), end, number);
  if (position != nullptr) position = skip_blanks(position, end);
  return position == nullptr || position == end || *position != '"' ? nullptr : position + 1;
}

// Looks up views without copying them.
struct NameHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view name) const {
    return std::hash<std::string_view>{}(name);
  }
};

class Names {
 public:
  // The number of the name that a cell holds, -1 if it holds none.
  std::int64_t take(std::string_view cell) {
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      unquoted_.clear();
      for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
        unquoted_ += cell[i];
        if (cell[i] == '"' && cell[i + 1] == '"') ++i;
      }
      cell = unquoted_;
    }
    if (cell.empty()) return -1;
    const auto found = numbers_.find(cell);
    if (found != numbers_.end()) return found->second;
    const auto number = static_cast<std::int64_t>(names_.size());
    numbers_.emplace(cell, number);
    names_.emplace_back(cell);
    return number;
  }

  std::vector<std::string> finish() { return std::move(names_); }

 private:
  std::unordered_map<std::string, std::int64_t, NameHash, std::equal_to<>> numbers_;
  std::vector<std::string> names_;
  std::string unquoted_;
};

// Parses 0, 1, false or true; the position after it, or nullptr.
const char* parse_flag(const char* position, const char* end, std::uint8_t& flag) {
  const std::string_view rest(position, static_cast<std::size_t>(end - position));
  for (const std::string_view text : {"0", "1", "false", "true"}) {
    const bool matches =
        rest.size() >= text.size() &&
        std::ranges::equal(rest.substr(0, text.size()), text, [](char c, char wanted) {
          return (c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) == wanted;
        });
    if (!matches) continue;
    flag = text == "1" || text == "true";
    return position + text.size();
  }
  return nullptr;
}

class EdgeParser {
 public:
  EdgeParser(std::string_view text, const EdgeTextLayout& layout) : layout_(layout) {
    // Room by what is really there, never by what a header claims.
    const auto num_lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    const std::size_t capacity = std::min(num_lines, text.size() / kShortestLine + 1);
    result_.endpoints.reserve(2 * capacity);
    if (layout.cost_column) result_.costs.reserve(capacity);
    if (layout.lifted_column) result_.lifted.reserve(capacity);
  }

  void take_line(const char* begin, const char* end, std::size_t line) {
    const char* position = skip_blanks(begin, end);
    if (position == end) return;
    if (layout_.comment_marks.find(*position) != std::string::npos) {
      take_comment(position + 1, end, line);
    } else if (num_rows_ < layout_.header_rows) {
      ++num_rows_;
    } else if (!take_edge(position, end)) {
      while (is_blank(end[-1])) --end;
      explain({position, static_cast<std::size_t>(end - position)}, line);
    }
  }

  EdgeText finish() {
    result_.names = names_.finish();
    return std::move(result_);
  }

 private:
  void take_comment(const char* position, const char* end, std::size_t line) {
    if (!layout_.has_names || !take_note(position, end, "node_ids")) {
      parse_note(position, end, line, result_.notes);
      return;
    }
    for (position = skip_blanks(position, end); position != end;) {
      const char* after = find_cell_end(position, end, ' ');
      names_.take({position, static_cast<std::size_t>(after - position)});
      position = skip_blanks(after, end);
    }
  }

  // Takes the number of a node, or the cell of its name; the position behind it, or nullptr.
  const char* take_node(const char* position, const char* end, std::int64_t& node,
                        std::string_view& name) const {
    if (!layout_.has_names) return parse_cell(parse_id, position, end, node);
    const char* after = find_cell_end(position, end, layout_.separator);
    name = trimmed({position, static_cast<std::size_t>(after - position)});
    return after;
  }

  bool take_edge(const char* position, const char* end) {
    std::int64_t u = 0;
    std::int64_t v = 0;
    std::string_view u_name;
    std::string_view v_name;
    double cost = 0;
    std::uint8_t lifted = 0;
    for (std::size_t column = 0; column < layout_.num_columns; ++column) {
      if (column > 0) {
        if (layout_.separator != ' ') {
          if (position == end || *position != layout_.separator) return false;
          position = skip_around(position + 1, end, layout_.separator);
        } else if (position == end || !is_blank(position[-1])) {
          return false;
        }
      }
      if (column == layout_.u_column) {
        position = take_node(position, end, u, u_name);
      } else if (column == layout_.v_column) {
        position = take_node(position, end, v, v_name);
      } else if (column == layout_.cost_column) {
        position = parse_cell(parse_cost, position, end, cost);
      } else if (column == layout_.lifted_column) {
        position = parse_cell(parse_flag, position, end, lifted);
      } else {
        position = find_cell_end(position, end, layout_.separator);
      }
      if (position == nullptr) return false;
      position = skip_around(position, end, layout_.separator);
    }
    if (position != end) return false;
    if (layout_.has_names) {
      u = names_.take(u_name);
      v = names_.take(v_name);
      if (u < 0 || v < 0) return false;
    }
    result_.endpoints.push_back(u);
    result_.endpoints.push_back(v);
    if (layout_.cost_column) result_.costs.push_back(cost);
    if (layout_.lifted_column) result_.lifted.push_back(lifted);
    return true;
  }

  [[noreturn]] void explain(std::string_view row, std::size_t line) const {
    const auto fields = split_row(row, layout_.separator);
    if (fields.size() != layout_.num_columns) {
      throw TextError(line, "expected " + std::to_string(layout_.num_columns) +
                                " columns, got " + std::to_string(fields.size()) + ": " +
                                quoted(row));
    }
    for (const std::size_t column : {layout_.u_column, layout_.v_column}) {
      const std::string_view field = fields[column];
      if (field.empty()) {
        throw TextError(line, "a node id is missing in " + quoted(row));
      }
      std::int64_t id = 0;
      if (!layout_.has_names && parse_id(field.data(), field.data() + field.size(), id) != field.data() + field.size()) {
        throw TextError(line, "a node id must be an integer from 0 to 2^63-1, got " +
                                  quoted(field));
      }
    }
    if (layout_.lifted_column) {
      const std::string_view field = fields[*layout_.lifted_column];
      std::uint8_t flag = 0;
      if (parse_flag(field.data(), field.data() + field.size(), flag) != field.data() + field.size()) {
        throw TextError(line, "column 'lifted' must contain 0 or 1, got " + quoted(field));
      }
    }
    fail_cost(layout_.cost_column ? fields[*layout_.cost_column] : row, line);
  }

  const EdgeTextLayout& layout_;
  EdgeText result_;
  Names names_;
  std::size_t num_rows_ = 0;
};

}  // namespace

EdgeText parse_edge_text(std::string_view text, const EdgeTextLayout& layout) {
  for (const std::size_t column : {layout.u_column, layout.v_column, layout.cost_column.value_or(0),
                                   layout.lifted_column.value_or(0)}) {
    if (column >= layout.num_columns) {
      throw std::invalid_argument("column " + std::to_string(column) + " must be one of the " +
                                  std::to_string(layout.num_columns) + " columns");
    }
  }
  EdgeParser parser(text, layout);
  for_each_line(text, [&](const char* begin, const char* end, std::size_t line) {
    parser.take_line(begin, end, line);
  });
  return parser.finish();
}

std::vector<std::string_view> split_row(std::string_view row, char separator) {
  std::vector<std::string_view> fields;
  const char* position = row.data();
  const char* const end = position + row.size();
  while (true) {
    position = skip_around(position, end, separator);
    const char* const after = find_cell_end(position, end, separator);
    std::string_view field = trimmed({position, static_cast<std::size_t>(after - position)});
    if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
      field = trimmed(field.substr(1, field.size() - 2));
    }
    fields.push_back(field);
    if (after == end) return fields;
    position = after + 1;
  }
}

std::string format_edge_text(std::span<const std::int64_t> endpoints, std::span<const double> costs,
                             char separator, std::optional<char> ending) {
  const std::size_t num_edges = endpoints.size() / 2;
  std::string text(num_edges * kLongestLine, '\0');
  char* position = text.data();
  char* const end = position + text.size();
  for (std::size_t e = 0; e < num_edges; ++e) {
    position = std::to_chars(position, end, endpoints[2 * e]).ptr;
    *position++ = separator;
    position = std::to_chars(position, end, endpoints[2 * e + 1]).ptr;
    if (!costs.empty()) {
      *position++ = separator;
      position = print_decimal(position, costs[e]);
    }
    if (ending) {
      *position++ = separator;
      *position++ = *ending;
    }
    *position++ = '\n';
  }
  text.resize(static_cast<std::size_t>(position - text.data()));
  return text;
}

}  // namespace multicut
