"""Every primitive on JAX as on NumPy: value, and gradient of a weighted sum."""

import numpy as np
import pytest

import taglessad as tad
from taglessad.primitive import PRIMITIVES, Prim
from taglessad.proofs_checks.domains import cases
from taglessad.proofs_checks.runs import active, as_program, value, weighted

pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402

LIBRARY = [p for p in PRIMITIVES.values() if not p.name.startswith("test_")]
# Of less accurate kernels in XLA, in relative error.
COARSE = {"erfinv": 1e-7, "polygamma": 1e-9, "gammaln": 1e-11, "pow": 1e-12, "pinv": 1e-9}


@pytest.mark.parametrize("prim", LIBRARY, ids=lambda p: p.name)
def test_primitive(prim: Prim) -> None:
    case = cases(prim.name, 1)[0]
    rtol = COARSE.get(prim.name, 1e-12)
    positions = active(prim, case)
    expected = value(prim, case.operands, case.params)
    got = Jax().run(prim, tuple(np.asarray(x) for x in case.operands), case.params)
    scale = float(np.max(np.abs(np.asarray(expected, float)), initial=1.0))
    np.testing.assert_allclose(np.asarray(got, float), expected, rtol=rtol, atol=rtol * scale)
    assert np.asarray(got).dtype == np.asarray(expected).dtype
    if not positions:
        return
    weights = np.random.default_rng(1).uniform(-1, 1, expected.shape)
    f = tad.grad(weighted(as_program(prim, case, positions), weights), tuple(range(len(positions))))
    points = [case.operands[i] for i in positions]
    for a, b in zip(tad.jit(f, Jax())(*points), f(*points), strict=True):
        scale = float(np.max(np.abs(np.asarray(b)), initial=1.0))
        np.testing.assert_allclose(a, b, rtol=rtol * 10, atol=rtol * 10 * scale)
