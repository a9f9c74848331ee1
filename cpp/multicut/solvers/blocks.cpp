#include "multicut/solvers/blocks.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <utility>

#include "multicut/graph/quotient.hpp"
#include "multicut/parallel/parallel_for.hpp"
#include "multicut/solvers/random.hpp"

namespace multicut {
namespace {

constexpr EdgeId kManyEdges = 4096;
constexpr NodeId kManyNodes = 600;

// On one processor, larger blocks gain more in the same time; but there should be several. Their size
// must not depend on the number of threads, or the result would.
constexpr NodeId kNumBlocks = 8;
constexpr NodeId kSmallestBlock = 300;
constexpr NodeId kLargestBlock = 3000;

// So many blocks are improved before the caller hears of it.
constexpr std::size_t kBlocksAtOnce = 256;

// How often the caller hears of a run whose threads are at work.
constexpr std::chrono::milliseconds kBetweenReports{5};

// In smaller blocks there is nothing to find that KLj has not found.
constexpr std::size_t kFewestNodes = 3;

NodeId nodes_of_block(const Graph& graph) {
  return std::clamp(graph.num_nodes() / kNumBlocks, kSmallestBlock, kLargestBlock);
}

std::vector<NodeId> random_order(NodeId count, std::uint64_t seed) {
  const RandomStream random(seed, 0);
  std::vector<NodeId> order(count);
  std::iota(order.begin(), order.end(), NodeId{0});
  for (NodeId left = count; left > 1; --left) {
    std::swap(order[left - 1], order[random.bits(left) % left]);
  }
  return order;
}

}  // namespace

Blocks::Blocks(const Graph& graph, const Labels& labels, NodeId num_nodes, std::uint64_t seed,
               const Stop& stop)
    : graph_(graph), block_of_(graph.num_nodes()), position_(graph.num_nodes()) {
  const NodeId num_clusters =
      labels.empty() ? 0 : *std::max_element(labels.begin(), labels.end()) + 1;
  const Clusters clusters(labels, num_clusters);
  nodes_.reserve(labels.size());
  std::vector<std::uint32_t> reached_by(num_clusters, kNoNode);
  std::vector<std::uint8_t> is_taken(num_clusters, 0);
  std::vector<NodeId> queue;
  WorkMeter work;
  for (const NodeId first : random_order(num_clusters, seed)) {
    if (is_taken[first]) continue;
    const auto block = static_cast<std::uint32_t>(size());
    const std::size_t begin = nodes_.size();
    queue.assign(1, first);
    reached_by[first] = block;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const auto members = clusters[queue[i]];
      if (i > 0 && nodes_.size() - begin + members.size() > num_nodes) break;
      is_taken[queue[i]] = 1;
      for (const NodeId node : members) {
        nodes_.push_back(node);
        if (work.is_due(1 + graph.degree(node)) && stop()) {
          offsets_.assign(1, 0);
          return;
        }
        for (const NodeId neighbour : graph.neighbours(node)) {
          const NodeId cluster = labels[neighbour];
          if (is_taken[cluster] || reached_by[cluster] == block) continue;
          reached_by[cluster] = block;
          queue.push_back(cluster);
        }
      }
    }
    // Nodes that are close in the graph may be close in memory.
    std::sort(nodes_.begin() + static_cast<std::ptrdiff_t>(begin), nodes_.end());
    for (std::size_t i = begin; i < nodes_.size(); ++i) {
      block_of_[nodes_[i]] = block;
      position_[nodes_[i]] = static_cast<NodeId>(i - begin);
    }
    offsets_.push_back(nodes_.size());
  }
}

Block Blocks::extract(std::size_t block, std::span<const double> costs,
                      const Labels& labels) const {
  const auto members = nodes(block);
  std::vector<Edge> edges;
  Block part;
  part.labels.reserve(members.size());
  for (NodeId i = 0; i < members.size(); ++i) {
    part.labels.push_back(labels[members[i]]);
    const auto neighbours = graph_.neighbours(members[i]);
    const auto incident = graph_.incident_edges(members[i]);
    for (std::size_t j = 0; j < neighbours.size(); ++j) {
      const NodeId other = position_[neighbours[j]];
      if (block_of_[neighbours[j]] != block || other <= i) continue;
      edges.push_back({i, other});
      part.costs.push_back(costs[incident[j]]);
    }
  }
  part.graph = Graph(static_cast<NodeId>(members.size()), std::move(edges));
  make_canonical(part.labels);
  return part;
}

bool is_worth_dividing(const Graph& graph, const Labels& labels) {
  if (graph.num_edges() < kManyEdges || graph.num_nodes() < kManyNodes) return false;
  std::vector<NodeId> sizes(graph.num_nodes(), 0);
  for (const NodeId label : labels) ++sizes[label];
  return *std::max_element(sizes.begin(), sizes.end()) <= nodes_of_block(graph) / 2;
}

BlockSearch::BlockSearch(const Graph& graph, std::span<const double> costs, Labels labels,
                         int num_threads, Watch& watch)
    : graph_(graph),
      costs_(costs),
      labels_(std::move(labels)),
      objective_(multicut::objective(graph, costs, labels_)),
      num_threads_(num_threads),
      watch_(watch),
      is_stopped_(watch.improved(objective_)) {}

double BlockSearch::run_round(std::uint64_t seed, const Improve& improve) {
  struct Found {
    double gain = 0;
    Labels labels;
  };
  const Blocks blocks(graph_, labels_, nodes_of_block(graph_), seed, [&] { return watch_.expired(); });
  is_stopped_ |= watch_.should_stop(objective_);
  const RandomStream seeds(seed, 1);
  double gain_of_round = 0;
  std::vector<Found> found;
  for (std::size_t first = 0; first < blocks.size() && !is_stopped_; first += kBlocksAtOnce) {
    found.assign(std::min(kBlocksAtOnce, blocks.size() - first), {});
    const auto make_body = [&](bool is_caller) {
      return [&, quiet = Watch::nested(watch_, objective_, is_caller)](std::size_t i) mutable {
        const std::size_t index = first + i;
        if (blocks.nodes(index).size() < kFewestNodes || quiet.expired()) return;
        Block block = blocks.extract(index, costs_, labels_);
        if (block.graph.num_edges() == 0) return;
        const double gain = improve(block, seeds.bits(index), quiet);
        if (gain > 0) found[i] = {gain, std::move(block.labels)};
      };
    };
    std::optional<Meanwhile> meanwhile;
    if (num_threads_ > 1 && found.size() > 1) {
      meanwhile = {kBetweenReports, [&] { watch_.should_stop(objective_); }};
    }
    parallel_for(found.size(), num_threads_, make_body, meanwhile);
    double gain = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (!(found[i].gain > 0)) continue;
      gain += found[i].gain;
      // Of the nodes of a cluster, the first names it: no two clusters share a name.
      const auto nodes = blocks.nodes(first + i);
      std::vector<NodeId> first_of(nodes.size(), kNoNode);
      for (std::size_t j = 0; j < nodes.size(); ++j) {
        NodeId& name = first_of[found[i].labels[j]];
        if (name == kNoNode) name = nodes[j];
        labels_[nodes[j]] = graph_.num_nodes() + name;
      }
    }
    objective_ -= gain;
    gain_of_round += gain;
    is_stopped_ = gain > 0 ? watch_.improved(objective_) : watch_.should_stop(objective_);
  }
  make_canonical(labels_);
  return gain_of_round;
}

}  // namespace multicut
