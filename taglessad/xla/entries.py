"""What formulas that hold entry by entry share: widths, polynomials, sums and products in two parts."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

# Any: arrays and tracers, in dtypes that are data.
Kernel = Callable[..., Any]


def entry_by_entry(formula: Kernel, *static: int, least: Any = np.float32) -> Kernel:
    """The formula in at least 32 bits; compiled as a whole, where it is called with arrays too.

    static: the places of parameters, which come after the operands. least: the dtype that has the
    digits for what cancels in the formula.
    """

    def run(*args: Any) -> Any:
        xs = args[: static[0]] if static else args
        kept = jnp.result_type(*xs)
        wide = jnp.promote_types(kept, least)
        found = formula(*[jnp.asarray(x, wide) for x in xs], *args[len(xs) :])
        return lax.convert_element_type(found, kept)

    compiled: Kernel = jax.jit(run, static_argnums=static)
    return compiled


def polynomial(coefficients: Sequence[float], x: Any) -> Any:
    """The sum of coefficients[k] * x**k, by Horner's rule."""
    total = lax.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def beyond(x: Any, zero: tuple[float, float]) -> Any:
    """x less a number that is given in two parts."""
    head = float(np.asarray(zero[0], x.dtype))
    rest = jnp.where(jnp.isnan(x), x, (zero[0] - head) + zero[1])  # XLA would add up two constants
    return (x - head) - rest


# --- near a removable singularity ----------------------------------------------------------------
def log1p(x: Any) -> Any:
    """log(1 + x), with what the rounding of 1 + x leaves out, within 1 unit in the last place.

    XLA's own is wrong by 125 of them around |x| = 0.41, in float64 on CPUs.
    """
    one = jnp.where(jnp.isnan(x), x, 1)  # XLA would make x of 1 + x - 1
    whole = one + x
    usable = (whole > 0) & (whole < np.inf)
    rest = jnp.where(usable, (x - (whole - one)) / jnp.where(usable, whole, 1), 0)
    return jnp.where(x == 0, x, lax.log(whole) + rest)


def atanh(x: Any) -> Any:
    """By log1p."""
    size = lax.abs(x)
    found = 0.5 * log1p(2 * size / (1 - size))
    return jnp.where(x == 0, x, lax.sign(x) * found)


def in_series(x: Any) -> Any:
    """Where `log1p_minus` holds."""
    return (x > -0.5) & (x < 1)


def log1p_minus(x: Any) -> Any:
    """log(1 + x) - x where it is `in_series`: log(1 + x) is 2 atanh(z) with z = x / (2 + x)."""
    z = x / (2 + x)
    square = z * z
    series = jnp.full_like(x, 1 / 33)
    for k in range(31, 2, -2):
        series = series * square + 1 / k
    return z * (2 * square * series - x)


def expm1_minus(x: Any) -> Any:
    """exp(x) - 1 - x, without the cancellation near 0."""
    near = lax.abs(x) < 0.7
    small = jnp.where(near, x, 0)
    series = jnp.ones_like(x)
    for k in range(17, 2, -1):
        series = 1 + series * (small * (1 / k))
    return jnp.where(near, small * small * 0.5 * series, (lax.exp(x) - 1) - x)


# --- in two parts --------------------------------------------------------------------------------
def two_sum(a: Any, b: Any) -> tuple[Any, Any]:
    """a + b rounded, and what the rounding left out (Knuth); 0 where the sum is infinite."""
    total = a + b
    part = total - a
    rest = (a - (total - part)) + (b - part)
    return total, jnp.where(lax.abs(rest) < np.inf, rest, 0)


def two_product(a: Any, b: Any) -> tuple[Any, Any]:
    """a * b rounded, and what the rounding left out (Dekker); 0 where the product is infinite."""
    whole = a * b
    c, e = head_of(a), head_of(b)
    d, f = a - c, b - e
    rest = ((c * e - whole) + c * f + d * e) + d * f
    return whole, jnp.where(lax.abs(rest) < np.inf, rest, 0)


def product(first: Any, *factors: Any) -> Any:
    """A product of several factors that is rounded once, nearly; plainly where it leaves the range."""
    found, lost = first, jnp.zeros_like(first)
    for factor in factors:
        found, rest = two_product(found, factor)
        lost = lost + rest / found
    usable = (lax.abs(lost) < np.inf) & (lax.abs(found) < np.inf)
    return jnp.where(usable, found + found * lost, found)


# --- exponentials of squares ---------------------------------------------------------------------
def head_of(x: Any) -> Any:
    """x to half its bits, so that products of two such are exact.

    Not what a cast to fewer bits and back leaves: XLA drops such casts.
    """
    exponent, mantissa = (11, 25) if x.dtype == np.float64 else (8, 11)
    return lax.reduce_precision(x, exponent, mantissa)


def exp_square(x: Any, sign: int) -> Any:
    """exp(x*x) or exp(-x*x), by the head of x, whose square is exact, and the rest of the square.

    The rest is no second exponential: XLA makes one exponential of a product of two.
    """
    size = lax.min(lax.abs(x), lax.full_like(x, 64))  # from where on it is 0, or infinite
    head = head_of(size)
    rest = lax.mul(lax.sub(size, head), lax.add(size, head))
    first = lax.exp(sign * lax.mul(head, head))
    whole = lax.add(first, lax.mul(first, lax.expm1(sign * rest)))
    return whole if sign < 0 else jnp.where(first == np.inf, first, whole)
