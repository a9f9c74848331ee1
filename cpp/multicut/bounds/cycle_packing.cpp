#include "multicut/bounds/cycle_packing.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "multicut/bounds/packing_problem.hpp"
#include "multicut/bounds/path_search.hpp"
#include "multicut/graph/cycles.hpp"
#include "multicut/graph/sums.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/typical_cost.hpp"

namespace multicut {
namespace {

// Cycles with paths of up to so many edges are packed greedily.
constexpr int kLongestGreedyPath = 4;
// Of a typical cost, what is too little to be packed greedily.
constexpr double kTooLittle = 1e-3;
// A new cycle must be cheaper than 1, what it is worth, by at least this.
constexpr double kLeastSaving = 0.02;
// A cycle without weight whose edges cost so much is forgotten.
constexpr float kTooDear = 1.25f;
// After so many rounds, cycles are looked for by price, not by what is left.
constexpr int kGreedyRounds = 2;
constexpr int kStepsPerRound = 50;
// Ends after this many rounds that gain less than this share of the bound.
constexpr int kPatience = 2;
constexpr double kLeastGain = 1e-5;
// Repulsive edges that a thread takes at a time, and the least worth a thread.
constexpr std::size_t kEdgesPerChunk = 1024;
constexpr std::size_t kEdgesBetweenChecks = 64;
// A weight is at most so many typical costs.
constexpr double kMostUnits = 1e30;
// Steps for each edge of a cycle on which weight is redistributed, each time.
constexpr double kStepsPerEdge = 5;

class CyclePacking {
 public:
  CyclePacking(const Graph& graph, std::span<const double> costs, const PackingOptions& options,
               Watch& watch)
      : problem_(graph, costs, [&] { return watch.expired(); }),
        unit_(problem_.is_complete() ? typical_cost(costs) : 1),
        num_threads_(options.num_threads),
        max_rounds_(options.max_rounds),
        max_steps_(options.max_steps),
        keeps_left_(options.keeps_left),
        watch_(watch),
        best_(problem_.is_complete() ? problem_.trivial_bound() : trivial_bound(costs)) {
    if (unit_ <= 0) unit_ = 1;
  }

  PackingResult run() {
    if (!problem_.is_complete()) return {best_, 0, 0};
    if (keeps_left_) keep_left();
    left_.assign(problem_.capacities().begin(), problem_.capacities().end());
    prices_.assign(problem_.num_edges(), 0);
    load_.assign(problem_.num_edges(), 0);
    step_sizes_.resize(problem_.num_edges());
    pack_greedily();
    int idle = 0;
    while (num_rounds_ < max_rounds_ && steps_ < max_steps_ && idle < kPatience &&
           pool_.size() > 0) {
      if (watch_.should_stop(-best_) || !redistribute(kStepsPerRound)) break;
      const double before = best_;
      update_bound();
      if (watch_.improved(-best_)) break;
      if (num_rounds_++ < kGreedyRounds) {
        pack_greedily();
      } else {
        forget_dear_cycles();
        add_cheap_cycles();
      }
      idle = best_ - before > kLeastGain * std::abs(best_) ? 0 : idle + 1;
    }
    return {best_, num_rounds_, pool_.size(), std::move(best_left_)};
  }

 private:
  // Beside costs that are far smaller, some would exceed what a float can hold.
  float to_unit(double cost) const { return static_cast<float>(std::min(cost / unit_, kMostUnits)); }

  // Packs as much as fits into new cycles, the shortest ones first.
  void pack_greedily() {
    PathSearch search(problem_);
    const double least = kTooLittle * unit_;
    std::vector<EdgeId> open(problem_.repulsive_edges().begin(), problem_.repulsive_edges().end());
    for (int length = 2; length <= kLongestGreedyPath; ++length) {
      std::size_t num_open = 0;
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (i % kEdgesBetweenChecks == 0 && watch_.should_stop(-best_)) break;
        auto outcome = PathSearch::Outcome::kFound;
        while (left_[open[i]] > least) {
          pool_.edges.push_back(open[i]);
          outcome = search.find_short(open[i], left_, least, length, pool_.edges);
          if (outcome != PathSearch::Outcome::kFound) {
            pool_.edges.pop_back();
            break;
          }
          pool_.offsets.push_back(pool_.edges.size());
          weights_.push_back(to_unit(fill_up(pool_.size() - 1)));
        }
        // What is left shrinks only, so an end out of reach stays so.
        if (outcome == PathSearch::Outcome::kTooLong) open[num_open++] = open[i];
      }
      open.resize(num_open);
      count_uses();
      raise_bound();
      if (watch_.improved(-best_)) break;
    }
    steps_ += search.num_steps();
  }

  // Packs as much as fits into one cycle.
  double fill_up(std::size_t i) {
    double fits = std::numeric_limits<double>::infinity();
    for (const EdgeId e : pool_[i]) fits = std::min(fits, left_[e]);
    if (fits <= 0) return 0;
    for (const EdgeId e : pool_[i]) left_[e] -= fits;
    packed_.add(fits);
    return fits;
  }

  // Steps of the primal-dual method on the cycles at hand: weights x ≥ 0 maximise Σ x, prices y ≥ 0
  // hold them within the capacities. False if the time is up.
  bool redistribute(int num_steps) {
    count_uses();
    for (EdgeId e = 0; e < uses_.size(); ++e) {
      step_sizes_[e] = uses_[e] > 0 ? 1.0f / static_cast<float>(uses_[e]) : 0.0f;
    }
    std::vector<float> capacities(problem_.num_edges());
    for (EdgeId e = 0; e < capacities.size(); ++e) {
      capacities[e] = to_unit(problem_.capacity(e));
    }
    std::ranges::fill(load_, 0.0f);
    if (watch_.should_stop(-best_)) return false;
    steps_ += kStepsPerEdge * num_steps * static_cast<double>(pool_.edges.size());
    WorkMeter work;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (work.is_due(pool_[i].size()) && watch_.expired()) return false;
      for (const EdgeId e : pool_[i]) load_[e] += weights_[i];
    }
    for (int step = 0; step < num_steps; ++step) {
      if (watch_.should_stop(-best_)) return false;
      for (EdgeId e = 0; e < load_.size(); ++e) {
        prices_[e] = std::max(0.0f, prices_[e] + (load_[e] - capacities[e]) * step_sizes_[e]);
        load_[e] = 0;
      }
      for (std::size_t i = 0; i < pool_.size(); ++i) {
        const auto cycle = pool_[i];
        if (work.is_due(cycle.size()) && watch_.expired()) return false;
        float price = 0;
        for (const EdgeId e : cycle) price += prices_[e];
        const float step_size = 1.0f / static_cast<float>(cycle.size());
        const float weight = std::max(0.0f, weights_[i] + (1.0f - price) * step_size);
        const float extrapolated = 2 * weight - weights_[i];
        weights_[i] = weight;
        for (const EdgeId e : cycle) load_[e] += extrapolated;
      }
    }
    return true;
  }

  void count_uses() {
    uses_.assign(problem_.num_edges(), 0);
    for (const EdgeId e : pool_.edges) ++uses_[e];
  }

  // Makes the weights fit, fills up what they leave, and takes over the bound that this gives. If the
  // time is up before, nothing is taken over, and the run has to end.
  void update_bound() {
    std::vector<double> used(problem_.num_edges(), 0.0);
    WorkMeter work;
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (work.is_due(pool_[i].size()) && watch_.expired()) return;
      for (const EdgeId e : pool_[i]) used[e] += weights_[i] * unit_;
    }
    std::vector<double>& share = used;
    for (EdgeId e = 0; e < used.size(); ++e) {
      share[e] = used[e] > problem_.capacity(e) ? problem_.capacity(e) / used[e] : 1.0;
    }
    std::ranges::copy(problem_.capacities(), left_.begin());
    packed_ = {};
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (work.is_due(pool_[i].size()) && watch_.expired()) return;
      double weight = weights_[i] * unit_;
      for (const EdgeId e : pool_[i]) weight = std::min(weight, weights_[i] * unit_ * share[e]);
      for (const EdgeId e : pool_[i]) left_[e] -= weight;
      packed_.add(weight);
    }
    for (std::size_t i = 0; i < pool_.size(); ++i) {
      if (work.is_due(pool_[i].size()) && watch_.expired()) return;
      fill_up(i);
    }
    raise_bound();
  }

  // Takes over the bound of what is packed. What an edge carries beyond its capacity counts against
  // it (here that is rounding), and so does what rounding may hide: what is left of an edge is its
  // capacity less up to two terms for each cycle through it. Edges that have more than that left
  // carry no more than their capacity for sure, however large they are.
  void raise_bound() {
    Sum bound = packed_;
    bound.add(problem_.trivial_bound());
    for (EdgeId e = 0; e < left_.size(); ++e) {
      const double rounding =
          (uses_[e] + 1) * std::numeric_limits<double>::epsilon() * problem_.capacity(e);
      if (uses_[e] > 0 && left_[e] < rounding) bound.add(left_[e] - rounding);
    }
    const double rounded = bound.rounded_down();
    if (!(rounded > best_)) return;  // also if it is not a number
    best_ = rounded;
    if (keeps_left_) keep_left();
  }

  void keep_left() {
    best_left_.resize(problem_.num_original_edges(), 0);
    for (EdgeId e = 0; e < problem_.num_edges(); ++e) {
      double left = problem_.capacity(e);
      if (!uses_.empty() && uses_[e] > 0) {
        left = left_[e] - (uses_[e] + 1) * std::numeric_limits<double>::epsilon() * left;
      }
      best_left_[problem_.original_edges()[e]] = left;
    }
  }

  void forget_dear_cycles() {
    std::size_t num_kept = 0;
    std::size_t end = 0;
    WorkMeter work;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const auto cycle = pool_[i];
      if (work.is_due(cycle.size()) && watch_.expired()) break;
      if (weights_[i] == 0) {
        float price = 0;
        for (const EdgeId e : cycle) price += prices_[e];
        if (price > kTooDear) continue;
      }
      weights_[num_kept] = weights_[i];
      std::ranges::copy(cycle, pool_.edges.begin() + static_cast<std::ptrdiff_t>(end));
      end += cycle.size();
      pool_.offsets[++num_kept] = end;
    }
    weights_.resize(num_kept);
    pool_.edges.resize(end);
    pool_.offsets.resize(num_kept + 1);
  }

  // For each repulsive edge, the cycle whose edges cost least, if they cost less than it is worth.
  void add_cheap_cycles() {
    const std::vector<double> prices(prices_.begin(), prices_.end());
    const auto repulsive = problem_.repulsive_edges();
    const std::size_t num_chunks = (repulsive.size() + kEdgesPerChunk - 1) / kEdgesPerChunk;
    std::vector<Cycles> found(num_chunks);
    std::vector<double> num_steps(num_chunks);
    parallel_for(num_chunks, num_threads_, [&](bool is_caller) {
      return [&, is_caller, search = PathSearch(problem_)](std::size_t chunk) mutable {
        const std::size_t end = std::min(repulsive.size(), (chunk + 1) * kEdgesPerChunk);
        const double steps_before = search.num_steps();
        for (std::size_t i = chunk * kEdgesPerChunk; i < end; ++i) {
          // Only the thread of the run itself may let the caller speak.
          if (i % kEdgesBetweenChecks == 0 &&
              (is_caller ? watch_.should_stop(-best_) : watch_.expired())) {
            return;
          }
          const double limit = 1 - prices[repulsive[i]] - kLeastSaving;
          if (limit <= 0) continue;
          Cycles& pool = found[chunk];
          pool.edges.push_back(repulsive[i]);
          if (search.find_cheap(repulsive[i], prices, limit, pool.edges)) {
            pool.offsets.push_back(pool.edges.size());
          } else {
            pool.edges.pop_back();
          }
        }
        num_steps[chunk] = search.num_steps() - steps_before;
      };
    });
    for (const double number : num_steps) steps_ += number;
    for (const Cycles& pool : found) pool_.append(pool);
    weights_.resize(pool_.size(), 0.0f);
  }

  const PackingProblem problem_;
  double unit_;  // weights are in units of a typical cost
  int num_threads_;
  int max_rounds_;
  double max_steps_;
  bool keeps_left_;
  Watch& watch_;
  double best_;
  int num_rounds_ = 0;
  double steps_ = 0;
  Cycles pool_;  // of each cycle, the repulsive edge comes first
  std::vector<std::uint32_t> uses_;  // the number of cycles that each edge is on
  std::vector<double> left_;       // of the capacities
  std::vector<double> best_left_;  // by the packing of the best bound, if wanted, by original edge
  Sum packed_;                     // in all
  std::vector<float> weights_;     // of the cycles
  std::vector<float> prices_;      // of the edges
  std::vector<float> load_;        // of the edges, by extrapolated weights
  std::vector<float> step_sizes_;  // of the prices
};

}  // namespace

double trivial_bound(std::span<const double> costs) {
  Sum sum;
  for (const double cost : costs) sum.add(std::isinf(cost) ? 0.0 : std::min(cost, 0.0));
  return sum.rounded_down();
}

PackingResult pack_cycles(const Graph& graph, std::span<const double> costs,
                          const PackingOptions& options, Watch& watch) {
  return CyclePacking(graph, costs, options, watch).run();
}

}  // namespace multicut
