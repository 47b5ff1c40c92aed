"""tad.primitive: user operations under every transform."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

versine = tad.primitive(
    "test_versine", lambda x: 2 * np.sin(x / 2) ** 2, partials=[lambda y, x: tad.sin(x)]
)
scaled = tad.primitive(
    "test_scaled",
    lambda a, b, n: a * b**n,
    partials=[lambda y, a, b, n: b**n, lambda y, a, b, n: n * a * b ** (n - 1)],
)
rotated = tad.primitive(
    "test_rotated",
    lambda x, k: np.roll(x, k),
    push=[lambda d, y, x, k: rotated(d, k)],
    pull=[lambda g, y, x, k: rotated(g, -k)],
    shape=lambda s, k: s,
)


def test_what_failed_its_check_fails_again() -> None:
    forgotten = tad.primitive(
        "test_forgotten",
        lambda x: np.roll(x, 1),
        push=[lambda d, y, x: tad.roll(d, 1)],
        pull=[lambda g, y, x: tad.roll(g, 1)],
        shape=lambda s: s,
    )
    for _ in range(2):
        with pytest.raises(errors.AdjointError, match="test_forgotten"):
            tad.grad(lambda x: tad.sum(forgotten(x) * np.arange(3.0)))(np.zeros(3))


def test_elementwise_at_every_order() -> None:
    for k, expected in enumerate([np.sin(0.5), np.cos(0.5), -np.sin(0.5)]):
        f: Any = versine
        for _ in range(k + 1):
            f = tad.grad(f)
        assert float(f(0.5)) == pytest.approx(expected)
    assert float(tad.jacfwd(tad.grad(versine))(0.5)) == pytest.approx(np.cos(0.5))
    np.testing.assert_allclose(tad.taylor(versine, 2)(0.5, 1.0)[2], np.cos(0.5))


def test_broadcasting_and_parameters() -> None:
    a, b = np.ones((2, 3)), np.arange(1.0, 4.0)
    np.testing.assert_allclose(scaled(a, b, 2), a * b**2)
    g = tad.grad(lambda b: tad.sum(scaled(a, b, 3)))(b)
    np.testing.assert_allclose(g, 2 * 3 * b**2)
    np.testing.assert_allclose(tad.jit(lambda b: tad.sum(scaled(a, b, 3)))(b), np.sum(a * b**3))


def test_not_elementwise() -> None:
    x = np.arange(4.0)
    np.testing.assert_array_equal(rotated(x, 1), np.roll(x, 1))
    np.testing.assert_array_equal(
        tad.jacrev(lambda x: rotated(x, 1))(x), tad.jacfwd(lambda x: rotated(x, 1))(x)
    )
    rows = np.stack([x, 2 * x])
    np.testing.assert_array_equal(tad.vmap(lambda x: rotated(x, 1))(rows), np.roll(rows, 1, 1))


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        (lambda: tad.primitive("sin", np.sin, partials=[None]), errors.ArgumentError, ["taken"]),
        (lambda: tad.primitive("a b", np.sin, partials=[None]), errors.ArgumentError, ["a b"]),
        (lambda: tad.primitive("test_none", np.sin), errors.ArgumentError, ["partials", "push"]),
        (
            lambda: tad.primitive("test_half", np.sin, push=[lambda d, y, x: d]),
            errors.ArgumentError,
            ["push and pull"],
        ),
        (
            lambda: tad.primitive(
                "test_shapeless", np.sin, push=[lambda d, y, x: d], pull=[lambda d, y, x: d]
            ),
            errors.ArgumentError,
            ["shape rule"],
        ),
        (
            lambda: tad.primitive(
                "test_not_adjoint",
                np.sin,
                push=[lambda d, y, x: d * tad.cos(x)],
                pull=[lambda d, y, x: d],
                shape=lambda s: s,
            )(np.ones(3)),
            errors.AdjointError,
            ["test_not_adjoint", "not adjoint"],
        ),
        (
            lambda: tad.grad(
                tad.primitive(
                    "test_not_adjoint_in_grad",
                    np.multiply,
                    push=[lambda d, y, a, b: d * b, lambda d, y, a, b: d * a],
                    pull=[lambda g, y, a, b: g * b, lambda g, y, a, b: g * b],
                    shape=lambda s, _: s,
                )
            )(2.0, 3.0),
            errors.AdjointError,
            ["operand 1", "not adjoint"],
        ),
        (
            lambda: tad.primitive("test_no_kernel", 3, partials=[None]),
            errors.ArgumentError,
            ["test_no_kernel", "function", "3"],
        ),
        (
            lambda: tad.primitive("test_no_operands", np.sin, partials=[]),
            errors.ArgumentError,
            ["test_no_operands", "operands"],
        ),
        (
            lambda: tad.primitive(
                "test_not_linear",
                np.sin,
                push=[lambda d, y, x: d * d],
                pull=[lambda d, y, x: d],
                shape=lambda s: s,
            )(np.ones(3)),
            errors.ArgumentError,
            ["test_not_linear", "linear"],
        ),
        (
            lambda: tad.primitive(
                "test_shape",
                lambda x: np.sum(x),
                push=[lambda d, y, x: d],
                pull=[lambda d, y, x: d],
                shape=lambda s: s,
            )(np.ones(3)),
            errors.ShapeError,
            ["test_shape", "[]", "[3]"],
        ),
    ],
)
def test_misuse(make: Any, kind: type[Exception], words: list[str]) -> None:
    with pytest.raises(kind) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
