#include "multicut/solvers/typical_cost.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace multicut {
namespace {

constexpr std::size_t kSampleSize = 4096;
constexpr double kOrdinary = 100;  // times the median

double median_absolute(std::span<const double> costs) {
  std::vector<double> sample;
  const std::size_t stride = costs.size() / kSampleSize + 1;
  for (std::size_t e = 0; e < costs.size(); e += stride) {
    if (costs[e] != 0) sample.push_back(std::abs(costs[e]));
  }
  if (sample.empty()) return 0;
  const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
  std::nth_element(sample.begin(), middle, sample.end());
  return *middle;
}

}  // namespace

double typical_cost(std::span<const double> costs) {
  const double limit = kOrdinary * median_absolute(costs);
  double sum = 0;
  std::size_t count = 0;
  for (const double cost : costs) {
    if (std::abs(cost) > limit) continue;
    sum += std::abs(cost);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

}  // namespace multicut
