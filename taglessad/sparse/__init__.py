"""Sparse Jacobians and Hessians: the pattern found, coloured, compressed."""
