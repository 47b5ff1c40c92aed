"""Functions of NumPy arrays that the primitives need and NumPy lacks, or has without the care.

A kernel knows no interpreter and no derivative. It keeps the dtype and the shape of its input, and
leaves floating-point warnings to its caller.
"""
