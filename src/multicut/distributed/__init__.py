"""Graphs that no machine holds: edge tables in files, solved block by block on Dask."""
