"""jit on JAX: a program as one XLA computation."""

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import jax
from jax.export import SymbolicScope, symbolic_shape

from taglessad import policies
from taglessad.compiled.reader import Reader, reader
from taglessad.compiled.signature import HANDLES
from taglessad.compiled.static import Static
from taglessad.compiled.writer import Writer, writer
from taglessad.convert import as_handle
from taglessad.dtypes import DType, resolve
from taglessad.errors import ArgumentError
from taglessad.interpreters.jax import JAX, Jax, array
from taglessad.levels import Under, ambient, join
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import Spec
from taglessad.trees import TreeDef, flatten, match, unflatten
from taglessad.xla.varying import explicit
from taglessad.xla.width import wide

# Any: arguments and results are trees of whatever the program takes and gives.
SIGNATURES = 256
"""How many structures of arguments one jitted function keeps; the oldest gives way."""


class Result:
    """The arrays that a computation gives, with what they are: the structure, and each one's kind.

    A node of JAX's trees, so that JAX keeps the structure beside each computation that it traced.
    """

    __slots__ = ("kept", "values")

    def __init__(self, values: Sequence[Any], kept: "Kept") -> None:
        self.values = values
        self.kept = kept


class Kept(NamedTuple):
    """Of a result: its structure, and what makes it of the arrays."""

    treedef: TreeDef
    write: Writer


jax.tree_util.register_pytree_node(
    Result, lambda r: (r.values, r.kept), lambda kept, values: Result(values, kept)
)


class Prepared(NamedTuple):
    """A call ready to be run or lowered: JAX's function of arrays to a `Result`, and the arrays."""

    function: Any
    arrays: Sequence[Any]


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
        # One interpreter for all that name no device, so that its results are known as its own.
        self._root = JAX if type(root) is Jax and root.device is None else root
        self._static = Static(f, static_argnums, static_argnames)
        self._donated = (
            (donate_argnums,) if isinstance(donate_argnums, int) else tuple(donate_argnums)
        )
        self._options = dict(options or {})
        self._entries: dict[Any, Any] = {}  # functions that jax.jit made
        self._readers: dict[Any, Reader | None] = {}  # by the entry's key
        # (static arguments, reader, function) of the last call, which the next is likely to be
        # like; one object, so that other threads see all of it or none.
        self._last: tuple[Any, Reader | None, Any] = (None, None, None)
        self._lock = threading.Lock()
        self.__name__ = ""
        self.__qualname__ = ""
        named_after(self, "jit", f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = self._computed(args, kwargs)
        if found is None:  # under a transform, which is compiled as a whole
            return self._f(*args, **kwargs)
        return found.kept.write(found.values)

    def _computed(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Result | None:
        if ambient().base is not None:
            return None
        prepared = self._prepared(args, kwargs)
        if prepared is None:
            return None
        function, arrays = prepared
        found: Result
        if jax.config.jax_enable_x64:  # type: ignore[attr-defined]  # set by name at run time
            found = function(*arrays)
        else:
            with jax.enable_x64(True):
                found = function(*arrays)
        return found

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """The computation for these arguments, not run: JAX's own `Lowered`.

        Only shapes and dtypes count: a `tad.Spec` stands for an array that is not there.
        `.compile()` compiles it ahead of time, `.as_text()` is its StableHLO, `.cost_analysis()`
        and `.compile().memory_analysis()` say what it costs.
        """
        function, arrays = self.prepared("lower", args, kwargs)
        return wide(function.lower)(*arrays)

    def prepared(self, what: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Prepared:
        """What a call with these arguments runs, and on which arrays, or what stands for them.

        Raises ArgumentError for arguments of a transform that is under way.
        """
        root, scope = self._root, SymbolicScope()

        def given(leaf: Any, what: str, name: str = "an argument") -> AnyTensor:
            if not isinstance(leaf, (Spec, jax.ShapeDtypeStruct)):
                return as_handle(leaf, what, name)
            dtype = resolve(leaf.dtype, what, bfloat16=True)
            shape = leaf.shape if isinstance(leaf, jax.ShapeDtypeStruct) else _sizes(leaf, scope)
            absent: Any = jax.ShapeDtypeStruct  # Any: JAX leaves its constructor untyped
            stands: AnyTensor = handle(root, absent(shape, dtype), dtype)
            return stands

        found = self._prepared(args, kwargs, what, given)
        if found is None:
            raise ArgumentError(
                f"{what}: the arguments belong to a transform; only what is called outside every "
                "transform is lowered or exported"
            )
        return found

    def _prepared(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        what: str = "jit",
        given: Callable[..., AnyTensor] = as_handle,
    ) -> Prepared | None:
        function: Callable[..., Any] = self._f
        fixed: tuple[Any, ...] = policies.key()
        if self._static.exist:
            own, function, args, kwargs = self._static.split(args, kwargs)
            fixed = (*fixed, own)
        known, read, compiled = self._last
        arrays = read(args, kwargs) if read is not None and fixed == known else None
        if arrays is not None:
            return Prepared(compiled, arrays)
        handles, treedef = call_leaves(what, args, kwargs, given)
        if join({x.ops for x in handles}).base is not None:
            return None
        flags = tuple([(x.dtype.num, x.weak) for x in handles])
        key = (fixed, treedef, flags)
        compiled = self._entries.get(key)
        root = self._root
        if compiled is None:
            kinds = [(type(x), x.dtype, x.weak) for x in handles]
            compiled = self._keep(self._entries, key, self._entry(function, treedef, kinds, args))
        elif all(x.ops is root for x in handles):  # what came twice will come again
            if key not in self._readers:
                self._keep(self._readers, key, self._reader(args, kwargs))
            self._last = (fixed, self._readers.get(key), compiled)
        lifted = [
            x.payload if x.ops.__class__ is Jax else root.lift(x.ops, x.payload) for x in handles
        ]
        return Prepared(compiled, lifted)

    def _reader(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Reader | None:
        """The quick reader of such calls, where all their leaves are handles."""
        for x in flatten((args, kwargs))[0]:
            if x.__class__ not in HANDLES:
                return None  # an array of JAX itself
        return reader(self._root, args, kwargs, shaped=False)

    def _keep(self, table: dict[Any, Any], key: Any, value: Any) -> Any:
        with self._lock:
            if len(table) >= SIGNATURES:
                del table[next(iter(table))]
            return table.setdefault(key, value)

    def _entry(
        self,
        f: Callable[..., Any],
        treedef: TreeDef,
        kinds: Sequence[tuple[type[AnyTensor], DType, bool]],
        args: tuple[Any, ...],
    ) -> Any:
        root = self._root
        options = dict(self._options)
        leaving = options.pop("out_shardings", None)
        if "in_shardings" in options:
            options["in_shardings"] = tuple(spread(options["in_shardings"], args))

        def computation(*arrays: Any) -> Result:
            for x in arrays:
                _check_layout(x)
            leaves = [cls(root, x, d, w) for x, (cls, d, w) in zip(arrays, kinds, strict=True)]
            own, named = unflatten(treedef, leaves)
            with Under(root):
                tree = f(*own, **named)
                results, result_def = flatten(tree)
                handles = [as_handle(r, "jit", "the result of f") for r in results]
                values = [array(root.lift(h.ops, h.payload)) for h in handles]
            if leaving is not None:
                constrain: Any = jax.lax.with_sharding_constraint  # Any: JAX leaves it untyped
                places = spread(leaving, tree)
                values = [
                    y if p is None else constrain(y, p) for y, p in zip(values, places, strict=True)
                ]
            own_kinds = [(type(h), h.dtype, h.weak) for h in handles]
            return Result(values, Kept(result_def, writer(root, result_def, own_kinds)))

        computation.__name__ = getattr(f, "__name__", "computation")
        return jax.jit(computation, donate_argnums=_places(args, self._donated), **options)


def _sizes(spec: Spec, scope: SymbolicScope) -> tuple[Any, ...]:
    """The shape for JAX, symbols as its own of one scope."""
    if all(isinstance(n, int) for n in spec.shape):
        return spec.shape
    return tuple(symbolic_shape(", ".join(map(str, spec.shape)), scope=scope))


def _check_layout(x: Any) -> None:
    axes = explicit(x)
    if axes:
        raise ArgumentError(
            f"jit: an argument {jax.typeof(x)} lies along explicit axes {axes} of its mesh, where "
            "every operation is to be told how its result lies; here XLA finds out: make the mesh "
            "by jax.sharding.Mesh, or by jax.make_mesh with axis_types of AxisType.Auto"
        )


def spread(shardings: Any, tree: Any) -> list[Any]:
    """One sharding for each leaf of a tree: one stands for all that is below it."""
    if shardings is None or isinstance(shardings, jax.sharding.Sharding):
        return [shardings] * len(flatten(tree)[0])
    if type(tree) in (tuple, list) and len(shardings) == len(tree):
        return [s for one, child in zip(shardings, tree, strict=True) for s in spread(one, child)]
    return match(flatten(tree)[1], shardings, name="the shardings")


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
