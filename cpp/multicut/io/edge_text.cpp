#include "multicut/io/edge_text.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace multicut {
namespace {

constexpr std::size_t kShortestLine = 4;  // "0 1" and its line break
constexpr std::size_t kLongestLine = 80;  // two ids of 19 digits, a cost of 24, separators

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

class EdgeParser {
 public:
  EdgeParser(std::string_view text, const EdgeTextLayout& layout) : layout_(layout) {
    // Room by what is really there, never by what a header claims.
    const auto num_lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
    const std::size_t capacity = std::min(num_lines, text.size() / kShortestLine + 1);
    result_.endpoints.reserve(2 * capacity);
    if (layout.cost_column) result_.costs.reserve(capacity);
  }

  void take_line(const char* begin, const char* end, std::size_t line) {
    const char* position = skip_blanks(begin, end);
    if (position == end) return;
    if (layout_.comment_marks.find(*position) != std::string::npos) {
      parse_note(position + 1, end, line, result_.notes);
    } else if (num_rows_ < layout_.header_rows) {
      ++num_rows_;
    } else if (!take_edge(position, end)) {
      while (is_blank(end[-1])) --end;
      explain({position, static_cast<std::size_t>(end - position)}, line);
    }
  }

  EdgeText finish() { return std::move(result_); }

 private:
  bool take_edge(const char* position, const char* end) {
    std::int64_t u = 0;
    std::int64_t v = 0;
    double cost = 0;
    for (std::size_t column = 0; column < layout_.num_columns; ++column) {
      if (column > 0) {
        if (layout_.separator != ' ') {
          if (position == end || *position != layout_.separator) return false;
          position = skip_blanks(position + 1, end);
        } else if (position == end || !is_blank(position[-1])) {
          return false;
        }
      }
      if (column == layout_.u_column) {
        position = parse_cell(parse_id, position, end, u);
      } else if (column == layout_.v_column) {
        position = parse_cell(parse_id, position, end, v);
      } else if (column == layout_.cost_column) {
        position = parse_cell(parse_cost, position, end, cost);
      } else {
        position = find_cell_end(position, end, layout_.separator);
      }
      if (position == nullptr) return false;
      position = skip_blanks(position, end);
    }
    if (position != end) return false;
    result_.endpoints.push_back(u);
    result_.endpoints.push_back(v);
    if (layout_.cost_column) result_.costs.push_back(cost);
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
      std::int64_t id = 0;
      if (parse_id(field.data(), field.data() + field.size(), id) != field.data() + field.size()) {
        throw TextError(line, "a node id must be an integer from 0 to 2^63-1, got " +
                                  quoted(field));
      }
    }
    fail_cost(layout_.cost_column ? fields[*layout_.cost_column] : row, line);
  }

  const EdgeTextLayout& layout_;
  EdgeText result_;
  std::size_t num_rows_ = 0;
};

}  // namespace

EdgeText parse_edge_text(std::string_view text, const EdgeTextLayout& layout) {
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
    position = skip_blanks(position, end);
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
                             char separator) {
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
      position = std::to_chars(position, end, costs[e]).ptr;
    }
    *position++ = '\n';
  }
  text.resize(static_cast<std::size_t>(position - text.data()));
  return text;
}

}  // namespace multicut
