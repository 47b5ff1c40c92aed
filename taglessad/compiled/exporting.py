"""Compiled programs as bytes: StableHLO, which runs where this library is not installed."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from taglessad.interpreter import Interpreter

if TYPE_CHECKING:
    from taglessad.compiled.exported import Exported

# Any: arguments and results are trees of whatever the program takes and gives.


def export(
    f: Callable[..., Any],
    interpreter: Interpreter[Any] | None = None,
    *,
    platforms: Sequence[str] | None = None,
    **options: Any,
) -> Callable[..., bytes]:
    """f compiled for the shapes and dtypes of the arguments it is then given, as bytes.

        data = tad.export(tad.grad(loss))(model, x)

    Only shapes and dtypes count: a `tad.Spec` stands for an array that is not there, and its sizes
    may be symbols (`tad.symbols`), for which any size will do then.

    interpreter: a `Jax`, its default one if left out. platforms: "cpu", "cuda", "tpu", ...: what
    the bytes shall run on, by default what is here. options: those of `tad.jit`.

    `tad.load_exported(data)` runs them, and so does `jax.export.deserialize(data).call` where there
    is no taglessad: tuples, lists and dicts are kept, a model or another container is the tuple of
    its leaves. 64-bit programs need `jax_enable_x64` there. Raises MissingExtra without JAX,
    ArgumentError for an interpreter that is no `Jax` and for what is computed on the host, ShapeError
    where a program needs a number for a symbol.
    """
    from taglessad.interpreters.jax import JAX  # first: says what to install

    from taglessad.compiled.exported import exporter  # isort: skip

    return exporter(f, JAX if interpreter is None else interpreter, platforms, options)


def load_exported(data: bytes) -> "Exported":
    """The program that `tad.export` wrote. Raises ArgumentError for other bytes."""
    from taglessad.interpreters.jax import JAX  # first: says what to install

    from taglessad.compiled.exported import Exported  # isort: skip

    return Exported(data, JAX)
