"""custom_jvp and custom_vjp: either rule serves both modes, at every order."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

MODES = {"forward": tad.jacfwd, "reverse": tad.grad}
ORDERS = [names for n in range(1, 4) for names in product(MODES, repeat=n)]


@tad.custom_jvp
def by_push(x: Any, y: Any) -> Any:
    return tad.sin(x) * y


@by_push.defjvp
def _(primals: Any, tangents: Any) -> Any:
    (x, y), (dx, dy) = primals, tangents
    return by_push(x, y), tad.cos(x) * y * dx + tad.sin(x) * dy


@tad.custom_vjp
def by_pull(x: Any, y: Any) -> Any:
    return tad.sin(x) * y


by_pull.defvjp(
    lambda x, y: (by_pull(x, y), (x, y)),
    lambda r, g: (tad.cos(r[0]) * r[1] * g, tad.sin(r[0]) * g),
)


@tad.custom_vjp
def by_both(x: Any, y: Any) -> Any:
    return tad.sin(x) * y


by_both.defvjp(
    lambda x, y: (tad.sin(x) * y, (x, y)),
    lambda r, g: (tad.cos(r[0]) * r[1] * g, tad.sin(r[0]) * g),
)
by_both.defjvp(
    lambda p, t: (tad.sin(p[0]) * p[1], tad.cos(p[0]) * p[1] * t[0] + tad.sin(p[0]) * t[1])
)

FUNCTIONS = [by_push, by_pull, by_both]
each = pytest.mark.parametrize("f", FUNCTIONS, ids=["jvp", "vjp", "both"])


@each
@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize("compiled", [False, True])
def test_orders(f: Any, order: tuple[str, ...], compiled: bool) -> None:
    program, plain = (lambda x: f(x, x * x)), (lambda x: tad.sin(x) * x * x)
    for name in order:
        program, plain = MODES[name](program), MODES[name](plain)
    got = (tad.jit(program) if compiled else program)(0.7)
    np.testing.assert_allclose(got, plain(0.7), rtol=1e-12)


@each
def test_in_batches_and_loops(f: Any) -> None:
    x = np.asarray([0.1, 0.5, 0.9])
    np.testing.assert_allclose(
        tad.vmap(tad.grad(f), in_axes=(0, None))(x, 2.0), 2.0 * np.cos(x), rtol=1e-13
    )
    np.testing.assert_allclose(
        tad.grad(lambda y: tad.sum(tad.vmap(f, in_axes=(0, None))(x, y)))(2.0),
        np.sum(np.sin(x)),
        rtol=1e-13,
    )
    loop = lambda s: tad.scan(lambda c, k: (f(c, k), None), s, x)[0]
    plain = lambda s: tad.sin(tad.sin(tad.sin(s) * x[0]) * x[1]) * x[2]
    np.testing.assert_allclose(tad.grad(loop)(0.3), tad.grad(plain)(0.3), rtol=1e-12)
    np.testing.assert_allclose(tad.jacfwd(loop)(0.3), tad.grad(plain)(0.3), rtol=1e-12)


def test_the_rule_is_what_counts() -> None:
    @tad.custom_vjp
    def clipped(x: Any) -> Any:
        return x * x

    clipped.defvjp(
        lambda x: (x * x, None),
        lambda _, g: (tad.clip(g, -1.0, 1.0),),
    )
    assert float(tad.grad(lambda x: 5.0 * clipped(x))(3.0)) == 1.0


def test_keyword_default_and_static_arguments() -> None:
    @tad.custom_jvp(nondiff_argnums=(0,))
    def apply(f: Any, x: Any, scale: Any = 2.0) -> Any:
        return f(x) * scale

    @apply.defjvp
    def _(f: Any, primals: Any, tangents: Any) -> Any:
        return f(primals[0]) * primals[1], 10.0 * tangents[0]

    assert float(tad.grad(lambda x: apply(tad.sin, x))(1.0)) == 10.0
    assert float(tad.grad(lambda x: apply(tad.sin, scale=3.0, x=x))(1.0)) == 10.0
    assert float(apply(tad.sin, 1.0)) == 2.0 * np.sin(1.0)


def test_closed_over_values_follow_the_text() -> None:
    def outer(a: Any) -> Any:
        @tad.custom_vjp
        def f(x: Any) -> Any:
            return a * x

        f.defvjp(lambda x: (a * x, None), lambda _, g: (7.0 * a * g,))
        return f(2.0 * a)

    # d/da: 2a through the text of f, and 2 * 7a through its argument.
    assert float(tad.grad(outer)(3.0)) == 6.0 + 42.0
    assert float(tad.jacfwd(outer)(3.0)) == 6.0 + 42.0


def test_trees_and_dtypes() -> None:
    @tad.custom_vjp
    def f(p: Any) -> Any:
        return {"out": p["w"] * p["n"]}

    f.defvjp(
        lambda p: ({"out": p["w"] * p["n"]}, p), lambda p, g: ({"w": g["out"] * p["n"], "n": None},)
    )
    w = tad.ones(2, dtype=tad.float32)
    g = tad.grad(lambda w: tad.sum(f({"w": w, "n": 3})["out"]))(w)
    assert g.dtype == np.float32
    np.testing.assert_array_equal(g, [3.0, 3.0])


@pytest.mark.parametrize(
    ("rule", "kind", "words"),
    [
        (lambda r, g: (g[None],), errors.ShapeError, ["cotangent", "[1]", "[]"]),
        (lambda r, g: g, errors.ArgumentError, ["tuple", "1"]),
        (lambda r, g: (g, g), errors.ArgumentError, ["tuple", "1"]),
        (lambda r, g: (g.astype(tad.float32),), errors.DTypeError, ["float32", "float64"]),
        (lambda r, g: (g * g,), errors.ArgumentError, ["linear"]),
    ],
)
def test_rules_that_do_not_fit(rule: Any, kind: type[Exception], words: list[str]) -> None:
    @tad.custom_vjp
    def f(x: Any) -> Any:
        return x * x

    f.defvjp(lambda x: (x * x, x), rule)
    with pytest.raises(kind) as caught:
        tad.grad(f)(np.asarray(3.0))
    for word in ("custom_vjp(f)", *words):
        assert word in str(caught.value)


def test_two_rules_that_are_no_adjoints() -> None:
    @tad.custom_jvp
    def f(x: Any) -> Any:
        return x * x

    f.defjvp(lambda p, t: (p[0] ** 2, 2.0 * p[0] * t[0]))
    f.defvjp(lambda x: (x * x, x), lambda x, g: (3.0 * x * g,))
    with pytest.raises(errors.AdjointError, match="not adjoint"):
        tad.grad(f)(3.0)


def test_a_rule_that_is_not_linear_has_no_transpose() -> None:
    @tad.custom_jvp(check=False)
    def f(x: Any) -> Any:
        return x * x

    f.defjvp(lambda p, t: (p[0] ** 2, t[0] * t[0]))
    assert float(tad.jacfwd(f)(3.0)) == 1.0
    with pytest.raises(errors.ArgumentError, match="not linear"):
        tad.grad(f)(3.0)


def test_called_before_it_has_a_rule() -> None:
    @tad.custom_jvp
    def f(x: Any) -> Any:
        return x

    with pytest.raises(errors.ArgumentError, match="defjvp"):
        f(1.0)


def test_first_use_in_a_batch() -> None:
    @tad.custom_jvp
    def inverse(x: Any) -> Any:
        return tad.linalg.inv(tad.reshape(x, (2, 2)))

    @inverse.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        y = inverse(*primals)
        return y, -y @ tad.reshape(tangents[0], (2, 2)) @ y

    inverse.defvjp(
        lambda x: (inverse(x), inverse(x)),
        lambda y, g: (tad.reshape(-y.T @ g @ y.T, (4,)),),
    )
    x = np.asarray([[2.0, 0.0, 1.0, 2.0], [1.0, 0.5, 0.0, 1.0], [3.0, 0.0, 0.0, 1.0]])
    got = tad.vmap(tad.jacrev(inverse))(x)
    plain = tad.jacrev(lambda x: tad.linalg.inv(tad.reshape(x, (2, 2))))
    np.testing.assert_allclose(got, [tad.to_numpy(plain(row)) for row in x], rtol=1e-12, atol=1e-14)


def test_a_linear_function_is_its_own_tangent() -> None:
    @tad.custom_jvp
    def spread(x: Any) -> Any:
        return tad.reshape(x, (3, 1)) @ np.asarray([[1.0, 2.0]])

    @spread.defjvp
    def _(primals: Any, tangents: Any) -> Any:
        return spread(*primals), spread(*tangents)

    plain = lambda x: tad.reshape(x, (3, 1)) @ np.asarray([[1.0, 2.0]])
    x = np.asarray([0.5, 1.0, 2.0])
    loss = lambda f: lambda x: tad.sum(tad.sin(f(x)) * x[0])
    np.testing.assert_allclose(tad.jacrev(spread)(x), tad.jacrev(plain)(x))
    np.testing.assert_allclose(tad.jacfwd(spread)(x), tad.jacrev(plain)(x))
    np.testing.assert_allclose(tad.hessian(loss(spread))(x), tad.hessian(loss(plain))(x))
    twice = tad.jacrev(tad.grad(loss(spread)))
    np.testing.assert_allclose(twice(x), tad.hessian(loss(plain))(x))
    rows = tad.vmap(tad.grad(loss(spread)))(np.stack([x, 2 * x]))
    np.testing.assert_allclose(rows[1], tad.grad(loss(plain))(2 * x))


def test_a_number_beside_a_narrow_array_has_a_cotangent_of_its_own_dtype() -> None:
    product = tad.custom_vjp(lambda x, y: x * y)
    product.defvjp(lambda x, y: (x * y, (x, y)), lambda r, g: (g * r[1], g * r[0]))
    found = tad.grad(product, 1)(2.0, np.float32(3.0))
    assert found.dtype == np.float32 and float(found) == 2.0
    assert float(tad.grad(product)(2.0, np.float32(3.0))) == 3.0
