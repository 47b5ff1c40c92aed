"""Arithmetic, entry by entry: sums, products, signs, powers.

Operands are of any shape and broadcast. Numbers keep their common dtype and bools count as int64;
where the result is no integer (`divide`, `reciprocal`), integers become float64. Raises DTypeError
for what holds no numbers, ShapeError for shapes that do not broadcast. Division by zero gives inf
or NaN.
"""

from typing import TypeVar

from typing_extensions import TypeVarTuple

from taglessad.array_api.kinks import at_zero
from taglessad.convert import as_handle, within
from taglessad.dispatch import (
    Numeric,
    Operands,
    Real,
    arithmetic,
    as_number,
    call,
    cast,
    interpreter_of,
    lifted,
    meet,
    numeric_function,
    real_binary,
    real_function,
)
from taglessad.dtypes import int64, is_bool, is_real
from taglessad.errors import DomainError, TaglessError
from taglessad.interpreter import BODIES
from taglessad.tensor import AnyTensor, Tensor, handle

S = TypeVarTuple("S")
T = TypeVar("T", bound=AnyTensor)


# --- sums and products ---------------------------------------------------------------------------
def add(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 + x2."""
    return arithmetic("add", "add", x1, x2)


def subtract(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 - x2; unsigned integers wrap around."""
    return arithmetic("sub", "subtract", x1, x2)


def multiply(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 * x2."""
    return arithmetic("mul", "multiply", x1, x2)


def divide(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 / x2, always real."""
    return real_binary("div", "divide", x1, x2)


def negative(x: T, /) -> T:
    """-x; unsigned integers wrap around."""
    return numeric_function("neg", "negative", x)


def positive(x: T, /) -> T:
    """x itself."""
    met = as_number(meet("positive", (x,), ("x",)))
    return handle(met.ops, met.payloads[0], met.dtype, met.weak)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any


def reciprocal(x: Tensor[*S], /) -> Tensor[*S]:
    """1 / x."""
    return real_function("reciprocal", "reciprocal", x)


def square(x: T, /) -> T:
    """x * x."""
    return numeric_function("square", "square", x)


# --- signs ---------------------------------------------------------------------------------------
def abs(x: T, /) -> T:
    """|x|; its derivative at 0 is 0."""
    return at_zero("abs", numeric_function("abs", "abs", x), x)  # type: ignore[no-any-return]  # of x's class


def sign(x: T, /) -> T:
    """-1, 0 or 1 by the sign of x, NaN for NaN. Its derivative is 0."""
    return numeric_function("sign", "sign", x)


def copysign(x1: Real, x2: Real, /) -> Tensor:
    """|x1| with the sign of x2, of a zero too; its derivative at x1 = 0 is 0."""
    return real_binary("copysign", "copysign", x1, x2)


def nextafter(x1: Real, x2: Real, /) -> Tensor:
    """The number next to x1 in the direction of x2, in their dtype. Its derivative is 0."""
    return real_binary("nextafter", "nextafter", x1, x2)


# --- powers --------------------------------------------------------------------------------------
def pow(x1: Numeric, x2: Numeric, /) -> Tensor:
    """x1 ** x2. With an integer exponent, a Python int or an integer array, an integer power.

    An integer power of reals keeps their dtype and is smooth at 0. A real power of a negative
    number is NaN. Raises DomainError for integers to a negative integer power.
    """
    if isinstance(x1, Tensor) and type(x2) is int:
        x1 = within(x1) if BODIES else x1
        ops = x1.ops
        return Tensor(ops, ops.integer_pow(x1.payload, x2), x1.dtype, x1.weak)
    base, exponent = as_handle(x1, "pow", "x1"), as_handle(x2, "pow", "x2")
    if is_real(base.dtype) and not is_real(exponent.dtype):
        return _integer_power(base, exponent)
    try:
        return arithmetic("pow", "pow", x1, x2)
    except TaglessError:
        raise
    except ValueError:  # the kernel's own: shapes have been found to fit
        raise DomainError(
            f"pow: integers ({base.dtype}) to negative integer powers ({exponent.dtype}) are no "
            "integers; convert the base with astype(tad.float64)"
        ) from None


def _integer_power(base: AnyTensor, exponent: AnyTensor) -> Tensor:
    ops = interpreter_of((base, exponent))
    n = lifted(ops, exponent)
    if is_bool(exponent.dtype):
        n = cast(ops, n, exponent.dtype, int64)
    operands = Operands(ops, (lifted(ops, base), n), base.dtype, base.weak and exponent.weak)
    return Tensor(ops, call(operands, "pow_int", "pow"), base.dtype, operands.weak)
