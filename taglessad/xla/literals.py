"""What is made of whole numbers that are known while a program is built: computed then, by NumPy.

XLA computes it too, while it compiles, and takes seconds to order a long literal, such as the index
of a product by segments.
"""

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.levels import default_root
from taglessad.primitive import Aval, Params, Prim

_COMPUTED: Final = frozenset(
    {"argsort", "flip", "permute", "reshape", "slice", "add", "sub", "where", "equal", "not_equal"}
    | {"less", "less_equal", "logical_and", "logical_not", "logical_or"}
)
"""What indices are made with. Not what reads or writes at them, which XLA does out of range too."""


def of_literals(prim: Prim, operands: tuple[Any, ...], params: Params) -> NDArray[Any] | None:
    """The result, if all operands are literals that are no floats; None if it is left to XLA.

    Any: arrays and tracers of JAX, and literals, which are NumPy's arrays.
    """
    if prim.name not in _COMPUTED:
        return None
    if not all([isinstance(x, np.ndarray) and x.dtype.kind in "iub" for x in operands]):
        return None
    made = prim.infer(*[Aval(x.shape, x.dtype) for x in operands], *params)
    # What grows, such as a mask of rows against columns, XLA makes where it is read.
    if math.prod(made.shape) > max(x.size for x in operands):
        return None
    found: NDArray[Any] = np.asarray(default_root().run(prim, operands, params))
    return found
