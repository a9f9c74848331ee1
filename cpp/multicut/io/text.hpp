#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace multicut {

// A text that breaks its format, and the line (from 1) where it does.
class TextError : public std::runtime_error {
 public:
  TextError(std::size_t line, const std::string& message)
      : std::runtime_error(message), line_(line) {}

  std::size_t line() const { return line_; }

 private:
  std::size_t line_;
};

// What only multicut writes, in comments, where a format has no place for it:
// `# multicut num_nodes 10` and `# multicut node_ids 3 1 4` (which may go on over several lines).
struct Notes {
  std::optional<std::int64_t> num_nodes;
  std::vector<std::int64_t> node_ids;
};

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

inline const char* skip_blanks(const char* position, const char* end) {
  while (position != end && is_blank(*position)) ++position;
  return position;
}

// Visits the lines of a text without their line breaks: visit(begin, end, line number). Lines end
// with LF, CR LF or, as on old Macs, with CR alone.
template <typename Visit>
void for_each_line(std::string_view text, Visit&& visit) {
  const char* position = text.data();
  const char* const end = position + text.size();
  const auto find = [](char c, const char* from, const char* to) {
    const void* found = std::memchr(from, c, static_cast<std::size_t>(to - from));
    return found == nullptr ? to : static_cast<const char*>(found);
  };
  const char* feed = position;  // the next LF, which is sought once even if CRs come before it
  for (std::size_t line = 1; position != end; ++line) {
    if (feed <= position) feed = find('\n', position, end);
    const char* line_end = find('\r', position, feed);
    visit(position, line_end, line);
    const bool both = line_end != feed && line_end + 1 == feed;
    position = both ? feed : line_end;
    if (position != end) ++position;
  }
}

// Both return the position after the number, or nullptr if there is none at `position`.
const char* parse_id(const char* position, const char* end, std::int64_t& id);
const char* parse_cost(const char* position, const char* end, double& cost);

// Takes up a note from a comment; `position` is behind the comment's first character.
void parse_note(const char* position, const char* end, std::size_t line, Notes& notes);

// Whether a comment is the note `multicut key`; if so, `position` is then behind it.
bool take_note(const char*& position, const char* end, std::string_view key);

// A piece of a text without blanks around it.
std::string_view trimmed(std::string_view piece);

// A piece of a text, fit for an error message.
std::string quoted(std::string_view piece);

[[noreturn]] void fail_cost(std::string_view field, std::size_t line);

}  // namespace multicut
