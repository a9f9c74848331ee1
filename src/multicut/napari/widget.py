"""The widget of the plugin: buttons beside the viewer, and clicks on its layer of segments."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from multicut._extras import needed
from multicut.napari.session import JOIN, MODES, Session
from multicut.vision import ImageProofreader, segment, to_napari

needed("magicgui", "napari", by="the plugin for napari")

from magicgui.widgets import ComboBox, Container, Label, PushButton  # noqa: E402
from napari.layers import Image, Layer  # noqa: E402

if TYPE_CHECKING:
    from napari import Viewer
    from napari.layers import Labels


class ProofreadWidget(Container):  # type: ignore[misc]
    """Buttons to segment an image and to correct the segments.

    Parameters
    ----------
    viewer
        The viewer. A layer that :func:`multicut.vision.to_napari` made is proofread at once.
    """

    def __init__(self, viewer: Viewer) -> None:
        self._viewer = viewer
        self._session: Session | None = None
        self._mode = ComboBox(label="Clicks", choices=MODES, value=JOIN)
        self._said = Label(value="Choose an image and press Segment.")
        steps: dict[str, Callable[[], str | None]] = {
            "Segment the image": self._begin,
            "Undo": lambda: self._open().undo(),
            "Redo": lambda: self._open().redo(),
            "Next suggestion": self._suggest,
            "Yes": lambda: self._open().answer(True),
            "No": lambda: self._open().answer(False),
            "Clear": lambda: self._open().drop_selection(),
        }
        buttons = []
        for text, step in steps.items():
            button = PushButton(text=text)
            button.changed.connect(lambda _=None, step=step: self._tell(step))
            buttons.append(button)
        super().__init__(widgets=[buttons[0], self._mode, *buttons[1:], self._said])
        for layer in viewer.layers:
            if isinstance(layer.metadata.get("proof"), ImageProofreader):
                self._follow(layer)

    def _begin(self) -> str:
        """Segment the image that is active, and show its layers."""
        active = self._viewer.layers.selection.active
        if not isinstance(active, Image):
            raise ValueError("choose a layer that is an image")
        proof = ImageProofreader(segment(active.data, volume=active.ndim == 3))
        # The image itself is there already.
        for each in to_napari(proof)[1:]:
            self._follow(self._viewer.add_layer(Layer.create(*each)))
        return f"{proof.num_clusters} segments; click on two of them to join them."

    def _follow(self, layer: Labels) -> None:
        """Proofread what a layer shows, if it is a layer of segments."""
        proof = layer.metadata.get("proof")
        if not isinstance(proof, ImageProofreader):
            return
        self._session = Session(proof, layer)
        layer.mouse_drag_callbacks.append(self._clicked)

    def _clicked(self, layer: Any, event: Any) -> None:
        position = layer.world_to_data(event.position)
        self._tell(lambda: self._open().click(position, self._mode.value))

    def _suggest(self) -> str:
        said = self._open().next_suggestion()
        place = self._open().place_of_suggestion()
        if place is not None:
            self._viewer.dims.set_point(range(len(place)), place)
            self._viewer.camera.center = place
        return said

    def _open(self) -> Session:
        if self._session is None:
            raise ValueError("there is nothing to proofread; press Segment")
        return self._session

    def _tell(self, step: Callable[[], str | None]) -> None:
        """Take a step, and show what it says, or why it was refused."""
        try:
            self._said.value = step() or ""
        except (TypeError, ValueError) as error:
            self._said.value = str(error)
