"""jit on JAX: a program as one XLA computation."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax

from taglessad import policies
from taglessad.compiled.static import Static
from taglessad.convert import as_handle
from taglessad.dtypes import DType
from taglessad.errors import ArgumentError
from taglessad.interpreters.jax import Jax, array
from taglessad.levels import Under, ambient, join
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.naming import check_function, named_after
from taglessad.trees import TreeDef, flatten, unflatten
from taglessad.xla.width import wide

# Any: arguments and results are trees of whatever the program takes and gives.
SIGNATURES = 256
"""How many structures of arguments one jitted function keeps; the oldest gives way."""


class Entry(NamedTuple):
    """A structure's compiled function, and what its results are, known once it was traced."""

    function: Any
    result: list[tuple[TreeDef, list[tuple[DType, bool]]]]


class Prepared(NamedTuple):
    """A call ready to be run or lowered."""

    entry: Entry
    arrays: list[Any]


class XlaCompiled:
    """A function jitted for JAX. Shapes and dtypes are JAX's own keys; the structure is ours."""

    def __init__(
        self,
        f: Callable[..., Any],
        root: Jax,
        static_argnums: int | Sequence[int] = (),
        static_argnames: str | Sequence[str] = (),
        donate_argnums: int | Sequence[int] = (),
        options: Mapping[str, Any] | None = None,
    ) -> None:
        check_function("jit", f)
        self._f = f
        self._root = root
        self._static = Static(f, static_argnums, static_argnames)
        self._donated = (
            (donate_argnums,) if isinstance(donate_argnums, int) else tuple(donate_argnums)
        )
        self._options = dict(options or {})
        self._entries: dict[Any, Entry] = {}
        self._lock = threading.Lock()
        self.__name__ = ""
        self.__qualname__ = ""
        named_after(self, "jit", f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, _ = flatten((args, kwargs))
        ops = join(x.ops for x in leaves if isinstance(x, AnyTensor))
        if ops.base is not None or ambient().base is not None:
            return self._f(*args, **kwargs)  # under a transform, which is compiled as a whole
        prepared = self.prepared(args, kwargs)
        found = wide(prepared.entry.function)(*prepared.arrays)
        treedef, kinds = prepared.entry.result[0]
        return unflatten(
            treedef,
            [handle(self._root, y, d, w) for y, (d, w) in zip(found, kinds, strict=True)],
        )

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """The computation for these arguments, not run: JAX's own `Lowered`.

        `.compile()` compiles it ahead of time, `.as_text()` is its StableHLO, `.cost_analysis()`
        and `.compile().memory_analysis()` say what it costs.
        """
        prepared = self.prepared(args, kwargs)
        return wide(prepared.entry.function.lower)(*prepared.arrays)

    def prepared(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Prepared:
        """What a call with these arguments runs, and on which arrays."""
        function: Callable[..., Any] = self._f
        fixed: tuple[Any, ...] = policies.key()
        donated = self._donated
        if self._static.exist:
            own, function, args, kwargs = self._static.split(args, kwargs)
            fixed = (*fixed, own)
        handles, treedef = call_leaves("jit", args, kwargs, as_handle)
        flags = tuple([(x.dtype, x.weak) for x in handles])
        key = (fixed, treedef, flags)
        entry = self._entries.get(key)
        if entry is None:
            entry = self._keep(key, self._entry(function, treedef, flags, args, donated))
        root = self._root
        return Prepared(entry, [array(root.lift(x.ops, x.payload)) for x in handles])

    def _keep(self, key: Any, entry: Entry) -> Entry:
        with self._lock:
            if len(self._entries) >= SIGNATURES:
                del self._entries[next(iter(self._entries))]
            return self._entries.setdefault(key, entry)

    def _entry(
        self,
        f: Callable[..., Any],
        treedef: TreeDef,
        flags: Sequence[tuple[DType, bool]],
        args: tuple[Any, ...],
        donated: tuple[int, ...],
    ) -> Entry:
        root = self._root
        result: list[tuple[TreeDef, list[tuple[DType, bool]]]] = []

        def computation(*arrays: Any) -> list[Any]:
            leaves = [handle(root, x, d, w) for x, (d, w) in zip(arrays, flags, strict=True)]
            own, named = unflatten(treedef, leaves)
            with Under(root):
                results, result_def = flatten(f(*own, **named))
                handles = [as_handle(r, "jit", "the result of f") for r in results]
                values = [array(root.lift(h.ops, h.payload)) for h in handles]
            result[:] = [(result_def, [(h.dtype, h.weak) for h in handles])]
            return values

        places = _places(args, donated)
        computation.__name__ = getattr(f, "__name__", "computation")
        return Entry(jax.jit(computation, donate_argnums=places, **self._options), result)


def _places(args: tuple[Any, ...], donated: tuple[int, ...]) -> tuple[int, ...]:
    """The leaves of the donated arguments."""
    places: list[int] = []
    start = 0
    for i, argument in enumerate(args):
        n = len(flatten(argument)[0])
        if i in donated or i - len(args) in donated:
            places.extend(range(start, start + n))
        start += n
    for i in donated:
        if not -len(args) <= i < len(args):
            raise ArgumentError(f"jit: donate_argnums names argument {i} of {len(args)}")
    return tuple(places)
