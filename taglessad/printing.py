"""How handles print: values where they are known, else the interpreter."""

import numpy as np

from taglessad.shapes import show
from taglessad.tensor import AnyTensor


def represent(x: AnyTensor) -> str:
    """The handle as `Tensor([1., 2.], shape=[2], float64, Eager)`; computes nothing.

    Without a known value it is `Tensor(<Tape(Eager)>, shape=[2], float64)`.
    """
    name = type(x).__name__
    if x.ops.closed:
        return f"{name}(<{x.ops!r}, which has ended>)"
    if not holds_array(x):
        return f"{name}({x.payload!r})"
    known = f"shape={show(x.shape)}, {x.dtype}"
    value = x.ops.peek(x.payload)
    if value is None:
        return f"{name}(<{x.ops!r}>, {known})"
    text = np.array2string(value, separator=", ", prefix=f"{name}(")
    return f"{name}({text}, {known}, {x.ops!r})"


def holds_array(x: AnyTensor) -> bool:
    """False where JAX has put something else in the place of an array, as it may in its trees."""
    return hasattr(x, "shape")


def text(x: AnyTensor) -> str:
    """NumPy's text of the values where they are known, else as `represent`."""
    value = None if x.ops.closed else x.ops.peek(x.payload)
    return represent(x) if value is None else str(value)
