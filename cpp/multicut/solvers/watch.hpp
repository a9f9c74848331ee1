#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <thread>
#include <vector>

#include "multicut/graph/stop.hpp"
#include "multicut/solvers/stop_reason.hpp"

namespace multicut {

struct TracePoint {
  double seconds;
  double objective;
};

// Watches one run of a solver: its deadline, the caller's wish to stop, and its trace. Solvers ask
// `should_stop` about every millisecond and announce milestones with `improved`.
class Watch {
 public:
  // Told the best objective so far and the seconds elapsed; kConverged means: go on. Without a
  // solution yet, the objective is kNothingToTell: then it is about Ctrl-C alone.
  static constexpr double kNothingToTell = -std::numeric_limits<double>::infinity();
  using Report = std::function<StopReason(double objective, double seconds)>;

  // `every_improvement`: whether `report` wants to hear of each milestone, not only now and then.
  explicit Watch(double time_limit = std::numeric_limits<double>::infinity(),
                   Report report = {}, bool every_improvement = false);

  // For a solver that runs inside another one, whose best objective is `best`: it stops when the
  // outer run has to and leaves no trace. Only the thread of the outer run may pass polls = true,
  // which keeps reports coming while the inner one works. `outer` must outlive the new watch.
  static Watch nested(Watch& outer, double best, bool polls);

  // Solvers may work on scaled costs with penalties; trace and report are in the caller's terms:
  // (objective + offset) · unit.
  void set_unit(double unit, double offset) {
    unit_ = unit;
    offset_ = offset;
  }

  // Ends the run so many seconds before its deadline, for what is to be done with its result; some
  // more, to compare that with a partition that needs no search, until it is `beyond_trivial`.
  void reserve(double seconds, double seconds_to_compare = 0) {
    reserve_ = seconds;
    seconds_to_compare_ = seconds_to_compare;
  }

  // From now on no partition that needs no search can be better than the one at hand. Not for nested
  // runs, whose costs may be others.
  void set_beyond_trivial() {
    if (outer_ != nullptr) return;
    is_beyond_trivial_ = true;
    seconds_to_compare_ = 0;
  }
  bool is_beyond_trivial() const { return is_beyond_trivial_; }

  // For a solver that works on a part of the problem: what the rest costs.
  void add_to_offset(double cost) { offset_ += cost; }

  // The best objective so far is `objective`: has the solver to stop now?
  bool should_stop(double objective);

  // As above, for worker threads, and where no objective is at hand: looks at the clock and, in the
  // thread that made the watch, for Ctrl-C.
  bool expired();

  // With more time, the solver would have done something else: even if it comes to an end in time, the
  // limit is why the run ended.
  void set_cut_short() {
    if (outer_ != nullptr) {
      outer_->set_cut_short();
    } else {
      is_cut_short_ = true;
    }
  }

  // How long the solver may still work; infinite without a time limit.
  double seconds_left() const;

  // A new best solution is at hand. Returns should_stop.
  bool improved(double objective);

  // The solver is done, and this is its last milestone, in the caller's terms. Only Ctrl-C can still
  // stop it: whoever else wants it to stop gets what is complete.
  void completed(double objective);

  // Ends the trace with the objective of what the caller gets, which is exact and in his terms.
  void finish(double objective);

  double elapsed() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  StopReason reason() const { return reason_.load(std::memory_order_relaxed); }
  const std::vector<TracePoint>& trace() const { return trace_; }

 private:
  using Clock = std::chrono::steady_clock;

  Watch(Watch& outer, double best, bool polls);

  double end() const { return time_limit_ - reserve_ - seconds_to_compare_; }
  double in_callers_terms(double objective) const { return (objective + offset_) * unit_; }
  // Ends the run for this reason, unless there has been one before.
  void stop(StopReason reason) {
    auto none = StopReason::kConverged;
    reason_.compare_exchange_strong(none, reason, std::memory_order_relaxed);
  }
  void record(double seconds, double objective);
  void report(double seconds, double objective);

  Clock::time_point start_ = Clock::now();
  double time_limit_;
  double reserve_ = 0;
  std::atomic<double> seconds_to_compare_ = 0;
  bool is_beyond_trivial_ = false;
  std::atomic<bool> is_cut_short_ = false;
  Report report_;
  bool every_improvement_;
  double unit_ = 1;
  double offset_ = 0;
  double last_report_ = 0;
  double last_look_ = 0;  // for Ctrl-C
  std::thread::id thread_ = std::this_thread::get_id();
  std::atomic<StopReason> reason_ = StopReason::kConverged;
  std::vector<TracePoint> trace_;
  Watch* outer_ = nullptr;
  double best_of_outer_ = 0;
  bool polls_outer_ = false;
};

}  // namespace multicut
