#pragma once

#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

// A unit test is a named function; it fails by throwing, which CHECK does.
namespace check {

struct Test {
  const char* name;
  std::function<void()> run;
};

inline std::vector<Test>& tests() {
  static std::vector<Test> all;
  return all;
}

struct Registration {
  Registration(const char* name, std::function<void()> run) {
    tests().push_back({name, std::move(run)});
  }
};

[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  throw std::runtime_error(std::string(file) + ":" + std::to_string(line) + ": " + what);
}

}  // namespace check

#define TEST(name)                                          \
  static void name();                                       \
  static const check::Registration name##_test(#name, name); \
  static void name()

#define CHECK(condition)                                           \
  do {                                                             \
    if (!(condition)) check::fail(__FILE__, __LINE__, #condition); \
  } while (false)

#define CHECK_THROWS(expression, exception)                                         \
  do {                                                                              \
    bool thrown = false;                                                            \
    try {                                                                           \
      static_cast<void>(expression);                                                \
    } catch (const exception&) {                                                    \
      thrown = true;                                                                \
    }                                                                               \
    if (!thrown) check::fail(__FILE__, __LINE__, #expression " throws " #exception); \
  } while (false)
