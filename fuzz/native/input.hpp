#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>
#include <vector>

namespace fuzzing {

// Ends the process, so that the fuzzer keeps the input: a promise of the core is broken.
inline void require(bool holds, const char* promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %s\n", promise);
  std::abort();
}

// Takes numbers from the bytes of a fuzzer; zeros when there are no more.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : position_(data), end_(data + size) {}

  bool is_empty() const { return position_ == end_; }

  std::uint8_t byte() { return is_empty() ? std::uint8_t{0} : *position_++; }

  // From 0 to `most`.
  std::uint32_t up_to(std::uint32_t most) { return byte() % (most + 1); }

  template <typename Number>
  Number raw() {
    Number number{};
    const std::size_t size = std::min(sizeof(Number), static_cast<std::size_t>(end_ - position_));
    std::memcpy(&number, position_, size);
    position_ += size;
    return number;
  }

  // Ties, zeros, constraints, the largest and the least sizes of a double, or any double at all.
  double cost() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kAwkward[] = {kInfinity, -kInfinity, 1e300, -1e300, 1e-300, -1e-300, 5e-324,
                                   -5e-324,   1.7e308,    -1.7e308, 1e16, -1e16, 1e-9, -1e-9, -0.0, 1e8};
    const std::uint8_t kind = byte();
    if (kind < 200) return (static_cast<double>(kind) - 100) / ((kind & 1) != 0 ? 8 : 7);
    if (kind < 240) return kAwkward[kind % std::size(kAwkward)];
    return raw<double>();
  }

  std::string_view rest() const {
    return {reinterpret_cast<const char*>(position_), static_cast<std::size_t>(end_ - position_)};
  }

 private:
  const std::uint8_t* position_;
  const std::uint8_t* end_;
};

// Edges as a caller states them: any order, duplicates, self-loops.
struct StatedEdges {
  std::vector<std::int64_t> endpoints;
  std::vector<double> costs;

  static StatedEdges take(Input& input, std::uint32_t num_nodes, std::size_t most) {
    StatedEdges edges;
    const std::size_t count = std::min<std::size_t>(input.byte(), most);
    for (std::size_t e = 0; e < count && !input.is_empty(); ++e) {
      const std::uint8_t ends = input.byte();
      edges.endpoints.push_back(ends % num_nodes);
      edges.endpoints.push_back(ends / num_nodes % num_nodes);
      edges.costs.push_back(input.cost());
    }
    return edges;
  }
};

}  // namespace fuzzing
