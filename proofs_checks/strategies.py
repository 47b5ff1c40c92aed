"""Hypothesis strategies for users' own property tests, and the test itself in one call.

    def test_my_rule():
        strategies.check_laws(my_rule, strategies.tensors(), order=2)

Needs hypothesis; importing this module without it raises MissingExtra.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad.array_api import arithmetic, linear_algebra, manipulation, statistical
from taglessad.array_api import transcendental as functions
from taglessad.convert import as_handle
from taglessad.dtypes import float64
from taglessad.errors import AdjointError, ArgumentError, DomainError, MissingExtra
from taglessad.proofs_checks.adjoint import check_adjoint
from taglessad.proofs_checks.derivative import check_derivative
from taglessad.proofs_checks.strategies_located import located
from taglessad.trees import flatten, unflatten

try:
    import hypothesis
    from hypothesis import strategies as st
    from hypothesis.strategies import SearchStrategy
except ImportError:
    raise MissingExtra(
        "taglessad.proofs_checks.strategies needs hypothesis: pip install hypothesis"
    ) from None

Array: TypeAlias = NDArray[Any]  # Any: the dtype is data
Sizes: TypeAlias = tuple[int, ...]


# --- shapes --------------------------------------------------------------------------------------
def shapes(
    *, min_rank: int = 0, max_rank: int = 3, min_size: int = 1, max_size: int = 4
) -> SearchStrategy[Sizes]:
    """Shapes, the empty one first."""
    sizes = st.integers(min_size, max_size)
    return st.lists(sizes, min_size=min_rank, max_size=max_rank).map(tuple)


@st.composite
def broadcastable(
    draw: st.DrawFn, count: int = 2, *, max_rank: int = 3, max_size: int = 4
) -> tuple[Sizes, ...]:
    """So many shapes that broadcast together: leading axes left out, others of size 1."""
    whole = draw(shapes(max_rank=max_rank, max_size=max_size))
    made: list[Sizes] = []
    for _ in range(count):
        kept = whole[draw(st.integers(0, len(whole))) :]
        made.append(tuple(draw(st.sampled_from((n, 1))) for n in kept))
    return tuple(made)


# --- arrays and trees ----------------------------------------------------------------------------
@st.composite
def tensors(
    draw: st.DrawFn,
    shape: Sizes | SearchStrategy[Sizes] | None = None,
    *,
    low: float = -2.0,
    high: float = 2.0,
    dtype: Any = float64,
    apart: float = 0.0,
) -> Array:
    """Arrays of numbers between two bounds, multiples of 1/64 of the width.

    shape: one, or a strategy of them; any small one by default. apart: entries are at least so far
    from each other and from 0, for functions with kinks there. Raises ArgumentError where there is
    no room for that.
    """
    sizes = draw(
        shapes()
        if shape is None
        else shape
        if isinstance(shape, SearchStrategy)
        else st.just(shape)
    )
    count = int(np.prod(sizes))
    if apart > 0:
        places = [k for k in range(int(low // apart), int(high // apart) + 1) if k]
        places = [k for k in places if low <= k * apart <= high]
        if len(places) < count:
            raise ArgumentError(
                f"tensors: {count} numbers {apart} apart do not fit between {low} and {high}"
            )
        chosen = draw(
            st.lists(st.sampled_from(places), min_size=count, max_size=count, unique=True)
        )
        return np.asarray([k * apart for k in chosen], dtype).reshape(sizes)
    steps = draw(st.lists(st.integers(0, 64), min_size=count, max_size=count))
    middle = 0 if low <= 0 <= high else low  # what failures shrink to
    numbers = [middle + (low + (high - low) * k / 64 - middle) for k in map(_outward, steps)]
    return np.asarray(numbers, dtype).reshape(sizes)


def _outward(k: int) -> int:
    """0, 1, 2 ... from the middle of 0..64 to its ends: small choices are small numbers."""
    return 32 + (k + 1) // 2 * (1 if k % 2 else -1)


@st.composite
def trees(draw: st.DrawFn, like: Any, *, low: float = -1.0, high: float = 1.0) -> Any:
    """Trees of the structure of an example (a model, a dict of arrays), its real numbers drawn."""
    leaves, treedef = flatten(like)
    made: list[Any] = []
    for leaf in leaves:
        x = np.asarray(leaf) if hasattr(leaf, "__array__") or isinstance(leaf, float) else None
        if x is None or x.dtype.kind != "f":
            made.append(leaf)
        else:
            made.append(draw(tensors(x.shape, low=low, high=high, dtype=x.dtype)))
    return unflatten(treedef, made)


# --- programs ------------------------------------------------------------------------------------
_UNARY: Final[dict[str, Callable[[Any], Any]]] = {
    "negative": arithmetic.negative,
    "square": arithmetic.square,
    "sin": functions.sin,
    "tanh": functions.tanh,
    "atan": functions.atan,
    "sum": lambda x: statistical.sum(x, axis=0, keepdims=True) + x,
    "mean": lambda x: statistical.mean(x, axis=-1, keepdims=True) * x,
    "transpose": linear_algebra.matrix_transpose,
    "flip": manipulation.flip,
    "cumulative_sum": lambda x: statistical.cumulative_sum(x, axis=0),
}

_BINARY: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": arithmetic.add,
    "subtract": arithmetic.subtract,
    "multiply": arithmetic.multiply,
    "logaddexp": functions.logaddexp,
    "matmul": linear_algebra.matmul,
}


@dataclass(frozen=True)
class Program:
    """A smooth program of square matrices of one size, as a list of steps.

    steps: (function, operands): numbers of the arguments, then of the steps before.
    """

    steps: tuple[tuple[str, tuple[int, ...]], ...]
    arguments: int

    def __call__(self, *xs: Any) -> Any:
        """The sum of the last value, tamed so that numbers stay of order 1."""
        values: list[Any] = [as_handle(x, "a program") for x in xs]
        for name, operands in self.steps:
            given = [functions.tanh(values[i]) for i in operands]
            step: Callable[..., Any] = _UNARY[name] if name in _UNARY else _BINARY[name]
            values.append(step(*given))
        return statistical.sum(functions.tanh(values[-1]))

    def __repr__(self) -> str:
        lines = [f"v{self.arguments + k} = {n}{o}" for k, (n, o) in enumerate(self.steps)]
        return f"Program({self.arguments} arguments; {'; '.join(lines)})"


@st.composite
def programs(draw: st.DrawFn, *, arguments: int = 2, max_steps: int = 6) -> Program:
    """Programs to hold a transform or an interpreter of your own to; they shrink to few steps."""
    steps: list[tuple[str, tuple[int, ...]]] = []
    for _ in range(draw(st.integers(1, max_steps))):
        known = st.integers(0, arguments + len(steps) - 1)
        name = draw(st.sampled_from((*_UNARY, *_BINARY)))
        steps.append((name, tuple(draw(known) for _ in range(1 if name in _UNARY else 2))))
    return Program(tuple(steps), arguments)


# --- the property test ---------------------------------------------------------------------------
def check_laws(
    f: Callable[..., Any],
    *arguments: Any,
    order: int = 1,
    examples: int = 50,
    rtol: float | None = None,
) -> None:
    """Hold a function, a custom rule or a whole model to the laws of derivatives.

    arguments: a strategy for each argument of f, or the argument itself. Adjointness and the
    derivatives up to an order are looked at; points where f is not finite are passed over. A failure
    shrinks to a small case. Raises AdjointError with the two inner products, the operation whose
    rules disagree, and the element.
    """
    given = [a if isinstance(a, SearchStrategy) else st.just(a) for a in arguments]
    smallest: list[tuple[Any, ...]] = []

    @hypothesis.settings(
        deadline=None,
        database=None,
        max_examples=examples,
        derandomize=True,
        suppress_health_check=(
            hypothesis.HealthCheck.too_slow,
            hypothesis.HealthCheck.data_too_large,
            hypothesis.HealthCheck.filter_too_much,
        ),
        phases=(hypothesis.Phase.generate, hypothesis.Phase.shrink),
    )
    @hypothesis.given(st.tuples(*given))
    def holds(xs: tuple[Any, ...]) -> None:
        try:
            check_adjoint(f, *xs, rtol=rtol)
            check_derivative(f, *xs, order=order, rtol=rtol)
        except DomainError:
            hypothesis.reject()
        except AdjointError:
            smallest[:] = [xs]  # the last to fail is the smallest
            raise

    try:
        holds()
    except AdjointError as error:
        (xs,) = smallest
        shown = ", ".join(repr(x) for x in xs)
        message = f"{error.message}\n  at ({shown})\n  {located(f, xs)}"
        raise AdjointError(message, error.site) from None
