#pragma once

#include <cstdint>

namespace multicut {

// Random numbers as a pure function of (seed, stream, counter): the same on every platform, in any
// order, from any thread.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::uint64_t stream) : key_(mix(mix(seed) + stream)) {}

  std::uint64_t bits(std::uint64_t counter) const {
    return mix(key_ + counter * 0x9e3779b97f4a7c15U);
  }

  // Close to standard normal: four 16-bit uniforms added up. Integer arithmetic until the end, so
  // no libm can make a difference.
  double normal(std::uint64_t counter) const {
    const std::uint64_t random = bits(counter);
    const auto sum = static_cast<double>((random & 0xffff) + ((random >> 16) & 0xffff) +
                                         ((random >> 32) & 0xffff) + (random >> 48));
    constexpr double kMean = 2 * 65535.0;
    constexpr double kDeviation = 37837.227;  // √(4 · (65536² − 1) / 12)
    return (sum - kMean) / kDeviation;
  }

 private:
  // The finaliser of SplitMix64 (Steele, Lea and Flood, 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z += 0x9e3779b97f4a7c15U;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
};

}  // namespace multicut
