"""What the functions of matrices refuse, and what they say: name, shapes, the sizes that differ."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg
from taglessad.errors import ArgumentError, NotDifferentiable, ShapeError

SQUARE: list[Callable[[Any], Any]] = [
    linalg.cholesky,
    linalg.det,
    linalg.eigh,
    linalg.eigvalsh,
    linalg.expm,
    linalg.inv,
    linalg.slogdet,
    lambda x: linalg.matrix_power(x, 2),
    lambda x: linalg.solve(x, np.ones(2)),
    lambda x: linalg.solve_triangular(x, np.ones(2)),
]
ANY: list[Callable[[Any], Any]] = [
    *SQUARE,
    linalg.cond,
    linalg.matrix_norm,
    linalg.matrix_rank,
    linalg.pinv,
    linalg.qr,
    linalg.svd,
    linalg.svdvals,
    lambda x: linalg.lstsq(x, x),
]
EYE, M = np.eye(3), np.ones((4, 2))


@pytest.mark.parametrize("f", SQUARE)
def test_matrices_that_are_not_square(f: Callable[[Any], Any]) -> None:
    with pytest.raises(ShapeError, match=r"^\w+: .*\[2, 4, 3\].* must be square \(4 != 3\)"):
        f(np.ones((2, 4, 3)))


@pytest.mark.parametrize("f", ANY)
@pytest.mark.parametrize("x", [1.0, np.ones(3)])
def test_what_is_no_matrix(f: Callable[[Any], Any], x: Any) -> None:
    with pytest.raises(ShapeError, match=r"^\w+: .*(is no matrix|is a scalar)"):
        f(x)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (
            lambda: linalg.solve(EYE, np.ones(2)),
            ShapeError,
            r"solve: .*\[3, 3\] and \[2, 1\].*3 != 2",
        ),
        (lambda: linalg.solve(EYE, M), ShapeError, r"solve: .*\[3, 3\] and \[4, 2\].*\(3 != 4\)"),
        (lambda: linalg.solve(EYE, 1.0), ShapeError, r"solve: .*\[3, 3\].*scalar"),
        (
            lambda: linalg.solve(np.ones((2, 3, 3)), np.ones((4, 3, 1))),
            ShapeError,
            r"solve: .*\[2, 3, 3\] and \[4, 3, 1\].*broadcast",
        ),
        (
            lambda: linalg.solve_triangular(EYE, M),
            ShapeError,
            r"solve_triangular: .*\[3, 3\] and \[4, 2\]",
        ),
        (
            lambda: linalg.solve_triangular(EYE, EYE, trans=3),
            ArgumentError,
            r"solve_triangular: trans is 3",
        ),
        (lambda: linalg.lstsq(M, np.ones(3)), ShapeError, r"lstsq: .*\[4, 2\] and \[3, 1\]"),
        (lambda: linalg.lstsq(M, np.ones(4), "x"), ArgumentError, r"lstsq: the tolerance is 'x'"),
        (lambda: linalg.pinv(M, rtol=True), ArgumentError, r"pinv: the tolerance is True"),
        (lambda: linalg.matrix_rank(M, rtol=np.ones(2)), ShapeError, r"matrix_rank: .*\[2\]"),
        (lambda: linalg.qr(M, mode="r"), ArgumentError, r"qr: mode is 'r'; it is 'reduced' or"),
        (lambda: linalg.matrix_norm(M, ord=3), ArgumentError, r"matrix_norm: ord is 3"),
        (lambda: linalg.matrix_power(EYE, 0.5), ArgumentError, r"matrix_power: n must be"),
        (lambda: linalg.cond(np.zeros((0, 0))), ArgumentError, r"cond: an empty matrix"),
        (
            lambda: tad.jacrev(lambda x: linalg.qr(x, mode="complete").R)(M),
            NotDifferentiable,
            r"qr: mode='complete' of shape \[4, 2\].*mode='reduced'",
        ),
        (
            lambda: tad.jacfwd(lambda x: linalg.svd(x).U)(M),
            NotDifferentiable,
            r"svd: full_matrices=True of shape \[4, 2\].*full_matrices=False",
        ),
        (
            lambda: tad.jacrev(lambda x: linalg.svd(x).U)(M),
            NotDifferentiable,
            r"svd: full_matrices=True of shape \[4, 2\]",
        ),
    ],
)
def test_errors(call: Callable[[], Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        call()


def test_the_values_of_a_full_decomposition_have_a_gradient() -> None:
    x = np.array([[3.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    g = tad.grad(lambda x: linalg.svd(x).S[0])(x)
    np.testing.assert_allclose(np.asarray(g), [[1, 0], [0, 0], [0, 0]], atol=1e-15)


def test_integer_matrices_carry_no_derivative() -> None:
    with pytest.raises(TypeError, match="int64"):
        tad.grad(linalg.det)(np.array([[1, 2], [3, 4]]))


def test_shapes_are_known_before_values() -> None:
    b, m, n = tad.symbols("b m n")
    spec = tad.Spec((b, n, n), tad.float64)
    shape = lambda f, s=spec: tad.interpret(f, tad.interpreters.shape.Shape())(s)
    assert shape(linalg.inv) == (b, n, n)
    assert shape(linalg.det) == (b,)
    assert shape(lambda x: linalg.eigh(x).eigenvalues) == (b, n)
    assert shape(lambda x: linalg.solve(x, x[..., 0:1])) == (b, n, 1)
    assert shape(tad.grad(lambda x: tad.sum(linalg.cholesky(x)))) == (b, n, n)
    assert shape(tad.grad(lambda x: tad.sum(linalg.eigh(x).eigenvectors))) == (b, n, n)
    assert shape(linalg.pinv, tad.Spec((m, n), tad.float64)) == (n, m)
    with pytest.raises(ShapeError, match=r"inv: shape \[m, n\].*must be square"):
        shape(linalg.inv, tad.Spec((m, n), tad.float64))
