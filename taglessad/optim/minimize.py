"""SciPy's minimisers on programs of trees: gradients and Hessian products by this library."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from taglessad.array_api.creation import asarray
from taglessad.compiled.jit import jit
from taglessad.convert import to_numpy
from taglessad.dtypes import is_real
from taglessad.errors import ArgumentError, DTypeError, MissingExtra
from taglessad.kernels.quiet import Quiet
from taglessad.optim.leaves import place
from taglessad.transforms.gradient import gradient_and_value
from taglessad.transforms.products import hvp
from taglessad.trees import flatten_with_paths, unflatten

P = TypeVar("P")

WITH_GRADIENT: Final = ("BFGS", "CG", "L-BFGS-B", "SLSQP", "TNC")
"""Methods that ask for values and gradients."""
WITH_PRODUCTS: Final = ("Newton-CG", "trust-ncg", "trust-krylov", "trust-constr")
"""Methods that ask for Hessian-vector products as well."""


class Minimum(NamedTuple, Generic[P]):
    """Where a minimiser came to rest.

    x: the arguments, a tree like x0. fun: the value there. success, message: SciPy's own words.
    nit: the number of steps.
    """

    x: P
    fun: float
    success: bool
    message: str
    nit: int


def minimize(
    f: Callable[[P], Any],
    x0: P,
    method: str = "L-BFGS-B",
    *,
    tol: float | None = None,
    bounds: Any = None,
    options: Mapping[str, Any] | None = None,
    callback: Callable[[P], object] | None = None,
) -> Minimum[P]:
    """A local minimum of a program of a tree of real numbers, by scipy.optimize.minimize.

    f: x -> a number of shape [], compiled once. method: one of WITH_GRADIENT or WITH_PRODUCTS.
    bounds: a pair (lower, upper) of trees like x0, of numbers or arrays that broadcast to its leaves.
    tol, options: as in SciPy. callback: called with x after each step. SciPy computes in float64; the
    result has the dtypes of x0.

    Raises MissingExtra without SciPy, ArgumentError for another method or bounds that do not match,
    DTypeError for a leaf of x0 that is not real, ConcretizationError under a transform: the number of
    steps depends on values.
    """
    try:
        optimize: Any = import_module("scipy.optimize")  # Any: SciPy comes without types
    except ImportError:
        raise MissingExtra('optim.minimize needs SciPy: pip install "taglessad[scipy]"') from None
    if method not in (*WITH_GRADIENT, *WITH_PRODUCTS):
        known = ", ".join([*WITH_GRADIENT, *WITH_PRODUCTS])
        raise ArgumentError(f"optim.minimize: method {method!r} is not known; it is one of {known}")
    flat = _Flat("optim.minimize", x0)
    run = gradient_and_value("optim.minimize", f, 0)

    def evaluated(x: P) -> tuple[Any, P]:
        gradient, found = run(x)
        return found.output(), gradient

    value_and_gradient = jit(evaluated)

    def both(vector: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = value_and_gradient(flat.tree(vector))
        return float(value), flat.vector(gradient)

    arguments: dict[str, Any] = {"method": method, "jac": True, "tol": tol}
    if method in WITH_PRODUCTS:
        product = jit(hvp(f))
        arguments["hessp"] = lambda vector, direction: flat.vector(
            product(flat.tree(vector), flat.tree(direction))
        )
    if bounds is not None:
        arguments["bounds"] = optimize.Bounds(*flat.bounds(bounds))
    if callback is not None:
        # SciPy tells apart by the parameter's name what it passes.
        arguments["callback"] = lambda intermediate_result: callback(
            flat.tree(intermediate_result.x)
        )
    with Quiet():  # a trial step may overflow
        found = optimize.minimize(both, flat.start, options=dict(options or {}), **arguments)
    return Minimum(
        flat.tree(found.x),
        float(found.fun),
        bool(found.success),
        str(found.message),
        int(found.nit),
    )


class _Flat:
    """A tree of real arrays as one float64 vector, and back."""

    def __init__(self, what: str, tree: Any) -> None:
        found, self._treedef = flatten_with_paths(tree)
        self._what = what
        self._paths = [path for path, _ in found]
        arrays = [np.asarray(to_numpy(leaf)) for _, leaf in found]
        for path, array in zip(self._paths, arrays, strict=True):
            if not is_real(array.dtype):
                raise DTypeError(
                    f"{what}: x0 at {place(path)} has dtype {array.dtype}; what is optimised is real"
                )
        self._like = arrays
        self.start = self._joined(arrays)

    def _joined(self, arrays: list[NDArray[Any]]) -> NDArray[np.float64]:
        parts = [np.asarray(a, np.float64).reshape(-1) for a in arrays]
        return np.concatenate(parts) if parts else np.zeros(0)

    def tree(self, vector: NDArray[np.float64]) -> Any:
        """The tree of a vector, in the dtypes of the first."""
        leaves: list[Any] = []
        start = 0
        for like in self._like:
            part = vector[start : start + like.size].reshape(like.shape)
            leaves.append(asarray(part.astype(like.dtype)))
            start += like.size
        return unflatten(self._treedef, leaves)

    def vector(self, tree: Any) -> NDArray[np.float64]:
        """The vector of a tree of that structure."""
        return self._joined([to_numpy(leaf) for _, leaf in flatten_with_paths(tree)[0]])

    def bounds(self, pair: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds as vectors."""
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentError(f"{self._what}: bounds is a pair of trees, (lower, upper)")
        return self._bound("lower", pair[0]), self._bound("upper", pair[1])

    def _bound(self, side: str, tree: Any) -> NDArray[np.float64]:
        found, _ = flatten_with_paths(tree)
        if len(found) == 1 and found[0][0] == ():  # one number for all
            return np.full(self.start.shape, float(to_numpy(found[0][1])))
        if [path for path, _ in found] != self._paths:
            shown = ", ".join(place(path) for path in self._paths)
            raise ArgumentError(
                f"{self._what}: the {side} bound is neither one number nor a tree like x0, with "
                f"leaves at: {shown}"
            )
        pairs = zip(found, self._like, strict=True)
        return self._joined([np.broadcast_to(to_numpy(x), a.shape) for (_, x), a in pairs])
