"""Elementwise primitives on `jax.lax`: half the tracing time of `jax.numpy`."""

import math
from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special

from taglessad.kernels.boxcox import LOG1P_TAIL

# Any: arrays and tracers, in dtypes that are data.
Kernel = Callable[..., Any]


def aligned(*xs: Any) -> list[Any]:
    """Operands of one shape."""
    shapes = [np.shape(x) for x in xs]
    first = shapes[0]
    if all(s == first for s in shapes):
        return list(xs)
    shape = np.broadcast_shapes(*shapes)
    return [stretched(x, shape) for x in xs]


def stretched(x: Any, shape: tuple[int, ...]) -> Any:
    """x broadcast to a shape."""
    rank = np.ndim(x)
    if np.shape(x) == shape:
        return x
    return lax.broadcast_in_dim(x, shape, tuple(range(len(shape) - rank, len(shape))))


def _two(function: Kernel) -> Kernel:
    return lambda a, b: function(*aligned(a, b))


def _pow(a: Any, b: Any) -> Any:
    return jnp.power(a, b)


def _integer_pow(x: Any, n: int) -> Any:
    if jnp.issubdtype(x.dtype, jnp.integer):
        return jnp.power(x, np.asarray(n, x.dtype))
    return lax.integer_pow(x, n)


def _sigmoid(x: Any) -> Any:
    decay = lax.exp(-lax.abs(x))
    return jnp.where(x < 0, decay, jnp.ones_like(decay)) / (1 + decay)


def _softplus(x: Any) -> Any:
    return jnp.maximum(x, 0) + lax.log1p(lax.exp(-lax.abs(x)))


def _sech_squared(x: Any) -> Any:
    size = lax.abs(x)
    if x.dtype == np.float64:
        one, two, four = (lax.full_like(size, n) for n in (1, 2, 4))
        decay = lax.exp(lax.neg(lax.mul(two, size)))
        more = lax.add(one, decay)
        return lax.div(lax.mul(four, decay), lax.mul(more, more))
    # sech(x) = exp(-|x|) + tanh|x| exp(-|x|), within 7 ulp. XLA merges the tanh with the one whose
    # derivative this is, so it costs less than the quotient. In float64 it is no quicker, and its
    # tanh is less accurate.
    decay = lax.exp(lax.neg(size))
    root = lax.add(decay, lax.mul(lax.abs(lax.tanh(x)), decay))
    return lax.mul(root, root)


def _exp_neg_square(x: Any) -> Any:
    wide = x.astype(jnp.float64)
    head = wide.astype(jnp.float32).astype(jnp.float64)
    head = jnp.where(jnp.isfinite(head), head, wide)
    tail = jnp.where(head == wide, 0.0, (wide - head) * (wide + head))
    return (jnp.exp(-head * head) * jnp.exp(-tail)).astype(x.dtype)


def _logaddexp(a: Any, b: Any) -> Any:
    return jnp.logaddexp(a, b)


def _maximum(a: Any, b: Any) -> Any:
    if a.dtype == bool:
        return lax.bitwise_or(*aligned(a, b))
    return lax.max(*aligned(a, b))


def _minimum(a: Any, b: Any) -> Any:
    if a.dtype == bool:
        return lax.bitwise_and(*aligned(a, b))
    return lax.min(*aligned(a, b))


def _where(condition: Any, a: Any, b: Any) -> Any:
    return lax.select(*aligned(condition, a, b))


def _clip(x: Any, low: Any, high: Any) -> Any:
    return _minimum(_maximum(x, low), high)


def _cast(x: Any, dtype: Any) -> Any:
    return lax.convert_element_type(x, dtype)


def _inexact_only(kernel: Kernel, otherwise: bool) -> Kernel:
    def ask(x: Any) -> Any:
        if jnp.issubdtype(x.dtype, jnp.inexact):
            return kernel(x)
        return jnp.full(x.shape, otherwise)

    return ask


def _polygamma(x: Any, n: int) -> Any:
    """JAX's own holds for positive numbers; the others by reflection (NIST DLMF 5.15.6)."""
    if n == 0:
        return lax.digamma(x)
    negative = x <= 0
    y = special.polygamma(n, jnp.where(negative, 1 - x, x))
    distance = x - jnp.round(x)
    cotangent = 1 / jnp.tan(np.pi * distance)
    first, *others = reversed(_derivative_of_cotangent(n))
    terms = jnp.full_like(cotangent, first)
    for coefficient in others:
        terms = terms * cotangent + coefficient
    turned = (-1) ** n * y - np.pi ** (n + 1) * terms
    if n % 2 == 0:  # the sign of the pole depends on the side
        turned = jnp.where(distance == 0, jnp.nan, turned)
    return jnp.where(negative, turned, y).astype(x.dtype)


def _at_least_float32(x: Any) -> Any:
    """For formulas whose terms cancel, more than 16 bits hold."""
    return x.astype(jnp.promote_types(x.dtype, np.float32))


def _sinc(x: Any, m: int) -> Any:
    """For large x by x f_k + k f_{k-1} = pi**(k - 1) sin(pi x + k pi / 2), else by its series."""
    dtype, x = x.dtype, _at_least_float32(x)
    whole = jnp.round(x)
    angle = np.pi * (x - whole)
    sign = jnp.where(whole % 2 == 0, 1, -1).astype(x.dtype)
    turned = (sign * lax.sin(angle), sign * lax.cos(angle))
    near = lax.abs(x) < max(1.0, m / np.pi) if m else x == 0
    outside = jnp.where(near, 1, x)
    far = turned[0] / (np.pi * outside)
    for k in range(1, m + 1):
        quarter = (-1) ** (k // 2) * np.pi ** (k - 1)
        far = (quarter * turned[k % 2] - k * far) / outside
    if m == 0:
        return jnp.where(near, 1, far).astype(dtype)
    z = np.pi * jnp.where(near, x, 0)
    total = jnp.zeros_like(z)
    for k in reversed(range(12 + 2 * m)):  # of t**m cos(z t + m pi / 2), integrated over [0, 1]
        order = 2 * k + m % 2
        sign_of = (-1) ** (k + (m + 1) // 2)
        total = total * z * z + sign_of / (math.factorial(order) * (order + m + 1))
    series = np.pi**m * total * (z if m % 2 else 1)
    return jnp.where(near, series, far).astype(dtype)


def _inv_boxcox(y: Any, p: Any, k: int) -> Any:
    dtype, y, p = y.dtype, _at_least_float32(y), _at_least_float32(p)
    t = jnp.where(p == 0, 0, p * y)
    small = lax.abs(t) < 0.01
    near = small & ((t == 0) | (lax.abs(t * y) < 2))
    inside = jnp.where(near, t, 0)
    tail = y * inside * jnp.polyval(np.asarray(LOG1P_TAIL[::-1], t.dtype), inside)
    rest = jnp.where(inside == 0, 0, tail)
    exponent = 1 / jnp.where(near, 1, p) - k
    logarithm = lax.log1p(jnp.where(small, t, 0))
    # 1 + t may round to 1 where the exponent is large.
    by_exponential = lax.exp(jnp.where(near, y + rest - k * logarithm, exponent * logarithm))
    by_power = jnp.power(1 + t, exponent)
    by_power = jnp.where((t < -1) | jnp.isnan(y), np.nan, by_power)
    return jnp.where(small, by_exponential, by_power).astype(dtype)


def _derivative_of_cotangent(n: int) -> list[int]:
    """The n-th derivative of cot as a polynomial in cot, whose own is -(1 + cot**2)."""
    terms = [0, 1]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(terms)][1:]
        low, high = [*slope, 0, 0], [0, 0, *slope]  # slope, and cot**2 slope
        terms = [-(a + b) for a, b in zip(low, high, strict=True)]
    return terms


KERNELS: Final[dict[str, Kernel]] = {
    "add": _two(lax.add),
    "sub": _two(lax.sub),
    "neg": lax.neg,
    "mul": _two(lax.mul),
    "div": _two(lax.div),
    "square": lambda x: lax.mul(x, x),
    "reciprocal": lambda x: lax.div(jnp.ones_like(x), x),
    "pow": _pow,
    "integer_pow": _integer_pow,
    "pow_int": lambda x, n: jnp.power(x, n.astype(x.dtype)),
    "sqrt": lax.sqrt,
    "rsqrt": lambda x: lax.div(jnp.ones_like(x), lax.sqrt(x)),
    "abs": lax.abs,
    "sign": jnp.sign,
    "hypot": jnp.hypot,
    "exp": lax.exp,
    "expm1": lax.expm1,
    "exp_neg_square": _exp_neg_square,
    "log": lax.log,
    "log1p": lax.log1p,
    "log2": jnp.log2,
    "log10": jnp.log10,
    "logaddexp": _logaddexp,
    "logaddexp2": jnp.logaddexp2,
    "sigmoid": _sigmoid,
    "softplus": _softplus,
    "cbrt": lax.cbrt,
    "sin": lax.sin,
    "cos": lax.cos,
    "tan": lax.tan,
    "asin": lax.asin,
    "acos": lax.acos,
    "atan": lax.atan,
    "atan2": _two(lax.atan2),
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "tanh": lax.tanh,
    "sech_squared": _sech_squared,
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
    "floor": lax.floor,
    "ceil": lax.ceil,
    "trunc": jnp.trunc,
    "round": lambda x: lax.round(x, lax.RoundingMethod.TO_NEAREST_EVEN),
    "floor_divide": jnp.floor_divide,
    "remainder": jnp.remainder,
    "fmod": jnp.fmod,
    "equal": _two(lax.eq),
    "not_equal": _two(lax.ne),
    "less": _two(lax.lt),
    "less_equal": _two(lax.le),
    "logical_and": jnp.logical_and,
    "logical_or": jnp.logical_or,
    "logical_xor": jnp.logical_xor,
    "logical_not": jnp.logical_not,
    "bitwise_and": _two(lax.bitwise_and),
    "bitwise_or": _two(lax.bitwise_or),
    "bitwise_xor": _two(lax.bitwise_xor),
    "bitwise_invert": lax.bitwise_not,
    "left_shift": jnp.left_shift,
    "right_shift": jnp.right_shift,
    "isfinite": _inexact_only(lax.is_finite, True),
    "isinf": _inexact_only(jnp.isinf, False),
    "isnan": _inexact_only(jnp.isnan, False),
    "signbit": jnp.signbit,
    "where": _where,
    "maximum": _maximum,
    "minimum": _minimum,
    "clip": _clip,
    "relu": lambda x: lax.max(x, jnp.zeros_like(x)),
    "copysign": jnp.copysign,
    "nextafter": _two(lax.nextafter),
    "cast": _cast,
    "detach": lambda x: x,
    "erf": lax.erf,
    "erfc": lax.erfc,
    "erfinv": lax.erf_inv,
    "gammaln": lax.lgamma,
    "polygamma": _polygamma,
    "sinc": _sinc,
    "inv_boxcox": _inv_boxcox,
}
"""Primitive name -> function of (operands, parameters). What is not here, and in no other table of
this package, runs on the host through its NumPy kernel."""
