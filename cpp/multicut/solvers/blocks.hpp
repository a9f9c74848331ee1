#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "multicut/graph/graph.hpp"
#include "multicut/graph/partition.hpp"
#include "multicut/solvers/watch.hpp"

namespace multicut {

// A part of a graph, made of whole clusters of a partition: what lowers the cost of the part lowers
// that of the whole, by as much, since all edges that leave it stay cut.
struct Block {
  Graph graph;
  std::vector<double> costs;
  Labels labels;  // of the partition, canonical
};

// All nodes, divided into blocks of neighbouring clusters at random.
class Blocks {
 public:
  // Blocks of up to `num_nodes` nodes, or of one cluster. `labels` are canonical. Empty if stopped.
  Blocks(const Graph& graph, const Labels& labels, NodeId num_nodes, std::uint64_t seed,
         const Stop& stop);

  std::size_t size() const { return offsets_.size() - 1; }
  std::span<const NodeId> nodes(std::size_t block) const {
    return {nodes_.data() + offsets_[block], nodes_.data() + offsets_[block + 1]};
  }
  Block extract(std::size_t block, std::span<const double> costs, const Labels& labels) const;

 private:
  const Graph& graph_;
  std::vector<NodeId> nodes_;  // by block
  std::vector<std::size_t> offsets_{0};
  std::vector<std::uint32_t> block_of_;
  std::vector<NodeId> position_;  // of each node in its block
};

// Whether a graph has so many edges and nodes that a search should divide it, and clusters that are small
// enough for that: a giant one would be in a block of its own, apart from all that may leave or join it.
bool is_worth_dividing(const Graph& graph, const Labels& labels);

// Improves a partition, in rounds. In each, the graph is divided into blocks anew, and blocks are
// improved side by side.
class BlockSearch {
 public:
  // Improves the labels of a block and returns by how much; draws random numbers from the seed.
  using Improve = std::function<double(Block& block, std::uint64_t seed, Watch& watch)>;

  // `labels` are canonical and stay so after each round. The result does not depend on the threads.
  BlockSearch(const Graph& graph, std::span<const double> costs, Labels labels, int num_threads,
              Watch& watch);

  // Returns by how much the objective went down.
  double run_round(std::uint64_t seed, const Improve& improve);

  const Labels& labels() const { return labels_; }
  double objective() const { return objective_; }
  bool is_stopped() const { return is_stopped_; }

 private:
  const Graph& graph_;
  std::span<const double> costs_;
  Labels labels_;
  double objective_;
  int num_threads_;
  Watch& watch_;
  bool is_stopped_;
};

}  // namespace multicut
