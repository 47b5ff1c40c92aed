"""Layers that multiply by a matrix, or read its rows."""

from typing import Any, Generic

from typing_extensions import TypeVar

from taglessad.array_api.indexing import take
from taglessad.convert import as_handle
from taglessad.dtypes import float64, is_integer
from taglessad.errors import DTypeError, ShapeError
from taglessad.nn import init as initializers
from taglessad.nn.checks import at_least_one, cannot_take
from taglessad.nn.init import Initializer, Rng
from taglessad.nn.module import Module, assign
from taglessad.shapes import differ
from taglessad.shapes.dim_types import Size
from taglessad.tensor import IntTensor, Tensor

# Any as default: sizes that a type checker cannot tell.
In = TypeVar("In", default=Any)
Out = TypeVar("Out", default=Any)


class Linear(Module, Generic[In, Out]):
    """x @ w + b over the last axis of x: [..., In] -> [..., Out].

    w: [In, Out]. b: [Out], None where bias=False. init: of w, b starts at 0.
    Raises ShapeError where the last axis of x has another size.
    """

    w: Tensor[In, Out]
    b: Tensor[Out]

    def __init__(
        self,
        inputs: Size[In],
        outputs: Size[Out],
        *,
        rng: Rng = None,
        bias: bool = True,
        init: Initializer = initializers.lecun_normal,
        dtype: object = float64,
    ) -> None:
        what = "nn.Linear"
        n, m = at_least_one(inputs, what, "inputs"), at_least_one(outputs, what, "outputs")
        random = initializers.generator(rng, what)
        w = initializers.parameter(init, random, (n, m), dtype, what)
        zeros = initializers.parameter(initializers.zeros, random, (m,), dtype, what)
        assign(self, w=w, b=zeros if bias else None)

    def __call__(self, x: Tensor, /) -> Tensor:
        t = as_handle(x, "nn.Linear", "x")
        inputs, outputs = self.w.shape
        why = differ(t.shape[-1], inputs) if t.shape else "a scalar"
        if why:
            raise ShapeError(cannot_take(f"Linear[{inputs}, {outputs}]", t.shape, why))
        y: Tensor = t @ self.w  # pyright: ignore[reportUnknownVariableType]
        return y if self.b is None else y + self.b  # pyright: ignore[reportUnnecessaryComparison]


class Embedding(Module, Generic[In, Out]):
    """The rows of w that integers name: [...] -> [..., Out].

    w: [In, Out], In the number of integers. An index out of range is an error where it is seen.
    """

    w: Tensor[In, Out]

    def __init__(
        self,
        count: Size[In],
        features: Size[Out],
        *,
        rng: Rng = None,
        init: Initializer = initializers.normal(),  # noqa: B008  # a function, made once
        dtype: object = float64,
    ) -> None:
        what = "nn.Embedding"
        shape = (at_least_one(count, what, "count"), at_least_one(features, what, "features"))
        random = initializers.generator(rng, what)
        assign(self, w=initializers.parameter(init, random, shape, dtype, what))

    def __call__(self, ids: IntTensor, /) -> Tensor:
        t: Any = as_handle(ids, "nn.Embedding", "ids")  # Any: checked below
        if not is_integer(t.dtype):
            raise DTypeError(f"nn.Embedding: ids have dtype {t.dtype}; they are integers")
        rows: Tensor = take(self.w, t, axis=0)
        return rows
