"""What a case that failed once was one of: the whole kind."""

import itertools
from typing import Any

import numpy as np
import pytest

import taglessad as tad

SQUARE = lambda x: x * x

# Every transform at a Python int, which counts as a float: 3**2 and its derivatives.
AT_AN_INT = {
    "grad": (lambda n: tad.grad(SQUARE)(n), 6.0),
    "value_and_grad": (lambda n: tad.value_and_grad(SQUARE)(n)[1], 6.0),
    "jacrev": (lambda n: tad.jacrev(SQUARE)(n), 6.0),
    "jacfwd": (lambda n: tad.jacfwd(SQUARE)(n), 6.0),
    "vjp": (lambda n: tad.vjp(SQUARE)(n, 1), 6.0),
    "pullback": (lambda n: tad.vjp(SQUARE, n)[1](1)[0], 6.0),
    "jvp": (lambda n: tad.jvp(SQUARE)(n, 1), 6.0),
    "jvp of a tuple": (lambda n: tad.jvp(SQUARE, (n,), (1,))[1], 6.0),
    "pushforward": (lambda n: tad.linearize(SQUARE, n)[1](1), 6.0),
    "hessian": (lambda n: tad.hessian(SQUARE)(n), 2.0),
    "hvp": (lambda n: tad.hvp(SQUARE)(n, 1), 2.0),
    "derivative": (lambda n: tad.derivative(SQUARE)(n, [1]), 6.0),
    "grad of grad": (lambda n: tad.grad(tad.grad(SQUARE))(n), 2.0),
    "grad by path": (lambda n: tad.grad(lambda m: SQUARE(m["w"]), wrt="m.w")({"w": n}), 6.0),
    "grad of a tree": (lambda n: tad.grad(lambda m: SQUARE(m["w"]))({"w": n})["w"], 6.0),
}


@pytest.mark.parametrize("run", [lambda f: f, tad.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("name", AT_AN_INT)
def test_a_python_int_is_differentiated_as_a_float(name: str, run: Any) -> None:
    f, expected = AT_AN_INT[name]
    got = run(f)(3)
    assert got.dtype == tad.float64 and float(got) == expected


@pytest.mark.parametrize("run", [lambda f: f, tad.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("n", [np.asarray(3), np.int32(3), True], ids=repr)
def test_integers_with_a_dtype_and_truth_values_are_refused(n: Any, run: Any) -> None:
    with pytest.raises(tad.DTypeError, match="only real numbers carry a derivative"):
        run(tad.grad(SQUARE))(n)


PAIRS = list(itertools.product((np.float16, np.float32, np.float64), repeat=2))


@pytest.mark.parametrize("run", [lambda f: f, tad.jit], ids=["plain", "jit"])
@pytest.mark.parametrize("mode", [tad.jacrev, tad.jacfwd], ids=lambda t: t.__name__)
@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_jacobian_has_the_dtype_of_its_argument(a: Any, b: Any, mode: Any, run: Any) -> None:
    # d(x y)/dx = diag(y), d(x y)/dy = diag(x): powers of two are exact in all dtypes
    x, y = np.array([1.0, 2.0], a), np.array([4.0, 0.5], b)
    jx, jy = run(mode(lambda x, y: x * y, (0, 1)))(x, y)
    assert (jx.dtype, jy.dtype) == (np.dtype(a), np.dtype(b))
    np.testing.assert_array_equal(jx, np.diag([4.0, 0.5]))
    np.testing.assert_array_equal(jy, np.diag([1.0, 2.0]))


@pytest.mark.parametrize(("a", "b"), PAIRS)
def test_a_block_of_the_hessian_has_the_dtype_of_its_last_argument(a: Any, b: Any) -> None:
    x, y = np.array([1.0, 2.0], a), np.array([4.0, 0.5], b)
    blocks = tad.hessian(lambda x, y: tad.sum(x * x * y), (0, 1))(x, y)
    assert [[h.dtype for h in row] for row in blocks] == [[np.dtype(a), np.dtype(b)]] * 2
    np.testing.assert_array_equal(blocks[0][0], np.diag(2.0 * y))
    np.testing.assert_array_equal(blocks[0][1], np.diag(2.0 * x))
    np.testing.assert_array_equal(blocks[1][0], np.diag(2.0 * x))
    np.testing.assert_array_equal(blocks[1][1], np.zeros((2, 2)))
