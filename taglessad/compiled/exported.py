"""Exported programs: written and read through `jax.export`."""

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import jax
import numpy as np
from jax import export as jax_export

from taglessad.compiled.hosted import hosted
from taglessad.compiled.xla import XlaCompiled
from taglessad.convert import as_handle, is_python_number
from taglessad.errors import ArgumentError, DTypeError, MissingExtra, ShapeError, TaglessError
from taglessad.interpreters.jax import Jax, array, from_jax
from taglessad.trees import flatten, unflatten
from taglessad.xla.width import wide

# Any: arguments and results are trees of whatever the program takes and gives; arrays of JAX.
LEAF: Final = flatten(0)[1]


def exporter(
    f: Callable[..., Any],
    root: Any,
    platforms: Sequence[str] | None,
    options: Mapping[str, Any],
) -> Callable[..., bytes]:
    """What `tad.export` returns."""
    if not isinstance(root, Jax):
        raise ArgumentError(
            f"export: what is exported is XLA's; the interpreter is {root!r}: give Jax(), or none"
        )
    compiled = XlaCompiled(f, root, **options)

    def run(*args: Any, **kwargs: Any) -> bytes:
        function, values = compiled.prepared("export", args, kwargs)
        # JAX has a dict's entries in the order of its keys, trees here in their own.
        order = jax.tree.leaves(plain((args, kwargs), iter(range(len(values)))))

        def over_containers(*own: Any, **named: Any) -> Any:
            given = dict(zip(order, jax.tree.leaves((own, named)), strict=True))
            found = function(*[given[i] for i in range(len(given))])
            return plain(unflatten(found.kept.treedef, found.values), iter(found.values))

        over_containers.__name__ = compiled.__name__
        own, named = plain((args, kwargs), iter(values))
        write: Any = jax_export.export(jax.jit(over_containers), platforms=platforms)
        try:
            written = wide(write)(*own, **named)
        except NotImplementedError as error:
            found = wide(hosted)(over_containers, *own, **named)
            if not found:
                raise
            raise ArgumentError(
                f"export: XLA has no operation for {'; '.join(found)}: it is computed on the host, "
                f"by NumPy, which cannot be exported ({error})"
            ) from None
        except Exception as error:  # JAX's, NumPy's, Python's, of a size that is no number
            symbols = [x.shape for x in values if not all(isinstance(n, int) for n in x.shape)]
            if isinstance(error, TaglessError) or not symbols:
                raise
            reason = str(error).partition("\n")[0]
            raise ShapeError(
                f"export: the program asks for a number where a size is a symbol, of shapes "
                f"{', '.join(map(str, symbols))}: {reason}; export it for numbers"
            ) from error
        with _needs_flatbuffers():
            return bytes(written.serialize())

    return run


class Exported:
    """A program read from bytes. Takes trees of the exported structure, gives handles.

    Raises ShapeError, DTypeError for other arrays than it was exported for, ArgumentError for
    another structure. It has no derivative: export the derivative.
    """

    def __init__(self, data: bytes, root: Jax) -> None:
        self._root = root
        try:
            with _needs_flatbuffers():
                self._exported: Any = jax_export.deserialize(bytearray(data))
        except MissingExtra:
            raise
        except Exception as error:  # whatever JAX's reader meets in bytes of another kind
            raise ArgumentError(
                f"load_exported: these bytes are no exported program: {error}"
            ) from None

    @property
    def _symbolic(self) -> bool:
        """Whether it was exported for sizes that are no numbers."""
        return any(not isinstance(n, int) for a in self._exported.in_avals for n in a.shape)

    @property
    def platforms(self) -> tuple[str, ...]:
        """What it runs on: "cpu", "cuda", ..."""
        found: tuple[str, ...] = self._exported.platforms
        return found

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        leaves, _ = flatten((args, kwargs))
        order, treedef = jax.tree.flatten(plain((args, kwargs), iter(range(len(leaves)))))
        if treedef != self._exported.in_tree:
            raise ArgumentError(
                f"{self!r}: the arguments are {treedef}, but it was exported for "
                f"{self._exported.in_tree}"
            )
        pairs = zip(order, self._exported.in_avals, strict=True)
        fitted = [_fitted(self, self._root, leaves[i], aval, i) for i, aval in pairs]
        own, named = jax.tree.unflatten(treedef, fitted)
        try:
            found = wide(self._exported.call)(*own, **named)
        except ValueError as error:  # of sizes that were one symbol, and are not one number
            if not self._symbolic:
                raise
            raise ShapeError(f"{self!r}: {str(error).partition(chr(10))[0]}") from None
        return jax.tree.map(lambda y: from_jax(y, "export", "the result"), found)

    def __repr__(self) -> str:
        return f"Exported({self._exported.fun_name})"


@contextmanager
def _needs_flatbuffers() -> Generator[None]:
    try:
        yield
    except ImportError:
        raise MissingExtra(
            "exported programs are written with flatbuffers, which is not installed: "
            "pip install 'taglessad[jax]'"
        ) from None


def plain(tree: Any, leaves: Iterator[Any]) -> Any:
    """The tree in tuples, lists and dicts alone, over other leaves: what any JAX can read."""
    kind = type(tree)
    if kind is dict:
        return {k: plain(v, leaves) for k, v in tree.items()}
    if kind is list or kind is tuple:
        return kind([plain(v, leaves) for v in tree])
    if tree is None:
        return None
    own, treedef = flatten(tree)
    return next(leaves) if treedef == LEAF else tuple([next(leaves) for _ in own])


def _fitted(program: Exported, root: Jax, value: Any, aval: Any, place: int) -> Any:
    """An argument as the array that the program was exported for."""
    if is_python_number(value):
        value = np.asarray(value, aval.dtype)
    x = as_handle(value, "the exported program", f"leaf {place}")
    sizes = [(n, m) for n, m in zip(x.shape, aval.shape, strict=False) if isinstance(m, int)]
    if len(x.shape) != len(aval.shape) or any(n != m for n, m in sizes):
        raise ShapeError(
            f"{program!r}: leaf {place} of the arguments has shape {list(x.shape)}, but it was "
            f"exported for {list(aval.shape)}; export it for this shape as well"
        )
    if x.dtype != aval.dtype:
        raise DTypeError(
            f"{program!r}: leaf {place} of the arguments has dtype {x.dtype}, but it was exported "
            f"for {aval.dtype}; convert it with astype"
        )
    return array(root.lift(x.ops, x.payload))
