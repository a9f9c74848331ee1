#pragma once

#include <cstdio>
#include <string>

namespace multicut {

// A number for a message. Without streams: these take their locale from the first C++ library that
// was loaded, and crash where another extension module brings one of its own.
inline std::string short_number(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%g", value);
  return digits;
}

}  // namespace multicut
