"""The array functions: names and signatures of the Python array API standard (2024.12).

They are programs over the vocabulary: no interpreter is named, and NumPy makes literals only.
"""
