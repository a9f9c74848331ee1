#include "multicut/solvers/watch.hpp"

#include <utility>

namespace multicut {
namespace {

constexpr double kSecondsBetweenReports = 0.02;
constexpr double kSecondsBetweenTracePoints = 0.005;

}  // namespace

Watch::Watch(double time_limit, Report report, bool every_improvement)
    : time_limit_(time_limit),
      report_(std::move(report)),
      every_improvement_(every_improvement) {}

Watch::Watch(Watch& outer, double best, bool polls)
    : time_limit_(std::numeric_limits<double>::infinity()),
      every_improvement_(false),
      outer_(&outer),
      best_of_outer_(best),
      polls_outer_(polls) {}

Watch Watch::nested(Watch& outer, double best, bool polls) { return {outer, best, polls}; }

void Watch::record(double seconds, double objective) {
  if (trace_.empty() || objective < trace_.back().objective) {
    trace_.push_back({seconds, objective});
  }
}

void Watch::report(double seconds, double objective) {
  if (!report_) return;
  last_report_ = last_look_ = seconds;
  stop(report_(objective, seconds));
}

bool Watch::should_stop(double objective) {
  if (outer_ != nullptr) {
    return polls_outer_ ? outer_->should_stop(best_of_outer_) : outer_->expired();
  }
  if (expired()) return true;
  const double seconds = elapsed();
  if (trace_.empty() || seconds - trace_.back().seconds >= kSecondsBetweenTracePoints) {
    record(seconds, in_callers_terms(objective));
  }
  if (seconds - last_report_ >= kSecondsBetweenReports) report(seconds, in_callers_terms(objective));
  return reason() != StopReason::kConverged;
}

bool Watch::expired() {
  if (outer_ != nullptr) return outer_->expired();
  if (reason() == StopReason::kConverged) {
    const double seconds = elapsed();
    if (seconds >= end()) {
      stop(StopReason::kTimeLimit);
    } else if (report_ && std::this_thread::get_id() == thread_ &&
               seconds - last_look_ >= kSecondsBetweenReports) {
      last_look_ = seconds;
      stop(report_(kNothingToTell, seconds));
    }
  }
  return reason() != StopReason::kConverged;
}

double Watch::seconds_left() const {
  if (outer_ != nullptr) return outer_->seconds_left();
  return end() - elapsed();
}

void Watch::finish(double objective) {
  while (!trace_.empty() && trace_.back().objective <= objective) trace_.pop_back();
  record(elapsed(), objective);
  if (is_cut_short_) stop(StopReason::kTimeLimit);
}

void Watch::completed(double objective) {
  const double seconds = elapsed();
  record(seconds, objective);
  if (!report_ || !every_improvement_) return;
  last_report_ = seconds;
  if (report_(objective, seconds) == StopReason::kInterrupt) stop(StopReason::kInterrupt);
}

bool Watch::improved(double objective) {
  if (outer_ != nullptr) return should_stop(objective);
  const double seconds = elapsed();
  record(seconds, in_callers_terms(objective));
  if (every_improvement_ && reason() == StopReason::kConverged) {
    report(seconds, in_callers_terms(objective));
  }
  return should_stop(objective);
}

}  // namespace multicut
