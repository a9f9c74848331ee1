"""Files that hold images, volumes and labels; one module for each family of formats."""

from multicut.vision.files.record import ArrayFormat
from multicut.vision.files.registry import (
    check_labels_place,
    check_labels_shape,
    find_place,
    has_no_negatives,
    list_array_formats,
    read_image,
    read_volume,
    write_image,
    write_labels,
)

__all__ = [
    "ArrayFormat",
    "check_labels_place",
    "check_labels_shape",
    "find_place",
    "has_no_negatives",
    "list_array_formats",
    "read_image",
    "read_volume",
    "write_image",
    "write_labels",
]
