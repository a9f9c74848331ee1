"""The plugin for napari: a widget that corrects segmentations.

``napari.yaml`` tells napari of it; ``session`` is what the widget does, without napari.
"""
