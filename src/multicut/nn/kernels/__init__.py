"""Triton kernels for GPUs; each has a way round it in plain torch, which the tests compare."""
