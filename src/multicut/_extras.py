"""Packages that only some features need, and the extra that installs each of them."""

from __future__ import annotations

import sys
from importlib.util import find_spec

EXTRA_OF = {
    "torch": "nn",
    "torch_geometric": "nn",
    "safetensors": "nn",
    "cmaes": "train",
    "tensorboard": "train",
    "bioimage_cpp": "vision",
    "imageio": "vision",
    "PIL": "vision",
    "skimage": "vision",
    "tifffile": "vision",
    "matplotlib": "plot",
    "h5py": "hdf5",
    "tensorstore": "zarr",
    "distributed": "dask",
    "pyarrow": "dask",
    "sklearn": "sklearn",
    "gradio": "app",
    "magicgui": "napari",
    "napari": "napari",
}
"""The extra of each package, by the name that it is imported by."""

NETWORKS = ("torch", "torch_geometric", "safetensors")
"""What a trained network needs."""

# Names that differ from those that packages are imported by.
_NAMES = {
    "PIL": "Pillow",
    "bioimage_cpp": "bioimage-cpp",
    "distributed": "dask",
    "gradio": "Gradio",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "torch_geometric": "torch-geometric",
}


class MissingExtraError(ModuleNotFoundError):
    """A feature needs a package that is not installed.

    Parameters
    ----------
    module
        The package, by the name that it is imported by.
    feature
        What needs it, as the subject of a sentence in the singular.
    extra
        The extra to install, by default that of the package.
    """

    def __init__(self, module: str, feature: str, extra: str | None = None) -> None:
        super().__init__(
            f"{feature} needs {_NAMES.get(module, module)}, which is not installed; "
            f'install it with: pip install "multicut[{extra or EXTRA_OF[module]}]"',
            name=module,
        )


def is_installed(module: str) -> bool:
    """Whether a package can be imported; it is not imported."""
    return sys.modules.get(module) is not None or find_spec(module) is not None


def needed(*modules: str, by: str, extra: str | None = None) -> None:
    """Raise if a package is missing, with the command that installs it.

    Call it before the packages are imported, or where the feature begins. It imports nothing, so
    that errors within an installed package stay what they are.

    Parameters
    ----------
    *modules
        The packages, by the names that they are imported by; keys of :data:`EXTRA_OF`.
    by
        What needs them, as the subject of a sentence in the singular: ``"the solver 'gnn'"``.
    extra
        The extra to install, by default that of the missing package. A feature that needs several
        names the one that brings all of them.
    """
    for module in modules:
        if not is_installed(module):
            raise MissingExtraError(module, by, extra)
