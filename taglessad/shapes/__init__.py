"""The shape rules, each once: they serve functions at run time and every analysis before it.

A shape is a tuple of sizes (see `taglessad.dims`). Every rule gives the shape of a result, or
raises an error whose message begins with `what`, the public function's name, and has the shapes of
all operands and the sizes that differ. Axes and sizes come as the user gave them, unless a rule
says otherwise.
"""

from taglessad.dims import ANY_RANK as ANY_RANK
from taglessad.dims import UNKNOWN as UNKNOWN
from taglessad.dims import Extent as Extent
from taglessad.dims import Polynomial as Polynomial
from taglessad.dims import Shape as Shape
from taglessad.dims import ShapeLike as ShapeLike
from taglessad.dims import Star as Star
from taglessad.dims import Unknown as Unknown
from taglessad.dims import differ as differ
from taglessad.dims import symbols as symbols
from taglessad.shapes.axes import find_axes as find_axes
from taglessad.shapes.axes import find_axis as find_axis
from taglessad.shapes.axes import known_rank as known_rank
from taglessad.shapes.axes import normalize_axes as normalize_axes
from taglessad.shapes.axes import normalize_axis as normalize_axis
from taglessad.shapes.axes import normalize_shape as normalize_shape
from taglessad.shapes.axes import show as show
from taglessad.shapes.axes import size as size
from taglessad.shapes.broadcasting import broadcast as broadcast
from taglessad.shapes.broadcasting import broadcast_to as broadcast_to
from taglessad.shapes.broadcasting import unify as unify
from taglessad.shapes.contraction import matmul as matmul
from taglessad.shapes.contraction import paired_axes as paired_axes
from taglessad.shapes.contraction import tensordot as tensordot
from taglessad.shapes.contraction import vecdot as vecdot
from taglessad.shapes.joining import concat as concat
from taglessad.shapes.joining import repeat as repeat
from taglessad.shapes.joining import stack as stack
from taglessad.shapes.joining import tile as tile
from taglessad.shapes.rearranging import expand_dims as expand_dims
from taglessad.shapes.rearranging import permute as permute
from taglessad.shapes.rearranging import reduce as reduce
from taglessad.shapes.rearranging import reshape as reshape
from taglessad.shapes.rearranging import squeeze as squeeze
from taglessad.shapes.slicing import Slice as Slice
from taglessad.shapes.slicing import diagonal as diagonal
from taglessad.shapes.slicing import normalize_index as normalize_index
from taglessad.shapes.slicing import normalize_slice as normalize_slice
from taglessad.shapes.slicing import pad as pad
from taglessad.shapes.slicing import slice as slice
from taglessad.shapes.slicing import slice_length as slice_length
from taglessad.shapes.slicing import take as take
from taglessad.shapes.subscripts import Einsum as Einsum
from taglessad.shapes.subscripts import einsum as einsum
