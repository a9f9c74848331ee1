"""Segmentation of an image in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

from multicut.solve import solve
from multicut.vision.region_problem import RegionProblem, region_problem
from multicut.vision.segmentation import Segmentation

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from multicut.stop import Callback
    from multicut.vision.costs import Costs
    from multicut.vision.superpixels import Superpixels


def segment(
    image: ArrayLike,
    superpixels: str | Superpixels | ArrayLike | None = None,
    *,
    boundaries: ArrayLike | None = None,
    affinities: ArrayLike | None = None,
    offsets: ArrayLike | None = None,
    costs: str | Costs | None = None,
    bias: float = 0.5,
    connectivity: int | None = None,
    mask: ArrayLike | None = None,
    volume: bool | None = None,
    preset: str | None = None,
    lifted: bool = False,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
    **options: Any,
) -> Segmentation:
    """Segment an image or a volume by a multicut of its region graph.

    The image is divided into superpixels, superpixels that touch are linked, each link gets a cost
    from colours or from evidence of boundaries, and a solver minimises the cost of the cut. The
    costs determine the number of segments; `bias` increases or decreases it.

    Parameters
    ----------
    image
        Array of shape (H, W), (H, W, 3 or 4), (D, H, W) or (D, H, W, 3 or 4), any real numbers; or
        the path of a file, as for :func:`multicut.vision.read_image`. The arrays below may be
        paths, too.
        Three axes are a colour image if the last has 3 or 4 entries, unless `volume` or the shape
        of the other arguments says otherwise.
    superpixels
        A name from :func:`multicut.vision.list_superpixels`, a record with parameters such as
        ``multicut.vision.Slic(num_regions=300)``, or an integer array of the image's shape. By
        default ``"watershed"`` for images alone, ``"boundary-watershed"`` with evidence.
    boundaries
        Probability of each pixel to lie on a boundary: an array of the image's shape in space,
        between 0 and 1 (or uint8, 0 … 255, or uint16). Beside affinities, superpixels are made from
        it, and costs from the affinities.
    affinities, offsets
        ``affinities[c][x]`` is the probability that the pixels ``x`` and ``x + offsets[c]`` belong
        together. Long-range offsets become edges, too, also between regions that do not touch; an
        attractive one may then join what is not connected in the image, unless they are `lifted`.
    costs
        A name from :func:`multicut.vision.list_costs` or a record with parameters such as
        ``multicut.vision.ColourCosts(sigma=0.2)``. By default ``"colour"`` for images alone,
        ``"boundary"`` with evidence.
    bias
        Prior probability of a cut, between 0 and 1: above 0.5 there are more segments, below fewer.
    connectivity
        Which pixels are neighbours: those that differ by 1 along at most so many axes. Affinities
        define neighbours by their offsets.
    mask
        Array of the image's shape in space, true or non-zero where to segment. Elsewhere labels are
        -1.
    volume
        Whether three axes are a volume, or the last one holds colours.
    preset
        A name from :func:`multicut.vision.list_presets`: ``"paper"`` is the example of the paper's
        appendix. It sets what other arguments do not.
    lifted
        Whether affinities of offsets longer than 1 become lifted edges: these count if their ends
        are in different segments, but do not connect. The solver must take lifted edges.
    solver, time_limit, seed, callback, **options
        As in :func:`multicut.solve`.
    """
    parts = region_problem(
        image,
        superpixels,
        boundaries=boundaries,
        affinities=affinities,
        offsets=offsets,
        costs=costs,
        bias=bias,
        connectivity=connectivity,
        mask=mask,
        volume=volume,
        preset=preset,
        lifted=lifted,
    )
    return solve_regions(parts, solver, time_limit, seed, callback, **options)


def solve_regions(
    parts: RegionProblem,
    solver: str = "auto",
    time_limit: float | None = None,
    seed: SupportsIndex = 0,
    callback: Callback | None = None,
    **options: Any,
) -> Segmentation:
    """Solve the problem of an image's regions; arguments as in :func:`multicut.solve`."""
    result = solve(parts.problem, solver, time_limit, seed, callback, **options)
    return Segmentation(
        parts.image,
        parts.superpixels,
        parts.graph,
        parts.problem,
        result,
        lifted_graph=parts.lifted_graph,
    )
