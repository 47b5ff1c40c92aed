"""Jax: programs mean XLA computations, on whichever device JAX has. An extra: `taglessad[jax]`.

The payload is a `jax.Array` or one of JAX's own tracers, so programs work inside `jax.jit`,
`jax.vmap` and `jax.grad`; literals stay NumPy arrays until something is computed with them. What
XLA has no operation for runs on the host, by its NumPy kernel. Numbers keep their width: 64-bit
types are switched on while an operation is built, whatever JAX's global switch says.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import as_handle
from taglessad.dtypes import DType, Number, check
from taglessad.errors import ConcretizationError, DTypeError, MissingExtra
from taglessad.graph import Graph
from taglessad.interpreter import Interpreter
from taglessad.levels import default_root
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, handle

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.core import Tracer
except ImportError:
    raise MissingExtra(
        "the Jax interpreter needs JAX, which is not installed: pip install 'taglessad[jax]'"
    ) from None

from taglessad.xla import arrays, control, elementwise, matrices
from taglessad.xla.pytrees import register_pytrees
from taglessad.xla.width import wide

# Any: arrays and tracers of JAX, in dtypes that are data.
KERNELS = {**elementwise.KERNELS, **arrays.KERNELS, **matrices.KERNELS}


def _parts(params: Params) -> Iterator[Any]:
    """Parameters, those within tuples among them."""
    for p in params:
        yield from _parts(p) if isinstance(p, tuple) else (p,)


HALF: Final = np.dtype(np.uint32)


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


class Jax(Ops[Any]):
    """Arrays in, handles over `jax.Array`s out. `device`: where literals are put."""

    precedence = 1

    def __init__(self, device: Any = None) -> None:  # Any: a jax.Device
        self.device = device

    # --- administration ---------------------------------------------------------------------
    def const(self, value: NDArray[Any], /) -> Any:
        if self.device is None:
            return value
        return wide(jax.device_put)(value, self.device)

    def lift(self, source: Interpreter[Any], x: Any, /) -> Any:
        """Arrays of another `Jax` stay what they are and where they are: tracers, shards."""
        return x if isinstance(source, Jax) else super().lift(source, x)

    def scalar(self, value: Number, like: Any, /) -> Any:
        number = value if isinstance(value, int) else float(value)
        return np.asarray(number).astype(like.dtype)

    @wide
    def zeros(self, aval: Aval, /) -> Any:
        return jnp.zeros(tuple(int(n) for n in aval.shape if isinstance(n, int)), aval.dtype)

    def aval(self, x: Any, /) -> Aval:
        return Aval(tuple(x.shape), np.dtype(x.dtype))

    def shape(self, x: Any, /) -> Shape:
        return tuple(x.shape)

    def dtype(self, x: Any, /) -> DType:
        dtype: DType = np.dtype(x.dtype)
        return dtype

    def literal(self, x: Any, /) -> NDArray[Any] | None:
        return None if isinstance(x, Tracer) else np.asarray(x)

    def decide(self, x: Any, /) -> int:
        value = self.literal(x)
        if value is None:
            raise ConcretizationError(f"a choice under {self!r} rests on a value that JAX traces")
        return int(value)

    # --- primitives -------------------------------------------------------------------------
    @wide
    def apply(self, prim: Prim, operands: tuple[Any, ...], params: Params, /) -> Any:
        kernel = KERNELS.get(prim.name)
        if kernel is not None:
            return kernel(operands, *params) if prim.variadic else kernel(*operands, *params)
        aval = prim.infer(*[self.aval(x) for x in operands], *params)
        (y,) = self._on_host(prim, operands, params, (aval,))
        return y

    @wide
    def apply_n(self, prim: PrimN, operands: tuple[Any, ...], params: Params, /) -> tuple[Any, ...]:
        kernel = KERNELS.get(prim.name)
        if kernel is not None:
            return tuple(kernel(*operands, *params))
        if hasattr(control, prim.name):
            if prim.lower is not None:
                params = prim.lower(*params)
            return tuple(self.lowered(prim.name, operands, *params))
        if prim.evaluate is not None:
            return tuple(prim.evaluate(self, operands, params))
        return self._on_host(
            prim, operands, params, prim.avals(list(map(self.aval, operands)), params)
        )

    @wide
    def lowered(self, name: str, operands: tuple[Any, ...], *params: Any) -> Any:
        """One function of `xla.control`: compiled once for a body, where it is called with arrays."""
        function = getattr(control, name)
        if any(isinstance(x, Tracer) for x in operands):
            return function(self, operands, *params)
        static = tuple([p for p in params if not isinstance(p, control.Kept)])
        states = params[len(static) :]  # what a loop has left comes last
        body = next(p for p in _parts(static) if isinstance(p, Graph))
        compiled = body.derived.get(("xla", self.device, name, static))
        if compiled is None:
            compiled = jax.jit(lambda xs, states: function(self, xs, *static, *states))
            body.derived["xla", self.device, name, static] = compiled
        return compiled(operands, states)

    def _on_host(
        self,
        prim: Prim | PrimN,
        operands: tuple[Any, ...],
        params: Params,
        avals: tuple[Aval, ...],
    ) -> tuple[Any, ...]:
        """The NumPy kernel, called back from the device.

        It runs on a thread of XLA's, where JAX would narrow 64-bit numbers: they travel as halves.
        """
        root = default_root()
        given = [self.aval(x) for x in operands]

        def call(*xs: Any) -> tuple[Any, ...]:
            own = tuple([_whole(np.asarray(x), a) for x, a in zip(xs, given, strict=True)])
            ys = (
                root.run_n(prim, own, params)
                if isinstance(prim, PrimN)
                else (root.run(prim, own, params),)
            )
            return tuple([np.asarray(y, a.dtype) for y, a in zip(ys, avals, strict=True)])

        if not any(isinstance(x, Tracer) for x in operands):
            own = [np.asarray(x) for x in operands]
            return tuple([jnp.asarray(y) for y in call(*own)])
        spec: Any = jax.ShapeDtypeStruct  # Any: JAX leaves its constructor untyped
        halves = [Aval((*a.shape, 2), HALF) if a.dtype.itemsize == 8 else a for a in avals]
        found: tuple[Any, ...] = jax.pure_callback(
            lambda *xs: tuple([_split(y) for y in call(*xs)]),
            tuple([spec(tuple(a.shape), a.dtype) for a in halves]),
            *[lax.bitcast_convert_type(x, HALF) if x.dtype.itemsize == 8 else x for x in operands],
            vmap_method="sequential",
        )
        return tuple(
            [
                lax.bitcast_convert_type(y, a.dtype) if a.dtype.itemsize == 8 else y
                for y, a in zip(found, avals, strict=True)
            ]
        )

    def __repr__(self) -> str:
        return "Jax" if self.device is None else f"Jax({self.device})"


JAX = Jax()
"""The interpreter that handles over JAX arrays have."""

register_pytrees(JAX)


@wide
def array(x: Any) -> Any:
    """A payload as a `jax.Array`."""
    return jnp.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x


def from_jax(value: Any, what: str, name: str) -> AnyTensor:
    """An array or tracer of JAX as a handle. Raises DTypeError for a dtype without meaning here."""
    dtype = check(np.dtype(value.dtype), f"{what}: {name}", bfloat16=True)
    weak = bool(getattr(value, "weak_type", False)) and value.ndim == 0
    made: AnyTensor = handle(JAX, value, dtype, weak)
    return made


def to_jax(t: Any, *, allow_downcast: bool = False) -> Any:
    """The value as a `jax.Array`; under JAX's own transforms, its tracer.

    A handle of NumPy is copied to the device. Raises DTypeError for a 64-bit dtype where JAX would
    narrow what is computed from it (`jax_enable_x64` is off), unless `allow_downcast`, which
    narrows it here; ConcretizationError inside a transform of this library.
    """
    x = as_handle(t, "to_jax", "t")
    value = x.payload if isinstance(x.ops, Jax) else x.ops.peek(x.payload)
    if value is None:
        raise ConcretizationError(
            f"tad.to_jax() of a handle under {x.ops!r}: its value is not known while the program is "
            "interpreted; run the whole program on JAX instead (tad.interpret, JAX arguments)"
        )
    narrowed = jax.dtypes.canonicalize_dtype(x.dtype)
    if narrowed == x.dtype:
        return jnp.asarray(value)
    if not allow_downcast:
        raise DTypeError(
            f"to_jax: dtype {x.dtype} would become {narrowed} in JAX's own functions; switch on "
            "jax_enable_x64, or pass allow_downcast=True"
        )
    return jnp.asarray(
        np.asarray(value) if x.ops.literal(x.payload) is not None else value, narrowed
    )
