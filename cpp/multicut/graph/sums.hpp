#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace multicut {

// What rounding has taken from `sum`, the rounded a + b: the two together are exactly a + b (Knuth's
// TwoSum).
inline double sum_error(double a, double b, double sum) {
  const double b_rounded = sum - a;
  return (a - (sum - b_rounded)) + (b - b_rounded);
}

// Whether every sum and difference of the costs is exact, in any order: they are multiples of a power
// of two, and all of them together are less than 2^53 times that.
bool sums_are_exact(std::span<const double> costs);

// Whether all costs are finite, and so small that no sum of fewer than 2^31 of them overflows.
bool sums_are_finite(std::span<const double> costs);

// The sum of the costs, rounded in some way, in a fraction of the time that one addition after the other
// takes.
double quick_sum(std::span<const double> costs);

// The largest |cost|, 0 if there is none. Costs are not NaN.
double largest_size(std::span<const double> costs);

// A sum in twice the precision of a double.
class Sum {
 public:
  void add(double value) {
    const double next = sum_ + value;
    const double error = sum_error(sum_, value, next);
    const double lost = lost_ + error;
    doubt_ += std::abs(sum_error(lost_, error, lost));
    sum_ = next;
    lost_ = lost;
  }

  // Adds the sum of other values, as if these were added.
  void operator+=(const Sum& other) {
    add(other.sum_);
    add(other.lost_);
    doubt_ += other.doubt_;
  }

  double value() const { return sum_ + lost_; }

  // What rounding has taken from value().
  double residual() const { return sum_error(sum_, lost_, value()); }

  // What value() and residual() together may differ from the exact sum.
  double doubt() const { return 2 * doubt_; }

  // What value() may differ from the exact sum.
  double error() const { return std::abs(residual()) + doubt(); }

  // No more than the exact sum.
  double rounded_down() const { return down(value(), error()); }

  // No more than value − error, exactly.
  static double down(double value, double error) {
    if (error == 0) return value;
    return std::nextafter(value - error, -std::numeric_limits<double>::infinity());
  }

 private:
  double sum_ = 0;
  double lost_ = 0;
  double doubt_ = 0;
};

// An exact sum, as a list of doubles that do not overlap (Shewchuk 1997), rounded once at the end.
class ExactSum {
 public:
  void add(double value) {
    std::size_t count = 0;
    for (double part : parts_) {
      const double sum = value + part;
      const double error = sum_error(value, part, sum);
      if (error != 0) parts_[count++] = error;
      value = sum;
    }
    parts_.resize(count);
    parts_.push_back(value);
  }

  double value() const {
    // From the largest down, until something is lost; what comes then decides ties only.
    double sum = 0;
    double error = 0;
    std::size_t i = parts_.size();
    while (i > 0 && error == 0) {
      const double part = parts_[--i];
      const double next = sum + part;
      error = sum_error(sum, part, next);
      sum = next;
    }
    if (i > 0 && ((error < 0 && parts_[i - 1] < 0) || (error > 0 && parts_[i - 1] > 0))) {
      const double twice = 2 * error;
      const double other = sum + twice;
      if (twice == other - sum) sum = other;
    }
    return sum;
  }

 private:
  std::vector<double> parts_;  // ascending in size
};

}  // namespace multicut
