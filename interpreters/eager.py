"""Eager: programs mean NumPy numbers, at once.

`Kernels` holds the meaning of each primitive, a NumPy function where there is one. `Eager` is the
same with NumPy's floating-point warnings off during each call; transforms switch them off once and
call the kernels directly (`trusted`).
"""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import NO_BFLOAT16, DType, Number, float64, is_real, of_number, resolve
from taglessad.errors import ArgumentError, DTypeError
from taglessad.kernels import matrices
from taglessad.kernels.contraction import contract
from taglessad.kernels.convolution import convolution
from taglessad.kernels.elementwise import (
    exp_neg_square,
    integer_pow,
    logsumexp,
    pow_int,
    sech_squared,
    sigmoid,
    softplus,
    summed,
)
from taglessad.kernels.fourier import rfft, rfft_transpose
from taglessad.kernels.indexing import (
    add_along,
    add_at,
    argsort,
    argtop,
    broadcast,
    max_at,
    min_at,
    multiply_at,
    pad,
    place_diagonal,
    set_at,
    take,
    take_along,
)
from taglessad.kernels.quiet import Quiet, quiet_method, quietly
from taglessad.kernels.special import SPECIAL
from taglessad.kernels.threefry import threefry
from taglessad.levels import set_default_root
from taglessad.ops import Ops
from taglessad.primitive import PRIMITIVES, SEVERAL, Aval, Params, Prim, PrimN
from taglessad.rules.order import Side
from taglessad.rules.structural import Axes
from taglessad.shapes import Extent, Shape
from taglessad.shapes.convolution import Window

Array = NDArray[Any]  # Any: the dtype is data; a rank-0 payload may also be a NumPy scalar
Method = TypeVar("Method", bound=Callable[..., Any])  # Any: each method has its own signature


def kernel(function: Callable[..., Any]) -> Callable[[Method], Method]:
    """Make a NumPy function the method it stands under, with no Python frame in between.

    To type checkers it is the identity, so the signature written under it is what they hold.
    """

    def bind(method: Method) -> Method:
        return staticmethod(function)  # type: ignore[return-value]  # stands in for the method

    return bind


class Kernels(Ops[Array]):
    """The meaning of each primitive in NumPy."""

    def __init__(self, dtype: DType | None = None) -> None:
        self.real = dtype

    # --- administration ---------------------------------------------------------------------
    def apply(self, prim: Prim, operands: tuple[Array, ...], params: Params, /) -> Array:
        if prim.name not in Kernels.__dict__:
            raise ArgumentError(f"Eager has no kernel for {prim.name!r}: give it one (add_kernel)")
        return self.run(prim, operands, params)

    def const(self, value: Array, /) -> Array:
        if self.real is not None and is_real(value.dtype):
            return value.astype(self.real)
        return value

    def scalar(self, value: Number, like: Array, /) -> Array:
        dtype = self.dtype(like)
        number = value if isinstance(value, int) else float(value)
        # An array, since ufuncs take half as long again over Python numbers and NumPy's scalars.
        return np.asarray(number, dtype)

    def aval(self, x: Array, /) -> Aval:
        return Aval(self.shape(x), self.dtype(x))

    def shape(self, x: Array, /) -> Shape:
        try:
            return x.shape
        except AttributeError:  # a Python number
            return ()

    def same_shape(self, a: Array, b: Array, /) -> bool:
        try:
            return a.shape == b.shape
        except AttributeError:  # a Python number
            return self.shape(a) == self.shape(b)

    def dtype(self, x: Array, /) -> DType:
        try:
            return x.dtype
        except AttributeError:
            return of_number(x)

    def literal(self, x: Array, /) -> Array:
        return np.asarray(x)

    # --- arithmetic -------------------------------------------------------------------------
    @kernel(np.add)
    def add(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.subtract)
    def sub(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.negative)
    def neg(self, x: Array, /) -> Array: ...
    @kernel(np.multiply)
    def mul(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.true_divide)
    def div(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.square)
    def square(self, x: Array, /) -> Array: ...
    @kernel(np.reciprocal)
    def reciprocal(self, x: Array, /) -> Array: ...
    @kernel(np.power)
    def pow(self, a: Array, b: Array, /) -> Array: ...
    @kernel(integer_pow)
    def integer_pow(self, x: Array, n: int, /) -> Array: ...
    @kernel(pow_int)
    def pow_int(self, x: Array, n: Array, /) -> Array: ...
    @kernel(np.sqrt)
    def sqrt(self, x: Array, /) -> Array: ...
    @kernel(np.absolute)
    def abs(self, x: Array, /) -> Array: ...
    @kernel(np.sign)
    def sign(self, x: Array, /) -> Array: ...
    @kernel(np.hypot)
    def hypot(self, a: Array, b: Array, /) -> Array: ...

    def rsqrt(self, x: Array, /) -> Array:
        return np.reciprocal(np.sqrt(x))

    # --- exponentials -----------------------------------------------------------------------
    @kernel(np.exp)
    def exp(self, x: Array, /) -> Array: ...
    @kernel(np.expm1)
    def expm1(self, x: Array, /) -> Array: ...
    @kernel(exp_neg_square)
    def exp_neg_square(self, x: Array, /) -> Array: ...
    @kernel(np.log)
    def log(self, x: Array, /) -> Array: ...
    @kernel(np.log1p)
    def log1p(self, x: Array, /) -> Array: ...
    @kernel(np.log2)
    def log2(self, x: Array, /) -> Array: ...
    @kernel(np.log10)
    def log10(self, x: Array, /) -> Array: ...
    @kernel(np.logaddexp)
    def logaddexp(self, a: Array, b: Array, /) -> Array: ...
    @kernel(sigmoid)
    def sigmoid(self, x: Array, /) -> Array: ...
    @kernel(softplus)
    def softplus(self, x: Array, /) -> Array: ...

    # --- trigonometry -----------------------------------------------------------------------
    @kernel(np.sin)
    def sin(self, x: Array, /) -> Array: ...
    @kernel(np.cos)
    def cos(self, x: Array, /) -> Array: ...
    @kernel(np.tan)
    def tan(self, x: Array, /) -> Array: ...
    @kernel(np.arcsin)
    def asin(self, x: Array, /) -> Array: ...
    @kernel(np.arccos)
    def acos(self, x: Array, /) -> Array: ...
    @kernel(np.arctan)
    def atan(self, x: Array, /) -> Array: ...
    @kernel(np.arctan2)
    def atan2(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.sinh)
    def sinh(self, x: Array, /) -> Array: ...
    @kernel(np.cosh)
    def cosh(self, x: Array, /) -> Array: ...
    @kernel(np.tanh)
    def tanh(self, x: Array, /) -> Array: ...
    @kernel(sech_squared)
    def sech_squared(self, x: Array, /) -> Array: ...
    @kernel(np.arcsinh)
    def asinh(self, x: Array, /) -> Array: ...
    @kernel(np.arccosh)
    def acosh(self, x: Array, /) -> Array: ...
    @kernel(np.arctanh)
    def atanh(self, x: Array, /) -> Array: ...

    # --- rounding ---------------------------------------------------------------------------
    @kernel(np.floor)
    def floor(self, x: Array, /) -> Array: ...
    @kernel(np.ceil)
    def ceil(self, x: Array, /) -> Array: ...
    @kernel(np.trunc)
    def trunc(self, x: Array, /) -> Array: ...
    @kernel(np.rint)
    def round(self, x: Array, /) -> Array: ...
    @kernel(np.floor_divide)
    def floor_divide(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.remainder)
    def remainder(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.fmod)
    def fmod(self, a: Array, b: Array, /) -> Array: ...

    # --- comparison and logic ---------------------------------------------------------------
    @kernel(np.equal)
    def equal(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.not_equal)
    def not_equal(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.less)
    def less(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.less_equal)
    def less_equal(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.logical_and)
    def logical_and(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.logical_or)
    def logical_or(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.logical_xor)
    def logical_xor(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.logical_not)
    def logical_not(self, x: Array, /) -> Array: ...
    @kernel(np.bitwise_and)
    def bitwise_and(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.bitwise_or)
    def bitwise_or(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.bitwise_xor)
    def bitwise_xor(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.invert)
    def bitwise_invert(self, x: Array, /) -> Array: ...
    @kernel(np.left_shift)
    def left_shift(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.right_shift)
    def right_shift(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.isfinite)
    def isfinite(self, x: Array, /) -> Array: ...
    @kernel(np.isinf)
    def isinf(self, x: Array, /) -> Array: ...
    @kernel(np.isnan)
    def isnan(self, x: Array, /) -> Array: ...
    @kernel(np.signbit)
    def signbit(self, x: Array, /) -> Array: ...

    # --- selection --------------------------------------------------------------------------
    @kernel(np.where)
    def where(self, condition: Array, a: Array, b: Array, /) -> Array: ...
    @kernel(np.maximum)
    def maximum(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.minimum)
    def minimum(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.copysign)
    def copysign(self, a: Array, b: Array, /) -> Array: ...
    @kernel(np.nextafter)
    def nextafter(self, a: Array, b: Array, /) -> Array: ...

    def clip(self, x: Array, low: Array, high: Array, /) -> Array:
        return np.minimum(np.maximum(x, low), high)

    def relu(self, x: Array, /) -> Array:
        return np.maximum(x, 0)

    def cast(self, x: Array, dtype: DType, /) -> Array:
        if dtype.kind == "V":
            raise DTypeError(f"astype: {NO_BFLOAT16}")
        return np.asarray(x).astype(dtype)

    def detach(self, x: Array, /) -> Array:
        return x

    # --- reductions -------------------------------------------------------------------------
    def sum(self, x: Array, axes: Axes, /) -> Array:
        return summed(x, axes)

    def prod(self, x: Array, axes: Axes, /) -> Array:
        return np.multiply.reduce(x, axis=axes, dtype=x.dtype)  # type: ignore[no-any-return]  # a ufunc's result is Any

    def max(self, x: Array, axes: Axes, /) -> Array:
        return np.maximum.reduce(x, axis=axes)  # type: ignore[no-any-return]  # a ufunc's result is Any

    def min(self, x: Array, axes: Axes, /) -> Array:
        return np.minimum.reduce(x, axis=axes)  # type: ignore[no-any-return]  # a ufunc's result is Any

    @kernel(logsumexp)
    def logsumexp(self, x: Array, axes: Axes, /) -> Array: ...

    def any(self, x: Array, axes: Axes, /) -> Array:
        return np.asarray(np.any(x, axis=axes))

    def all(self, x: Array, axes: Axes, /) -> Array:
        return np.asarray(np.all(x, axis=axes))

    def argmax(self, x: Array, axis: int, /) -> Array:
        return np.asarray(np.argmax(x, axis))

    def argmin(self, x: Array, axis: int, /) -> Array:
        return np.asarray(np.argmin(x, axis))

    # --- cumulative -------------------------------------------------------------------------
    def cumulative_sum(self, x: Array, axis: int, /) -> Array:
        return np.add.accumulate(x, axis, dtype=x.dtype)

    def cumulative_prod(self, x: Array, axis: int, /) -> Array:
        return np.multiply.accumulate(x, axis, dtype=x.dtype)

    def cumulative_max(self, x: Array, axis: int, /) -> Array:
        return np.maximum.accumulate(x, axis)

    # --- structure --------------------------------------------------------------------------
    # By the arrays' own methods: NumPy's functions are written in Python, and cost four times that.
    def reshape(self, x: Array, shape: Shape, /) -> Array:
        return np.asarray(x).reshape(shape)  # type: ignore[arg-type]  # sizes are known here

    def permute(self, x: Array, axes: Axes, /) -> Array:
        return np.asarray(x).transpose(axes)

    @kernel(broadcast)
    def broadcast(self, x: Array, shape: Shape, /) -> Array: ...
    @kernel(pad)
    def pad(self, x: Array, before: Shape, after: Shape, gaps: Axes, /) -> Array: ...
    @kernel(np.concatenate)
    def concat(self, xs: tuple[Array, ...], axis: int, /) -> Array: ...
    @kernel(np.flip)
    def flip(self, x: Array, axes: Axes, /) -> Array: ...
    @kernel(np.tril)
    def tril(self, x: Array, offset: int, /) -> Array: ...
    @kernel(np.triu)
    def triu(self, x: Array, offset: int, /) -> Array: ...
    @kernel(place_diagonal)
    def place_diagonal(self, x: Array, offset: int, rows: Extent, columns: Extent, /) -> Array: ...

    def slice(self, x: Array, start: Shape, stop: Shape, step: Axes, /) -> Array:
        return x[tuple(map(slice, start, stop, step))]

    def diagonal(self, x: Array, offset: int, /) -> Array:
        return np.diagonal(x, offset, -2, -1)

    # --- indexing ---------------------------------------------------------------------------
    @kernel(take)
    def take(self, x: Array, index: Array, axis: int, /) -> Array: ...
    @kernel(add_at)
    def add_at(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...
    @kernel(take_along)
    def take_along(self, x: Array, index: Array, axis: int, /) -> Array: ...
    @kernel(add_along)
    def add_along(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...
    @kernel(set_at)
    def set_at(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...
    @kernel(multiply_at)
    def multiply_at(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...
    @kernel(min_at)
    def min_at(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...
    @kernel(max_at)
    def max_at(self, x: Array, index: Array, updates: Array, axis: int, /) -> Array: ...

    # --- order ------------------------------------------------------------------------------
    @kernel(argsort)
    def argsort(self, x: Array, axis: int, descending: bool, /) -> Array: ...
    @kernel(argtop)
    def argtop(self, x: Array, axis: int, count: int, /) -> Array: ...

    def searchsorted(self, ordered: Array, values: Array, side: Side, /) -> Array:
        return np.asarray(np.searchsorted(ordered, values, side))

    # --- random words -----------------------------------------------------------------------
    @kernel(threefry)
    def threefry(self, key: Array, start: Array, shape: Shape, /) -> Array: ...

    # --- contraction ------------------------------------------------------------------------
    @kernel(contract)
    def contract(self, a: Array, b: Array, spec: str, /) -> Array: ...
    @kernel(convolution)
    def convolution(self, x: Array, kernel: Array, window: Window, /) -> Array: ...
    @kernel(rfft)
    def rfft(self, x: Array, axis: int, /) -> tuple[Array, ...]: ...
    @kernel(rfft_transpose)
    def rfft_transpose(
        self, re: Array, im: Array, n: Extent, axis: int, /
    ) -> tuple[Array, ...]: ...

    # --- matrices ---------------------------------------------------------------------------
    @kernel(matrices.solve)
    def solve(self, a: Array, b: Array, /) -> Array: ...
    @kernel(matrices.triangular_solve)
    def triangular_solve(
        self, a: Array, b: Array, lower: bool, trans: bool, unit: bool, /
    ) -> Array: ...
    @kernel(matrices.inv)
    def inv(self, x: Array, /) -> Array: ...
    @kernel(matrices.pinv)
    def pinv(self, x: Array, rtol: Array, /) -> Array: ...
    @kernel(matrices.det)
    def det(self, x: Array, /) -> Array: ...
    @kernel(matrices.cofactor)
    def cofactor(self, xs: tuple[Array, ...], /) -> Array: ...
    @kernel(matrices.slogdet)
    def slogdet(self, x: Array, /) -> tuple[Array, ...]: ...
    @kernel(matrices.cholesky)
    def cholesky(self, x: Array, /) -> Array: ...
    @kernel(matrices.qr)
    def qr(self, x: Array, complete: bool, /) -> tuple[Array, ...]: ...
    @kernel(matrices.eigh)
    def eigh(self, x: Array, /) -> tuple[Array, ...]: ...
    @kernel(matrices.svd)
    def svd(self, x: Array, full: bool, /) -> tuple[Array, ...]: ...
    @kernel(matrices.expm)
    def expm(self, x: Array, /) -> Array: ...


class Eager(Kernels):
    """NumPy numbers: arrays in, handles out. With a `dtype`, real literals take that dtype."""

    def __init__(self, dtype: object = None) -> None:
        real = None if dtype is None else resolve(dtype, "Eager")
        if real is not None and not is_real(real):
            raise DTypeError(f"Eager: dtype {real} is not real; it is for real literals")
        super().__init__(real)
        self._kernels = Kernels(real)

    def trusted(self) -> Kernels:
        return self._kernels

    def scalar(self, value: Number, like: Array, /) -> Array:
        if self.dtype(like) is float64:  # nothing overflows on the way
            return np.asarray(float(value))
        with Quiet():
            return super().scalar(value, like)

    def apply_n(
        self, prim: PrimN, operands: tuple[Array, ...], params: Params, /
    ) -> tuple[Array, ...]:
        with Quiet():
            return super().apply_n(prim, operands, params)

    def __repr__(self) -> str:
        return "Eager" if self.real is None else f"Eager({self.real})"


def _guard(name: str) -> None:
    method = Kernels.__dict__.get(name)
    if method is None:
        return  # answered by `apply`
    function = method.__func__ if isinstance(method, staticmethod) else method
    if isinstance(function, np.ufunc) and function.nin <= 2:
        setattr(Eager, name, quiet_method(function))
    elif isinstance(method, staticmethod):
        setattr(Eager, name, staticmethod(quietly(function)))
    else:
        setattr(Eager, name, quietly(method))


def add_kernel(prim: Prim, function: Callable[..., Any]) -> None:
    """Give Eager the NumPy function of a primitive that is declared outside the library.

    function: takes the operands, then the parameters. Called once, where the primitive is declared.
    """
    if prim.name in Kernels.__dict__:
        raise ArgumentError(f"add_kernel: Eager has a kernel for {prim.name!r} already")
    setattr(Kernels, prim.name, staticmethod(function))
    _guard(prim.name)


for _name, _function in SPECIAL.items():
    setattr(Kernels, _name, staticmethod(_function))
for _name in (*PRIMITIVES, *SEVERAL):
    _guard(_name)

EAGER: Final = Eager()
set_default_root(EAGER)
