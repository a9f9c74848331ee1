#pragma once

#include <cstddef>
#include <functional>

namespace multicut {

// Asked now and then by work that takes long; once it is true, the work is given up.
using Stop = std::function<bool()>;

inline const Stop kNeverStop = [] { return false; };

// Tells when it is time to look at the clock again: after so much work, not so many steps.
class WorkMeter {
 public:
  void operator+=(std::size_t work) { done_ += work; }

  // Adds `work`; true about once a millisecond.
  bool is_due(std::size_t work) {
    done_ += work;
    if (done_ < kWorkBetweenChecks) return false;
    done_ = 0;
    return true;
  }

 private:
  // In units of an edge looked at.
  static constexpr std::size_t kWorkBetweenChecks = 1 << 14;

  std::size_t done_ = 0;
};

}  // namespace multicut
