#include "multicut/io/decimal.hpp"

#include <locale.h>
#include <stdlib.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace multicut {
namespace {

// The most digits that a double needs.
constexpr int kMostDigits = std::numeric_limits<double>::max_digits10;

// strtod in the locale "C", whatever the program has set.
double read_double(const char* text) {
#if defined(_WIN32)
  static const _locale_t locale = _create_locale(LC_ALL, "C");
  return _strtod_l(text, nullptr, locale);
#else
  static const locale_t locale = newlocale(LC_ALL_MASK, "C", locale_t{});
  return strtod_l(text, nullptr, locale);
#endif
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* skip_digits(const char* position, const char* end) {
  return std::find_if_not(position, end, is_digit);
}

// Whether a text begins with a word in small letters, its own of any size.
bool begins_with(const char* position, const char* end, std::string_view word) {
  return static_cast<std::size_t>(end - position) >= word.size() &&
         std::equal(word.begin(), word.end(), position, [](char small, char c) {
           return c == small || c == small - 'a' + 'A';
         });
}

// The end of infinity or nan, or `position` if neither is there.
const char* skip_special(const char* position, const char* end, double& value) {
  for (const std::string_view word : {"infinity", "inf"}) {
    if (!begins_with(position, end, word)) continue;
    value = std::numeric_limits<double>::infinity();
    return position + word.size();
  }
  if (!begins_with(position, end, "nan")) return position;
  value = std::numeric_limits<double>::quiet_NaN();
  position += 3;
  if (position == end || *position != '(') return position;
  const char* const close = std::find_if_not(position + 1, end, [](char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  return close != end && *close == ')' ? close + 1 : position;
}

// The end of a number without a sign, or `position` if there is none.
const char* skip_number(const char* position, const char* end) {
  const char* after = skip_digits(position, end);
  bool has_digits = after != position;
  if (after != end && *after == '.') {
    const char* const decimals = after + 1;
    const char* const behind = skip_digits(decimals, end);
    has_digits |= behind != decimals;
    after = behind;
  }
  if (!has_digits) return position;
  if (after != end && (*after == 'e' || *after == 'E')) {
    const char* exponent = after + 1;
    if (exponent != end && (*exponent == '+' || *exponent == '-')) ++exponent;
    const char* const behind = skip_digits(exponent, end);
    if (behind != exponent) after = behind;
  }
  return after;
}

// The digits of a positive number, and the power of ten of the first of them.
struct Digits {
  char digits[kMostDigits];
  int count;
  int exponent;
};

// The digits of `value` rounded to so many. The decimal point may be whatever the locale says, of one
// character or more, so only digits are taken.
Digits round_to(double value, int count) {
  char text[40];
  const int length = std::snprintf(text, sizeof text, "%.*e", count - 1, value);
  char* const mark = std::find(text, text + length, 'e');
  Digits result{{}, count, std::atoi(mark + 1)};
  std::copy_if(text, mark, result.digits, is_digit);
  return result;
}

char* print_integer(char* position, int number) {
  return std::to_chars(position, position + 8, number).ptr;
}

// One digit before the point, and an exponent of at least two digits.
char* print_scientific(char* position, const Digits& number) {
  *position++ = number.digits[0];
  if (number.count > 1) *position++ = '.';
  position = std::copy(number.digits + 1, number.digits + number.count, position);
  *position++ = 'e';
  *position++ = number.exponent < 0 ? '-' : '+';
  if (std::abs(number.exponent) < 10) *position++ = '0';
  return print_integer(position, std::abs(number.exponent));
}

double value_of(const Digits& number) {
  char text[40];
  *print_scientific(text, number) = '\0';
  return read_double(text);
}

// The digits plus `step` in the last place.
Digits step_last(Digits number, int step) {
  int i = number.count - 1;
  while (i >= 0 && number.digits[i] == (step > 0 ? '9' : '0')) {
    number.digits[i--] = step > 0 ? '0' : '9';
  }
  if (i < 0) return number;  // a power of ten, which fewer digits have shown already
  number.digits[i] = static_cast<char>(number.digits[i] + step);
  return number;
}

// The fewest digits that read back as `value`. The nearest number of so many digits does, except
// beside a power of two, where numbers below are closer together than those above.
Digits shortest_digits(double value) {
  for (int count = 1; count < kMostDigits; ++count) {
    const Digits nearest = round_to(value, count);
    if (value_of(nearest) == value) return nearest;
    for (const int step : {1, -1}) {
      const Digits beside = step_last(nearest, step);
      if (value_of(beside) == value) return beside;
    }
  }
  return round_to(value, kMostDigits);
}

// Without an exponent.
char* print_fixed(char* position, const Digits& number, double value) {
  if (number.exponent >= number.count) {  // all digits of a large integer, not only those needed
    return position + std::snprintf(position, kLongestDecimal, "%.0f", value);
  }
  const char* const end = number.digits + number.count;
  if (number.exponent < 0) {
    *position++ = '0';
    *position++ = '.';
    position = std::fill_n(position, -number.exponent - 1, '0');
    return std::copy(number.digits, end, position);
  }
  const char* const point = number.digits + number.exponent + 1;
  position = std::copy(number.digits, point, position);
  if (point != end) *position++ = '.';
  return std::copy(point, end, position);
}

int length_of_scientific(const Digits& number) {
  return number.count + (number.count > 1 ? 1 : 0) + (std::abs(number.exponent) < 100 ? 4 : 5);
}

int length_of_fixed(const Digits& number) {
  if (number.exponent < 0) return 1 - number.exponent + number.count;
  if (number.exponent >= number.count - 1) return number.exponent + 1;
  return number.count + 1;
}

}  // namespace

std::from_chars_result portable_parse_decimal(const char* begin, const char* end, double& value) {
  const char* const unsigned_begin = begin != end && *begin == '-' ? begin + 1 : begin;
  double special = 0;
  if (const char* after = skip_special(unsigned_begin, end, special); after != unsigned_begin) {
    value = unsigned_begin == begin ? special : -special;
    return {after, std::errc()};
  }
  const char* const after = skip_number(unsigned_begin, end);
  if (after == unsigned_begin) return {begin, std::errc::invalid_argument};
  const double parsed = read_double(std::string(begin, after).c_str());
  if (std::isinf(parsed)) return {after, std::errc::result_out_of_range};
  if (parsed == 0) {
    const char* const exponent = std::find_if(begin, after, [](char c) {
      return c == 'e' || c == 'E';
    });
    const bool is_zero = std::none_of(begin, exponent, [](char c) { return c >= '1' && c <= '9'; });
    if (!is_zero) return {after, std::errc::result_out_of_range};
  }
  value = parsed;
  return {after, std::errc()};
}

char* portable_print_decimal(char* position, double value) {
  if (std::signbit(value)) {
    *position++ = '-';
    value = -value;
  }
  for (const auto& [special, text] :
       {std::pair(std::isnan(value), std::string_view("nan")),
        std::pair(std::isinf(value), std::string_view("inf")),
        std::pair(value == 0, std::string_view("0"))}) {
    if (special) return std::copy(text.begin(), text.end(), position);
  }
  const Digits number = shortest_digits(value);
  return length_of_fixed(number) <= length_of_scientific(number)
             ? print_fixed(position, number, value)
             : print_scientific(position, number);
}

}  // namespace multicut
