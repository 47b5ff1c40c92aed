"""Every primitive on JAX as on NumPy: value, dtype, and the gradient of a weighted sum."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.primitive import PRIMITIVES, Prim, PrimN
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.runs import active, as_program, value, weighted
from tests.xla.differences import DIFFERENCES, tolerance

pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402

LIBRARY = [
    p for p in PRIMITIVES.values() if not p.name.startswith("test_") and not isinstance(p, PrimN)
]
# One of each family; the others are compiled when slow tests are asked for.
FAMILIES = {
    *("mul", "pow", "sigmoid", "hypot", "sum", "logsumexp", "reshape", "pad", "take", "set_at"),
    *("argsort", "contract", "convolution", "solve", "cholesky", "det", "gammaln", "threefry"),
}


def close(got: Any, want: Any, rtol: float) -> None:
    scale = float(np.max(np.abs(np.asarray(want, float)), initial=1.0))
    np.testing.assert_allclose(np.asarray(got, float), want, rtol=rtol, atol=rtol * scale)


@pytest.mark.parametrize("prim", LIBRARY, ids=lambda p: p.name)
def test_value(prim: Prim) -> None:
    case = cases(prim.name, 1)[0]
    expected = value(prim, case.operands, case.params)
    got = Jax().run(prim, tuple(np.asarray(x) for x in case.operands), case.params)
    close(got, expected, tolerance(prim.name, 1e-12))
    assert np.asarray(got).dtype == np.asarray(expected).dtype


def _differentiable() -> list[Any]:
    found: list[Any] = []
    for prim in LIBRARY:
        if any(slot is not None for slot in prim.slots):
            marks = () if prim.name in FAMILIES else (pytest.mark.slow,)
            found.append(pytest.param(prim, id=prim.name, marks=marks))
    return found


@pytest.mark.parametrize("prim", _differentiable())
def test_gradient(prim: Prim) -> None:
    case = cases(prim.name, 1)[0]
    positions = active(prim, case)
    if not positions:
        pytest.skip("the case has no real operand")
    shape = value(prim, case.operands, case.params).shape
    weights = np.random.default_rng(1).uniform(-1, 1, shape)
    f = tad.grad(weighted(as_program(prim, case, positions), weights), tuple(range(len(positions))))
    points = [case.operands[i] for i in positions]
    for got, want in zip(tad.jit(f, Jax())(*points), f(*points), strict=True):
        close(got, want, tolerance(prim.name, 1e-11))
        assert got.dtype == want.dtype


def test_the_table_names_what_there_is() -> None:
    from tests.cases.test_cases import CASES

    unknown = set(DIFFERENCES) - set(PRIMITIVES) - {c.id for c in CASES}
    assert not unknown


def test_polygamma_of_negative_numbers_is_our_own() -> None:
    """JAX's own gives 1e72 here (jax-ml/jax#37635)."""
    x = np.asarray([-0.5, -2.25, -9.998])
    for n in (1, 2, 3, 5):
        close(
            tad.jit(lambda x, n=n: tad.special.polygamma(n, x), Jax())(x),
            tad.special.polygamma(n, x),
            1e-13,
        )
    poles = tad.jit(lambda x: tad.special.polygamma(1, x), Jax())(np.asarray([0.0, -3.0]))
    np.testing.assert_array_equal(poles, [np.inf, np.inf])
