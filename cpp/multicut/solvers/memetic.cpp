#include "multicut/solvers/memetic.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/blocks.hpp"
#include "multicut/solvers/fusion_moves.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

// Populations side by side. Must not depend on the number of threads, or the result would.
constexpr std::size_t kNumPopulations = 4;

// Individuals of a population at first and at most. A block has the best partition as well, which all
// others are recombined with.
constexpr int kSmallestPopulation = 4;
constexpr int kLargestPopulation = 32;
constexpr int kSmallestOfBlock = 1;
constexpr int kLargestOfBlock = 8;

// Fusion moves that make an individual what it is, and those of a round on blocks without populations.
constexpr int kMovesOfIndividual = 2;
constexpr int kMovesOfLoneIndividual = 16;
constexpr int kMovesOfBlock = 4;

// Large graphs get populations when a round of moves gains less than this share of all so far.
constexpr double kSmallGain = 0.01;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// Partitions of one graph that were made independently, and their descendants.
class Population {
 public:
  Population(const Graph& graph, std::span<const double> costs, const MemeticOptions& options,
             int size, std::uint64_t seed, Watch& watch)
      : graph_(graph),
        costs_(costs),
        size_(size),
        options_(options),
        random_(seed, 0),
        watch_(watch),
        moves_(graph, costs, {}, options.klj, options.noise, seed) {}

  // The best partition after some generations. Nothing if the time was up before there was one.
  std::optional<Labels> evolve() {
    const int num_moves = size_ > 1 ? kMovesOfIndividual : kMovesOfLoneIndividual;
    for (int i = 0; i < size_ && !watch_.expired(); ++i) create(num_moves);
    if (individuals_.empty()) return std::nullopt;
    for (int i = 0; i < 2 * size_ && individuals_.size() > 1 && !watch_.expired(); ++i) mate();
    const auto best = std::ranges::min_element(individuals_, {}, &Individual::objective);
    return std::move(best->labels);
  }

 private:
  struct Individual {
    Labels labels;
    double objective;
  };

  void create(int num_moves) {
    const std::optional<Labels> proposal = moves_.proposals().make(next_proposal_++, watch_);
    if (!proposal) return;
    moves_.exchange(klj(graph_, costs_, *proposal, options_.klj, watch_));
    run_moves(num_moves);
    Labels labels = moves_.exchange({});
    const double cost = objective(graph_, costs_, labels);
    individuals_.push_back({std::move(labels), cost});
  }

  double run_moves(int count) {
    const std::uint64_t first = next_proposal_;
    next_proposal_ += static_cast<std::uint64_t>(count);
    return moves_.run(first, count, watch_);
  }

  std::size_t draw(std::size_t below) {
    return static_cast<std::size_t>(random_.bits(counter_++) % below);
  }

  // Recombines two parents. The child is better than both, or there is none.
  void mate() {
    std::size_t better = draw(individuals_.size());
    std::size_t other = draw(individuals_.size() - 1);
    other += other >= better ? 1 : 0;
    if (individuals_[other].objective < individuals_[better].objective) std::swap(better, other);
    moves_.exchange(individuals_[better].labels);
    const double gain = moves_.recombine(individuals_[other].labels, watch_) + run_moves(1);
    Labels child = moves_.exchange({});
    if (!(gain > 0)) return;
    const double cost = individuals_[better].objective - gain;
    // The better parent is not better than the child: there is always one to replace.
    std::size_t replaced = better;
    std::size_t least = distance(child, individuals_[better].labels);
    for (std::size_t i = 0; i < individuals_.size(); ++i) {
      if (i == better || individuals_[i].objective < cost) continue;
      const std::size_t own = distance(child, individuals_[i].labels);
      if (own < least || (own == least && i < replaced)) {
        replaced = i;
        least = own;
      }
    }
    individuals_[replaced] = {std::move(child), cost};
  }

  // The edges that one of two partitions cuts and the other does not.
  std::size_t distance(const Labels& a, const Labels& b) const {
    std::size_t count = 0;
    for (const auto [u, v] : graph_.edges()) count += (a[u] == a[v]) != (b[u] == b[v]) ? 1U : 0U;
    return count;
  }

  const Graph& graph_;
  std::span<const double> costs_;
  int size_;
  const MemeticOptions& options_;
  RandomStream random_;
  Watch& watch_;
  FusionMoves moves_;
  std::vector<Individual> individuals_;
  std::uint64_t next_proposal_ = 0;
  std::uint64_t counter_ = 0;
};

// Populations of the whole graph, side by side.
Labels search_whole(const Graph& graph, std::span<const double> costs, Labels labels,
                    const MemeticOptions& options, std::uint64_t seed, Watch& watch) {
  double best = objective(graph, costs, labels);
  bool is_stopped = watch.improved(best);
  const RandomStream seeds(seed, 0);
  FusionMoves moves(graph, costs, std::move(labels), options.klj, options.noise, seed);
  int size = kSmallestPopulation;
  int idle = 0;
  for (int round = 0; round < options.max_rounds && idle < options.patience && !is_stopped; ++round) {
    std::vector<std::optional<Labels>> champions(kNumPopulations);
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch, best, is_caller)](std::size_t i) mutable {
        const auto index = static_cast<std::uint64_t>(round) * kNumPopulations + i;
        champions[i] = Population(graph, costs, options, size, seeds.bits(index), quiet).evolve();
      };
    };
    std::optional<Meanwhile> meanwhile;
    if (options.num_threads > 1) {
      meanwhile = {kBetweenReports, [&] { watch.should_stop(best); }};
    }
    parallel_for(champions.size(), options.num_threads, make_body, meanwhile);
    double gain = 0;
    for (const std::optional<Labels>& champion : champions) {
      if (!champion) continue;
      Watch quiet = Watch::nested(watch, best - gain, true);
      gain += moves.recombine(*champion, quiet);
    }
    best -= gain;
    is_stopped = gain > 0 ? watch.improved(best) : watch.should_stop(best);
    idle = gain > 0 ? 0 : idle + 1;
    if (gain == 0) size = std::min(2 * size, kLargestPopulation);
  }
  return moves.labels();
}

// Moves alone, then a population, in each block.
Labels search_blocks(const Graph& graph, std::span<const double> costs, Labels labels,
                     const MemeticOptions& options, std::uint64_t seed, Watch& watch) {
  BlockSearch search(graph, costs, std::move(labels), options.num_threads, watch);
  const RandomStream seeds(seed, 0);
  double gain_so_far = 0;
  int size = 0;
  int idle = 0;
  const auto improve = [&](Block& block, std::uint64_t seed_of_block, Watch& quiet) {
    FusionMoves moves(block.graph, block.costs, std::move(block.labels), options.klj,
                      options.noise, seed_of_block);
    double gain = 0;
    if (size == 0) {
      gain = moves.run(0, kMovesOfBlock, quiet);
    } else {
      Population population(block.graph, block.costs, options, size, seed_of_block, quiet);
      const std::optional<Labels> champion = population.evolve();
      if (champion) gain = moves.recombine(*champion, quiet);
    }
    block.labels = moves.exchange({});
    return gain;
  };
  for (int round = 0; round < options.max_rounds && idle < options.patience && !search.is_stopped();
       ++round) {
    const double gain = search.run_round(seeds.bits(static_cast<std::uint64_t>(round)), improve);
    gain_so_far += gain;
    idle = gain > 0 ? 0 : idle + 1;
    if (size == 0 && gain <= kSmallGain * gain_so_far) {
      size = kSmallestOfBlock;
    } else if (gain == 0) {
      size = std::min(2 * size, kLargestOfBlock);
    }
  }
  return search.labels();
}

}  // namespace

Labels memetic(const Graph& graph, std::span<const double> costs, Labels labels,
               const MemeticOptions& options, std::uint64_t seed, Watch& watch) {
  // What comes first are passes over the graph.
  if (graph.num_edges() == 0 || watch.expired()) return labels;
  const auto search = is_worth_dividing(graph, labels) ? search_blocks : search_whole;
  return search(graph, costs, std::move(labels), options, seed, watch);
}

}  // namespace multicut
