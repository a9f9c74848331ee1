#pragma once

#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/solvers/stop_reason.hpp"

// How failed checks show the core's types.

namespace multicut {

inline doctest::String toString(const Edge& edge) {
  return "(" + doctest::toString(edge.u) + ", " + doctest::toString(edge.v) + ")";
}

inline doctest::String toString(StopReason reason) { return text_of(reason); }

}  // namespace multicut

namespace doctest {

template <typename T>
struct StringMaker<std::vector<T>> {
  static String convert(const std::vector<T>& values) {
    constexpr std::size_t kMostShown = 50;
    String text = "{";
    for (std::size_t i = 0; i < values.size() && i < kMostShown; ++i) {
      text += (i > 0 ? ", " : "") + toString(values[i]);
    }
    return text + (values.size() > kMostShown ? ", …}" : "}");
  }
};

}  // namespace doctest
