#pragma once

namespace multicut {

struct KljOptions {
  // Rounds over all clusters that a change may have put out of balance.
  int max_rounds = 100;
  // A sequence of moves between two clusters ends after this many that have not led to a better
  // partition …
  int patience = 50;
  // … or when it has lost this many times a typical cost since the best one; more where a node has
  // many neighbours in the other cluster.
  double largest_loss = 3;
  // The same for chains of moves that pass through any clusters; 0: no chains. In graphs of a mean
  // degree above 8 they may lose (mean degree / 8) times as much, at most 3 times.
  int chain_patience = 7;
  double chain_loss = 2;
};

}  // namespace multicut
