#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/solvers/stop_reason.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut::bindings {

// What a solver hands back, ready for Python.
struct Solution {
  Labels labels;
  NodeId num_clusters = 0;
  double objective = 0;
  std::optional<double> lower_bound;
  std::vector<std::uint8_t> cut;
  std::vector<std::uint8_t> lifted_cut;  // empty for problems without lifted edges
  std::vector<TracePoint> trace;
  double seconds = 0;
  StopReason reason = StopReason::kConverged;

  // What the watch knows at the end of the run.
  void finish(Watch& watch) {
    watch.finish(objective);
    trace = watch.trace();
    seconds = watch.elapsed();
    reason = watch.reason();
  }
};

// A solver and the problem that it is to solve, whose arrays it keeps alive. To solve needs no GIL.
class Task {
 public:
  using Solve = std::function<Solution(Watch&)>;

  explicit Task(Solve solve) : solve_(std::move(solve)) {}

  Solution solve(Watch& watch) const { return solve_(watch); }

 private:
  Solve solve_;
};

}  // namespace multicut::bindings
