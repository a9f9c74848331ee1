#include "multicut/io/number_text.hpp"

#include <algorithm>

#include "multicut/io/decimal.hpp"

namespace multicut {
namespace {

constexpr std::size_t kLongestNumber = kLongestDecimal + 2;  // with a separator

void take_line(const char* position, const char* end, std::size_t line, NumberText& result) {
  position = skip_blanks(position, end);
  if (position == end) return;
  if (*position == '#') {
    parse_note(position + 1, end, line, result.notes);
    return;
  }
  while (position != end) {
    double value = 0;
    const char* after = parse_cost(position, end, value);
    if (after == nullptr || (after != end && !is_blank(*after))) {
      const char* field_end = std::find_if(position, end, is_blank);
      fail_cost({position, static_cast<std::size_t>(field_end - position)}, line);
    }
    result.values.push_back(value);
    position = skip_blanks(after, end);
  }
}

}  // namespace

NumberText parse_number_text(std::string_view text) {
  NumberText result;
  for_each_line(text, [&](const char* begin, const char* end, std::size_t line) {
    take_line(begin, end, line, result);
  });
  return result;
}

std::string format_number_rows(std::span<const double> values,
                               std::span<const std::int64_t> row_lengths) {
  std::string text(values.size() * kLongestNumber + row_lengths.size(), '\0');
  char* position = text.data();
  std::size_t next = 0;
  for (const std::int64_t length : row_lengths) {
    for (std::int64_t i = 0; i < length; ++i) {
      if (i > 0) *position++ = ' ';
      position = print_decimal(position, values[next++]);
    }
    *position++ = '\n';
  }
  text.resize(static_cast<std::size_t>(position - text.data()));
  return text;
}

}  // namespace multicut
