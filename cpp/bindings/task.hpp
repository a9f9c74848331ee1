#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "multicut/graph/partition.hpp"
#include "multicut/solvers/stop_reason.hpp"
#include "multicut/solvers/trivial_partition.hpp"
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

inline void take_trivial_partition(Solution& solution, const Graph& graph,
                                   std::span<const double> costs) {
  solution.cut.resize(graph.num_edges());
  Evaluated trivial = evaluated_trivial_partition(graph, costs, solution.cut);
  solution.labels = std::move(trivial.labels);
  // These are canonical.
  solution.num_clusters = solution.labels.empty() ? 0 : *std::ranges::max_element(solution.labels) + 1;
  solution.objective = trivial.objective;
}

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
