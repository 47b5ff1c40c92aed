"""Functions of matrices in NumPy's LAPACK: batched, without exceptions, in every real dtype.

Where LAPACK finds a matrix of the batch singular, not positive definite or not finite, the result
of that matrix is NaN; the others are what they are.
"""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
from numpy.linalg import LinAlgError
from numpy.typing import NDArray

Array = NDArray[Any]  # Any: the dtype is data
Arrays = tuple[Array, ...]


def _wide(x: Array) -> Array:
    """LAPACK has no float16: it is computed in float32."""
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _by_member(function: Callable[..., Any], shapes: list[tuple[int, ...]], *xs: Array) -> Arrays:
    """function(*xs) -> arrays, of each matrix alone if LAPACK refuses the batch.

    shapes: of one matrix's results. The axes before the last two of every operand are the batch.
    """
    kept = xs[0].dtype
    xs = tuple(_wide(x) for x in xs)
    lead = xs[0].shape[:-2]
    try:
        ys: Arrays = tuple(function(*xs))
    except LinAlgError:
        ys = tuple(np.full((*lead, *shape), np.nan, xs[0].dtype) for shape in shapes)
        for at in np.ndindex(lead):
            try:
                found = function(*[x[at] for x in xs])
            except LinAlgError:
                continue
            for whole, y in zip(ys, found, strict=True):
                whole[at] = y
    return tuple(y.astype(kept, copy=False) for y in ys)


def _transposed(x: Array) -> Array:
    return x.swapaxes(-1, -2)


# --- linear systems ------------------------------------------------------------------------------
def solve(a: Array, b: Array) -> Array:
    """The solution of a x = b; NaN where a is singular."""
    return _by_member(lambda a, b: (np.linalg.solve(a, b),), [b.shape[-2:]], a, b)[0]


def inv(x: Array) -> Array:
    """The inverse; NaN where x is singular."""
    return _by_member(lambda x: (np.linalg.inv(x),), [x.shape[-2:]], x)[0]


def triangular_solve(a: Array, b: Array, lower: bool, transposed: bool, unit: bool) -> Array:
    """The solution of a x = b (a^T x = b if transposed), of a one triangle alone being read."""
    kept = a.dtype
    a, b = _wide(a), _wide(b)
    a = np.tril(a) if lower else np.triu(a)
    if unit:
        n = a.shape[-1]
        a[..., range(n), range(n)] = 1
    if transposed:
        a = _transposed(a)
    if lower is not transposed:  # lower triangular now: turned round it is an upper one
        a, b = (np.ascontiguousarray(x) for x in (a[..., ::-1, ::-1], b[..., ::-1, :]))
    x = np.empty_like(b)
    n = a.shape[-1]
    for stop in range(n, 0, -BLOCK):
        here, known = slice(max(0, stop - BLOCK), stop), slice(stop, n)
        rest = b[..., here, :]
        if stop < n:
            rest = rest - a[..., here, known] @ x[..., known, :]
        x[..., here, :] = _upper_solve(a[..., here, here], rest)
    if lower is not transposed:
        x = x[..., ::-1, :]
    return np.ascontiguousarray(x, kept)


BLOCK = 64
"""Rows of a triangle that are solved for at once; the others meet them in a product."""


def _upper_solve(a: Array, b: Array) -> Array:
    # The elimination finds nothing to eliminate in an upper triangle, and no row to exchange:
    # what is left of it is substitution.
    try:
        return np.linalg.solve(a, b)
    except LinAlgError:  # a zero on the diagonal: divide by it
        return _substituted(a, b)


def _substituted(a: Array, b: Array) -> Array:
    """Back substitution by rows, as IEEE arithmetic has it."""
    x = np.empty_like(b)
    for i in reversed(range(a.shape[-1])):
        known = np.einsum("...k,...kj->...j", a[..., i, i + 1 :], x[..., i + 1 :, :])
        x[..., i, :] = (b[..., i, :] - known) / a[..., i, i, None]
    return x


def pinv(x: Array, rtol: Array) -> Array:
    """The Moore-Penrose inverse; singular values up to rtol times the largest count as zero.

    rtol: one number for each matrix of the batch.
    """
    m, n = x.shape[-2:]
    limits = np.asarray(rtol, _wide(x).dtype)[..., None, None]

    def of(x: Array, limits: Array) -> Arrays:
        u, s, vh = np.linalg.svd(x, full_matrices=False)
        least = limits[..., 0] * np.max(s, axis=-1, keepdims=True, initial=0)
        inverses = np.where(s > least, 1 / s, np.where(np.isnan(s), s, 0))
        return (_transposed(vh) @ (inverses[..., None] * _transposed(u)),)

    return _by_member(of, [(n, m)], x, limits)[0]


# --- determinants --------------------------------------------------------------------------------
def det(x: Array) -> Array:
    """The determinant."""
    return np.asarray(np.linalg.det(_wide(x))).astype(x.dtype, copy=False)


def slogdet(x: Array) -> Arrays:
    """Sign and logarithm of the absolute value of the determinant."""
    return tuple(np.asarray(y).astype(x.dtype, copy=False) for y in np.linalg.slogdet(_wide(x)))


WELL_CONDITIONED = 1e4


def cofactor(xs: Arrays) -> Array:
    """The matrix of cofactors of xs[0]; or its derivative along each further matrix of xs.

    In the bases of the singular vectors xs[0] is diagonal, and the derivatives of a determinant at
    a diagonal matrix are sums of products of entries, with products of the singular values of the
    other rows: nothing is divided by, so singular matrices are like all others.
    """
    m, n = len(xs), xs[0].shape[-1]
    if m > n:
        return np.zeros_like(xs[0])
    kept = xs[0].dtype
    xs = tuple(_wide(x) for x in xs)
    if m == 1:
        quick = _by_inverse(xs[0])
        if quick is not None:
            return quick.astype(kept, copy=False)
    u, s, vh = svd(xs[0], False)
    sign = np.rint(np.linalg.det(u) * np.linalg.det(vh))[..., None, None]
    directions = [_transposed(u) @ x @ _transposed(vh) for x in xs[1:]]
    inner = _of_diagonal(_other_products(s, m), directions)
    result: Array = sign * (u @ inner @ vh)
    return result.astype(kept, copy=False)


def _by_inverse(x: Array) -> Array | None:
    """det(x) inv(x)^T, which is quicker; None where it may be inaccurate."""
    try:
        inverse = np.linalg.inv(x)
    except LinAlgError:
        return None
    d = np.linalg.det(x)
    size = np.abs(x).sum(-1).max(-1, initial=0) * np.abs(inverse).sum(-1).max(-1, initial=0)
    usable = (size < WELL_CONDITIONED) & np.isfinite(d) & (np.abs(d) > np.finfo(x.dtype).tiny)
    if not np.all(usable):
        return None
    cofactors: Array = d[..., None, None] * _transposed(inverse)
    return cofactors


def _other_products(s: Array, m: int) -> Array:
    """At (i1, ..., im) the product of all s but those; 0 where two of the indices are equal."""
    n, lead = s.shape[-1], s.shape[:-1]
    mantissa, exponent = np.frexp(s)  # products of many numbers leave the range before they return
    # between[a, b]: the product of mantissa[a:b]; ahead[b] - ahead[a]: the exponent of s[a:b].
    between = np.ones((*lead, n + 1, n + 1), s.dtype)
    for a in range(n):
        between[..., a, a + 1 :] = np.cumprod(mantissa[..., a:], axis=-1)
    ahead = np.concatenate([np.zeros((*lead, 1), np.int64), np.cumsum(exponent, axis=-1)], axis=-1)
    places = np.sort(np.indices((n,) * m), axis=0)
    starts = [np.zeros((n,) * m, np.int64), *(places + 1)]
    ends = [*places, np.full((n,) * m, n)]
    result, power = np.ones((*lead, *(n,) * m), s.dtype), np.zeros((*lead, *(n,) * m), np.int64)
    for start, end in zip(starts, ends, strict=True):
        end = np.maximum(start, end)
        result *= between[..., start, end]
        power += ahead[..., end] - ahead[..., start]
    result = np.asarray(np.ldexp(result, np.clip(power, -10000, 10000)))
    result[..., np.any(places[1:] == places[:-1], axis=0)] = 0
    return result


def _of_diagonal(others: Array, directions: list[Array]) -> Array:
    """The derivative of cofactors at a diagonal matrix along directions, by Leibniz' formula.

    det has the term sign(p) prod_a x[i_a, i_p(a)] for each permutation p of chosen rows i; the
    rows that are not chosen take their diagonal entries, of which `others` has the product. The
    last chosen row is that of the cofactor.
    """
    m, n = len(directions) + 1, others.shape[-1]
    letters = "abcdefghijklmnopqrstuvwxyz"[:m]
    last = m - 1
    result = np.zeros((*others.shape[: others.ndim - m], n, n), others.dtype)
    diagonal = range(n)
    for p in permutations(range(m)):
        terms = [f"...{letters[a]}{letters[p[a]]}" for a in range(last)]
        out = letters[last] if p[last] == last else letters[last] + letters[p[last]]
        spec = ",".join([f"...{letters}", *terms])
        found = _sign(p) * np.einsum(f"{spec}->...{out}", others, *directions)
        if p[last] == last:
            result[..., diagonal, diagonal] += found
        else:
            result += found
    return result


def _sign(p: tuple[int, ...]) -> int:
    inversions = sum(p[a] > p[b] for b in range(len(p)) for a in range(b))
    return -1 if inversions % 2 else 1


# --- decompositions ------------------------------------------------------------------------------
def _symmetric(x: Array) -> Array:
    return x * 0.5 + _transposed(x) * 0.5


def cholesky(x: Array) -> Array:
    """The lower Cholesky factor of the symmetric part; NaN where it is not positive definite."""
    (y,) = _by_member(lambda x: (np.linalg.cholesky(_symmetric(x)),), [x.shape[-2:]], x)
    return np.tril(y)


def eigh(x: Array) -> Arrays:
    """Eigenvalues, ascending, and eigenvectors of the symmetric part."""
    n = x.shape[-1]
    return _by_member(lambda x: np.linalg.eigh(_symmetric(x)), [(n,), (n, n)], x)


def svd(x: Array, full: bool) -> Arrays:
    """Left singular vectors, singular values, descending, right singular vectors in rows."""
    m, n = x.shape[-2:]
    k = min(m, n)
    shapes = [(m, m if full else k), (k,), (n if full else k, n)]
    return _by_member(lambda x: np.linalg.svd(x, full), shapes, x)


def qr(x: Array, complete: bool) -> Arrays:
    """An orthogonal and an upper triangular factor."""
    m, n = x.shape[-2:]
    k = m if complete else min(m, n)
    return _by_member(
        lambda x: np.linalg.qr(x, "complete" if complete else "reduced"), [(m, k), (k, n)], x
    )


# --- exponential ---------------------------------------------------------------------------------
# The coefficients of the diagonal Pade approximant of degree 13, and the norm up to which it is
# exact to double precision: Higham, SIAM J. Matrix Anal. Appl. 26 (2005), table 2.3.
_PADE = (
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
)
_LARGEST = 5.371920351148152


def expm(x: Array) -> Array:
    """The exponential, by scaling and squaring, computed in float64."""
    if x.size == 0:
        return x.copy()
    a = x.astype(np.float64)
    norm = np.abs(a).sum(-2).max(-1)
    finite = np.isfinite(norm)
    _, exponent = np.frexp(np.where(finite, norm, 0) / _LARGEST)
    times = np.maximum(exponent, 0)
    a = np.where(finite[..., None, None], np.ldexp(a, -times[..., None, None]), 0)
    y = _pade(a)
    for i in range(int(times.max())):
        y = np.where((times > i)[..., None, None], y @ y, y)
    return np.where(finite[..., None, None], y, np.nan).astype(x.dtype, copy=False)


def _pade(a: Array) -> Array:
    b = [c / _PADE[0] for c in _PADE]  # of the zero matrix the exponential is exactly 1
    eye = np.eye(a.shape[-1])
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    odd = a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2)
    odd = a @ (odd + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye)
    even = a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2)
    even = even + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye
    result: Array = np.linalg.solve(even - odd, even + odd)
    return result
