"""The discrete Fourier transform of arrays of number objects, as a product with a matrix."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from taglessad.kernels import objects as shared
from taglessad.kernels.object_products import matrix_product
from taglessad.kernels.payloads import Numbers, Objects, boxed

# Any throughout: an entry is whatever the field calculates with.


class Field(shared.Field, Protocol):
    """A field that knows the points of the unit circle."""

    def turn(self, k: int, n: int) -> tuple[Any, Any]:
        """Cosine and sine of k / n of a turn."""
        ...


def _waves(field: Field, n: int) -> tuple[Objects, Objects]:
    """cos and sin of 2 pi j k / n, for j = 0 to n - 1 and k = 0 to n // 2."""
    turns = [field.turn(k, n) for k in range(n)]
    cosines, sines = np.empty((n, n // 2 + 1), object), np.empty((n, n // 2 + 1), object)
    for j, k in np.ndindex(cosines.shape):
        cosines[j, k], sines[j, k] = turns[j * k % n]
    return cosines, sines


def _along(field: Field, x: Numbers, matrix: Objects, axis: int) -> Objects:
    """The last axis is `axis` while it is multiplied by a matrix from the right."""
    moved = np.moveaxis(x.values, axis, -1)
    flat = moved.reshape(1, -1, moved.shape[-1])
    made = matrix_product(field, flat, matrix[None])[0]
    return np.moveaxis(made.reshape(*moved.shape[:-1], matrix.shape[1]), -1, axis)


def rfft(field: Field, x: Numbers, axis: int) -> tuple[Numbers, ...]:
    """Real and imaginary parts of the sums of x_j exp(-2 pi i j k / n)."""
    cosines, sines = _waves(field, x.values.shape[axis])
    re, im = _along(field, x, cosines, axis), _along(field, x, sines, axis)
    return Numbers(re, x.dtype, x.active), Numbers(boxed(-im), x.dtype, x.active)


def rfft_transpose(
    field: Field, re: Numbers, im: Numbers, n: int, axis: int
) -> tuple[Numbers, ...]:
    """The sums of re_k cos(2 pi j k / n) - im_k sin(2 pi j k / n)."""
    cosines, sines = _waves(field, n)
    values = _along(field, re, cosines.T, axis) - _along(field, im, sines.T, axis)
    return (Numbers(boxed(values), re.dtype, re.active or im.active),)


FOURIER: dict[str, Callable[..., tuple[Numbers, ...]]] = {
    "rfft": rfft,
    "rfft_transpose": rfft_transpose,
}
