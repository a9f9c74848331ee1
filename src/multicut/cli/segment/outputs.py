"""Outputs of ``multicut segment``: files and tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from multicut._target import check_target, ending_of
from multicut._words import count
from multicut.cli.arguments import check_writable, lies_in
from multicut.cli.console import output as console
from multicut.cli.console import say, table
from multicut.cli.segment.inputs import SAMPLE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from multicut.vision import Scores, Segmentation

# Pictures of smaller images are enlarged to about this many pixels along the longer side.
_READABLE = 600
# A PNG of more labels has 16 bits in place of a palette.
_COLOURS_OF_A_PALETTE = 256
_PICTURES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")


@dataclass(frozen=True)
class Outputs:
    """The files to write; None for those that were not requested."""

    labels: str | None
    overlay: Path | None
    mean_colours: Path | None
    graph: Path | None
    problem: Path | None
    slice_number: int | None

    def check(self) -> None:
        """Raise an error if a file cannot be written, before any work is done."""
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
            check_target(self.problem)

    def check_against(self, inputs: Sequence[str | None]) -> None:
        """Raise an error if an output is an input, unless it is a new dataset in it."""
        given = {
            "--output": self.labels,
            "--output, whose preview is": _preview_of(self.labels),
            **self._pictures(),
            "--problem": self.problem,
        }
        for text in inputs:
            if text is None or text.startswith(SAMPLE) or not Path(_split(text)[0]).exists():
                continue
            for option, target in given.items():
                if target is None:
                    continue
                path, dataset = _split(str(target))
                source = Path(_split(text)[0])
                if lies_in(Path(path), source):
                    raise ValueError(
                        f"{option} {target} lies in the folder {source}, which is read; name a "
                        f"file outside it"
                    )
                if not Path(path).exists() or not Path(path).samefile(source):
                    continue
                if dataset is None or dataset == _split(text)[1]:
                    raise ValueError(
                        f"{option} {target} would overwrite the input {text}; "
                        f"name another file, or a new dataset as in FILE.h5:segments"
                    )

    def check_shape(self, shape: tuple[int, ...]) -> None:
        """Raise an error for pictures that do not exist for this shape."""
        if len(shape) == 2:
            if self.slice_number is not None:
                raise ValueError("--slice is for volumes, got an image")
            return
        if self.labels is not None:
            from multicut.vision.files import check_labels_shape

            try:
                check_labels_shape(self.labels, shape)
            except ValueError as error:
                raise ValueError(f"--output {error}") from None
        if self.graph is not None:
            raise ValueError("--graph is for images; that of a volume cannot be drawn flat")
        if self.slice_number is not None and not 0 <= self.slice_number < shape[0]:
            raise ValueError(
                f"--slice must be between 0 and {shape[0] - 1}, got {self.slice_number}"
            )

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
            say(f"{_describe(best, self.labels)} written to {self.labels}.", quiet=quiet)
            _preview(best, self.labels, quiet=quiet)
        if self.problem is not None:
            write(best.problem, self.problem)
            say(f"The multicut problem written to {self.problem}.", quiet=quiet)
        for option, path in self._pictures().items():
            if path is not None:
                panels = [_draw(option, one, self.slice_number) for one in segmentations]
                titles = [
                    f"{one.result.solver}: {count(one.num_segments, 'segment')}"
                    for one in segmentations
                ]
                several = titles if len(titles) > 1 else None
                vision.write_image(path, vision.side_by_side(panels, titles=several))
                say(f"Picture written to {path}.", quiet=quiet)


def _split(text: str) -> tuple[str, str | None]:
    """Split off the name of a dataset, if there is one."""
    from multicut.vision.files import find_place

    try:
        place = find_place(text)
    except ValueError:  # a name of superpixels, a .mat file, a problem
        return text, None
    return str(place.path), place.dataset


def _describe(segmentation: Segmentation, path: str) -> str:
    """Say which labels a file holds, and what stands for pixels outside of the mask."""
    from multicut.vision.files import find_place, has_no_negatives

    most = segmentation.num_segments - 1
    if not (segmentation.labels < 0).any():
        return f"Labels 0 … {most}"
    outside = 0 if has_no_negatives(find_place(path).format) else -1
    if most < 0:
        return f"No labels but {outside}, since the mask leaves nothing to segment,"
    return f"Labels {outside + 1} … {most + outside + 1}, and {outside} outside of the mask,"


def _preview(segmentation: Segmentation, labels: str, *, quiet: bool) -> None:
    """Write colours beside a PNG of so many labels that viewers would show it black."""
    from multicut import vision

    preview = _preview_of(labels)
    has_outside = bool((segmentation.labels < 0).any())
    if preview is None or segmentation.num_segments + has_outside <= _COLOURS_OF_A_PALETTE:
        return
    vision.write_image(preview, vision.label_colours(segmentation.labels))
    say(
        f"Their colours written to {preview}; {labels} has 16 bits and looks black in most "
        f"viewers.",
        quiet=quiet,
    )


def _preview_of(labels: str | None) -> Path | None:
    """Return where colours of labels go, if they need a place beside them."""
    if labels is None or ending_of(Path(labels)) != ".png":
        return None
    return Path(labels).with_name(f"{Path(labels).stem}-preview.png")


def _draw(option: str, segmentation: Segmentation, slice_number: int | None) -> NDArray[Any]:
    from multicut import vision

    image, labels = segmentation.image, segmentation.labels
    if labels.ndim == 3:
        z = len(labels) // 2 if slice_number is None else slice_number
        image, labels = image[z], labels[z]
    if option == "--graph":
        return vision.graph_picture(segmentation, segmentation.result.labels)
    draw = vision.boundary_overlay if option == "--overlay" else vision.mean_colours
    scale = max(1, _READABLE // max(labels.shape))
    return draw(_enlarged(image, scale), _enlarged(labels, scale))


def _enlarged(array: NDArray[Any], scale: int) -> NDArray[Any]:
    return array if scale == 1 else array.repeat(scale, axis=0).repeat(scale, axis=1)


def print_comparison(segmentations: list[Segmentation], scores: list[Scores | None]) -> None:
    """Print one row for each solver."""
    columns = ["solver", "segments", "objective", "lower bound", "seconds"]
    if any(score is not None for score in scores):
        columns += ["VI", "Rand error", "boundary F"]
    shown = table(None, *columns, left=("solver",))
    for one, score in zip(segmentations, scores, strict=True):
        result = one.result
        row = [
            result.solver,
            f"{one.num_segments:,}",
            f"{result.objective:,.6g}",
            "" if result.lower_bound is None else f"{result.lower_bound:,.6g}",
            f"{result.runtime:.3f}",
        ]
        if score is not None:
            row += [
                f"{score.variation_of_information:.4f}",
                f"{score.adapted_rand_error:.4f}",
                "" if score.boundary_f is None else f"{score.boundary_f:.4f}",
            ]
        shown.add_row(*row)
    console().print(shown)
