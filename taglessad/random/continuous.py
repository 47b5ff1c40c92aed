"""Distributions of real numbers, each a program over uniform numbers.

`key`: a uint32 [2] of `random.key` or `random.split`. `shape`: that of the result; by default the
shape to which the parameters broadcast, one number where they are numbers. `dtype`: by default that
of the parameters that are real arrays, else float64. Derivatives pass through the parameters, with
the key's numbers held fixed (the pathwise derivative; Kingma and Welling 2014, section 2.4).

Raises ArgumentError, DTypeError or ShapeError for what is no key, DTypeError for a dtype that is not
real, ShapeError where a parameter does not broadcast to the shape.
"""

from typing import Any, Final

import numpy as np

from taglessad.array_api.arithmetic import negative, sign
from taglessad.array_api.comparison import clip
from taglessad.array_api.creation import ShapeArgument
from taglessad.array_api.searching import where
from taglessad.array_api.transcendental import log, log1p
from taglessad.convert import from_array
from taglessad.dispatch import Real
from taglessad.dtypes import DType
from taglessad.errors import DomainError
from taglessad.random.keys import Key
from taglessad.random.parameters import Draw, draw, fractions
from taglessad.special.error import erfc, erfcinv, erfinv
from taglessad.tensor import Tensor, TensorLike
from taglessad.transforms.fences import detach

_SQRT_2: Final = 2.0**0.5


def uniform(
    key: Key,
    shape: ShapeArgument | None = None,
    dtype: object = None,
    minval: Real = 0.0,
    maxval: Real = 1.0,
) -> Tensor:
    """Numbers from minval to below maxval, all equally likely.

    On [0, 1) they are multiples of one ulp of 1; elsewhere rounding may give maxval itself.
    """
    made = draw("random.uniform", shape, dtype, {"minval": minval, "maxval": maxval})
    u = fractions("random.uniform", key, made.shape, made.dtype)
    if _plain(minval, maxval) and (minval, maxval) == (0, 1):
        return u
    low, high = made.parameters["minval"], made.parameters["maxval"]
    return u * (high - low) + low


def normal(
    key: Key,
    shape: ShapeArgument | None = None,
    dtype: object = None,
    loc: Real = 0.0,
    scale: Real = 1.0,
) -> Tensor:
    """Normal numbers with mean `loc` and standard deviation `scale`, by inversion.

    The inverse of the distribution function keeps its accuracy in the tails, which end where a
    uniform number does not come closer to 1: at 8.1 standard deviations in float64, 5.4 in float32.
    """
    made = draw("random.normal", shape, dtype, {"loc": loc, "scale": scale})
    u = _symmetric("random.normal", key, made, np.nextafter(-1.0, 0.0, dtype=made.dtype.type))
    return _located(erfinv(u) * _SQRT_2, made, loc, scale)


def truncated_normal(
    key: Key,
    lower: Real,
    upper: Real,
    shape: ShapeArgument | None = None,
    dtype: object = None,
) -> Tensor:
    """Standard normal numbers, given that they lie between lower and upper, by inversion.

    In the tail that reaches further out every number is accurate, to 38 standard deviations in
    float64, 14 in float32. Raises DomainError, where the bounds can be seen, for bounds out of order
    or beyond.
    """
    what = "random.truncated_normal"
    made = draw(what, shape, dtype, {"lower": lower, "upper": upper})
    low, high = detach(made.parameters["lower"]), detach(made.parameters["upper"])
    # The tail of the side further out, which falls to 0 there: no digits are lost near 1.
    side = where(low + high < 0.0, -1.0, 1.0)
    a, b = (erfc(side * made.parameters[name] / _SQRT_2) for name in ("lower", "upper"))
    _check_apart(what, side * (a - b))
    u = fractions(what, key, made.shape, made.dtype) * (b - a) + a
    # Rounding may lead out of the interval by an ulp; the bounds' own derivative is in u already.
    return clip(side * erfcinv(u) * _SQRT_2, low, high)


def exponential(
    key: Key,
    shape: ShapeArgument | None = None,
    dtype: object = None,
    scale: Real = 1.0,
) -> Tensor:
    """Exponential numbers with mean `scale`, by inversion."""
    made = draw("random.exponential", shape, dtype, {"scale": scale})
    u = fractions("random.exponential", key, made.shape, made.dtype)
    return _located(negative(log1p(negative(u))), made, 0.0, scale)


def laplace(
    key: Key,
    shape: ShapeArgument | None = None,
    dtype: object = None,
    loc: Real = 0.0,
    scale: Real = 1.0,
) -> Tensor:
    """Laplace numbers: `loc` plus or minus an exponential number with mean `scale`."""
    made = draw("random.laplace", shape, dtype, {"loc": loc, "scale": scale})
    u = _symmetric("random.laplace", key, made, np.nextafter(-1.0, 0.0, dtype=made.dtype.type))
    return _located(sign(u) * log1p(-abs(u)), made, loc, scale)


def gumbel(
    key: Key,
    shape: ShapeArgument | None = None,
    dtype: object = None,
    loc: Real = 0.0,
    scale: Real = 1.0,
) -> Tensor:
    """Gumbel numbers, the limit of maxima: -log(-log(u)) times `scale`, plus `loc`."""
    made = draw("random.gumbel", shape, dtype, {"loc": loc, "scale": scale})
    u = _symmetric("random.gumbel", key, made, np.finfo(made.dtype).tiny)
    return _located(negative(log(negative(log(u)))), made, loc, scale)


def _symmetric(what: str, key: TensorLike, made: Draw, low: Any) -> Tensor:
    """Numbers from `low`, a number of the draw's dtype, to below 1. Any: a NumPy scalar."""
    u = fractions(what, key, made.shape, made.dtype)
    return u * _constant(1 - low, made.dtype) + _constant(low, made.dtype)


def _constant(value: Any, dtype: DType) -> Tensor:
    constant: Tensor = from_array(np.asarray(value, dtype))
    return constant


def _located(z: Tensor, made: Draw, loc: Real, scale: Real) -> Tensor:
    """z scaled and moved; Python's 1 and 0 leave it as it is."""
    if not (_plain(scale) and scale == 1):
        z = z * made.parameters["scale"]
    if not (_plain(loc) and loc == 0):
        z = z + made.parameters["loc"]
    return z


def _plain(*values: TensorLike) -> bool:
    return all(isinstance(v, (int, float)) for v in values)


def _check_apart(what: str, mass: Tensor) -> None:
    value = mass.ops.peek(mass.payload)
    if value is not None and not np.all(value > 0.0):
        raise DomainError(
            f"{what}: no number lies between lower and upper, or both are so far out in one tail "
            "that nothing is left there"
        )
