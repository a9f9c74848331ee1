"""Studies of the network: ablation, depth, losses, cycle consistency, seeds."""
