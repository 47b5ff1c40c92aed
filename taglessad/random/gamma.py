"""Gamma numbers and what is made of them: beta and Dirichlet numbers.

Arguments and errors as in continuous.py. Numbers come by rejection, which has no derivative of its
own; the derivative in the shape parameter is the implicit one (Figurnov, Mohamed and Mnih 2018): the
number moves so that its value of the distribution function stays. It has every order.
"""

from typing import Any

import numpy as np

from taglessad.array_api.comparison import less
from taglessad.array_api.creation import ShapeArgument, asarray, full
from taglessad.array_api.logic import isfinite, logical_and
from taglessad.array_api.searching import where
from taglessad.array_api.transcendental import exp, log, log1p, sqrt
from taglessad.array_api.utility import any as any_of
from taglessad.control.loops import while_loop
from taglessad.custom.functions import custom_jvp
from taglessad.dispatch import Real
from taglessad.errors import DomainError
from taglessad.random.continuous import normal, uniform
from taglessad.random.keys import Key, as_key, fold_in, split
from taglessad.random.parameters import Draw, draw
from taglessad.special.calls import parametrized
from taglessad.special.gamma import digamma
from taglessad.special.information import expit, softmax
from taglessad.tensor import Tensor
from taglessad.transforms.fences import detach


def gamma(key: Key, a: Real, shape: ShapeArgument | None = None, dtype: object = None) -> Tensor:
    """Gamma numbers with shape parameter a > 0 and scale 1.

    Raises DomainError where it can be seen that a is not positive; else it gives NaN.
    """
    return exp(_log_gamma("random.gamma", key, a, shape, dtype))


def loggamma(key: Key, a: Real, shape: ShapeArgument | None = None, dtype: object = None) -> Tensor:
    """Logarithms of gamma numbers, which for small a are too small to be numbers themselves."""
    return _log_gamma("random.loggamma", key, a, shape, dtype)


def beta(
    key: Key,
    a: Real,
    b: Real,
    shape: ShapeArgument | None = None,
    dtype: object = None,
) -> Tensor:
    """Beta numbers with parameters a, b > 0: the share of one gamma number in the sum of two."""
    what = "random.beta"
    as_key(key, what)
    made = draw(what, shape, dtype, {"a": a, "b": b})
    first, second = split(key)
    p, q = (_checked(what, name, made) for name in ("a", "b"))
    one, other = (_drawn(k, x, made) for k, x in ((first, p), (second, q)))
    return expit(one - other)


def dirichlet(
    key: Key, alpha: Tensor, shape: ShapeArgument | None = None, dtype: object = None
) -> Tensor:
    """Dirichlet numbers: along the last axis they are positive and sum to 1.

    alpha: their parameters, along its last axis. shape: that of the result, last axis included.
    """
    return softmax(_log_gamma("random.dirichlet", key, alpha, shape, dtype), axis=-1)


def _log_gamma(what: str, key: Key, a: Real, shape: ShapeArgument | None, dtype: object) -> Tensor:
    as_key(key, what)
    made = draw(what, shape, dtype, {"a": a})
    return _drawn(key, _checked(what, "a", made), made)


def _checked(what: str, name: str, made: Draw) -> Tensor:
    a = made.parameters[name]
    value = a.ops.peek(a.payload)
    if value is not None and not np.all(value > 0.0):
        raise DomainError(f"{what}: {name} has entries that are not positive")
    return a


def _drawn(key: Key, a: Tensor, made: Draw) -> Tensor:
    """log of gamma numbers that move with a."""
    whole = a + full(made.shape, 0.0, made.dtype)
    drawn: Tensor = _moving(whole, detach(_rejected(key, detach(whole), made)))
    return drawn


def _rejected(key: Key, a: Tensor, made: Draw) -> Tensor:
    """log of gamma numbers (Marsaglia and Tsang 2000; section 6 for a < 1)."""
    small = a < 1.0
    d = where(small, a + 1.0, a) - 1.0 / 3.0
    c = 1.0 / (3.0 * sqrt(d))
    repeated, last = split(key)

    def attempt(state: Any) -> Any:
        trial, found, missing = state
        first, second = split(fold_in(repeated, trial))
        z = normal(first, made.shape, made.dtype)
        root = 1.0 + c * z
        v = where(root > 0.0, root, 1.0) ** 3
        bound = 0.5 * z * z + d * (1.0 - v + log(v))
        below = less(log1p(-uniform(second, made.shape, made.dtype)), bound)
        taken = logical_and(missing, logical_and(root > 0.0, below))
        return trial + 1, where(taken, log(d) + log(v), found), logical_and(missing, ~taken)

    # What has no gamma distribution has no end of attempts: it is not begun.
    missing = logical_and(a > 0.0, isfinite(a))
    start = asarray(0), where(missing, full(made.shape, np.nan, made.dtype), np.nan), missing
    _, found, _ = while_loop(lambda state: any_of(state[2]), attempt, start)
    u = uniform(last, made.shape, made.dtype)
    return where(small, found + log1p(-u) / a, found)


@custom_jvp
def _moving(a: Tensor, drawn: Tensor) -> Tensor:
    """The drawn numbers; their derivative in a is that of quantiles."""
    return drawn


def _moved(
    primals: tuple[Tensor, Tensor], tangents: tuple[Tensor, Tensor]
) -> tuple[Tensor, Tensor]:
    a, drawn = primals
    y: Tensor = _moving(a, drawn)
    return y, _slope(a, y) * tangents[0]


_moving.defjvp(_moved)


def _slope(a: Tensor, y: Tensor) -> Tensor:
    """The derivative in a of y = log x, P(a, x) being fixed: -dP/da / (x dP/dx)."""
    x = exp(y)
    # P(a, x) = x**a / Gamma(a + 1) to rounding where x is that small.
    tiny = x < float(np.finfo(x.dtype).eps)
    safe = where(tiny, 1.0, x)
    rise = parametrized("gammainc", "random.gamma", (a, safe), ("a", "x"), 1)
    density = parametrized("gamma_density", "random.gamma", (a, safe), ("a", "x"), 0)
    return where(tiny, (digamma(a + 1.0) - y) / a, -rise / (safe * density))
