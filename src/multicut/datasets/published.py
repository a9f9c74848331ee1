"""The statistics that Jung and Keuper published of their datasets (ECML PKDD 2022, appendix).

Objectives are per edge, and averaged over graphs.
"""

from __future__ import annotations

from multicut.datasets.statistics import Spread, Statistics

PUBLISHED: dict[str, dict[str, Statistics]] = {
    "irismp": {
        "train": Statistics(
            num_graphs=20_000,
            num_nodes=Spread(20, 3),
            num_edges=Spread(194, 50),
            cost_min=Spread(-4.51, 0.29),
            cost_mean=Spread(-0.41, 0.41),
            cost_max=Spread(4.57, 0.12),
            negative=-1.169,
            optimum=-1.103,
            all_cut=-0.407,
            positive=0.762,
        ),
        "valid": Statistics(
            num_graphs=1_000,
            num_nodes=Spread(20, 3),
            num_edges=Spread(196, 49),
            cost_min=Spread(-4.51, 0.33),
            cost_mean=Spread(-0.42, 0.41),
            cost_max=Spread(4.57, 0.12),
            negative=-1.177,
            optimum=-1.111,
            all_cut=-0.426,
            positive=0.751,
        ),
        "test": Statistics(
            num_graphs=1_000,
            num_nodes=Spread(20, 3),
            num_edges=Spread(192, 50),
            cost_min=Spread(-4.51, 0.31),
            cost_mean=Spread(-0.40, 0.42),
            cost_max=Spread(4.57, 0.11),
            negative=-1.168,
            optimum=-1.100,
            all_cut=-0.405,
            positive=0.762,
        ),
    },
    "randommp": {
        "train": Statistics(
            num_graphs=20_000,
            num_nodes=Spread(180, 30),
            num_edges=Spread(686, 115),
            cost_min=Spread(-9.36, 1.09),
            cost_mean=Spread(-0.00, 0.10),
            cost_max=Spread(9.38, 1.09),
            negative=-1.196,
            optimum=-0.844,
            all_cut=-0.001,
            positive=1.196,
        ),
        "valid": Statistics(
            num_graphs=1_000,
            num_nodes=Spread(180, 29),
            num_edges=Spread(685, 114),
            cost_min=Spread(-9.37, 1.08),
            cost_mean=Spread(0.00, 0.10),
            cost_max=Spread(9.37, 1.10),
            negative=-1.193,
            optimum=-0.842,
            all_cut=0.002,
            positive=1.195,
        ),
        "test": Statistics(
            num_graphs=1_000,
            num_nodes=Spread(179, 31),
            num_edges=Spread(684, 118),
            cost_min=Spread(-9.39, 1.12),
            cost_mean=Spread(0.00, 0.10),
            cost_max=Spread(9.38, 1.10),
            negative=-1.195,
            optimum=-0.841,
            all_cut=0.002,
            positive=1.197,
        ),
    },
    "bsds300": {
        "all": Statistics(
            num_graphs=100,
            num_nodes=Spread(1_551, 777),
            num_edges=Spread(4_432, 2_269),
            cost_min=Spread(-10.77, 3.74),
            cost_mean=Spread(0.48, 0.57),
            cost_max=Spread(10.27, 2.32),
            negative=-0.738,
            optimum=-0.669,
            all_cut=0.497,
            positive=1.235,
        ),
    },
    "cremi": {
        "all": Statistics(
            num_graphs=3,
            num_nodes=Spread(31_988, 4_769),
            num_edges=Spread(212_686, 24_767),
            cost_min=Spread(-6.91, 0.00),
            cost_mean=Spread(-0.15, 0.26),
            cost_max=Spread(79.52, 12.63),
            negative=-1.013,
            optimum=-1.002,
            all_cut=-0.135,
            positive=0.878,
        ),
    },
}
"""Published tables, by dataset and split; sets that were not divided have the split "all"."""
