"""Jax: programs mean XLA computations, on whichever device JAX has. An extra: `taglessad[jax]`.

The payload is a `jax.Array` or one of JAX's own tracers, so programs work inside `jax.jit`,
`jax.vmap` and `jax.grad`; literals stay NumPy arrays until something is computed with them. What
XLA has no operation for runs on the host, by its NumPy kernel. Numbers keep their width: 64-bit
types are switched on while an operation is built, whatever JAX's global switch says.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from taglessad.convert import as_handle
from taglessad.dtypes import DType, Number, check
from taglessad.errors import ConcretizationError, DTypeError, MissingExtra
from taglessad.graph import Derivations, Graph
from taglessad.interpreter import Interpreter
from taglessad.levels import set_foreign_root
from taglessad.ops import Ops
from taglessad.primitive import Aval, Params, Prim, PrimN
from taglessad.shapes import Shape
from taglessad.tensor import AnyTensor, handle

try:
    import jax
    import jax.numpy as jnp
    from jax import lax
    from jax.core import Tracer
    from jax.extend.core import get_opaque_trace_state
except ImportError:
    raise MissingExtra(
        "the Jax interpreter needs JAX, which is not installed: pip install 'taglessad[jax]'"
    ) from None

from taglessad.xla import arrays, control, elementwise, matrices, special
from taglessad.xla.host import on_host, traced
from taglessad.xla.literals import of_literals
from taglessad.xla.pytrees import register_pytrees
from taglessad.xla.transformed import Operation, bind
from taglessad.xla.width import wide

# Any: arrays and tracers of JAX, in dtypes that are data.
KERNELS = {**elementwise.KERNELS, **arrays.KERNELS, **matrices.KERNELS}
RULED = frozenset({*arrays.UNKNOWN, *special.KERNELS})
"""Kernels of which JAX's own transforms get our derivatives: theirs would be those of the polynomial
or the iteration that approximates the function, or none."""


def _parts(params: Params) -> Iterator[Any]:
    """Parameters, those within tuples among them."""
    for p in params:
        yield from _parts(p) if isinstance(p, tuple) else (p,)


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
        known = of_literals(prim, operands, params)
        if known is not None:
            return known
        kernel = KERNELS.get(prim.name)
        if kernel is not None:
            if prim.name in RULED and traced(operands):
                return self._own(prim, operands, params, lambda *xs: [kernel(*xs, *params)])[0]
            return kernel(operands, *params) if prim.variadic else kernel(*operands, *params)
        aval = prim.infer(*[self.aval(x) for x in operands], *params)
        (y,) = self._own(prim, operands, params, on_host(prim, params, (aval,)))
        return y

    @wide
    def apply_n(self, prim: PrimN, operands: tuple[Any, ...], params: Params, /) -> tuple[Any, ...]:
        kernel = KERNELS.get(prim.name)
        if kernel is not None:
            return tuple(kernel(*operands, *params))
        if prim.evaluate is None:
            avals = prim.avals(list(map(self.aval, operands)), params)
            return tuple(self._own(prim, operands, params, on_host(prim, params, avals)))
        if not hasattr(control, prim.name):
            text = prim.evaluate

            def run(*xs: Any) -> Sequence[Any]:
                found: Sequence[Any] = text(self, xs, params)
                return found

            return tuple(self._own(prim, operands, params, run))
        return tuple(self.lowered(prim.name, prim, operands, params))

    @wide
    def lowered(
        self, name: str, prim: PrimN, operands: tuple[Any, ...], params: Params, *more: Any
    ) -> Any:
        """One function of `xla.control`, compiled once for a body where it is called with arrays.

        more: further arguments; of these, states that a loop has left come last.
        """
        function = getattr(control, name)
        own = params if prim.lower is None else prim.lower(*params)
        static = (*own, *[x for x in more if not isinstance(x, control.Kept)])
        states, left = jax.tree.flatten([x for x in more if isinstance(x, control.Kept)])
        if prim.name in control.KNOWN and traced(operands):
            return function(self, operands, *static)

        def whole(xs: tuple[Any, ...], kept: list[Any]) -> Any:
            return function(self, xs, *static, *kept)

        def run(*xs: Any) -> list[Any]:
            call = whole if traced(xs) else self._compiled(name, static, whole)
            found = call(xs[: len(operands)], jax.tree.unflatten(left, xs[len(operands) :]))
            leaves: list[Any] = jax.tree.leaves(found)
            return leaves

        if name == prim.name:
            return self._own(prim, operands, params, run, states)
        n = len(prim.avals(list(map(self.aval, operands)), params))
        found = self._own(prim, operands, params, run, states, leaves=True)
        return found[:n], control.Kept(found[n], found[n + 1], list(found[n + 2 :]))

    def _compiled(self, name: str, static: tuple[Any, ...], function: Any) -> Any:
        """The function compiled; the same for the same body."""
        body = next(p for p in _parts(static) if isinstance(p, Graph))
        key = ("xla", self.device, name, static)
        found = body.derived.get(key)
        if found is None:
            found = body.derived[key] = jax.jit(function)
        return found

    def _own(
        self,
        prim: Prim | PrimN,
        operands: tuple[Any, ...],
        params: Params,
        run: Callable[..., Sequence[Any]],
        more: Sequence[Any] = (),
        *,
        leaves: bool = False,
    ) -> Sequence[Any]:
        """An operation whose derivatives and batches JAX cannot know, by a function of arrays.

        more: further operands of the function, which follow from the primitive's; leaves: it has
        further results.
        """
        if not traced(operands):
            return run(*operands, *more)
        graph = Derivations.made.single(prim, params, list(map(self.aval, operands)))
        return bind(Operation(self, graph, run, leaves), [*operands, *more])

    def derives(self, xs: Iterable[Any], /) -> bool:
        """A transform of JAX may be under way: its reverse mode asks for users' rules."""
        return traced(xs)

    def __repr__(self) -> str:
        return "Jax" if self.device is None else f"Jax({self.device})"


JAX = Jax()
"""The interpreter that handles over JAX arrays have."""

register_pytrees(JAX)

_state: Any = get_opaque_trace_state  # Any: JAX leaves it untyped
_AT_REST: Final = ThreadPoolExecutor(1).submit(_state).result()
"""What JAX says of a thread in which none of its transforms is under way."""


def _under_way() -> Jax | None:
    """Inside transforms of JAX, whose values meet all others there."""
    return None if _state() == _AT_REST else JAX


set_foreign_root(_under_way)


@wide
def array(x: Any) -> Any:
    """A payload as a `jax.Array`."""
    return jnp.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else x


def from_jax(value: Any, what: str, name: str) -> AnyTensor:
    """An array or tracer of JAX as a handle. Raises DTypeError for a dtype without meaning here."""
    if jnp.issubdtype(value.dtype, jax.dtypes.extended):
        raise DTypeError(
            f"{what}: {name} is of dtype {value.dtype}, which only JAX's own functions take; of a "
            "random key the words: jax.random.key_data(key)"
        )
    dtype = check(np.dtype(value.dtype), f"{what}: {name}", bfloat16=True)
    weak = bool(getattr(value, "weak_type", False)) and value.ndim == 0
    if weak and isinstance(value, Tracer):
        # Behind it may stand a Python float, which would be wide where 64-bit types are allowed.
        value = lax.convert_element_type(value, dtype)
    made: AnyTensor = handle(JAX, value, dtype, weak)
    return made


def to_jax(t: Any, *, allow_downcast: bool = False) -> Any:
    """The value as a `jax.Array`; under JAX's own transforms, its tracer.

    A handle of NumPy is copied to the device; a Python number becomes what JAX makes of one. Raises
    DTypeError for a 64-bit dtype where JAX would narrow what is computed from it (`jax_enable_x64`
    is off), unless `allow_downcast`, which narrows it here; ConcretizationError inside a transform
    of this library.
    """
    x = as_handle(t, "to_jax", "t")
    value = x.payload if isinstance(x.ops, Jax) else x.ops.peek(x.payload)
    if value is None or x.ops.differentiates(x.payload):
        raise ConcretizationError(
            f"tad.to_jax() of a handle under {x.ops!r}: its value is not known while the program is "
            "interpreted, or its derivative would be lost; run the whole program on JAX instead "
            "(tad.interpret, JAX arguments), or give the function of JAX a rule (tad.custom_vjp)"
        )
    known = x.ops.literal(x.payload)
    if x.weak and known is not None:
        return jnp.asarray(known.item())  # a number is no array: it takes JAX's own default
    narrowed = jax.dtypes.canonicalize_dtype(x.dtype)
    if narrowed == x.dtype:
        return jnp.asarray(value)
    if not (allow_downcast or x.weak):
        raise DTypeError(
            f"to_jax: dtype {x.dtype} would become {narrowed} in JAX's own functions; switch on "
            "jax_enable_x64, or pass allow_downcast=True"
        )
    return jnp.asarray(value if known is None else known, narrowed)


def _to_functions_of_jax(x: AnyTensor) -> Callable[[], Any]:
    """What JAX's functions ask an argument for; its operators leave what has none to our own."""
    known = x.ops if isinstance(x.ops, Jax) else x.ops.literal(x.payload)
    if known is None or not (x.weak or jax.dtypes.canonicalize_dtype(x.dtype) == x.dtype):
        raise AttributeError("__jax_array__")
    return lambda: to_jax(x)


AnyTensor.__jax_array__ = property(_to_functions_of_jax)  # type: ignore[attr-defined]  # JAX's own
