"""Graphs as straight-line NumPy code, and `jit`."""
