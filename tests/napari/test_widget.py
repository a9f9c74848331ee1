"""The widget in napari, where that is installed; windows are not needed.

napari adds a plugin to pytest that warns when it is loaded, and here warnings are errors. Run with
``PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 pytest -p pytest_timeout tests/napari``.
"""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import multicut as mc

# napari and what it brings warn about each other.
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("napari", reason="needs napari: pip install 'multicut[napari]'")
    widgets = pytest.importorskip("qtpy.QtWidgets", reason="needs a Qt that napari can use")

pytestmark = pytest.mark.filterwarnings("ignore")
IMAGE = np.repeat(np.array([40, 130, 220], np.uint8), 20)[None].repeat(30, axis=0)


@pytest.fixture
def viewer(monkeypatch):
    from napari.components import ViewerModel

    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    application = widgets.QApplication.instance() or widgets.QApplication([])
    yield ViewerModel()
    application.processEvents()


def press(widget, text):
    (button,) = [each for each in widget if getattr(each, "text", None) == text]
    button.changed.emit(True)
    return widget._said.value


def click(widget, layer, *position):
    for callback in layer.mouse_drag_callbacks:
        callback(layer, SimpleNamespace(position=position))
    return widget._said.value


def test_layers_are_proofread(viewer):
    from napari.layers import Layer

    from multicut.napari.widget import ProofreadWidget

    proof = mc.vision.ImageProofreader(mc.vision.segment(IMAGE))
    for layer in mc.vision.to_napari(proof):
        viewer.add_layer(Layer.create(*layer))
    widget, segments = ProofreadWidget(viewer), viewer.layers["segments"]
    assert "Now click" in click(widget, segments, 5, 5)
    assert click(widget, segments, 5, 30) == "Joined; 2 segments."
    assert segments.data[5, 5] == segments.data[5, 30]
    assert press(widget, "Undo") == "Undone; 3 segments."
    assert press(widget, "Undo") == "there is no correction to undo"
    press(widget, "Next suggestion")
    assert press(widget, "No").startswith("Corrected; ")
    assert len(proof.history) == 1


def test_an_image_is_segmented(viewer):
    from napari.layers import Layer

    from multicut.napari.widget import ProofreadWidget

    widget = ProofreadWidget(viewer)
    assert press(widget, "Undo") == "there is nothing to proofread; press Segment"
    assert press(widget, "Segment the image") == "choose a layer that is an image"
    viewer.add_layer(Layer.create(IMAGE, {"name": "stripes"}, "image"))
    assert press(widget, "Segment the image").startswith("3 segments")
    assert [layer.name for layer in viewer.layers][1:] == ["regions", "uncertainty", "segments"]
