"""What ``multicut segment`` writes and prints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut.cli.arguments import check_writable
from multicut.cli.console import output as console
from multicut.cli.console import say, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from multicut.vision import Segmentation

_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")


@dataclass(frozen=True)
class Outputs:
    """The files to write; None for those nobody wants."""

    labels: str | None
    overlay: Path | None
    mean_colours: Path | None
    graph: Path | None
    problem: Path | None
    slice_number: int | None

    def check(self) -> None:
        """Refuse files that could not be written, before any work is done."""
        from multicut.vision.files import check_labels_place

        if self.labels is not None:
            try:
                check_labels_place(self.labels)
            except (ValueError, OSError) as error:
                raise ValueError(f"--output {error}") from None
        for option, path in self._pictures().items():
            if path is not None:
                check_writable(path, option, _PICTURES)
        if self.problem is not None:
            from multicut.io.target import check_target

            check_target(self.problem)

    def _pictures(self) -> dict[str, Path | None]:
        return {
            "--overlay": self.overlay,
            "--mean-colours": self.mean_colours,
            "--graph": self.graph,
        }

    def write(self, segmentations: list[Segmentation], best: Segmentation, *, quiet: bool) -> None:
        """Write labels of the best segmentation, and pictures of all of them side by side."""
        from multicut import vision, write

        if self.labels is not None:
            vision.write_labels(self.labels, best.labels)
            hint = "" if self.overlay else "; --overlay makes a picture to look at"
            say(
                f"Labels 0 … {best.num_segments - 1} written to {self.labels}{hint}.",
                quiet=quiet,
            )
        if self.problem is not None:
            write(best.problem, self.problem)
            say(f"The multicut problem written to {self.problem}.", quiet=quiet)
        for option, path in self._pictures().items():
            if path is not None:
                flat = [flatten(one, self.slice_number) for one in segmentations]
                panels = [_draw(option, *one) for one in flat]
                vision.write_image(path, vision.side_by_side(panels))
                say(f"Picture written to {path}.", quiet=quiet)


def flatten(
    segmentation: Segmentation, slice_number: int | None
) -> tuple[Segmentation, NDArray[Any], NDArray[Any]]:
    """Return a segmentation with an image and labels that can be drawn: one slice of a volume."""
    shape = segmentation.superpixels.shape
    if len(shape) == 2:
        if slice_number is not None:
            raise ValueError("--slice is for volumes, got an image")
        return segmentation, segmentation.image, segmentation.labels
    z = shape[0] // 2 if slice_number is None else slice_number
    if not 0 <= z < shape[0]:
        raise ValueError(f"--slice must be between 0 and {shape[0] - 1}, got {z}")
    return segmentation, segmentation.image[z], segmentation.labels[z]


def _draw(
    option: str, segmentation: Segmentation, image: NDArray[Any], labels: NDArray[Any]
) -> NDArray[Any]:
    from multicut import vision

    if option == "--overlay":
        return vision.boundary_overlay(image, labels)
    if option == "--mean-colours":
        return vision.mean_colours(image, labels)
    if segmentation.superpixels.ndim == 3:
        raise ValueError("--graph is for images; the region graph of a volume cannot be drawn flat")
    return vision.graph_picture(segmentation, segmentation.result.labels)


def print_comparison(segmentations: list[Segmentation], scores: list[Any | None]) -> None:
    """Print one row for each solver."""
    columns = ["solver", "segments", "objective", "lower bound", "seconds"]
    names = list(scores[0].to_dict()) if scores and scores[0] is not None else []
    shown = table(None, *columns, *[name.replace("_", " ") for name in names], left=("solver",))
    for one, score in zip(segmentations, scores, strict=True):
        result = one.result
        bound = "" if result.lower_bound is None else f"{result.lower_bound:,.6g}"
        values = [] if score is None else [_shown(value) for value in score.to_dict().values()]
        shown.add_row(
            result.solver,
            f"{one.num_segments:,}",
            f"{result.objective:,.6g}",
            bound,
            f"{result.runtime:.3f}",
            *values,
        )
    console().print(shown)


def _shown(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
