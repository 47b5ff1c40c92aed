"""Initial values of parameters.

An initialiser takes a NumPy generator, a shape and a dtype, and gives an array. `fan_in` is the
number of entries of the input that each entry of a result depends on, `fan_out` the reverse: of a
shape [In, Out] its two sizes; of a convolution's kernel [O, C, *taps] C and O times the taps.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import from_array, literal_root
from taglessad.dtypes import DType, float64, is_real, resolve
from taglessad.errors import ArgumentError, DTypeError, ShapeError
from taglessad.interpreters.shape import Shape
from taglessad.primitive import Aval
from taglessad.shapes import normalize_shape, show
from taglessad.tensor import Tensor, handle

Array: TypeAlias = NDArray[Any]  # Any: the dtype is data
Rng: TypeAlias = int | np.random.Generator | None
"""A seed, a generator, or None for fresh entropy."""
Initializer: TypeAlias = Callable[[np.random.Generator, tuple[int, ...], DType], Array]


def generator(rng: object, what: str) -> np.random.Generator:
    """The generator that `rng` (an `Rng`) stands for; a generator is used, and advanced, itself."""
    if rng is None or isinstance(rng, np.random.Generator):
        return np.random.default_rng(rng)
    if isinstance(rng, (int, np.integer)) and not isinstance(rng, bool) and rng >= 0:
        return np.random.default_rng(int(rng))
    raise ArgumentError(
        f"{what}: rng is {rng!r}; give a seed (a natural number), a numpy.random.Generator, or None"
    )


def parameter(
    init: Initializer, rng: np.random.Generator, shape: tuple[int, ...], dtype: object, what: str
) -> Tensor:
    """An initialiser's array as a handle. Raises ArgumentError where it is of another shape."""
    target = resolve(dtype, what)
    if not is_real(target):
        raise DTypeError(f"{what}: dtype is {target}; parameters are real numbers")
    normalize_shape(shape, what)
    root = literal_root()
    if isinstance(root, Shape):  # nothing is drawn, and a size may be a symbol
        return handle(root, root.zeros(Aval(shape, target)), target)  # type: ignore[no-any-return]  # a handle, whose maker is typed Any
    made = np.asarray(init(rng, shape, target))
    if made.shape != shape:
        raise ArgumentError(
            f"{what}: init gave shape {show(made.shape)} where {show(shape)} is asked for"
        )
    fresh: Tensor = from_array(made.astype(target))
    return fresh


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """(fan_in, fan_out) of a parameter's shape."""
    if len(shape) <= 2:
        return (shape[0], shape[-1]) if shape else (1, 1)
    taps = math.prod(shape[2:])
    return shape[1] * taps, shape[0] * taps


# --- constants -----------------------------------------------------------------------------------
def zeros(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """0 everywhere."""
    return np.zeros(shape, dtype)


def ones(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """1 everywhere."""
    return np.ones(shape, dtype)


def constant(value: float) -> Initializer:
    """An initialiser: one number everywhere."""

    def init(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
        return np.full(shape, value, dtype)

    return init


# --- independent entries -------------------------------------------------------------------------
def normal(std: float = 1.0, mean: float = 0.0) -> Initializer:
    """An initialiser: normal with this deviation and mean."""

    def init(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
        return rng.normal(mean, std, shape).astype(dtype)

    return init


def uniform(low: float = 0.0, high: float = 1.0) -> Initializer:
    """An initialiser: even between two numbers."""

    def init(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
        return rng.uniform(low, high, shape).astype(dtype)

    return init


def _scaled(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: DType, variance: float, even: bool
) -> Array:
    if even:
        bound = math.sqrt(3.0 * variance)
        return rng.uniform(-bound, bound, shape).astype(dtype)
    return rng.normal(0.0, math.sqrt(variance), shape).astype(dtype)


def glorot_normal(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64
) -> Array:
    """Normal, variance 2 / (fan_in + fan_out) (Glorot and Bengio 2010)."""
    return _scaled(rng, shape, dtype, 2.0 / max(1, sum(fans(shape))), even=False)


def glorot_uniform(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64
) -> Array:
    """Even, variance 2 / (fan_in + fan_out) (Glorot and Bengio 2010)."""
    return _scaled(rng, shape, dtype, 2.0 / max(1, sum(fans(shape))), even=True)


def he_normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """Normal, variance 2 / fan_in (He et al. 2015): for what goes into a relu."""
    return _scaled(rng, shape, dtype, 2.0 / max(1, fans(shape)[0]), even=False)


def he_uniform(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """Even, variance 2 / fan_in (He et al. 2015): for what goes into a relu."""
    return _scaled(rng, shape, dtype, 2.0 / max(1, fans(shape)[0]), even=True)


def lecun_normal(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """Normal, variance 1 / fan_in (LeCun et al. 1998)."""
    return _scaled(rng, shape, dtype, 1.0 / max(1, fans(shape)[0]), even=False)


def lecun_uniform(
    rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64
) -> Array:
    """Even, variance 1 / fan_in (LeCun et al. 1998)."""
    return _scaled(rng, shape, dtype, 1.0 / max(1, fans(shape)[0]), even=True)


def orthogonal(rng: np.random.Generator, shape: tuple[int, ...], dtype: DType = float64) -> Array:
    """Rows or columns, whichever are fewer, orthonormal (Saxe et al. 2014); axes behind the first
    count as one. Evenly distributed over all such matrices. Raises ShapeError below rank 2.
    """
    if len(shape) < 2:
        raise ShapeError(f"nn.init.orthogonal: shape {show(shape)} is no matrix")
    rows, columns = shape[0], math.prod(shape[1:])
    q, r = np.linalg.qr(rng.standard_normal((max(rows, columns), min(rows, columns))))
    # Without the signs, QR does not give all orthogonal matrices equally often.
    q = q * np.where(np.diagonal(r) < 0, -1.0, 1.0)
    return np.asarray((q if rows >= columns else q.T).reshape(shape)).astype(dtype)
