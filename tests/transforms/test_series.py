"""taylor, hessian_diagonal, laplacian: against nested derivatives."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors
from taglessad.interpreters import Eager, Exact, Taylor

stacked = lambda *rows: tad.stack(rows)
PROGRAMS = {
    "exp": tad.exp,
    "log": tad.log,
    "sin": tad.sin,
    "tan": tad.tan,
    "tanh": tad.tanh,
    "sqrt": tad.sqrt,
    "quotient": lambda x: 1.0 / (1.0 + x * x),
    "power": lambda x: x**2.5,
    "integer-power": lambda x: x**3,
    "erf": tad.special.erf,
    "expit": tad.special.expit,
    "atan": tad.atan,
    "gammaln": tad.special.gammaln,
    "softplus": tad.nn.functional.softplus,
    "logsumexp": lambda x: tad.special.logsumexp(stacked(x, 2.0 * x, x * x)),
    "norm": lambda x: tad.linalg.vector_norm(stacked(x, 2.0 * x * x)),
    "max": lambda x: tad.max(stacked(x, 2.0 * x, x * x)),
    "cumulative": lambda x: tad.sum(tad.cumulative_prod(stacked(x, 2.0 * x, x * x))),
    "matmul": lambda x: tad.sum(stacked(stacked(x, x * x), stacked(x, x)) @ stacked(x, tad.exp(x))),
    "atan2": lambda x: tad.atan2(x, x * x),
    "logaddexp": lambda x: tad.logaddexp(x, x * x),
    "composed": lambda x: tad.tanh(tad.exp(tad.sin(x)) / (1.0 + x * x)),
    "while": lambda x: tad.while_loop(lambda c: c < 100.0, lambda c: c * c * (x + 1.0), x),
    "scan": lambda x: tad.scan(lambda c, k: (tad.sin(c * k), c), x, tad.ones(3))[0],
    "cond": lambda x: tad.cond(x > 0.0, tad.sin, tad.cos, x),
    "gradient": lambda x: tad.grad(lambda t: tad.sin(t) * t)(x),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_against_nested_derivatives(name: str) -> None:
    f = PROGRAMS[name]
    got = tad.taylor(f, 4)(0.7, 1.0)
    for k, y in enumerate(got):
        np.testing.assert_allclose(y, f(0.7), rtol=1e-11, atol=1e-12, err_msg=f"order {k}")
        f = tad.jacfwd(f)


def test_along_a_direction_of_a_tree() -> None:
    f = lambda p: {"y": tad.sum(tad.sin(p["w"])) * p["b"]}
    p = {"w": tad.asarray([0.1, 0.2]), "b": tad.asarray(3.0)}
    v = {"w": tad.asarray([1.0, -1.0]), "b": tad.asarray(0.5)}
    line = lambda t: f({"w": p["w"] + t * v["w"], "b": p["b"] + t * v["b"]})["y"]
    for y in tad.taylor(f, 3)(p, v):
        np.testing.assert_allclose(y["y"], line(0.0), rtol=1e-12)
        line = tad.jacfwd(line)


def test_along_a_curve() -> None:
    """Against derivatives of f(path(t)), nested forward mode."""
    path = [0.7, -0.5, 2.0, 1.5]
    curve = lambda t: path[0] + t * path[1] + t**2 * path[2] / 2 + t**3 * path[3] / 6
    for f in (tad.exp, tad.tanh, lambda x: 1.0 / (1.0 + x * x)):
        along = lambda t, f=f: f(curve(t))
        for y in tad.taylor(f, 5)(*path):
            np.testing.assert_allclose(y, along(0.0), rtol=1e-11)
            along = tad.jacfwd(along)


def test_along_a_curve_of_trees() -> None:
    f = lambda p: p["a"] * tad.sum(p["b"] ** 2)
    x, v, a = ({"a": t, "b": np.array([t, 2.0 * t])} for t in (1.0, 0.5, -0.25))
    curve = lambda t: f({k: x[k] + t * v[k] + t**2 * a[k] / 2 for k in x})
    for y in tad.taylor(f, 4)(x, v, a):
        np.testing.assert_allclose(y, curve(0.0), rtol=1e-12)
        curve = tad.jacfwd(curve)


def solution(rhs: Any, y: Any, order: int) -> list[Any]:
    """The derivatives at 0 of the solution of y' = rhs(y)."""
    path = [y, rhs(y)]
    while len(path) <= order:
        path.append(tad.taylor(rhs, len(path) - 1)(*path)[-1])
    return path


def test_the_derivatives_of_a_solution() -> None:
    # Of y' = y**2 from 1, which is 1 / (1 - t): factorials. Of a rotation: sine and cosine.
    found = solution(lambda y: y * y, tad.asarray(1.0), 8)
    assert [float(y) for y in found] == [1, 1, 2, 6, 24, 120, 720, 5040, 40320]
    turning = solution(lambda y: {"s": y["c"], "c": -y["s"]}, {"s": 0.0, "c": 1.0}, 5)
    assert [float(y["s"]) for y in turning] == [0, 1, 0, -1, 0, 1]
    last = lambda y: solution(lambda y: y * y, y, 3)[-1]  # 6 y**4
    assert float(tad.grad(last)(2.0)) == 24.0 * 2.0**3
    assert float(tad.jit(last)(2.0)) == 6.0 * 2.0**4
    assert tad.vmap(last)(np.array([1.0, 2.0])).tolist() == [6.0, 96.0]


def test_a_curve_is_exact_where_numbers_are() -> None:
    f = lambda x: tad.taylor(lambda y: y * y * y, 3)(x, x, x, x)[3]
    third = Fraction(1, 3)
    # Of y**3: 6 y'**3 + 18 y y' y'' + 3 y**2 y^(3).
    assert tad.interpret(f, Exact())(third) == 27 * third**3


def test_order_zero_and_constants() -> None:
    assert [float(y) for y in tad.taylor(tad.sin, 0)(0.0, 1.0)] == [0.0]
    assert [float(y) for y in tad.taylor(lambda x: 2.0, 2)(1.0, 1.0)] == [2.0, 0.0, 0.0]


def test_is_a_program() -> None:
    f = lambda x: tad.taylor(tad.sin, 3)(x, 1.0)[3]
    np.testing.assert_allclose(tad.grad(f)(0.4), np.sin(0.4))
    np.testing.assert_allclose(tad.jit(f)(0.4), -np.cos(0.4))
    np.testing.assert_allclose(tad.vmap(f)(np.asarray([0.4, 0.5])), -np.cos([0.4, 0.5]))


def test_what_was_not_selected_gives_no_nan() -> None:
    f = lambda x: tad.sqrt(tad.where(x > 0.0, x, 0.0))
    got = tad.taylor(f, 3)(np.asarray([1.0, -1.0]), np.ones(2))
    np.testing.assert_allclose(got, [[1.0, 0.0], [0.5, 0.0], [-0.25, 0.0], [0.375, 0.0]])


def test_long_chains_do_not_recurse() -> None:
    def chain(x: Any) -> Any:
        for _ in range(3000):
            x = x * 0.999 + 0.001
        return x

    assert float(tad.taylor(chain, 2)(1.0, 1.0)[1]) == pytest.approx(0.999**3000)


def test_coefficients_under_the_interpreter() -> None:
    got = tad.interpret(tad.exp, Taylor(Eager(), 3))([0.0, 1.0])
    np.testing.assert_allclose(got, [1.0, 1.0, 1 / 2, 1 / 6])
    square = tad.interpret(lambda x: x * x, Taylor(Eager(), 4))([1.0, 2.0, 3.0])
    np.testing.assert_allclose(square, [1.0, 4.0, 10.0, 12.0, 9.0])


def test_hessian_diagonal_and_laplacian() -> None:
    f = lambda x: tad.sum(tad.sin(x) * x**2) + x[0] * x[1]
    x = np.asarray([0.3, 0.4, 0.5])
    diagonal = tad.diag(tad.hessian(f)(x))
    np.testing.assert_allclose(tad.hessian_diagonal(f)(x), diagonal, rtol=1e-13)
    np.testing.assert_allclose(tad.laplacian(f)(x), tad.sum(diagonal), rtol=1e-13)
    np.testing.assert_allclose(
        tad.grad(tad.laplacian(f))(x),
        tad.grad(lambda x: tad.sum(tad.diag(tad.hessian(f)(x))))(x),
        rtol=1e-12,
    )
    np.testing.assert_allclose(tad.jit(tad.laplacian(f))(x), tad.laplacian(f)(x), rtol=1e-14)


def test_diagonal_of_a_tree() -> None:
    f = lambda p: tad.sum(p["a"] ** 3) + p["b"] ** 2 * tad.sum(p["a"])
    got = tad.hessian_diagonal(f)({"a": tad.asarray([1.0, 2.0]), "b": tad.asarray(3.0)})
    np.testing.assert_allclose(got["a"], [6.0, 12.0])
    np.testing.assert_allclose(got["b"], 6.0)


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: tad.taylor(tad.sin, -1), errors.ArgumentError, ["taylor", "-1"]),
        (
            lambda: tad.taylor(tad.sin, 2)(np.ones(2), np.ones(3)),
            errors.ShapeError,
            ["taylor", "[2]", "[3]"],
        ),
        (lambda: tad.taylor(tad.sin, 2)(1, np.ones(2)), errors.ShapeError, ["taylor", "[2]"]),
        (
            lambda: tad.taylor(tad.sin, 2)(1.0, 1.0, 1.0, 1.0),
            errors.ArgumentError,
            ["taylor: 3 derivatives of a path are given, but order is 2"],
        ),
        (
            lambda: tad.taylor(tad.sin, 0)(1.0, 1.0, 1.0),
            errors.ArgumentError,
            ["taylor: 2 derivatives", "order is 0"],
        ),
        (
            lambda: tad.taylor(tad.sin, 2)(np.ones(2), np.ones(2), np.ones(3)),
            errors.ShapeError,
            ["taylor", "[2]", "[3]"],
        ),
        (lambda: tad.laplacian(tad.sin)(np.ones(2)), errors.ShapeError, ["laplacian", "[2]"]),
        (
            lambda: tad.hessian_diagonal(lambda x: (x, x))(1.0),
            errors.ArgumentError,
            ["hessian_diagonal"],
        ),
        (lambda: tad.laplacian(tad.sum)(np.arange(3)), errors.DTypeError, ["laplacian", "int64"]),
        (
            lambda: tad.interpret(tad.sin, Taylor(Eager(), 1))([1.0, 1.0, 1.0]),
            errors.ArgumentError,
            ["coefficients"],
        ),
    ],
)
def test_misuse(call: Any, kind: type[Exception], words: list[str]) -> None:
    with pytest.raises(kind) as caught:
        call()
    for word in words:
        assert word in str(caught.value)
