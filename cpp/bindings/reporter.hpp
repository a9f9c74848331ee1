#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <utility>

#include "multicut/solvers/stop_reason.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut::bindings {

namespace nb = nanobind;

using Callback = std::optional<nb::callable>;

// Lets Python see signals and lets the callback speak. Called without the GIL. Where a handler of
// signals only takes note of Ctrl-C, `is_interrupted` tells so, also before there is a partition.
class Reporter {
 public:
  explicit Reporter(const Callback& callback, const Callback& is_interrupted = std::nullopt)
      : callback_(callback), is_interrupted_(is_interrupted) {}

  StopReason operator()(double objective, double seconds) {
    nb::gil_scoped_acquire locked;
    const StopReason signalled = check_signals();
    if (signalled != StopReason::kConverged) return signalled;
    try {
      if (is_interrupted_ && nb::cast<bool>(nb::bool_((*is_interrupted_)()))) {
        return StopReason::kInterrupt;
      }
      if (!callback_ || objective == Watch::kNothingToTell) return StopReason::kConverged;
      return nb::cast<bool>(nb::bool_((*callback_)(objective, seconds))) ? StopReason::kCallback
                                                                         : StopReason::kConverged;
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) return StopReason::kInterrupt;
      error_.emplace(std::move(error));
      return StopReason::kCallback;
    }
  }

  // Why a run ended, once it has. Called with the GIL: Ctrl-C that came after the last report would
  // otherwise be raised as soon as Python goes on, and what was found would be lost.
  StopReason finish(StopReason reason) {
    if (const StopReason signalled = check_signals(); signalled != StopReason::kConverged) {
      reason = signalled;
    }
    if (error_) throw std::move(*error_);
    return reason;
  }

 private:
  StopReason check_signals() {
    if (PyErr_CheckSignals() == 0) return StopReason::kConverged;
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) {
      error_.emplace();  // a handler of the caller's own raised: pass it on
      return StopReason::kCallback;
    }
    PyErr_Clear();
    return StopReason::kInterrupt;
  }

  Callback callback_;
  Callback is_interrupted_;
  std::optional<nb::python_error> error_;
};

}  // namespace multicut::bindings
