"""Linear algebra: the array API standard's `linalg` extension, as far as it needs no decomposition."""

from taglessad.array_api.linear_algebra import matmul as matmul
from taglessad.array_api.linear_algebra import matrix_transpose as matrix_transpose
from taglessad.array_api.linear_algebra import tensordot as tensordot
from taglessad.array_api.linear_algebra import vecdot as vecdot
from taglessad.linalg.norms import matrix_norm as matrix_norm
from taglessad.linalg.norms import vector_norm as vector_norm
from taglessad.linalg.products import cross as cross
from taglessad.linalg.products import diagonal as diagonal
from taglessad.linalg.products import matrix_power as matrix_power
from taglessad.linalg.products import outer as outer
from taglessad.linalg.products import trace as trace
