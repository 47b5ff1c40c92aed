"""Decompositions and exponentials of matrices of balls."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from taglessad.errors import DomainError
from taglessad.kernels.flint import acb_mat, arb_mat
from taglessad.kernels.object_fourier import FOURIER
from taglessad.kernels.object_matrices import Field, of_pairs, symmetric
from taglessad.kernels.object_products import matrix_product
from taglessad.kernels.payloads import Numbers, Objects, filled, gathered

# Any throughout: entries are balls.
Several = Callable[..., tuple[Numbers, ...]]


def expm(field: Field, x: Numbers) -> Numbers:
    lead, n = x.values.shape[:-2], x.values.shape[-1]
    y = np.empty(x.values.shape, object)
    make = acb_mat if hasattr(field.one, "csgn") else arb_mat
    for place in np.ndindex(lead):
        if n:
            entries = make(n, n, x.values[place].ravel().tolist()).exp().entries()
            y[place] = gathered(entries, (n, n))
    return Numbers(y, x.dtype, x.active)


def _each_matrix(f: Callable[[Objects], tuple[Objects, ...]], x: Numbers) -> tuple[Numbers, ...]:
    lead = x.values.shape[:-2]
    found = [f(x.values[place]) for place in np.ndindex(lead)]
    return of_pairs(found, lead, x.dtype, x.active)


def _scalar(x: Any) -> Objects:
    return filled((), x)


def slogdet(field: Field, x: Numbers) -> tuple[Numbers, ...]:
    """Sign, and logarithm of the absolute value, of the determinant."""

    def of(a: Objects) -> tuple[Objects, ...]:
        d = field.determinant(a) if a.size else field.one
        sign = 1 if d.real > 0 else -1
        if not (d.real > 0 or d.real < 0):
            nothing = field.missing("slogdet", "the determinant may be zero")
            return _scalar(nothing), _scalar(nothing)
        return _scalar(field.number(sign)), _scalar(field.logged(sign * d))

    return _each_matrix(of, x)


def qr(field: Field, x: Numbers, complete: bool) -> tuple[Numbers, ...]:
    """By Householder's reflections, with LAPACK's signs (Golub and Van Loan, section 5.2)."""
    m, n = x.values.shape[-2:]
    k = m if complete else min(m, n)

    def of(a: Objects) -> tuple[Objects, ...]:
        r, q = a.copy(), filled((m, m), field.zero)
        for i in range(m):
            q[i, i] = field.one
        for j in range(min(m - 1, n)):
            column = r[j:, j]
            if all(bool(v == 0) for v in column[1:]):
                continue
            length = field.rooted(sum((v * v for v in column), field.zero))
            v = column.copy()
            first = column[0].real
            v[0] = v[0] + (-length if first < 0 else length)
            if not (first < 0 or first >= 0):
                raise field.undecided("qr: the sign of a diagonal entry")
            scale = field.divided(field.number(2), sum((u * u for u in v), field.zero))
            r[j:] = r[j:] - np.multiply.outer(v, (scale * v) @ r[j:])
            r[j + 1 :, j] = filled((m - j - 1,), field.zero)
            q[:, j:] = q[:, j:] - np.multiply.outer(q[:, j:] @ v, scale * v)
        return q[:, :k], r[:k]

    return _each_matrix(of, x)


def _spectrum(field: Field, op: str, a: Objects) -> tuple[list[Any], Objects]:
    """Eigenvalues, ascending, and unit eigenvectors in columns, of a symmetric matrix.

    The eigenvalues must be apart. The largest entry of each vector is positive.
    """
    n = len(a)
    try:
        found, vectors = acb_mat(n, n, a.ravel().tolist()).eig(right=True)
    except ValueError:
        raise field.undecided(f"{op}: whether eigenvalues are equal") from None
    values = [field.shown(v) for v in found]
    order = sorted(range(n), key=lambda i: float(values[i].real.mid()))
    if not all(values[i].real < values[j].real for i, j in pairwise(order)):
        raise field.undecided(f"{op}: whether eigenvalues are equal")
    entries = gathered(map(field.shown, vectors.entries()), (n, n))[:, order]
    for j in range(n):
        column = entries[:, j]
        length = field.rooted(sum((v * v for v in column), field.zero))
        largest = max((v.real for v in column), key=lambda v: abs(float(v.mid())))
        length = -length if largest < 0 else length
        entries[:, j] = gathered((field.divided(v, length) for v in column), (n,))
    return [values[i] for i in order], entries


def eigh(field: Field, x: Numbers) -> tuple[Numbers, ...]:
    """Eigenvalues and eigenvectors of the symmetric part."""

    def of(a: Objects) -> tuple[Objects, ...]:
        if not a.size:
            return filled((0,), field.zero), filled((0, 0), field.zero)
        values, vectors = _spectrum(field, "eigh", symmetric(field, a))
        return gathered(values, (len(values),)), vectors

    return _each_matrix(of, x)


def svd(field: Field, x: Numbers, full: bool) -> tuple[Numbers, ...]:
    """By the eigenvalues of a^T a, for matrices of full rank; no bases of what is left over."""
    m, n = x.values.shape[-2:]
    if full and m != n:
        raise DomainError("svd: there are no enclosures of full_matrices=True yet")

    def of(a: Objects) -> tuple[Objects, ...]:
        if not a.size:
            k = min(m, n)
            return filled((m, k), field.zero), filled((k,), field.zero), filled((k, n), field.zero)
        tall = a if m >= n else a.T
        square = matrix_product(field, tall.T[None], tall[None])[0]
        squares, right = _spectrum(field, "svd", square)
        lengths = [field.rooted(v) for v in squares[::-1]]
        right = right[:, ::-1]
        left = matrix_product(field, tall[None], right[None])[0]
        for j, length in enumerate(lengths):
            left[:, j] = gathered((field.divided(v, length) for v in left[:, j]), (len(left),))
        s = gathered(lengths, (len(lengths),))
        return (left, s, right.T) if m >= n else (right, s, left.T)

    return _each_matrix(of, x)


SEVERAL: dict[str, Several] = {
    **FOURIER,
    "eigh": eigh,
    "qr": qr,
    "slogdet": slogdet,
    "svd": svd,
}
