#include <exception>
#include <iostream>

#include "check.hpp"

int main() {
  int failed = 0;
  for (const check::Test& test : check::tests()) {
    try {
      test.run();
    } catch (const std::exception& error) {
      ++failed;
      std::cerr << "FAILED " << test.name << ": " << error.what() << '\n';
    }
  }
  std::cout << check::tests().size() - static_cast<std::size_t>(failed) << " passed, " << failed
            << " failed\n";
  return failed == 0 ? 0 : 1;
}
