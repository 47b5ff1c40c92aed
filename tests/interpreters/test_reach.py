"""Reach and Sparsity as interpreters."""

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Reach


def test_which_inputs_reach_which_results() -> None:
    f = lambda a, b, c: (a + b, tad.where(c > 0.0, a, 0.0), tad.ones(2))
    assert tad.interpret(f, Reach())((3,), (3,), (3,)) == ({0, 1}, {0, 2}, frozenset())
    loop = lambda a, b: tad.while_loop(lambda c: c < 9.0, lambda c: c * a, a)
    assert tad.interpret(loop, Reach())((), ()) == {0}


def test_patterns() -> None:
    pytest.importorskip("scipy")
    from taglessad.interpreters import Sparsity

    pattern = tad.interpret(lambda x, y: x[:2] * y, Sparsity())((3,), (2,))
    np.testing.assert_array_equal(
        pattern.toarray(), [[True, False, False, True, False], [False, True, False, False, True]]
    )
    none = tad.interpret(lambda x: tad.detach(x), Sparsity())((3,))
    assert none.nnz == 0 and none.shape == (3, 3)
