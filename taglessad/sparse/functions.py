"""sparse_jacobian and sparse_hessian."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from taglessad.compiled.jit import jit
from taglessad.convert import as_handle, to_numpy
from taglessad.dtypes import DType, is_real
from taglessad.errors import ArgumentError, ConcretizationError, MissingExtra
from taglessad.primitive import Aval
from taglessad.shapes import size
from taglessad.sparse.coloring import Colors, color_columns, color_symmetric, seeds
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import Function, real_leaf
from taglessad.transforms.batching import vmap
from taglessad.transforms.engine import refuse_integers
from taglessad.transforms.gradient import gradient_and_value
from taglessad.transforms.interpretation import interpret
from taglessad.transforms.jacobian import known_sizes
from taglessad.transforms.naming import check_function, named_after
from taglessad.transforms.products import hvp, jvp, vjp
from taglessad.transforms.recording import Spec
from taglessad.trees import flatten, unflatten

# Any: SciPy's sparse arrays have no static types; arguments are whatever the program takes.
Products = Callable[..., NDArray[Any]]


class Plan(NamedTuple):
    """What is known for one kind of arguments.

    pattern: the result's. colors: of its columns, or of its rows. products: the compressed
    derivatives, one row each colour. gather: where each entry of the pattern stands in those.
    """

    pattern: Any
    colors: Colors
    products: Products
    gather: tuple[NDArray[np.int64], NDArray[np.int64]]


class Sparse:
    """A sparse derivative. Made by `sparse_jacobian` and `sparse_hessian`.

    pattern, colors: those of the last call, to look at.
    """

    def __init__(self, what: str, f: Function, plan: Callable[..., Plan]) -> None:
        check_function(what, f)
        self._what = what
        self._plan = plan
        self._plans: dict[Any, Plan] = {}
        self._last: Plan | None = None
        self._lock = threading.Lock()
        self.__name__ = ""
        self.__qualname__ = ""
        named_after(self, what, f)

    def __call__(self, x: Any, *rest: Any) -> Any:
        sparse = _scipy(self._what)
        point = real_leaf(as_handle(x, self._what, "x"), self._what, "x")
        known_sizes(self._what, point.shape)
        if point.ops.peek(point.payload) is None:
            raise ConcretizationError(
                f"{self._what}: the result is a SciPy array of numbers, and x has none under "
                f"{point.ops!r}; call it outside jit and transforms (it compiles f itself), or take "
                "jacfwd or hessian there"
            )
        key = (point.shape, point.dtype, _kinds(self._what, rest))
        plan = self._plans.get(key)
        if plan is None:
            plan = self._plan(point, rest)
            with self._lock:
                self._plans[key] = plan
        self._last = plan
        pattern = plan.pattern
        if not pattern.nnz:
            return sparse.csr_array(pattern.shape, dtype=point.dtype)
        compressed = plan.products(point, *rest)
        values = compressed[plan.gather]
        return sparse.csr_array((values, pattern.indices, pattern.indptr), shape=pattern.shape)

    def _seen(self) -> Plan:
        if self._last is None:
            raise ArgumentError(f"{self._what}: pattern and colors are known after the first call")
        return self._last

    @property
    def pattern(self) -> Any:
        """The sparsity pattern, a `scipy.sparse.csr_array` of truth values."""
        return self._seen().pattern

    @property
    def colors(self) -> Colors:
        """The colour of each column (of each row where those needed fewer)."""
        return self._seen().colors


def _scipy(what: str) -> Any:
    try:
        from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
    except ImportError:
        raise MissingExtra(
            f"{what} gives SciPy's sparse arrays, and SciPy is not installed: "
            "pip install 'taglessad[scipy]'"
        ) from None
    return sparse


def _kinds(what: str, rest: tuple[Any, ...]) -> Any:
    """What the plan rests on: shapes and dtypes, and the values of integers and truth values."""
    leaves, treedef = flatten(rest)
    handles = [as_handle(x, what) for x in leaves]
    return (
        treedef,
        *[
            (h.shape, h.dtype, h.weak, b"" if is_real(h.dtype) else to_numpy(h).tobytes())
            for h in handles
        ],
    )


def _unknown(ops: Any, what: str, rest: tuple[Any, ...]) -> tuple[Any, ...]:
    """The further arguments with real numbers of any value: another call may bring others."""
    from taglessad.interpreters.sparsity import Pattern

    leaves, treedef = flatten(rest)
    handles = [as_handle(x, what) for x in leaves]
    found = [
        handle(ops, Pattern(Aval(h.shape, h.dtype)), h.dtype, h.weak) if is_real(h.dtype) else h
        for h in handles
    ]
    unknown: tuple[Any, ...] = unflatten(treedef, found)
    return unknown


def _pattern(what: str, f: Function, point: AnyTensor, rest: tuple[Any, ...]) -> Any:
    """Rows: entries of the result; columns: entries of x, the other arguments being constants."""
    from taglessad.interpreters.sparsity import Sparsity

    ops = Sparsity()

    def program(x: Any) -> Any:
        result = f(x, *_unknown(ops, what, rest))
        for y in flatten(result)[0]:
            refuse_integers(what, as_handle(y, what, "the result of f").dtype)
        return result

    found, treedef = flatten(interpret(program, ops)(Spec(point.shape, point.dtype)))
    if len(found) != 1 or len(treedef.tokens) != 1:
        raise ArgumentError(f"{what}: f must return one array, but it returned {treedef}")
    pattern = found[0]
    pattern.sum_duplicates()
    pattern.sort_indices()
    return pattern


def sparse_jacobian(f: Function) -> Sparse:
    """The Jacobian of f in its first argument as a SciPy sparse array, entries of the result by
    entries of the argument, both in row-major order.

    Found once for each kind of arguments: its pattern, from f run on patterns; a colouring of its
    columns or its rows, whichever needs fewer colours; the compressed products, compiled. Further
    arguments are constants: the pattern holds for all real numbers in them, and is found again for
    other integers and truth values. No argnums, and no tree for the first argument: `trees.ravel` makes one a
    vector. Raises MissingExtra without SciPy, ArgumentError where f returns no single array.
    """

    def plan(point: AnyTensor, rest: tuple[Any, ...]) -> Plan:
        pattern = _pattern("sparse_jacobian", f, point, rest)
        columns = color_columns(pattern)
        rows = color_columns(pattern.T.tocsr())
        i = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        j = pattern.indices
        if rows.max(initial=-1) < columns.max(initial=-1):
            return Plan(pattern, rows, _pulled(f, rows, point.dtype), (rows[i], j))
        return Plan(pattern, columns, _pushed(f, columns, point), (columns[j], i))

    return Sparse("sparse_jacobian", f, plan)


def _pushed(f: Function, colors: Colors, point: AnyTensor) -> Products:
    directions = seeds(colors, known_sizes("sparse_jacobian", point.shape), point.dtype)
    push = jit(
        lambda x, *rest: vmap(lambda v: jvp(lambda x: f(x, *rest), (x,), (v,))[1])(directions)
    )

    def products(x: AnyTensor, *rest: Any) -> NDArray[Any]:
        found = to_numpy(push(x, *rest))
        return found.reshape(found.shape[0], -1)

    return products


def _pulled(f: Function, colors: Colors, dtype: DType) -> Products:
    def pull(x: Any, *rest: Any) -> Any:
        y, back = vjp(lambda x: f(x, *rest), x)
        rows = seeds(colors, known_sizes("sparse_jacobian", y.shape), y.dtype)
        return vmap(lambda g: back(g)[0])(rows)

    compiled = jit(pull)

    def products(x: AnyTensor, *rest: Any) -> NDArray[Any]:
        found = to_numpy(compiled(x, *rest))
        return found.reshape(found.shape[0], -1)

    return products


def sparse_hessian(f: Function) -> Sparse:
    """The Hessian of f, a function with one real result, in its first argument, as a SciPy sparse
    array over the entries of the argument in row-major order.

    The pattern is that of the gradient's Jacobian; a star colouring uses its symmetry. Further
    arguments are constants, as in `sparse_jacobian`, with the same first argument. Raises
    MissingExtra without SciPy, and the errors of `hessian`.
    """
    run = gradient_and_value("sparse_hessian", f, 0)
    gradient = lambda *args: run(*args)[0]  # noqa: E731  # one expression, named

    def plan(point: AnyTensor, rest: tuple[Any, ...]) -> Plan:
        pattern = _pattern("sparse_hessian", gradient, point, rest)
        pattern = (pattern + pattern.T.tocsr()).astype(bool).tocsr()
        pattern.sort_indices()
        colors = color_symmetric(pattern)
        shape = known_sizes("sparse_hessian", point.shape)
        directions = seeds(colors, shape, point.dtype)
        product = jit(lambda x, *rest: vmap(lambda v: hvp(lambda x: f(x, *rest))(x, v))(directions))

        def products(x: AnyTensor, *rest: Any) -> NDArray[Any]:
            return to_numpy(product(x, *rest)).reshape(-1, size(shape))

        return Plan(pattern, colors, products, _symmetric_places(pattern, colors))

    return Sparse("sparse_hessian", f, plan)


def _symmetric_places(pattern: Any, colors: Colors) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """For each entry (i, j) the product and the place in it where it stands alone.

    Row i of the product of colour c is the sum of the entries of row i in columns of colour c.
    """
    i = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    j = pattern.indices
    count = int(colors.max(initial=-1)) + 1
    sums = np.zeros((pattern.shape[0], max(count, 1)), np.int64)
    np.add.at(sums, (i, colors[j]), 1)
    alone = sums[i, colors[j]] == 1
    return np.where(alone, colors[j], colors[i]), np.where(alone, i, j)
