"""jit: record a program once per signature, then replay it."""

import threading
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Final, NamedTuple, ParamSpec, Protocol, TypeVar, overload

from taglessad import policies
from taglessad.compiled.codegen import numpy_function
from taglessad.compiled.reader import Reader, reader
from taglessad.compiled.signature import refuse_unhashable, signature
from taglessad.compiled.static import Static
from taglessad.convert import as_handle
from taglessad.dtypes import DType
from taglessad.errors import ArgumentError
from taglessad.graph import Graph
from taglessad.interpreter import Interpreter
from taglessad.kernels.quiet import Quiet, restore, silence
from taglessad.levels import ambient, default_root, join, root_of, under_way
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import Recorded, argument_spec, record
from taglessad.trees import TreeDef, flatten, unflatten

P = ParamSpec("P")
R = TypeVar("R")

SIGNATURES: Final = 256
"""How many signatures one jitted function keeps; the oldest gives way."""

# Any: payloads and kernels of several kinds are kept side by side.


class Jitted(Protocol):
    """What `jit` gives for an interpreter that compiles ahead of time, `Jax`.

    Any: the arguments and the result of the function, which the plugin knows.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The function's result."""
        ...

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """The computation for these arguments, not run: JAX's own `Lowered`."""
        ...


class Entry(NamedTuple):
    """What is kept for one signature: the graph, its results' structure, and for NumPy the
    function generated from it, with the quick reader of its arguments where there is one."""

    graph: Graph
    treedef: TreeDef
    kinds: list[tuple[type[AnyTensor], DType, bool]]
    single: bool
    function: Callable[..., tuple[Any, ...]] | None = None
    read: Reader | None = None


@overload
def jit(
    f: Callable[P, R],
    interpreter: None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> Callable[P, R]: ...
@overload
def jit(
    f: Callable[..., Any],
    interpreter: Interpreter[Any],
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    **options: Any,
) -> Jitted: ...
def jit(
    f: Callable[..., Any],
    interpreter: Interpreter[Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
    donate_argnums: int | Sequence[int] = (),
    **options: Any,
) -> Any:
    """f recorded once per signature and replayed as generated NumPy code.

    The signature is the structure of the arguments, their shapes and dtypes; Python numbers are
    traced (and weak), strings and None and the static arguments count by value, which must be
    hashable. The cache is bounded. Under a derivative or vmap the recorded graph is replayed there;
    under a root other than Eager f itself is run. Results share no memory with arguments.

    interpreter: the root to run under where nothing is under way: Eager by default; with `Jax()`
    one XLA computation, to which NumPy arguments are sent. JAX arrays make it one in any case.
    donate_argnums and options (`in_shardings`, `out_shardings`, `compiler_options`, ...) are
    `jax.jit`'s, and mean nothing elsewhere.
    """
    if interpreter is None or interpreter is default_root():
        if donate_argnums != () or options:
            given = ["donate_argnums"] if donate_argnums != () else []
            raise ArgumentError(
                f"jit: {', '.join([*given, *options])} is for JAX alone: pass interpreter=Jax()"
            )
        return Compiled(f, static_argnums, static_argnames)
    if is_jax(interpreter):
        from taglessad.compiled.xla import XlaCompiled

        root: Any = interpreter  # Any: a Jax, whose class is not imported here
        return XlaCompiled(f, root, static_argnums, static_argnames, donate_argnums, options)
    raise ArgumentError(
        f"jit: there is no code generator for {interpreter!r}; leave interpreter out for NumPy, "
        "give Jax() for XLA, or run the program there with tad.interpret"
    )


def is_jax(ops: Interpreter[Any]) -> bool:
    """Whether an interpreter is `Jax`; known by its name, since importing it would import JAX."""
    return type(ops).__name__ == "Jax"


class Compiled:
    """A jitted function. May be called from many threads at once."""

    def __init__(
        self,
        f: Callable[..., Any],
        static_argnums: int | Sequence[int],
        static_argnames: str | Sequence[str],
    ) -> None:
        check_function("jit", f)
        self._f = f
        static = Static(f, static_argnums, static_argnames)
        self._static = static if static.exist else None
        self._root = default_root()
        self._xla: dict[Any, Any] = {}  # Any: by static arguments an XlaCompiled
        self._entries: dict[Any, Entry] = {}
        # (static arguments, reader, entry) of the last call, which the next is likely to be like;
        # one object, so that other threads see all of it or none.
        self._last: tuple[Any, Any, Any] = (None, None, None)
        self._lock = threading.Lock()
        self.__name__ = ""
        self.__qualname__ = ""
        named_after(self, "jit", f)

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        # A jitted function in a class body is a method, as a plain one would be.
        if instance is None:
            return self
        return MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        f: Callable[..., Any] = self._f
        fixed: tuple[Any, ...] = policies.key()
        if self._static is not None:
            own, f, args, kwargs = self._static.split(args, kwargs)
            fixed = (*fixed, own)
        root = self._root
        under = under_way()
        if under is not None and under is not root:
            return self._elsewhere(f, fixed, args, kwargs)
        known, read, entry = self._last
        values = read(args, kwargs) if fixed == known else None
        if values is None:
            found = self._entry(f, fixed, args, kwargs)
            if found is None:
                return self._elsewhere(f, fixed, args, kwargs)
            entry, values = found
        _, treedef, kinds, single, function, _ = entry
        assert function is not None
        token = silence()
        try:
            results = function(*values)
        finally:
            restore(token)
        if single:
            cls, dtype, weak = kinds[0]
            return cls(root, results[0], dtype, weak)
        handles = [
            cls(root, r, dtype, weak) for r, (cls, dtype, weak) in zip(results, kinds, strict=True)
        ]
        return unflatten(treedef, handles)

    def _entry(
        self, f: Callable[..., Any], fixed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Entry, list[Any]] | None:
        """What is kept for a call, recorded if need be, and the call's numbers.

        None where it is no call on plain values, or f closes over what belongs to this call alone.
        """
        found = signature(self._root, fixed, args, kwargs)
        if found is None:
            return None
        key, values = found
        try:
            entry = self._entries.get(key)
        except TypeError:
            refuse_unhashable(args, kwargs)
            raise
        if entry is None:
            recorded = self._record(f, args, kwargs)
            if recorded.captures:
                return None
            entry = _entry(recorded, self._root)._replace(
                function=numpy_function(recorded.graph), read=reader(self._root, args, kwargs)
            )
            self._keep(key, entry)
        if entry.read is not None:
            self._last = (fixed, entry.read, entry)
        return entry, values

    def _record(
        self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Recorded:
        specs, treedef = call_leaves("jit", args, kwargs, argument_spec)
        return record("jit", f, treedef, specs, ambient())

    def _keep(self, key: tuple[Any, ...], entry: Entry) -> None:
        with self._lock:
            if len(self._entries) >= SIGNATURES:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = entry

    def _elsewhere(
        self, f: Callable[..., Any], fixed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Under another interpreter: the graph replayed there; f itself under a foreign root."""
        handles, treedef = call_leaves("jit", args, kwargs, as_handle)
        ops: Ops[Any] = join(x.ops for x in handles)
        if root_of(ops) is not self._root:
            return self._foreign(ops, f, fixed, args, kwargs)
        key = (fixed, treedef, "graph", *[(x.shape, x.dtype, x.weak) for x in handles])
        entry = self._entries.get(key)
        payloads: list[Any] = []
        if entry is None:
            recorded = self._record(f, args, kwargs)
            # What f closes over belongs to this call alone: such a graph is not kept.
            payloads = [ops.lift(ambient(), c) for c in recorded.captures]
            entry = _entry(recorded, self._root)
            if not payloads:
                self._keep(key, entry)
        payloads += [ops.lift(x.ops, x.payload) for x in handles]
        with Quiet():
            results = entry.graph.run(ops, payloads)
        return unflatten(
            entry.treedef,
            [handle(ops, r, d, w) for r, (_, d, w) in zip(results, entry.kinds, strict=True)],
        )

    def _foreign(
        self,
        ops: Ops[Any],
        f: Callable[..., Any],
        fixed: Any,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        """On JAX arrays one XLA computation; f itself under any other root or transform."""
        if not is_jax(ops):
            return f(*args, **kwargs)
        root: Any = ops  # Any: a Jax, whose class is not imported here
        compiled = self._xla.get(fixed)
        if compiled is None:
            from taglessad.compiled.xla import XlaCompiled

            with self._lock:
                if len(self._xla) >= SIGNATURES:
                    del self._xla[next(iter(self._xla))]
                compiled = self._xla.setdefault(fixed, XlaCompiled(f, root))
        return compiled(*args, **kwargs)


def _entry(recorded: Recorded, root: Ops[Any]) -> Entry:
    """What a recording gives, without generated code."""
    kinds = [
        (type(handle(root, None, dtype)), dtype, weak)
        for dtype, weak in zip(recorded.dtypes, recorded.weak, strict=True)
    ]
    single = recorded.treedef == flatten(0)[1]
    return Entry(recorded.graph, recorded.treedef, kinds, single)
