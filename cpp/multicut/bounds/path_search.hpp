#pragma once

#include <array>
#include <span>
#include <vector>

#include "multicut/bounds/packing_problem.hpp"

namespace multicut {

// Searches for attractive paths between the ends of repulsive edges, from both ends at once and many
// times on one graph: only what a search touched is reset after it.
class PathSearch {
 public:
  enum class Outcome { kFound, kTooLong, kUnreachable };

  explicit PathSearch(const PackingProblem& problem);

  // A path of fewest edges, at most `max_length`, along edges with more than `least` left. Its edges
  // are appended to `path`.
  Outcome find_short(EdgeId edge, std::span<const double> left, double least, int max_length,
                     std::vector<EdgeId>& path);

  // A path along which prices add up to the least, if to less than `limit`. Its edges are appended.
  bool find_cheap(EdgeId edge, std::span<const double> prices, double limit,
                  std::vector<EdgeId>& path);

  // How much all searches so far have done, in steps of about a nanosecond.
  double num_steps() const { return num_steps_; }

 private:
  struct Entry {
    float distance;
    NodeId node;
  };
  struct Side {
    std::vector<float> distance;
    std::vector<EdgeId> parent_edge;
    std::vector<NodeId> touched;
    std::vector<NodeId> frontier;  // of the search by number of edges
    std::vector<Entry> heap;       // of the search by price
  };

  void reach(Side& side, NodeId node, float distance, EdgeId parent);
  void collect(const Side& side, NodeId node, std::vector<EdgeId>& path) const;
  void reset();

  const PackingProblem& problem_;
  std::array<Side, 2> sides_;
  std::vector<NodeId> next_frontier_;
  double num_steps_ = 0;
};

}  // namespace multicut
