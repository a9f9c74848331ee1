#include "multicut/search/cost_table.hpp"

#include <algorithm>

namespace multicut {
namespace {

// A table pays while it takes no more memory than the graph: an arc takes as much as two sums.
constexpr std::size_t kSumsPerArc = 2;

// Columns kept free for clusters to come.
constexpr std::size_t kSpare = 4;

}  // namespace

CostTable::CostTable(const OrderedGraph& graph, const Clustering& clusters)
    : graph_(graph), clusters_(clusters), row_of_(graph.num_nodes()) {
  for (NodeId node = 0; node < graph.num_nodes(); ++node) {
    row_of_[node] = num_rows_;
    num_rows_ += graph.arcs(node).empty() ? 0U : 1U;
  }
}

void CostTable::build(const Stop& stop) {
  cluster_of_.clear();
  column_of_.assign(clusters_.num_clusters(), kNoColumn);
  for (NodeId cluster = 0; cluster < clusters_.num_clusters(); ++cluster) {
    if (clusters_.volume(cluster) == 0) continue;
    column_of_[cluster] = cluster_of_.size();
    cluster_of_.push_back(cluster);
  }
  stride_ = cluster_of_.size() + kSpare;
  is_used_ = num_rows_ * stride_ <= kSumsPerArc * graph_.num_arcs();
  if (!is_used_) return;
  sums_.assign(num_rows_ * stride_, 0);
  WorkMeter work;
  for (NodeId node = 0; node < graph_.num_nodes(); ++node) {
    if (work.is_due(graph_.arcs(node).size()) && stop()) {
      is_used_ = false;
      return;
    }
    double* const sums = sums_.data() + row_of_[node] * stride_;
    for (const OrderedGraph::Arc& arc : graph_.arcs(node)) {
      sums[column_of_[clusters_.label(arc.node)]] += arc.cost;
    }
  }
}

void CostTable::add(NodeId cluster) {
  if (column_of_.size() < clusters_.num_clusters()) {
    column_of_.resize(clusters_.num_clusters(), kNoColumn);
  }
  if (column_of_[cluster] != kNoColumn) return;
  if (cluster_of_.size() == stride_) {
    const std::size_t stride = 2 * stride_;
    std::vector<double> sums(num_rows_ * stride, 0);
    for (std::size_t row = 0; row < num_rows_; ++row) {
      std::copy_n(sums_.data() + row * stride_, stride_, sums.data() + row * stride);
    }
    stride_ = stride;
    sums_.swap(sums);
  }
  column_of_[cluster] = cluster_of_.size();
  cluster_of_.push_back(cluster);
}

CostTable::Largest CostTable::largest(NodeId node) const {
  const std::size_t own = column_of_[clusters_.label(node)];
  const double* const sums = sums_.data() + row_of_[node] * stride_;
  Largest best{-std::numeric_limits<double>::infinity(), kNoNode};
  for (std::size_t column = 0; column < cluster_of_.size(); ++column) {
    if (column == own || sums[column] == 0 || !(sums[column] > best.cost)) continue;
    best = {sums[column], cluster_of_[column]};
  }
  return best;
}

}  // namespace multicut
