"""The table of docs/vision.md, from `superpixels.json`."""

from __future__ import annotations

from measured.formats import read


def superpixel_rows() -> list[str]:
    """Return scores of segmentations with several superpixels and presets."""
    return [
        f"| {title} | {row['num_segments']:.0f} | {row['variation_of_information']:.2f} "
        f"| {row['adapted_rand_error']:.3f} | {row['boundary_f']:.3f} |"
        for title, row in read("superpixels.json")["rows"].items()
    ]
