#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/watch.hpp"
#include "reporter.hpp"

namespace multicut::bindings {

constexpr double kForever = std::numeric_limits<double>::infinity();

// What objects of Python hold, which are kept alive for as long as it is worked on.
template <typename T>
class Held {
 public:
  Held(const nb::typed<nb::iterable, T>& objects, const char* complaint) {
    for (const nb::handle object : objects) {
      if (!nb::isinstance<T>(object)) throw nb::type_error(complaint);
      owners_.push_back(nb::borrow(object));
      values_.push_back(&nb::cast<const T&>(object));
    }
  }

  std::size_t size() const { return values_.size(); }
  const T& operator[](std::size_t i) const { return *values_[i]; }

 private:
  std::vector<nb::object> owners_;
  std::vector<const T*> values_;
};

// In seconds.
struct TimeLimits {
  double each = kForever;
  double all = kForever;
};

// Calls work(i, watch) for all i below `count`, from several threads that need no GIL; meanwhile
// Python only looks at signals and calls back now and then. Threads of Python would mostly wait for
// each other where problems are small. Once it is to stop, watches say so; those of work that was
// not yet begun say it at once. Returns why each piece of work ended.
template <typename Work>
std::vector<StopReason> side_by_side(std::size_t count, int num_threads, TimeLimits limits,
                                     const Callback& callback, Work work) {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetweenSignals{20};
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  if (num_threads < 1) {
    throw std::invalid_argument("num_threads must be at least 1, got " +
                                std::to_string(num_threads));
  }
  std::vector<StopReason> reasons(count);
  Reporter reporter(callback);
  StopReason verdict = reporter(kUnknown, 0);
  std::atomic<bool> cancelled = verdict != StopReason::kConverged;
  const auto start = Clock::now();
  const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  const auto listen = [&](double, double) {
    return cancelled ? StopReason::kInterrupt : StopReason::kConverged;
  };
  const auto make_body = [&](bool) {
    return [&](std::size_t i) {
      const bool is_late = cancelled;
      const double left = std::max(limits.all - elapsed(), 0.0);
      Watch watch(is_late ? 0.0 : std::min(limits.each, left), listen,
                      /*every_improvement=*/true);
      try {
        work(i, watch);
      } catch (...) {
        cancelled = true;
        throw;
      }
      reasons[i] = is_late ? StopReason::kInterrupt : watch.reason();
    };
  };
  const auto hear = [&] {
    if (const auto now = reporter(kUnknown, elapsed()); now != StopReason::kConverged) {
      verdict = now;
      cancelled = true;
    }
  };
  {
    nb::gil_scoped_release unlocked;
    parallel_for(count, num_threads, make_body, Meanwhile{kBetweenSignals, hear});
  }
  verdict = reporter.finish(verdict);
  const bool is_known = std::ranges::find(reasons, StopReason::kInterrupt) != reasons.end();
  if (verdict != StopReason::kConverged && !is_known && count > 0) {
    reasons.back() = StopReason::kInterrupt;  // it came too late for all of them
  }
  return reasons;
}

}  // namespace multicut::bindings
