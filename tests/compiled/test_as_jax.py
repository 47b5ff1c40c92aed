"""Whole programs under JAX's transforms, with our derivatives."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors, nn

jax = pytest.importorskip("jax")
jnp = jax.numpy

X = np.asarray([0.0, 4.0], np.float32)


def selected(x: Any) -> Any:
    """The root of what is positive."""
    return tad.sum(tad.where(x > 0.0, tad.sqrt(x), 0.0))


def test_derivatives_at_places_without_one_are_ours() -> None:
    assert np.isnan(jax.grad(lambda x: tad.to_jax(selected(tad.asarray(x))))(X)[0])
    np.testing.assert_array_equal(jax.grad(tad.as_jax(selected))(X), [0.0, 0.25])
    np.testing.assert_array_equal(
        jax.jit(jax.hessian(tad.as_jax(selected)))(X), [[0.0, 0.0], [0.0, -0.03125]]
    )


@pytest.mark.parametrize("outer", ["jacfwd", "jacrev"])
@pytest.mark.parametrize("inner", ["jacfwd", "jacrev", "ours"])
def test_every_order_of_modes(outer: str, inner: str) -> None:
    f = lambda x: tad.sin(x) * tad.sum(x * x)
    slope = tad.as_jax(tad.jacrev(f)) if inner == "ours" else getattr(jax, inner)(tad.as_jax(f))
    by_jax = jax.jacfwd(jax.jacfwd(lambda x: jnp.sin(x) * jnp.sum(x * x)))
    np.testing.assert_allclose(getattr(jax, outer)(slope)(X), by_jax(X), rtol=1e-5, atol=1e-5)


def test_models_batches_and_results_of_any_structure() -> None:
    layers = [nn.Linear(2, 3, rng=0, dtype=tad.float32), nn.Linear(3, 1, rng=1, dtype=tad.float32)]
    model = nn.Sequential(layers[0], nn.Tanh(), layers[1])
    loss = lambda model, x: tad.mean(model(x) ** 2)
    rows = np.stack([X, X + 1.0])
    g = jax.jit(jax.grad(tad.as_jax(loss)))(model, rows)
    assert type(g) is nn.Sequential
    wanted = tad.grad(loss)(model, rows)
    np.testing.assert_allclose(g.layers[0].w, wanted.layers[0].w, rtol=1e-5, atol=1e-7)
    both = tad.as_jax(lambda d, k: {"y": d["x"] * k, "n": tad.argmax(d["x"])}, allow_downcast=True)
    found = jax.vmap(both, (0, None))({"x": rows}, 2.0)
    np.testing.assert_array_equal(found["y"], 2 * rows)
    np.testing.assert_array_equal(found["n"], [1, 1])
    assert isinstance(found["y"], jax.Array)


def test_loops_of_unknown_length() -> None:
    power = lambda x: tad.while_loop(lambda c: c < 9.0, lambda c: c * x, x)
    np.testing.assert_allclose(jax.grad(tad.as_jax(power))(2.0), 32.0)
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(tad.as_jax(power))))(X[1:]), [8.0])


def test_what_it_refuses() -> None:
    with pytest.raises(errors.ArgumentError, match="as_jax"):
        tad.as_jax(3.0)  # type: ignore[arg-type]  # on purpose
    with pytest.raises(errors.DTypeError, match="int64 would become int32"):
        tad.as_jax(tad.argmax)(X)
    with pytest.raises(errors.ConcretizationError):
        tad.as_jax(lambda x: x if x > 0 else -x)(X[0])


def test_numbers_among_results_and_calls_inside_our_transforms() -> None:
    f = tad.as_jax(lambda x: (x * x, 1.0, 3))
    for made in (f(X), jax.jit(f)(X)):
        assert made[1].dtype == np.float32 and made[2].dtype == np.int32
    np.testing.assert_allclose(jax.grad(lambda x: jnp.sum(f(x)[0]))(X), 2 * X)
    square = tad.as_jax(lambda x: x * x)
    assert float(tad.grad(square)(2.0)) == 4.0
    np.testing.assert_allclose(tad.as_jax(lambda x: square(x) + 1.0)(X), X * X + 1)
