#include "multicut/io/text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

#include "multicut/io/decimal.hpp"

namespace multicut {
namespace {

constexpr std::size_t kExcerptLength = 40;

bool take_word(const char*& position, const char* end, std::string_view word) {
  const char* begin = skip_blanks(position, end);
  const auto available = static_cast<std::size_t>(end - begin);
  if (available < word.size() || std::string_view(begin, word.size()) != word) return false;
  const char* after = begin + word.size();
  if (after != end && !is_blank(*after)) return false;
  position = after;
  return true;
}

}  // namespace

const char* parse_id(const char* position, const char* end, std::int64_t& id) {
  const auto [after, error] = std::from_chars(position, end, id);
  return error == std::errc() && id >= 0 ? after : nullptr;
}

const char* parse_cost(const char* position, const char* end, double& cost) {
  if (position != end && *position == '+') {
    ++position;
    if (position != end && *position == '-') return nullptr;
  }
  const auto [after, error] = parse_decimal(position, end, cost);
  return error == std::errc() && !std::isnan(cost) ? after : nullptr;
}

bool take_note(const char*& position, const char* end, std::string_view key) {
  const char* after = position;
  if (!take_word(after, end, "multicut") || !take_word(after, end, key)) return false;
  position = after;
  return true;
}

void parse_note(const char* position, const char* end, std::size_t line, Notes& notes) {
  if (!take_word(position, end, "multicut")) return;
  if (take_word(position, end, "num_nodes")) {
    std::int64_t count = 0;
    const char* after = parse_id(skip_blanks(position, end), end, count);
    if (after == nullptr || skip_blanks(after, end) != end) {
      throw TextError(line, "num_nodes must be a non-negative integer, got " +
                                quoted({position, static_cast<std::size_t>(end - position)}));
    }
    notes.num_nodes = count;
  } else if (take_word(position, end, "node_ids")) {
    for (position = skip_blanks(position, end); position != end;) {
      std::int64_t id = 0;
      const char* after = parse_id(position, end, id);
      if (after == nullptr || (after != end && !is_blank(*after))) {
        throw TextError(line, "node_ids must be non-negative integers, got " +
                                  quoted({position, static_cast<std::size_t>(end - position)}));
      }
      notes.node_ids.push_back(id);
      position = skip_blanks(after, end);
    }
  }
}

std::string_view trimmed(std::string_view piece) {
  while (!piece.empty() && is_blank(piece.front())) piece.remove_prefix(1);
  while (!piece.empty() && is_blank(piece.back())) piece.remove_suffix(1);
  return piece;
}

std::string quoted(std::string_view piece) {
  piece = trimmed(piece);
  std::string result = "'";
  for (const char c : piece.substr(0, kExcerptLength)) {
    result += c == '\t' ? ' ' : (c >= ' ' && c <= '~' ? c : '?');
  }
  return result + (piece.size() > kExcerptLength ? "…'" : "'");
}

void fail_cost(std::string_view field, std::size_t line) {
  const std::string shown = quoted(field);
  if (field.empty()) throw TextError(line, "the cost is missing; write one for each edge");
  double cost = 0;
  const char* begin = field.front() == '+' ? field.data() + 1 : field.data();
  const char* end = field.data() + field.size();
  const auto [after, error] = parse_decimal(begin, end, cost);
  if (after == end && error == std::errc::result_out_of_range) {
    throw TextError(line, "the cost " + shown + " does not fit a double; scale the costs");
  }
  if (after == end && error == std::errc() && std::isnan(cost)) {
    throw TextError(line, "costs must not be nan, got " + shown + "; drop the edge or impute it");
  }
  const bool comma = field.find(',') != std::string_view::npos;
  throw TextError(line, "the cost must be a number, got " + shown +
                            (comma ? "; write decimals with a point" : ""));
}

}  // namespace multicut
