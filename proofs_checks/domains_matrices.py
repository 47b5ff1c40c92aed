"""Safe points of the functions of matrices: well-conditioned ones, batches of them."""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np

from taglessad.dtypes import DType, float32, float64
from taglessad.proofs_checks.cases import (
    Array,
    Domain,
    Plan,
    Planner,
    Reals,
    Sizes,
    Source,
    a_shape,
)
from taglessad.proofs_checks.domains_arrays import SPECTRA
from taglessad.proofs_checks.domains_elementwise import ALL

DTYPES: Final = (float64, float32)
"""LAPACK knows no float16: the library computes in float32 there, and rounds."""


@dataclass(frozen=True)
class Matrices:
    """Matrices u s v^T with singular values apart from each other and from 0.

    kind: "symmetric" has v = u and values of both signs, "positive" has v = u, and "any" neither.
    """

    kind: Literal["any", "symmetric", "positive"] = "any"

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        *lead, m, n = shape
        k = min(m, n)
        s = 0.7 + 0.5 * (np.arange(k) + rng.uniform(-0.2, 0.2, (*lead, k)))
        u = np.linalg.qr(rng.normal(size=(*lead, m, m)))[0][..., :k]
        v = np.linalg.qr(rng.normal(size=(*lead, n, n)))[0][..., :k]
        if self.kind != "any":
            v = u
        if self.kind == "symmetric":
            s = s * rng.choice([-1, 1], k)
        return np.asarray((u * s[..., None, :]) @ v.swapaxes(-1, -2)).astype(dtype)


def _lead(source: Source) -> Sizes:
    return a_shape(source)[:1]


def _square(values: Matrices, least: int = 0) -> Planner:
    def plan(source: Source) -> Plan:
        n = source.integer(least, 3)
        return Plan((((*_lead(source), n, n), values),), ())

    return plan


def _oblong(source: Source) -> Plan:
    """Matrices of any shape, and that not all columns are wanted."""
    m, n = source.integer(0, 3), source.integer(0, 3)
    return Plan((((*_lead(source), m, n), Matrices()),), (False,))


def _pinv(source: Source) -> Plan:
    """Matrices of any shape, and tolerances below all their singular values."""
    lead, m, n = _lead(source), source.integer(0, 3), source.integer(0, 3)
    return Plan((((*lead, m, n), Matrices()), (lead, Reals(((1e-4, 1e-3),)))), ())


def _system(flags: int) -> Planner:
    """A square matrix and right sides."""

    def plan(source: Source) -> Plan:
        lead, n, m = _lead(source), source.integer(0, 3), source.integer(0, 3)
        chosen = tuple(bool(source.integer(0, 1)) for _ in range(flags))
        values = Triangles() if flags else Matrices()
        return Plan((((*lead, n, n), values), ((*lead, n, m), ALL)), chosen)

    return plan


@dataclass(frozen=True)
class Triangles:
    """Square matrices, either triangle of which is well conditioned."""

    def draw(self, rng: np.random.Generator, shape: Sizes, dtype: DType) -> Array:
        """Entries of the operand."""
        x = rng.uniform(-0.8, 0.8, shape)
        n = shape[-1]
        diagonal = rng.uniform(0.7, 2, (*shape[:-2], n)) * rng.choice([-1, 1], n)
        x[..., range(n), range(n)] = diagonal
        return x.astype(dtype)


def _cofactor(source: Source) -> Plan:
    """A matrix, and up to two directions."""
    n = source.integer(0, 3)
    shape = (*_lead(source), n, n)
    directions = [(shape, ALL)] * source.integer(0, 2)
    return Plan(((shape, Matrices()), *directions), ())


def _one(plan: Planner) -> tuple[Domain, ...]:
    return (Domain(plan, DTYPES),)


MATRICES: Final[dict[str, tuple[Domain, ...]]] = {
    "solve": _one(_system(0)),
    "triangular_solve": _one(_system(3)),
    "inv": _one(_square(Matrices())),
    "pinv": _one(_pinv),
    "det": _one(_square(Matrices())),
    "cofactor": _one(_cofactor),
    "cholesky": _one(_square(Matrices("positive"))),
    "expm": _one(_square(Matrices())),
}

SEVERAL_RESULTS: Final[dict[str, tuple[Domain, ...]]] = {
    "slogdet": _one(_square(Matrices())),
    "qr": _one(_oblong),
    "eigh": _one(_square(Matrices("symmetric"))),
    "svd": _one(_oblong),
    **SPECTRA,
}
