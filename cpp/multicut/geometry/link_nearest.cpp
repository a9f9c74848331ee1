#include "multicut/geometry/link_nearest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace multicut {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Few points in each cell mean few distances to compute, but more cells to visit.
constexpr double kPointsPerCell = 3.0;

struct Place {
  double x;
  double y;
  std::uint32_t index;
};

struct Neighbour {
  double distance;  // squared
  std::uint32_t index;

  bool operator<(const Neighbour& other) const {
    return distance < other.distance || (distance == other.distance && index < other.index);
  }
};

// The points, sorted into the square cells of a grid.
class Grid {
 public:
  explicit Grid(std::span<const double> points) {
    const std::size_t n = points.size() / 2;
    double right = -kInfinity;
    double top = -kInfinity;
    for (std::size_t i = 0; i < n; ++i) {
      left_ = std::min(left_, points[2 * i]);
      right = std::max(right, points[2 * i]);
      bottom_ = std::min(bottom_, points[2 * i + 1]);
      top = std::max(top, points[2 * i + 1]);
    }
    const double width = right - left_;
    const double height = top - bottom_;
    const double num_cells = std::max(1.0, static_cast<double>(n) / kPointsPerCell);
    // A long thin box gets long rows of cells, but never more cells than points.
    size_ = std::max({std::sqrt(width * height / num_cells), width / num_cells,
                      height / num_cells, std::numeric_limits<double>::min()});
    columns_ = static_cast<std::int64_t>(width / size_) + 1;
    rows_ = static_cast<std::int64_t>(height / size_) + 1;

    first_.assign(static_cast<std::size_t>(columns_ * rows_) + 1, 0);
    for (std::size_t i = 0; i < n; ++i) {
      ++first_[cell(column(points[2 * i]), row(points[2 * i + 1])) + 1];
    }
    for (std::size_t c = 1; c < first_.size(); ++c) first_[c] += first_[c - 1];
    std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
    places_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double x = points[2 * i];
      const double y = points[2 * i + 1];
      places_[next[cell(column(x), row(y))]++] = {x, y, static_cast<std::uint32_t>(i)};
    }
  }

  const std::vector<Place>& places() const { return places_; }

  // Replaces `nearest` by the `count` points nearest to one of the places, in no order.
  void find_nearest(const Place& from, std::size_t count, std::vector<Neighbour>& nearest) const {
    nearest.clear();
    if (count == 0) return;
    const std::int64_t column_of = column(from.x);
    const std::int64_t row_of = row(from.y);
    for (std::int64_t radius = 0;; ++radius) {
      const std::int64_t low = row_of - radius;
      const std::int64_t high = row_of + radius;
      for (std::int64_t r = std::max<std::int64_t>(low, 0); r <= std::min(high, rows_ - 1); ++r) {
        if (r == low || r == high) {
          look_at(r, column_of - radius, column_of + radius, from, count, nearest);
        } else {
          look_at(r, column_of - radius, column_of - radius, from, count, nearest);
          look_at(r, column_of + radius, column_of + radius, from, count, nearest);
        }
      }
      // Points outside of the cells seen so far are at least this far away.
      const double margin = distance_to_unseen(from, column_of, row_of, radius);
      if (margin == kInfinity) return;
      if (nearest.size() == count && nearest.front().distance < margin * margin) return;
    }
  }

 private:
  std::int64_t column(double x) const {
    return std::min(static_cast<std::int64_t>((x - left_) / size_), columns_ - 1);
  }
  std::int64_t row(double y) const {
    return std::min(static_cast<std::int64_t>((y - bottom_) / size_), rows_ - 1);
  }
  std::size_t cell(std::int64_t c, std::int64_t r) const {
    return static_cast<std::size_t>(r * columns_ + c);
  }

  double distance_to_unseen(const Place& from, std::int64_t c, std::int64_t r,
                            std::int64_t radius) const {
    double margin = kInfinity;
    if (c - radius > 0) {
      margin = std::min(margin, from.x - left_ - static_cast<double>(c - radius) * size_);
    }
    if (c + radius < columns_ - 1) {
      margin = std::min(margin, left_ + static_cast<double>(c + radius + 1) * size_ - from.x);
    }
    if (r - radius > 0) {
      margin = std::min(margin, from.y - bottom_ - static_cast<double>(r - radius) * size_);
    }
    if (r + radius < rows_ - 1) {
      margin = std::min(margin, bottom_ + static_cast<double>(r + radius + 1) * size_ - from.y);
    }
    // Which cell a point on a border is in is a matter of rounding: be that much more careful.
    return margin == kInfinity ? margin : std::max(0.0, margin - 1e-9 * size_);
  }

  // Keeps the nearest among the points of a part of one row, as a heap with the farthest on top.
  void look_at(std::int64_t r, std::int64_t first_column, std::int64_t last_column,
               const Place& from, std::size_t count, std::vector<Neighbour>& nearest) const {
    first_column = std::max<std::int64_t>(first_column, 0);
    last_column = std::min(last_column, columns_ - 1);
    if (first_column > last_column) return;
    const std::uint32_t end = first_[cell(last_column, r) + 1];
    for (std::uint32_t p = first_[cell(first_column, r)]; p < end; ++p) {
      const Place& to = places_[p];
      if (to.index == from.index) continue;
      const double dx = to.x - from.x;
      const double dy = to.y - from.y;
      const Neighbour found{dx * dx + dy * dy, to.index};
      if (nearest.size() < count) {
        nearest.push_back(found);
        std::push_heap(nearest.begin(), nearest.end());
      } else if (found < nearest.front()) {
        std::pop_heap(nearest.begin(), nearest.end());
        nearest.back() = found;
        std::push_heap(nearest.begin(), nearest.end());
      }
    }
  }

  double left_ = kInfinity;
  double bottom_ = kInfinity;
  double size_ = 1.0;
  std::int64_t columns_ = 1;
  std::int64_t rows_ = 1;
  std::vector<std::uint32_t> first_;  // of each cell in `places_`
  std::vector<Place> places_;
};

void check(std::span<const double> points, std::span<const std::int64_t> counts) {
  const std::size_t n = counts.size();
  if (points.size() != 2 * n || n >= (std::size_t{1} << 31)) {
    throw std::invalid_argument("counts must hold one number per point, and points be below 2^31");
  }
  for (const double value : points) {
    if (!std::isfinite(value)) throw std::invalid_argument("points must be finite");
  }
  for (const std::int64_t count : counts) {
    if (count < 0 || static_cast<std::size_t>(count) >= n) {
      throw std::invalid_argument("counts must be between 0 and the number of other points, got " +
                                  std::to_string(count));
    }
  }
}

}  // namespace

std::vector<std::int64_t> link_nearest(std::span<const double> points,
                                       std::span<const std::int64_t> counts) {
  check(points, counts);
  const std::size_t n = counts.size();
  if (n == 0) return {};
  const Grid grid(points);

  // All links, each with its smaller end first, in the order in which they are found.
  std::size_t total = 0;
  for (const std::int64_t count : counts) total += static_cast<std::size_t>(count);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> links;
  links.reserve(total);
  std::vector<Neighbour> nearest;
  std::vector<std::size_t> first(n + 1, 0);
  for (const Place& place : grid.places()) {
    grid.find_nearest(place, static_cast<std::size_t>(counts[place.index]), nearest);
    for (const Neighbour& neighbour : nearest) {
      links.push_back(std::minmax(place.index, neighbour.index));
      ++first[links.back().first + 1];
    }
  }

  // Sorted by their smaller ends; then each group by itself.
  for (std::size_t u = 0; u < n; ++u) first[u + 1] += first[u];
  std::vector<std::uint32_t> other(links.size());
  {
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    for (const auto& [u, v] : links) other[next[u]++] = v;
    links = {};
  }
  std::vector<std::int64_t> edges;
  edges.reserve(2 * other.size());
  for (std::size_t u = 0; u < n; ++u) {
    const auto begin = other.begin() + static_cast<std::ptrdiff_t>(first[u]);
    const auto end = other.begin() + static_cast<std::ptrdiff_t>(first[u + 1]);
    std::sort(begin, end);
    const auto last = std::unique(begin, end);
    for (auto v = begin; v != last; ++v) {
      edges.push_back(static_cast<std::int64_t>(u));
      edges.push_back(static_cast<std::int64_t>(*v));
    }
  }
  return edges;
}

}  // namespace multicut
