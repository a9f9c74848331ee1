#pragma once

#include <charconv>
#include <cstddef>
#include <version>

namespace multicut {

// The longest text that print_decimal writes: -2.2250738585072014e-308, or an integer below 1e21.
inline constexpr std::size_t kLongestDecimal = 24;

// What std::from_chars does with a double, where the standard library has none (libc++ before
// version 20, and on systems that are older than it). In any locale a point is a point.
std::from_chars_result portable_parse_decimal(const char* begin, const char* end, double& value);

// What std::to_chars does with a double: the shortest text that reads back as `value`. There must be
// room for kLongestDecimal characters. Returns where they end.
char* portable_print_decimal(char* position, double value);

#ifdef __cpp_lib_to_chars

inline std::from_chars_result parse_decimal(const char* begin, const char* end, double& value) {
  return std::from_chars(begin, end, value);
}

inline char* print_decimal(char* position, double value) {
  return std::to_chars(position, position + kLongestDecimal, value).ptr;
}

#else

inline std::from_chars_result parse_decimal(const char* begin, const char* end, double& value) {
  return portable_parse_decimal(begin, end, value);
}

inline char* print_decimal(char* position, double value) {
  return portable_print_decimal(position, value);
}

#endif

}  // namespace multicut
