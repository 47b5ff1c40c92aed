"""jit: record a program once per signature, then replay it."""

import threading
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.compiled.codegen import numpy_function
from taglessad.compiled.static import Static
from taglessad.convert import as_handle, number
from taglessad.dtypes import DType, of_number
from taglessad.errors import ArgumentError
from taglessad.graph import Graph
from taglessad.interpreter import Interpreter
from taglessad.kernels.quiet import Quiet
from taglessad.levels import ambient, default_root, join, root_of
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor, BoolTensor, IntTensor, Tensor, handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.recording import Recorded, argument_spec, record
from taglessad.trees import TreeDef, flatten, unflatten

SIGNATURES: Final = 256
"""How many signatures one jitted function keeps; the oldest gives way."""

# Any: payloads and kernels of several kinds are kept side by side.
_HANDLES: Final = frozenset({Tensor, IntTensor, BoolTensor})


class Entry(NamedTuple):
    """What is kept for one signature: the graph, its NumPy function, its results' structure."""

    graph: Graph
    function: Callable[..., tuple[Any, ...]] | None
    treedef: TreeDef
    kinds: list[tuple[type[AnyTensor], DType, bool]]
    single: bool


def jit(
    f: Callable[..., Any],
    interpreter: Interpreter[Any] | None = None,
    *,
    static_argnums: int | Sequence[int] = (),
    static_argnames: str | Sequence[str] = (),
) -> "Compiled":
    """f recorded once per signature and replayed as generated NumPy code.

    The signature is the structure of the arguments, their shapes and dtypes; Python numbers are
    traced (and weak), strings and None and the static arguments count by value, which must be
    hashable. The cache is bounded. Under a derivative or vmap the recorded graph is replayed there;
    under a root other than Eager f itself is run. Results share no memory with arguments.

    interpreter: the root to run under where nothing is under way; Eager by default.
    """
    return Compiled(f, interpreter, static_argnums, static_argnames)


class Compiled:
    """A jitted function. May be called from many threads at once."""

    def __init__(
        self,
        f: Callable[..., Any],
        interpreter: Interpreter[Any] | None,
        static_argnums: int | Sequence[int],
        static_argnames: str | Sequence[str],
    ) -> None:
        check_function("jit", f)
        if interpreter is not None and interpreter is not default_root():
            raise ArgumentError(
                f"jit: there is no code generator for {interpreter!r}; leave interpreter out for "
                "NumPy, or run the program there with tad.interpret"
            )
        self._f = f
        self._static = Static(f, static_argnums, static_argnames)
        self._root = default_root()
        self._entries: dict[Any, Entry] = {}
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
        if self._static.exist:
            key, function, own, rest = self._static.split(args, kwargs)
            return self._run(function, key, own, rest)
        return self._run(self._f, (), args, kwargs)

    def _run(
        self, f: Callable[..., Any], fixed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        root = self._root
        if ambient() is root:
            leaves, treedef = flatten((args, kwargs)) if kwargs else flatten(args)
            key: list[Any] = [fixed, treedef]
            values: list[Any] = []
            for x in leaves:
                cls = x.__class__
                if cls in _HANDLES:
                    if x.ops is not root:
                        break
                    value = x.payload
                    key.append((value.dtype.num, value.shape, x.weak))
                    values.append(value)
                elif cls is float:
                    key.append(cls)
                    values.append(x)
                elif cls is int or cls is bool:
                    key.append(cls)
                    values.append(number(x, of_number(x), "jit"))
                elif cls is np.ndarray or isinstance(x, np.generic):
                    if x.dtype.kind not in "fiub" or not x.dtype.isnative:
                        break
                    key.append((x.dtype.num, x.shape, False))
                    values.append(x)
                else:
                    break
            else:
                return self._replay(f, tuple(key), values, args, kwargs)
        return self._elsewhere(f, fixed, args, kwargs)

    def _replay(
        self,
        f: Callable[..., Any],
        key: tuple[Any, ...],
        values: list[Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
    ) -> Any:
        entry = self._entries.get(key)
        if entry is None:
            recorded = self._record(f, args, kwargs)
            if recorded.captures:
                return self._elsewhere(f, key[0], args, kwargs)
            entry = self._keep(key, recorded)
        function = entry.function
        assert function is not None
        with Quiet():
            results = function(*values)
        root = self._root
        if entry.single:
            cls, dtype, weak = entry.kinds[0]
            return cls(root, results[0], dtype, weak)
        handles = [
            cls(root, r, dtype, weak)
            for r, (cls, dtype, weak) in zip(results, entry.kinds, strict=True)
        ]
        return unflatten(entry.treedef, handles)

    def _record(
        self, f: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Recorded:
        specs, treedef = call_leaves("jit", args, kwargs, argument_spec)
        return record("jit", f, treedef, specs, ambient())

    def _keep(self, key: tuple[Any, ...], recorded: Recorded) -> Entry:
        entry = _entry(recorded, self._root)
        entry = entry._replace(function=numpy_function(recorded.graph))
        with self._lock:
            if len(self._entries) >= SIGNATURES:
                del self._entries[next(iter(self._entries))]
            self._entries[key] = entry
        return entry

    def _elsewhere(
        self, f: Callable[..., Any], fixed: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """Under another interpreter: the graph replayed there; f itself under a foreign root."""
        leaves, _ = flatten((args, kwargs))
        ops: Ops[Any] = join(x.ops for x in leaves if isinstance(x, AnyTensor))
        if root_of(ops) is not self._root:
            return f(*args, **kwargs)
        handles, treedef = call_leaves("jit", args, kwargs, as_handle)
        key = (fixed, treedef, "graph", *[(x.shape, x.dtype, x.weak) for x in handles])
        entry = self._entries.get(key)
        payloads: list[Any] = []
        if entry is None:
            recorded = self._record(f, args, kwargs)
            # What f closes over belongs to this call alone: such a graph is not kept.
            payloads = [ops.lift(ambient(), c) for c in recorded.captures]
            entry = _entry(recorded, self._root) if payloads else self._keep(key, recorded)
        payloads += [ops.lift(x.ops, x.payload) for x in handles]
        with Quiet():
            results = entry.graph.run(ops, payloads)
        return unflatten(
            entry.treedef,
            [handle(ops, r, d, w) for r, (_, d, w) in zip(results, entry.kinds, strict=True)],
        )


def _entry(recorded: Recorded, root: Ops[Any]) -> Entry:
    """What a recording gives, without generated code."""
    kinds = [
        (type(handle(root, None, dtype)), dtype, weak)
        for dtype, weak in zip(recorded.dtypes, recorded.weak, strict=True)
    ]
    single = recorded.treedef == flatten(0)[1]
    return Entry(recorded.graph, None, recorded.treedef, kinds, single)
