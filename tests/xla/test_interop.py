"""Programs inside JAX's own transforms, and JAX's arrays as arguments."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors

jax = pytest.importorskip("jax")
jnp = jax.numpy
from taglessad.interpreters import Jax  # noqa: E402

f = lambda x: tad.sum(tad.sin(x) ** 2) / 2.0
X = np.asarray([0.3, 0.5], np.float32)
SLOPE = np.sin(X) * np.cos(X)


def test_arrays_of_jax_run_on_jax() -> None:
    g = tad.grad(f)(jnp.asarray(X))
    assert repr(g.ops) == "Jax" and g.dtype == np.float32
    np.testing.assert_allclose(g, SLOPE, rtol=1e-6)
    both = tad.asarray(jnp.asarray(X)) + np.asarray([1.0, 2.0])
    assert repr(both.ops) == "Jax"
    assert repr(tad.jit(f)(jnp.asarray(X)).ops) == "Jax"


def test_inside_the_transforms_of_jax() -> None:
    slope = lambda x: tad.to_jax(tad.grad(f)(x))
    np.testing.assert_allclose(jax.jit(slope)(X), SLOPE, rtol=1e-6)
    np.testing.assert_allclose(jax.grad(lambda x: tad.to_jax(f(x)))(X), SLOPE, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(slope)(X[:, None])[:, 0], SLOPE, rtol=1e-6)
    np.testing.assert_allclose(jax.jacfwd(slope)(X), np.diag(np.cos(2 * X)), rtol=1e-5, atol=1e-7)
    loop = lambda x: tad.to_jax(
        tad.grad(lambda t: tad.while_loop(lambda c: c < 9.0, lambda c: c * t, t))(x)
    )
    np.testing.assert_allclose(jax.jit(loop)(2.0), 4 * 2.0**3, rtol=1e-6)
    np.testing.assert_allclose(jax.vmap(loop)(jnp.asarray([2.0, 3.0])), [32.0, 6.0], rtol=1e-6)


def test_functions_of_jax_inside_a_program() -> None:
    def program(x: Any) -> Any:
        return tad.asarray(jnp.tanh(tad.to_jax(x))) * 2.0

    y = tad.interpret(program, Jax())(jnp.asarray(X))
    np.testing.assert_allclose(y, 2.0 * np.tanh(X), rtol=1e-6)


def test_width_is_kept() -> None:
    wide = np.asarray([0.3, 0.5])
    y = tad.interpret(f, Jax())(wide)
    assert y.dtype == np.float64
    np.testing.assert_allclose(y, np.sum(np.sin(wide) ** 2) / 2, rtol=1e-15)
    assert tad.jit(tad.grad(f), Jax())(wide).dtype == np.float64
    assert tad.interpret(tad.argmax, Jax())(wide).dtype == np.int64
    with pytest.raises(errors.DTypeError, match="float64 would become float32"):
        tad.to_jax(tad.asarray(wide))
    assert tad.to_jax(tad.asarray(wide), allow_downcast=True).dtype == jnp.float32
    with jax.enable_x64(True):
        assert tad.to_jax(tad.asarray(wide)).dtype == jnp.float64


def test_values_are_looked_at_outside_transforms_only() -> None:
    x = tad.asarray(jnp.asarray(2.0))
    assert float(x) == 2.0 and bool(x > 1.0)
    with pytest.raises(errors.ConcretizationError):
        jax.jit(lambda x: float(tad.asarray(x)))(2.0)
    with pytest.raises(errors.ConcretizationError):
        tad.grad(lambda x: tad.asarray(tad.to_jax(x)))(jnp.asarray(2.0))


def test_compiled_ahead_of_time() -> None:
    lowered = tad.jit(tad.grad(f), Jax()).lower(X)
    assert "stablehlo" in lowered.as_text()
    assert lowered.compile().cost_analysis()["flops"] > 0


def test_static_and_donated_arguments() -> None:
    def scaled(x: Any, n: int) -> Any:
        return x * float(n)

    compiled = tad.jit(scaled, Jax(), static_argnums=1, donate_argnums=0)
    np.testing.assert_allclose(compiled(X, 3), 3 * X)
    with pytest.raises(errors.ArgumentError, match="JAX alone"):
        tad.jit(scaled, donate_argnums=0)


def test_what_xla_has_no_operation_for_runs_on_the_host() -> None:
    x = np.asarray([0.5, 1.5])
    hosted = tad.primitive("test_interop", np.sinh, partials=[lambda y, x: tad.cosh(x)])
    program = tad.jit(lambda x: hosted(x) + x, Jax())
    np.testing.assert_allclose(program(x), np.sinh(x) + x, rtol=1e-15)


def test_shardings_are_told_by_argument_and_by_result() -> None:
    mesh = jax.sharding.Mesh(np.asarray(jax.devices()[:1]), ("data",))
    rows, whole = (jax.sharding.NamedSharding(mesh, jax.P(*axes)) for axes in (("data",), ()))

    def program(tree: Any, x: Any) -> Any:
        return {"y": tree["b"] * x, "a": tree["a"] + 1.0}

    compiled = tad.jit(
        program,
        Jax(),
        in_shardings=({"a": whole, "b": rows}, rows),
        out_shardings={"a": rows, "y": whole},
    )
    tree = {"b": X, "a": 2 * X}  # in another order than theirs
    found = compiled(tree, X)
    np.testing.assert_allclose(found["y"], X * X)
    assert found["a"].payload.sharding.spec == jax.P("data")
    text = compiled.lower(tree, X).as_text()
    arguments = [line for line in text.splitlines() if "@main" in line][0].split("->")[0]
    first, second, third = (part for part in arguments.split("%arg")[1:])
    assert '"data"' in first and '"data"' not in second and '"data"' in third
    np.testing.assert_allclose(tad.jit(program, Jax(), in_shardings=rows)(tree, X)["y"], X * X)


def test_results_of_another_structure_for_another_shape() -> None:
    compiled = tad.jit(lambda x: (x, x) if x.shape[0] == 1 else {"x": x}, Jax())
    assert isinstance(compiled(X[:1]), tuple)
    assert isinstance(compiled(X), dict)
    assert isinstance(compiled(X[:1]), tuple)


def test_axes_that_are_explicit_are_refused() -> None:
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Explicit,))
    x = jax.device_put(X, jax.NamedSharding(mesh, jax.P("data")))
    with pytest.raises(errors.ArgumentError, match=r"jit: .*explicit axes \['data'\]") as caught:
        tad.jit(tad.grad(f), Jax())(x)
    assert caught.value.site is not None and caught.value.site[0] == __file__
    auto = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))
    x = jax.device_put(X, jax.NamedSharding(auto, jax.P("data")))
    np.testing.assert_allclose(tad.jit(tad.grad(f), Jax())(x), SLOPE, rtol=1e-6)


def test_numbers_of_python_become_what_jax_makes_of_them() -> None:
    assert tad.to_jax(2.5).dtype == np.float32
    doubled = lambda x: tad.to_jax(tad.while_loop(lambda c: c < 9.0, lambda c: c * 2.0, x))
    assert jax.jit(doubled)(1.5).dtype == np.float32  # a weak number of JAX's keeps its width


def test_arrays_of_jax_on_either_side_of_handles() -> None:
    c = jnp.asarray([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(tad.grad(lambda z: tad.sum(c * z))(c), c)
    np.testing.assert_array_equal(tad.vmap(lambda z: c[0] * z)(c), c)
    np.testing.assert_array_equal(tad.jit(lambda z: c - z)(np.ones(3, np.float32)), c - 1)
    np.testing.assert_array_equal(tad.grad(lambda z: c @ z)(c), c)
    three = jax.grad(lambda w: tad.to_jax(tad.grad(lambda v: w * v * v)(3.0)))
    np.testing.assert_array_equal(three(2.0), 6.0)
    assert (c * tad.asarray(np.ones(3))).dtype == np.float64
    np.testing.assert_array_equal(jnp.stack([tad.asarray(c), c]), [c, c])


def test_inside_the_transforms_of_jax_all_stands_on_jax() -> None:
    w, ones = jnp.asarray([2.0, 3.0]), np.ones(2, np.float32)
    close = np.testing.assert_allclose
    power = lambda w: tad.fori_loop(0, 3, lambda i, c: c * w, tad.ones(2, dtype=tad.float32))
    close(jax.jit(lambda w: tad.to_jax(power(w)))(w), [8.0, 27.0])
    close(jax.jit(lambda w: tad.to_jax(tad.grad(lambda x: tad.sum(x * w))(ones)))(w), w)
    close(jax.vmap(lambda w: tad.to_jax(tad.vmap(lambda x: x * w)(ones)))(w), [[2, 2], [3, 3]])
    chosen = lambda w: tad.to_jax(tad.cond(tad.asarray(True), lambda: w * 2, lambda: w))
    close(jax.grad(chosen)(1.0), 2.0)
    assert repr(tad.ones(2).ops) == "Eager"


def test_keys_of_jax_are_refused_by_name() -> None:
    with pytest.raises(errors.DTypeError, match=r"sin: x is of dtype key<fry>.*key_data"):
        tad.sin(jax.random.key(0))
