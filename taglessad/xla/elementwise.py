"""Elementwise primitives on `jax.lax`: half the tracing time of `jax.numpy`."""

from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import lax

from taglessad.xla import entries, special

# Any: arrays and tracers, in dtypes that are data.
Kernel = Callable[..., Any]


def aligned(*xs: Any) -> list[Any]:
    """Operands of one shape."""
    shapes = [np.shape(x) for x in xs]
    first = shapes[0]
    if all(s == first for s in shapes):
        return list(xs)
    shape = lax.broadcast_shapes(*shapes)
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
    return jnp.maximum(x, 0) + _log1p(lax.exp(-lax.abs(x)))


def _log1p(x: Any) -> Any:
    return entries.log1p(x) if x.dtype == np.float64 else lax.log1p(x)


def _atanh(x: Any) -> Any:
    return entries.atanh(x) if x.dtype == np.float64 else lax.atanh(x)


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
    "log": lax.log,
    "log1p": _log1p,
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
    "atanh": _atanh,
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
    **special.KERNELS,
}
"""Primitive name -> function of (operands, parameters). What is not here, and in no other table of
this package, runs on the host through its NumPy kernel."""
