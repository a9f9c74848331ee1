// Numbers in rows, and doubles as text: the portable code does what the standard library does.

#include <charconv>
#include <cmath>

#include "input.hpp"
#include "multicut/io/decimal.hpp"
#include "multicut/io/number_text.hpp"

using namespace multicut;
using fuzzing::require;

namespace {

bool same(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

void check_decimals(std::string_view text) {
  double portable = 0;
  const char* const end = text.data() + text.size();
  const auto found = portable_parse_decimal(text.data(), end, portable);
#ifdef __cpp_lib_to_chars
  double standard = 0;
  const auto expected = std::from_chars(text.data(), end, standard);
  require(found.ec == expected.ec, "the portable parser fails where the standard one does");
  require(found.ptr == expected.ptr, "the portable parser ends where the standard one does");
  if (found.ec == std::errc()) {
    require(same(portable, standard) || (std::isnan(portable) && std::isnan(standard)),
            "both parsers find the same number");
  }
#endif
  if (found.ec != std::errc() || !std::isfinite(portable)) return;
  char written[kLongestDecimal];
  const char* const after = portable_print_decimal(written, portable);
  require(after <= written + kLongestDecimal, "decimals fit their room");
  double again = 0;
  require(portable_parse_decimal(written, after, again).ptr == after, "decimals are read to the end");
  require(same(again, portable), "decimals come back to the last bit");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzzing::Input input(data, size);
  const bool is_single = (input.byte() & 1) != 0;
  if (is_single) {
    check_decimals(input.rest());
    return 0;
  }
  NumberText text;
  try {
    text = parse_number_text(input.rest());
  } catch (const TextError& error) {
    require(error.line() >= 1, "errors have a line");
    require(std::strchr(error.what(), '\n') == nullptr, "errors are one line");
    return 0;
  }
  const auto count = static_cast<std::int64_t>(text.values.size());
  const std::vector<std::int64_t> rows = {count / 2, count - count / 2};
  const NumberText again = parse_number_text(format_number_rows(text.values, rows));
  require(again.values.size() == text.values.size(), "all numbers come back");
  for (std::size_t i = 0; i < text.values.size(); ++i) {
    require(same(again.values[i], text.values[i]), "numbers come back to the last bit");
  }
  return 0;
}
