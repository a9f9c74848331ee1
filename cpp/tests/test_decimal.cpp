#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "framework.hpp"
#include "multicut/io/decimal.hpp"
#include "multicut/solvers/random.hpp"

using namespace multicut;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::string printed(double value) {
  char text[kLongestDecimal];
  return {text, portable_print_decimal(text, value)};
}

double parsed(std::string_view text) {
  double value = 0;
  const auto [after, error] = portable_parse_decimal(text.data(), text.data() + text.size(), value);
  REQUIRE(error == std::errc());
  REQUIRE(after == text.data() + text.size());
  return value;
}

bool is_same(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Numbers of all sizes, of few digits, large integers, and powers of two.
std::vector<double> many_numbers() {
  const RandomStream random(0, 5);
  std::vector<double> numbers;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const std::uint64_t bits = random.bits(i);
    if (const auto any = std::bit_cast<double>(bits); std::isfinite(any)) numbers.push_back(any);
    numbers.push_back((static_cast<double>(bits % 2'000'000) - 1e6) / 1000);
    numbers.push_back(static_cast<double>(bits % 1'000'000'000'000'000'000) * 1000);
    numbers.push_back(std::ldexp(1.0, static_cast<int>(bits % 2098) - 1074));
  }
  return numbers;
}

}  // namespace

TEST_CASE("numbers are printed in their shortest form") {
  CHECK(printed(0) == "0");
  CHECK(printed(-0.0) == "-0");
  CHECK(printed(0.1 + 0.2) == "0.30000000000000004");
  CHECK(printed(-2.5) == "-2.5");
  CHECK(printed(1e5) == "1e+05");
  CHECK(printed(1234567) == "1234567");
  CHECK(printed(1e-5) == "1e-05");
  CHECK(printed(0.00012) == "0.00012");
  CHECK(printed(123456789012345680000.0) == "123456789012345683968");
  CHECK(printed(-std::numeric_limits<double>::min()) == "-2.2250738585072014e-308");
  CHECK(printed(std::numeric_limits<double>::denorm_min()) == "5e-324");
  CHECK(printed(std::ldexp(1.0, -44)) == "5.684341886080802e-14");  // not the nearest of 16 digits
  CHECK(printed(kInfinity) == "inf");
  CHECK(printed(-kInfinity) == "-inf");
}

TEST_CASE("numbers read back as what was printed") {
  for (const double number : many_numbers()) CHECK(is_same(parsed(printed(number)), number));
}

TEST_CASE("numbers are parsed as far as they go") {
  struct Case {
    std::string_view text;
    std::size_t length;
    double value;
  };
  for (const auto& [text, length, value] : std::vector<Case>{
           {"1.5x", 3, 1.5}, {".5", 2, 0.5}, {"5.", 2, 5}, {"-1e3 ", 4, -1000}, {"1e", 1, 1},
           {"1e+", 1, 1}, {"0x10", 1, 0}, {"INFx", 3, kInfinity}, {"-infinity", 9, -kInfinity},
           {"infini", 3, kInfinity}, {"0e999", 5, 0}, {"2.5e-324", 8, 5e-324}, {"1,5", 1, 1}}) {
    CAPTURE(text);
    double found = 7;
    const auto [after, error] =
        portable_parse_decimal(text.data(), text.data() + text.size(), found);
    CHECK(error == std::errc());
    CHECK(after == text.data() + length);
    CHECK(found == value);
  }
  for (const std::string_view text : {"", "-", ".", "+1", " 1", "--1", "e5", "x"}) {
    CAPTURE(text);
    double found = 7;
    CHECK(portable_parse_decimal(text.data(), text.data() + text.size(), found).ec ==
          std::errc::invalid_argument);
    CHECK(found == 7);
  }
  for (const std::string_view text : {"1e999", "-1e999", "1e-999", "2.4e-324"}) {
    CAPTURE(text);
    double found = 7;
    CHECK(portable_parse_decimal(text.data(), text.data() + text.size(), found).ec ==
          std::errc::result_out_of_range);
    CHECK(found == 7);
  }
}

#ifdef __cpp_lib_to_chars

TEST_CASE("numbers are printed and parsed as the standard library does it") {
  for (const double number : many_numbers()) {
    char text[kLongestDecimal];
    const std::string expected(text, std::to_chars(text, text + sizeof text, number).ptr);
    CHECK(printed(number) == expected);
  }
  for (const std::string_view text : {"nan", "-nan", "nan(1)", "nan(", "NaN(_a)b", "1.e5", "0.0e-9999",
                                      "00012", "1E5", "4e-324", "1e-324", "9007199254740993"}) {
    CAPTURE(text);
    double expected = 7;
    double found = 7;
    const char* const end = text.data() + text.size();
    const auto theirs = std::from_chars(text.data(), end, expected);
    const auto ours = portable_parse_decimal(text.data(), end, found);
    CHECK(ours.ec == theirs.ec);
    CHECK(ours.ptr == theirs.ptr);
    CHECK((is_same(found, expected) || (std::isnan(found) && std::isnan(expected))));
  }
}

#endif

TEST_CASE("a decimal point is a point in any locale") {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  bool is_set = false;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "German_Germany.1252"}) {
    is_set = is_set || std::setlocale(LC_NUMERIC, name) != nullptr;
  }
  if (!is_set) MESSAGE("skipped: no locale with a decimal comma is installed, such as de_DE.UTF-8");
  CHECK(printed(2.5) == "2.5");
  CHECK(printed(1.25e-30) == "1.25e-30");
  CHECK(parsed("2.5") == 2.5);
  std::setlocale(LC_NUMERIC, before.c_str());
}
