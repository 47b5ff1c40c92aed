"""Functions that NumPy has entry by entry and the standard lacks. Operands broadcast."""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from typing_extensions import TypeVarTuple

from taglessad.array_api.comparison import equal, less_equal, maximum, minimum
from taglessad.array_api.dtype_functions import finfo
from taglessad.array_api.logic import isfinite, isnan, logical_and, logical_or
from taglessad.array_api.operands import numbers, real, reals
from taglessad.array_api.searching import where
from taglessad.array_api.utility import all as all_of
from taglessad.convert import as_handle
from taglessad.dispatch import Numeric, Real, real_binary, real_function
from taglessad.dtypes import PI, is_bool, is_real
from taglessad.errors import ArgumentError, DTypeError
from taglessad.tensor import BoolTensor, Tensor, TensorLike

S = TypeVarTuple("S")

_DEGREES: Final = 180.0


def exp2(x: TensorLike, /) -> Tensor:
    """2**x."""
    t = real(x, "exp2")
    ops = t.ops
    return Tensor(ops, ops.pow(ops.scalar(2, t.payload), t.payload), t.dtype, t.weak)


def cbrt(x: Tensor[*S], /) -> Tensor[*S]:
    """The real cube root; its derivative at 0 is inf."""
    return real_function("cbrt", "cbrt", x)


def logaddexp2(x1: Real, x2: Real, /) -> Tensor:
    """log2(2**x1 + 2**x2) without overflow."""
    return real_binary("logaddexp2", "logaddexp2", x1, x2)


def deg2rad(x: TensorLike, /) -> Tensor:
    """Degrees as radians."""
    return real(x, "deg2rad") * (float(PI) / _DEGREES)


def rad2deg(x: TensorLike, /) -> Tensor:
    """Radians as degrees."""
    return real(x, "rad2deg") * (_DEGREES / float(PI))


def fmax(x1: Numeric, x2: Numeric, /) -> Tensor:
    """The larger of two, the other where one is NaN. Equal operands share the derivative."""
    return _without_nan("fmax", x1, x2)


def fmin(x1: Numeric, x2: Numeric, /) -> Tensor:
    """The smaller of two, the other where one is NaN. Equal operands share the derivative."""
    return _without_nan("fmin", x1, x2)


def _without_nan(name: str, x1: Numeric, x2: Numeric) -> Tensor:
    a, b = numbers(name, (x1, x2), ("x1", "x2"))
    choose = maximum if name == "fmax" else minimum
    if not is_real(a.dtype):
        return choose(a, b)
    no_a, no_b = isnan(a), isnan(b)
    return where(no_a, b, where(no_b, a, choose(where(no_a, b, a), where(no_b, a, b))))


def heaviside(x1: Real, x2: Real, /) -> Tensor:
    """0 for x1 < 0, x2 at 0, 1 above. Its derivative in x1 is 0."""
    a, b = reals("heaviside", (x1, x2), ("x1", "x2"))
    step = where(isnan(a), math.nan, where(a > 0.0, 1.0, 0.0))
    return where(equal(a, 0.0), b, step)


def nan_to_num(
    x: TensorLike,
    /,
    *,
    nan: Real = 0.0,
    posinf: Real | None = None,
    neginf: Real | None = None,
) -> Tensor:
    """x with numbers in the place of NaN and infinities, by default 0 and the largest ones.

    What is replaced contributes nothing to any derivative. Integers are returned as they are.
    """
    (t,) = numbers("nan_to_num", (x,), ("x",))
    if not is_real(t.dtype):
        return t
    largest = finfo(t.dtype).max
    high = largest if posinf is None else posinf
    low = -largest if neginf is None else neginf
    y = where(equal(t, math.inf), high, where(equal(t, -math.inf), low, t))
    return where(isnan(t), nan, y)


def isclose(
    x1: Numeric, x2: Numeric, /, rtol: float = 1e-5, atol: float = 1e-8, *, equal_nan: bool = False
) -> BoolTensor:
    """|x1 - x2| <= atol + rtol |x2|, or both the same infinity, or, if asked for, both NaN."""
    a, b = reals("isclose", (x1, x2), ("x1", "x2"))
    near = less_equal(abs(a - b), atol + rtol * abs(b))
    near = logical_or(logical_and(near, isfinite(b)), equal(a, b))
    return logical_or(near, logical_and(isnan(a), isnan(b))) if equal_nan else near


def allclose(
    x1: Numeric, x2: Numeric, /, rtol: float = 1e-5, atol: float = 1e-8, *, equal_nan: bool = False
) -> BoolTensor:
    """Whether `isclose` holds of all entries."""
    return all_of(isclose(x1, x2, rtol, atol, equal_nan=equal_nan))


def select(
    condlist: Sequence[TensorLike], choicelist: Sequence[Numeric], default: Numeric = 0
) -> Tensor:
    """The first choice whose condition holds, else the default.

    Choices not taken contribute nothing to any derivative. Raises ArgumentError where there is not
    one choice for each condition, DTypeError for conditions that are no truth values.
    """
    if len(condlist) != len(choicelist) or not condlist:
        raise ArgumentError(
            f"select: {len(condlist)} conditions and {len(choicelist)} choices; give as many, at "
            "least one"
        )
    conditions: list[Any] = [as_handle(c, "select", "condlist") for c in condlist]
    for condition in conditions:
        if not is_bool(condition.dtype):
            raise DTypeError(f"select: a condition has dtype {condition.dtype}, not bool")
    *choices, found = numbers("select", (*choicelist, default), ("choicelist",) * len(choicelist))
    for condition, choice in zip(reversed(conditions), reversed(choices), strict=True):
        found = where(condition, choice, found)
    return found


def piecewise(
    x: TensorLike,
    condlist: Sequence[TensorLike],
    funclist: Sequence[Callable[..., Any] | float],
    *args: Any,
    **kw: Any,
) -> Tensor:
    """Where a condition holds, its function of x (the last that holds counts), a number standing for
    a constant function; elsewhere one function more, or 0.

    Every function is computed on all of x; where it is not taken it contributes nothing, whatever
    it gives there. Any: functions may take more arguments. Raises ArgumentError for another number
    of functions.
    """
    (t,) = numbers("piecewise", (x,), ("x",))
    count = len(condlist)
    if len(funclist) not in (count, count + 1):
        raise ArgumentError(
            f"piecewise: {len(funclist)} functions for {count} conditions; give {count} or "
            f"{count + 1}"
        )

    def value(f: Any) -> Tensor:  # Any: a function or a number
        return f(t, *args, **kw) if callable(f) else f + t * 0  # type: ignore[no-any-return]  # a handle, whose maker is typed Any

    found = value(funclist[count]) if len(funclist) > count else t * 0
    for condition, f in zip(condlist, funclist, strict=False):
        holds: Any = as_handle(condition, "piecewise", "condlist")
        found = where(holds, value(f), found)
    return found
