"""JAX's own transforms around loops of unknown length, functions on the host, users' rules."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

jax = pytest.importorskip("jax")
jnp = jax.numpy
from taglessad.interpreters import Jax  # noqa: E402

V = np.asarray([2.0, 9.0, 4.0], np.float32)
close = partial(np.testing.assert_allclose, rtol=2e-5)


def root(a: Any) -> Any:
    """The square root by Newton's iteration; one step more for its derivatives' sake."""

    def step(x: Any) -> Any:
        return 0.5 * (x + a / x)

    return step(tad.while_loop(lambda x: tad.abs(x * x - a) > 1e-5 * a, step, a))


def ours(f: Callable[..., Any]) -> Callable[..., Any]:
    """As a function of JAX."""
    return lambda *xs: tad.to_jax(f(*xs))


SLOPES = [
    lambda a: a**0.5,
    lambda a: 0.5 * a**-0.5,
    lambda a: -0.25 * a**-1.5,
    lambda a: 0.375 * a**-2.5,
]


@pytest.mark.parametrize("inside", [0, 1])
@pytest.mark.parametrize("outside", [1, 2])
def test_reverse_over_a_loop_and_over_its_reverse(inside: int, outside: int) -> None:
    f: Any = root
    for _ in range(inside):
        f = tad.grad(f)
    f = ours(f)
    for _ in range(outside):
        f = jax.grad(f)
    wanted = SLOPES[inside + outside](V)
    close(f(2.0), wanted[0])
    close(jax.jit(jax.vmap(f))(V), wanted)


def test_third_order() -> None:
    close(jax.grad(jax.grad(jax.grad(ours(root))))(2.0), SLOPES[3](2.0), rtol=1e-4)


def test_every_mode() -> None:
    f = ours(root)
    close(jax.jvp(f, (2.0,), (3.0,))[1], 3 * SLOPES[1](2.0))
    close(jax.jacfwd(jax.jacrev(f))(2.0), SLOPES[2](2.0))
    close(jax.jacrev(jax.jacfwd(f))(2.0), SLOPES[2](2.0))
    close(jax.linearize(f, 2.0)[1](3.0), 3 * SLOPES[1](2.0))
    close(jax.vmap(jax.linearize(f, 2.0)[1])(V), V * SLOPES[1](2.0))
    close(jax.vmap(jax.vjp(f, 2.0)[1])(V)[0], V * SLOPES[1](2.0))
    close(jax.linear_transpose(jax.linearize(f, 2.0)[1], 1.0)(3.0)[0], 3 * SLOPES[1](2.0))
    close(jax.grad(lambda v: jnp.sum(jax.vmap(f)(v)))(V), SLOPES[1](V))
    w = jnp.asarray([2.0, 3.0])
    close(
        jax.jit(jax.hessian(lambda w: f(w[0] * w[1]) * w[1]))(w),
        jax.hessian(lambda w: jnp.sqrt(w[0] * w[1]) * w[1])(w),
    )


def test_inside_the_control_flow_of_jax() -> None:
    f = ours(root)

    def program(f: Callable[..., Any]) -> Callable[..., Any]:
        def total(x: Any) -> Any:
            y, _ = jax.lax.scan(lambda c, _: (f(c) + x, None), x, None, length=3)
            z = jax.lax.cond(x > 1.0, f, lambda x: x, x)
            return y * z + jax.checkpoint(f)(x)

        return total

    close(jax.jit(jax.grad(program(f)))(2.0), jax.grad(program(jnp.sqrt))(2.0))
    close(jax.grad(jax.grad(program(f)))(2.0), jax.grad(jax.grad(program(jnp.sqrt)))(2.0))
    whole = lambda x: tad.to_jax(tad.jit(root, Jax())(x))
    close(jax.grad(whole)(2.0), SLOPES[1](2.0))


def test_loops_with_integers_and_parts_that_nobody_reads() -> None:
    def program(x: Any, n: Any) -> Any:
        """x**n, beside a residual whose root has no slope at its end."""
        _, y, _ = tad.while_loop(
            lambda c: c[0] < n,
            lambda c: (c[0] + 1, c[1] * x, tad.sqrt(tad.abs(c[2] - c[2]))),
            (0, x * 0 + 1.0, x),
        )
        return y

    f = ours(program)
    x, n = jnp.asarray([2.0, 3.0]), jnp.asarray([5, 2])
    close(jax.grad(f)(2.0, 5), 80.0)
    close(jax.jit(jax.vmap(jax.grad(f)))(x, n), [80.0, 6.0])
    close(jax.vmap(jax.grad(jax.grad(f)), (None, 0))(2.0, n), [160.0, 2.0])
    close(jax.vmap(ours(tad.grad(program)), (0, None))(x, 5), [80.0, 405.0])


def test_batches_keep_members_apart() -> None:
    """A cotangent of what all members share is the sum of theirs."""

    def total(a: Any, s: Any) -> Any:
        loop = lambda a: tad.while_loop(lambda c: c < 100.0, lambda c: c * s, a)
        return jnp.sum(jax.vmap(ours(loop))(a))

    a = jnp.asarray([1.0, 10.0, 50.0])
    of_a, of_s = jax.grad(total, (0, 1))(a, 3.0)
    close(of_a, [243.0, 27.0, 3.0])
    close(of_s, 5 * 81.0 + 10 * 3 * 9.0 + 50.0)


hosted = tad.primitive("test_transformed", np.sinh, partials=[lambda y, x: tad.cosh(x)])


def test_functions_on_the_host() -> None:
    f = ours(hosted)
    close(jax.grad(f)(0.5), np.cosh(0.5))
    close(jax.jit(jax.vmap(jax.grad(jax.grad(f))))(V), np.sinh(V))
    close(jax.vmap(f)(V), np.sinh(V))
    with jax.enable_x64(True):
        assert jax.grad(f)(np.float64(0.5)).dtype == np.float64


def test_rules_of_users() -> None:
    @tad.custom_vjp
    def clipped(x: Any) -> Any:
        return x * 1.0

    clipped.defvjp(lambda x: (clipped(x), x), lambda x, g: (tad.clip(g, -1.0, 1.0) * x,))
    f = ours(lambda x: 7.0 * clipped(x))
    close(jax.grad(f)(3.0), 3.0)
    close(jax.jit(jax.vmap(jax.grad(f)))(V), V)
    close(jax.grad(jax.grad(f))(3.0), 1.0)

    @tad.custom_jvp
    def straight(x: Any) -> Any:
        return tad.floor(x)

    straight.defjvp(lambda primals, tangents: (straight(*primals), tangents[0]))
    g = ours(lambda x: straight(x) ** 2)
    close(jax.grad(g)(2.5), 4.0)
    close(jax.jvp(g, (2.5,), (1.0,))[1], 4.0)
    close(jax.jacfwd(jax.grad(g))(2.5), 2.0)


def test_a_checkpoint_is_computed_again() -> None:
    f = tad.checkpoint(lambda x: tad.sin(tad.sin(x)))
    plain = lambda x: jnp.sin(jnp.sin(x))
    for g in (jax.grad(ours(f)), ours(tad.grad(f))):
        close(jax.jit(g)(2.0), jax.grad(plain)(2.0))
        assert "optimization_barrier" in jax.jit(g).lower(2.0).as_text()
    compiled = tad.jit(tad.grad(f), Jax())
    assert "optimization_barrier" in compiled.lower(np.float32(2.0)).as_text()


def looped(t: Any) -> Any:
    return tad.while_loop(lambda c: tad.max(tad.abs(c)) < 9.0, lambda c: c * t, t)


def stacked(t: Any) -> Any:
    return tad.scan(lambda c, _: (tad.ones_like(c), c * t), t, None, length=3)[1]


def branched(t: Any) -> Any:
    return tad.cond(t[0] > 0.0, tad.ones_like, lambda t: t * t, t)


def per_device(x: Any) -> list[tuple[str, Any]]:
    """Derivatives of one device's part of x."""

    def total(f: Callable[..., Any]) -> Callable[..., Any]:
        return lambda t: tad.sum(f(t))

    return [
        ("while", ours(tad.grad(total(looped)))(x)),
        ("while by JAX", jax.grad(ours(total(looped)))(x)),
        ("scan", ours(tad.grad(total(stacked)))(x)),
        ("cond", ours(tad.grad(total(branched)))(x)),
        ("host", jax.grad(ours(total(hosted)))(x)),
    ]


@pytest.mark.parametrize("check", [True, False])
def test_inside_shard_map(check: bool) -> None:
    mesh = jax.sharding.Mesh(np.asarray(jax.devices()[:1]), ("data",))
    x = jnp.linspace(1.0, 2.0, 4)
    spec = jax.P("data")
    mapped = jax.shard_map(
        lambda x: [y for _, y in per_device(x)],
        mesh=mesh,
        in_specs=spec,
        out_specs=spec,
        check_vma=check,
    )
    for (name, alone), y in zip(per_device(x), jax.jit(mapped)(x), strict=True):
        close(y, alone, err_msg=name)


def test_special_functions_have_our_derivatives() -> None:
    for name in ("erfcx", "erfinv", "ndtri", "log_ndtr", "i0e", "entr"):
        function = getattr(tad.special, name)
        by_jax = jax.grad(ours(lambda x, function=function: function(tad.asarray(x))))
        close(by_jax(0.4), tad.grad(function)(0.4), err_msg=name)


def test_what_jax_has_no_derivative_of() -> None:
    index = np.asarray([0, 0])
    f = ours(lambda u: tad.sum(tad.ones(3, dtype=tad.float32).at[index].multiply(u)))
    close(jax.grad(f)(jnp.asarray([2.0, 3.0])), [3.0, 2.0])
    with pytest.raises(errors.ArgumentError, match=r"jax.linear_transpose.*jax.vjp"):
        jax.linear_transpose(tad.as_jax(lambda x: 3.0 * x), 1.0)(2.0)


def test_pooling_under_batches_of_derivatives() -> None:
    x = jnp.arange(36.0).reshape(1, 1, 6, 6)
    pooled = ours(lambda x: tad.sum(tad.nn.functional.avg_pool2d(tad.asarray(x), 2) ** 2))
    one = jax.grad(pooled)(x)
    close(one[0, 0, 0, 0], 2 * np.mean([0, 1, 6, 7]) / 4)
    close(jax.vmap(jax.grad(pooled))(jnp.stack([x, 2 * x])), jnp.stack([one, 2 * one]))


def test_order_inside_shard_map() -> None:
    mesh = jax.sharding.Mesh(np.asarray(jax.devices()[:1]), ("data",))
    x, spec = jnp.asarray([3.0, 1.0, 2.0, 4.0]), jax.P("data")
    for f, wanted in (
        (lambda x: tad.sort(tad.asarray(x)), [1, 2, 3, 4]),
        (lambda x: tad.top_k(tad.asarray(x), 2).values, [4, 3]),
    ):
        mapped = jax.shard_map(ours(f), mesh=mesh, in_specs=spec, out_specs=spec)
        np.testing.assert_array_equal(mapped(x), wanted)
