#include "multicut/graph/bipartite_matching.hpp"

#include <limits>
#include <stdexcept>

namespace multicut {

namespace {

constexpr std::int64_t kFree = -1;
constexpr std::size_t kUnreached = std::numeric_limits<std::size_t>::max();

class Matching {
 public:
  Matching(std::size_t num_left, std::size_t num_right, std::span<const std::int64_t> edges)
      : first_(num_left + 1), left_(num_left, kFree), right_(num_right, kFree), level_(num_left),
        next_(num_left) {
    for (std::size_t e = 0; e < edges.size(); e += 2) {
      const auto l = static_cast<std::size_t>(edges[e]);
      const auto r = static_cast<std::size_t>(edges[e + 1]);
      if (l >= num_left || r >= num_right) throw std::invalid_argument("edges: no such node");
      ++first_[l + 1];
      if (left_[l] == kFree && right_[r] == kFree) {
        left_[l] = edges[e + 1];
        right_[r] = edges[e];
      }
    }
    for (std::size_t l = 0; l < num_left; ++l) first_[l + 1] += first_[l];
    others_.resize(edges.size() / 2);
    std::vector<std::size_t> end(first_.begin(), first_.end() - 1);
    for (std::size_t e = 0; e < edges.size(); e += 2) {
      others_[end[static_cast<std::size_t>(edges[e])]++] = edges[e + 1];
    }
  }

  std::vector<std::int64_t> enlarge() {
    while (find_levels()) {
      next_.assign(first_.begin(), first_.end() - 1);
      for (std::size_t l = 0; l < left_.size(); ++l) {
        if (left_[l] == kFree) augment(l);
      }
    }
    return std::move(left_);
  }

 private:
  // The length of shortest alternating paths from free left nodes; whether one ends at a free node.
  bool find_levels() {
    level_.assign(left_.size(), kUnreached);
    queue_.clear();
    for (std::size_t l = 0; l < left_.size(); ++l) {
      if (left_[l] == kFree) {
        level_[l] = 0;
        queue_.push_back(l);
      }
    }
    std::size_t last = kUnreached;
    for (std::size_t head = 0; head < queue_.size() && level_[queue_[head]] < last; ++head) {
      const std::size_t l = queue_[head];
      for (std::size_t e = first_[l]; e < first_[l + 1]; ++e) {
        const std::int64_t mate = right_[static_cast<std::size_t>(others_[e])];
        if (mate == kFree) {
          last = level_[l] + 1;
        } else if (level_[static_cast<std::size_t>(mate)] == kUnreached) {
          level_[static_cast<std::size_t>(mate)] = level_[l] + 1;
          queue_.push_back(static_cast<std::size_t>(mate));
        }
      }
    }
    return last != kUnreached;
  }

  // Depth first along levels, with a stack of its own: paths can be as long as a boundary.
  void augment(std::size_t start) {
    path_.assign(1, start);
    while (!path_.empty()) {
      const std::size_t l = path_.back();
      if (next_[l] == first_[l + 1]) {
        level_[l] = kUnreached;
        path_.pop_back();
        if (!path_.empty()) ++next_[path_.back()];
        continue;
      }
      const std::int64_t mate = right_[static_cast<std::size_t>(others_[next_[l]])];
      if (mate == kFree) {
        for (const std::size_t node : path_) {
          const std::int64_t r = others_[next_[node]];
          left_[node] = r;
          right_[static_cast<std::size_t>(r)] = static_cast<std::int64_t>(node);
        }
        return;
      }
      if (level_[static_cast<std::size_t>(mate)] == level_[l] + 1) {
        path_.push_back(static_cast<std::size_t>(mate));
      } else {
        ++next_[l];
      }
    }
  }

  std::vector<std::size_t> first_;
  std::vector<std::int64_t> others_;
  std::vector<std::int64_t> left_, right_;
  std::vector<std::size_t> level_, next_, queue_, path_;
};

}  // namespace

std::vector<std::int64_t> match_bipartite(std::size_t num_left, std::size_t num_right,
                                          std::span<const std::int64_t> edges) {
  return Matching(num_left, num_right, edges).enlarge();
}

}  // namespace multicut
