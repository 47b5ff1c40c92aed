"""What XLA has no operation for: the NumPy kernel, called back from the device."""

from collections.abc import Callable, Iterable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from numpy.typing import NDArray

from taglessad.levels import default_root
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.xla.varying import alike

# Any: arrays and tracers, in dtypes that are data.
HALF: Final = np.dtype(np.uint32)


def traced(xs: Iterable[Any]) -> bool:
    """Whether a transform of JAX is under way for any of them."""
    return any(isinstance(x, Tracer) for x in xs)


def on_host(
    prim: Prim | PrimN, params: Params, avals: tuple[Aval, ...]
) -> Callable[..., tuple[Any, ...]]:
    """The primitive as a function of arrays, one result for each aval.

    It runs on a thread of XLA's, where JAX would narrow 64-bit numbers: they travel as halves.
    """
    root = default_root()

    def call(own: tuple[Any, ...]) -> tuple[Any, ...]:
        ys = (
            root.run_n(prim, own, params)
            if isinstance(prim, PrimN)
            else (root.run(prim, own, params),)
        )
        return tuple([np.asarray(y, a.dtype) for y, a in zip(ys, avals, strict=True)])

    def run(*operands: Any) -> tuple[Any, ...]:
        if not traced(operands):
            return tuple([jnp.asarray(y) for y in call(tuple(map(np.asarray, operands)))])
        given = [Aval(tuple(x.shape), np.dtype(x.dtype)) for x in operands]

        def back(*xs: Any) -> tuple[Any, ...]:
            own = tuple([_whole(np.asarray(x), a) for x, a in zip(xs, given, strict=True)])
            return tuple([_split(y) for y in call(own)])

        spec: Any = jax.ShapeDtypeStruct  # Any: JAX leaves its constructor untyped
        halves = [Aval((*a.shape, 2), HALF) if _is_wide(a) else a for a in avals]
        found: tuple[Any, ...] = jax.pure_callback(
            back,
            tuple([spec(tuple(a.shape), a.dtype) for a in halves]),
            *[
                lax.bitcast_convert_type(x, HALF) if _is_wide(a) else x
                for x, a in zip(operands, given, strict=True)
            ],
        )
        return tuple(
            [
                lax.bitcast_convert_type(y, a.dtype) if _is_wide(a) else y
                for y, a in zip(alike(found, *operands), avals, strict=True)
            ]
        )

    return run


def _is_wide(aval: Aval) -> bool:
    return aval.dtype.itemsize == 8


def _whole(x: NDArray[Any], aval: Aval) -> NDArray[Any]:
    """An array whose 64-bit numbers come as two halves, in a last axis of their own."""
    if x.dtype == aval.dtype:
        return x
    return np.ascontiguousarray(x).view(aval.dtype).reshape(x.shape[:-1])


def _split(y: NDArray[Any]) -> NDArray[Any]:
    """What `_whole` puts together."""
    if y.dtype.itemsize != 8:
        return y
    return np.ascontiguousarray(y).reshape(*y.shape, 1).view(HALF)
