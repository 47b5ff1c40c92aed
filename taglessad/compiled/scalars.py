"""Rank-0 float64 arithmetic on Python floats: some 25 times faster than NumPy's 0-d arrays.

A template uses {0}, {1} for operands, which are always names or literals, never expressions. Python
raises where IEEE arithmetic returns infinities and NaN, so each template sends those arguments to
the NumPy kernel: `np_log` and its kin, which give Python floats back.
"""

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from taglessad.kernels.elementwise import softplus

TEMPLATES: Final[dict[str, str]] = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "neg": "-{0}",
    "div": "{0} / {1} if {1} else np_div({0}, {1})",
    "square": "{0} * {0}",
    "reciprocal": "1.0 / {0} if {0} else np_reciprocal({0})",
    "abs": "fabs({0})",
    "sqrt": "sqrt({0}) if {0} >= 0.0 else np_sqrt({0})",
    "exp": "exp({0}) if -700.0 < {0} < 700.0 else np_exp({0})",
    "expm1": "expm1({0}) if -700.0 < {0} < 700.0 else np_expm1({0})",
    "log": "log({0}) if {0} > 0.0 else np_log({0})",
    "log1p": "log1p({0}) if {0} > -1.0 else np_log1p({0})",
    "sin": "sin({0}) if -1e300 < {0} < 1e300 else np_sin({0})",
    "cos": "cos({0}) if -1e300 < {0} < 1e300 else np_cos({0})",
    "tanh": "tanh({0})",
    "atan": "atan({0})",
    "sech_squared": "sech_squared({0})",
    "sigmoid": "sigmoid({0})",
    "softplus": "np_softplus({0})",
    "equal": "{0} == {1}",
    "not_equal": "{0} != {1}",
    "less": "{0} < {1}",
    "less_equal": "{0} <= {1}",
    "where": "{1} if {0} else {2}",
    "maximum": "{0} if {0} > {1} else {1} if {1} > {0} else np_maximum({0}, {1})",
    "minimum": "{0} if {0} < {1} else {1} if {1} < {0} else np_minimum({0}, {1})",
    "detach": "{0}",
}
"""Primitive name -> expression, for operands that are all Python floats (or bools)."""

BOOLEAN: Final = frozenset({"equal", "not_equal", "less", "less_equal"})
"""Those whose result is a truth value."""


def power(x: str, n: int) -> str | None:
    """A small integer power as products, as the same products NumPy's power rounds to."""
    if n == 0:
        return "1.0"
    if n == 1:
        return x
    if n == 2:
        return f"{x} * {x}"
    return f"np_integer_pow({x}, {n})"


def _wrapped(n: int) -> int:
    """An integer in 64 bits, as NumPy's arithmetic has it."""
    return (n + 2**63) % 2**64 - 2**63


def _sech_squared(x: float) -> float:
    decay = math.exp(-2.0 * abs(x))
    return 4.0 * decay / ((1.0 + decay) * (1.0 + decay))


def _sigmoid(x: float) -> float:
    decay = math.exp(-abs(x))
    return (decay if x < 0.0 else 1.0) / (1.0 + decay)


def _as_float(function: Callable[..., Any]) -> Callable[..., float]:
    # Any: NumPy functions of rank-0 arguments.
    def call(*args: float) -> float:
        return float(function(*args))

    return call


def _integer_pow(x: float, n: int) -> float:
    return float(np.power(np.float64(x), float(n)))


GLOBALS: Final[dict[str, Any]] = {  # Any: functions of several signatures, by name
    **{
        name: getattr(math, name)
        for name in ("fabs", "sqrt", "exp", "expm1", "log", "log1p", "sin", "cos", "tanh", "atan")
    },
    "wrap": _wrapped,
    "sech_squared": _sech_squared,
    "sigmoid": _sigmoid,
    "np_div": _as_float(np.true_divide),
    "np_reciprocal": _as_float(np.reciprocal),
    "np_sqrt": _as_float(np.sqrt),
    "np_exp": _as_float(np.exp),
    "np_expm1": _as_float(np.expm1),
    "np_log": _as_float(np.log),
    "np_log1p": _as_float(np.log1p),
    "np_sin": _as_float(np.sin),
    "np_cos": _as_float(np.cos),
    "np_softplus": _as_float(softplus),
    "np_maximum": _as_float(np.maximum),
    "np_minimum": _as_float(np.minimum),
    "np_integer_pow": _integer_pow,
}
