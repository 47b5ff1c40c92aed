"""Functions of matrices, in the last two axes, whose entries are number objects."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from taglessad.kernels import objects as shared
from taglessad.kernels.object_products import matrix_product
from taglessad.kernels.payloads import DType, Numbers, Objects, filled, gathered

# Any throughout: an entry is whatever the field calculates with.
Kernel = Callable[..., Any]


class Field(shared.Field, Protocol):
    """A field with what matrices need."""

    def solved(self, a: Objects, b: Objects) -> Objects | None:
        """The solution of a x = b for square a; None where a is or may be singular."""
        ...

    def determinant(self, a: Objects) -> Any:
        """The determinant of a matrix that is not empty."""
        ...

    def divided(self, a: Any, b: Any) -> Any:
        """a / b."""
        ...

    def rooted(self, x: Any) -> Any:
        """The square root."""
        ...

    def roughly(self, x: Any) -> float:
        """A number, or its real part, to within a factor of 2; NaN where nothing is known."""
        ...

    def logged(self, x: Any) -> Any:
        """The logarithm."""
        ...

    def shown(self, x: Any) -> Any:
        """A complex number as one of the field's: its real part, where the field is real."""
        ...

    def missing(self, op: str, why: str) -> Any:
        """What stands for an entry that there is not."""
        ...


def _by_matrix(f: Callable[..., Objects], shape: tuple[int, int], *xs: Numbers) -> Numbers:
    """f of each matrix of a batch; `shape` is that of one result."""
    lead = xs[0].values.shape[:-2]
    y = np.empty((*lead, *shape), object)
    for place in np.ndindex(lead):
        y[place] = f(*(x.values[place] for x in xs))
    return Numbers(y, xs[0].dtype, any(x.active for x in xs))


def _solution(field: Field, op: str, a: Objects, b: Objects) -> Objects:
    if 0 in b.shape:
        return b
    found = field.solved(a, b)
    return filled(b.shape, field.missing(op, "the matrix is singular")) if found is None else found


def _identity(field: Field, n: int) -> Objects:
    eye = filled((n, n), field.zero)
    for i in range(n):
        eye[i, i] = field.one
    return eye


# --- linear systems ------------------------------------------------------------------------------
def solve(field: Field, a: Numbers, b: Numbers) -> Numbers:
    n, m = b.values.shape[-2:]
    return _by_matrix(lambda u, v: _solution(field, "solve", u, v), (n, m), a, b)


def inv(field: Field, x: Numbers) -> Numbers:
    n = x.values.shape[-1]
    return _by_matrix(lambda u: _solution(field, "inv", u, _identity(field, n)), (n, n), x)


def triangular_solve(
    field: Field, a: Numbers, b: Numbers, lower: bool, trans: bool, unit: bool
) -> Numbers:
    def substituted(t: Objects, v: Objects) -> Objects:
        n = len(t)
        t = t.T if trans else t
        forward = lower is not trans
        x = v.copy()
        for i in range(n) if forward else reversed(range(n)):
            before = range(i) if forward else range(i + 1, n)
            for j in range(v.shape[1]):
                total = x[i, j]
                for k in before:
                    total = total - t[i, k] * x[k, j]
                x[i, j] = total if unit else field.divided(total, t[i, i])
        return x

    n, m = b.values.shape[-2:]
    return _by_matrix(substituted, (n, m), a, b)


def pinv(field: Field, x: Numbers, rtol: Numbers) -> Numbers:
    """By the normal equations, where the rank is full and no singular value counts as 0."""
    m, n = x.values.shape[-2:]

    def inverted(a: Objects, least: Any) -> Objects:
        if 0 in a.shape:
            return a.T.copy()
        tall = a if n <= m else a.T
        square = matrix_product(field, tall.T[None], tall[None])[0]
        both = np.concatenate([tall.T, _identity(field, len(square))], axis=1)
        found = field.solved(square, both)
        if found is None:
            return filled((n, m), field.missing("pinv", "the rank is not full"))
        # sigma_max**2 <= trace(a^T a) and sigma_min**-2 <= trace of its inverse.
        solution, inverse = found[:, : len(tall)], found[:, len(tall) :]
        spread = field.roughly(np.trace(square)) * field.roughly(np.trace(inverse))
        if not 2 * field.roughly(least) ** 2 * spread < 1:
            why = "whether singular values count as 0 is not certain"
            return filled((n, m), field.missing("pinv", why))
        return solution if n <= m else solution.T

    lead = x.values.shape[:-2]
    y = np.empty((*lead, n, m), object)
    for place in np.ndindex(lead):
        y[place] = inverted(x.values[place], rtol.values[place])
    return Numbers(y, x.dtype, x.active)


# --- determinants --------------------------------------------------------------------------------
def _determinant(field: Field, a: Objects) -> Any:
    return field.determinant(a) if a.size else field.one


def det(field: Field, x: Numbers) -> Numbers:
    lead = x.values.shape[:-2]
    found = (_determinant(field, x.values[place]) for place in np.ndindex(lead))
    return Numbers(gathered(found, lead), x.dtype, x.active)


def _derived(field: Field, a: Objects, directions: list[Objects], rows: frozenset[int]) -> Any:
    """The mixed derivative of det at a, along directions: the sum over rows that take theirs."""
    if not directions:
        return _determinant(field, a)
    total = field.zero
    for row in rows:
        replaced = a.copy()
        replaced[row] = directions[0][row]
        total = total + _derived(field, replaced, directions[1:], rows - {row})
    return total


def cofactor(field: Field, xs: tuple[Numbers, ...]) -> Numbers:
    """(-1)**(i + j) times the minor without row i and column j, or its mixed derivative."""
    n = xs[0].values.shape[-1]

    def cofactors(*arrays: Objects) -> Objects:
        y = np.empty((n, n), object)
        for i, j in np.ndindex(n, n):
            minor, *directions = (np.delete(np.delete(a, i, 0), j, 1) for a in arrays)
            value = _derived(field, minor, directions, frozenset(range(n - 1)))
            y[i, j] = -value if (i + j) % 2 else value
        return y

    return _by_matrix(cofactors, (n, n), *xs)


# --- factors -------------------------------------------------------------------------------------
def _half(field: Field, x: Any) -> Any:
    return field.divided(x, field.number(2))


def symmetric(field: Field, a: Objects) -> Objects:
    """The symmetric part of a matrix."""
    both = a + a.T
    return gathered((_half(field, v) for v in both.ravel().tolist()), a.shape)


def cholesky(field: Field, x: Numbers) -> Numbers:
    n = x.values.shape[-1]

    def factor(a: Objects) -> Objects:
        a = symmetric(field, a) if a.size else a
        y = filled((n, n), field.zero)
        for j in range(n):
            rest = a[j, j]
            for k in range(j):
                rest = rest - y[j, k] * y[j, k]
            y[j, j] = field.rooted(rest)
            for i in range(j + 1, n):
                total = a[i, j]
                for k in range(j):
                    total = total - y[i, k] * y[j, k]
                y[i, j] = field.divided(total, y[j, j])
        return y

    return _by_matrix(factor, (n, n), x)


def eliminated(a: Objects, b: Objects, pivot: Callable[[list[Any]], int | None]) -> Objects | None:
    """The solution of a x = b by Gauss and Jordan; pivot: where a column has a usable entry."""
    n = len(a)
    left, right = [list(row) for row in a], [list(row) for row in b]
    for k in range(n):
        at = pivot([row[k] for row in left[k:]])
        if at is None:
            return None
        for rows in (left, right):
            rows[k], rows[k + at] = rows[k + at], rows[k]
        top = left[k][k]
        left[k], right[k] = [v / top for v in left[k]], [v / top for v in right[k]]
        for i in range(n):
            factor = left[i][k]
            if i != k:
                left[i] = [u - factor * v for u, v in zip(left[i], left[k], strict=True)]
                right[i] = [u - factor * v for u, v in zip(right[i], right[k], strict=True)]
    return gathered((v for row in right for v in row), b.shape)


def of_pairs(
    results: list[tuple[Objects, ...]], lead: tuple[int, ...], dtype: DType, active: bool
) -> tuple[Numbers, ...]:
    """The results of several matrices, stacked."""
    stacked: list[Numbers] = []
    for part in zip(*results, strict=True):
        y = np.empty((len(part), *part[0].shape), object)
        for i, value in enumerate(part):
            y[i] = value if value.shape else value[()]
        stacked.append(Numbers(y.reshape((*lead, *part[0].shape)), dtype, active))
    return tuple(stacked)


MATRICES: dict[str, Kernel] = {
    "cholesky": cholesky,
    "cofactor": cofactor,
    "det": det,
    "inv": inv,
    "pinv": pinv,
    "solve": solve,
    "triangular_solve": triangular_solve,
}
