"""Segment an image into parts whose number is not given.

The image is divided into superpixels, neighbouring superpixels attract or repel each other by their
colours, and the multicut puts them together. Without an image, one that comes with scikit-image is
used.

    python examples/segment_image.py photo.jpg --picture segments.png
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import multicut as mc


def main(
    image: Path | None = None, bias: float = 0.5, picture: Path | None = None
) -> mc.vision.Segmentation:
    """Segment an image, and print how large its segments are and what they cost."""
    pixels = mc.vision.sample_image("coffee") if image is None else mc.vision.read_image(image)
    segmentation = mc.vision.segment(pixels, bias=bias)
    problem, result = segmentation.problem, segmentation.result
    sizes = np.bincount(segmentation.labels.ravel())
    print(f"{problem.num_nodes} superpixels, {problem.num_edges} borders between them")
    print(f"{result.num_clusters} segments, objective {result.objective:.1f} ({result.solver})")
    print(f"the ten largest cover {np.sort(sizes)[-10:].sum() / sizes.sum():.0%} of the image")
    if picture is not None:
        mc.vision.write_image(picture, mc.vision.boundary_overlay(pixels, segmentation.labels))
    return segmentation


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("image", type=Path, nargs="?", help="a picture file")
    parser.add_argument("--bias", type=float, default=0.5, help="higher: more segments")
    parser.add_argument("--picture", type=Path, help="where to save the image with its segments")
    main(**vars(parser.parse_args()))
