#pragma once

namespace multicut {

// Why a run ended.
enum class StopReason { kConverged, kTimeLimit, kCallback, kInterrupt };

// What Python calls it.
constexpr const char* text_of(StopReason reason) {
  switch (reason) {
    case StopReason::kTimeLimit:
      return "time_limit";
    case StopReason::kCallback:
      return "callback";
    case StopReason::kInterrupt:
      return "interrupt";
    case StopReason::kConverged:
      break;
  }
  return "converged";
}

}  // namespace multicut
