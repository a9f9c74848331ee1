"""Training steps that are recorded once, as a CUDA graph, and then replayed as a whole."""
