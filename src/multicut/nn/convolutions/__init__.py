"""Convolutions: one file each, with the equation."""

from multicut.nn.convolutions.base import Convolution
from multicut.nn.convolutions.gcn import GCNConvolution
from multicut.nn.convolutions.gcn_minus_laplacian import GCNMinusLaplacianConvolution
from multicut.nn.convolutions.gcn_plus_edge_weights import GCNPlusEdgeWeightsConvolution
from multicut.nn.convolutions.gcn_w import GCNWConvolution
from multicut.nn.convolutions.gcn_w_minus_edge_weights import GCNWMinusEdgeWeightsConvolution
from multicut.nn.convolutions.gin0 import GIN0Convolution
from multicut.nn.convolutions.gin0_w import GIN0WConvolution
from multicut.nn.convolutions.gt import GTConvolution
from multicut.nn.convolutions.mpnn import MPNNConvolution
from multicut.nn.convolutions.rggcn_he import RGGCNHEConvolution
from multicut.nn.convolutions.sgcn import SGCNConvolution
from multicut.nn.convolutions.sgcn_w import SGCNWConvolution

__all__ = [
    "CONVOLUTIONS",
    "Convolution",
    "GCNConvolution",
    "GCNMinusLaplacianConvolution",
    "GCNPlusEdgeWeightsConvolution",
    "GCNWConvolution",
    "GCNWMinusEdgeWeightsConvolution",
    "GIN0Convolution",
    "GIN0WConvolution",
    "GTConvolution",
    "MPNNConvolution",
    "RGGCNHEConvolution",
    "SGCNConvolution",
    "SGCNWConvolution",
]

# By the architecture whose layers they are.
CONVOLUTIONS: dict[str, type[Convolution]] = {
    "gcn_w": GCNWConvolution,
    "sgcn_w": SGCNWConvolution,
    "gin0_w": GIN0WConvolution,
    "rggcn_he": RGGCNHEConvolution,
    "gt": GTConvolution,
    "mpnn": MPNNConvolution,
    "gcn": GCNConvolution,
    "sgcn": SGCNConvolution,
    "gin0": GIN0Convolution,
    "gcn_minus_laplacian": GCNMinusLaplacianConvolution,
    "gcn_plus_edge_weights": GCNPlusEdgeWeightsConvolution,
    "gcn_w_minus_edge_weights": GCNWMinusEdgeWeightsConvolution,
}
