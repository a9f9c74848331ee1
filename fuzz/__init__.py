"""Fuzz targets, their seeds, and the campaign that runs them; see README.md."""
