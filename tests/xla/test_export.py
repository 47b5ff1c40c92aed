"""Exported programs: bytes that run here, and in plain JAX where this library is not."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors, nn, trees
from taglessad.interpreters import Eager, Jax

jax = pytest.importorskip("jax")
pytest.importorskip("flatbuffers")

X = np.asarray([[0.3, -0.5], [1.0, 2.0]])


def loss(parameters: Any, x: Any) -> Any:
    h = tad.tanh(x @ parameters["w"] + parameters["b"])
    return tad.sum(h * h)


PARAMETERS = {"w": np.asarray([[0.1, 0.2], [0.3, -0.4]]), "b": np.asarray([0.5, -0.5])}

ELSEWHERE = """
import sys

sys.modules["taglessad"] = None  # not there
import jax
import numpy as np

jax.config.update("jax_enable_x64", True)
path, given, expected = sys.argv[1:]
program = jax.export.deserialize(bytearray(open(path, "rb").read()))
data = np.load(given)
value, slope = program.call({"w": data["w"], "b": data["b"]}, data["x"])
want = np.load(expected)
np.testing.assert_allclose(value, want["value"], rtol=1e-14)
np.testing.assert_allclose(slope["w"], want["w"], rtol=1e-13)
np.testing.assert_allclose(slope["b"], want["b"], rtol=1e-13)
"""


def test_it_runs_where_this_library_is_not(tmp_path: Path) -> None:
    f = tad.value_and_grad(loss)
    (tmp_path / "f").write_bytes(tad.export(f)(PARAMETERS, X))
    np.savez(tmp_path / "given.npz", x=X, **PARAMETERS)
    value, slope = f(PARAMETERS, X)
    np.savez(
        tmp_path / "expected.npz",
        value=float(value),
        **{k: np.asarray(g) for k, g in slope.items()},
    )
    names = [str(tmp_path / n) for n in ("f", "given.npz", "expected.npz")]
    subprocess.run([sys.executable, "-c", ELSEWHERE, *names], check=True)


def test_it_is_read_back() -> None:
    f = tad.value_and_grad(loss)
    program = tad.load_exported(tad.export(f)(PARAMETERS, X))
    value, slope = program(PARAMETERS, X)
    assert isinstance(value, tad.Tensor) and value.dtype == np.float64
    np.testing.assert_allclose(value, f(PARAMETERS, X)[0], rtol=1e-14)
    np.testing.assert_allclose(slope["w"], f(PARAMETERS, X)[1]["w"], rtol=1e-13)
    assert program.platforms == ("cpu",)


def test_a_model_is_the_tuple_of_its_leaves() -> None:
    model = nn.Sequential(nn.Linear(2, 3, rng=0), nn.Linear(3, 1, rng=1))
    program = tad.load_exported(tad.export(lambda m, x: m(x))(model, X))
    np.testing.assert_allclose(program(model, X), model(X), rtol=1e-14)
    np.testing.assert_allclose(program(tuple(trees.leaves(model)), X), model(X), rtol=1e-14)


def test_a_loop_of_unknown_length_and_its_reverse() -> None:
    f = tad.grad(lambda x: tad.while_loop(lambda c: c < 9.0, lambda c: c * x, x))
    program = tad.load_exported(tad.export(f)(2.0))
    np.testing.assert_allclose([program(2.0), program(3.0)], [32.0, 6.0], rtol=1e-14)


def test_for_another_platform() -> None:
    data = tad.export(tad.sin, platforms=("cpu", "cuda", "tpu"))(np.float32(0.5))
    assert tad.load_exported(data).platforms == ("cpu", "cuda", "tpu")


def test_what_it_was_not_exported_for() -> None:
    program = tad.load_exported(tad.export(loss)(PARAMETERS, X))
    with pytest.raises(errors.ShapeError, match=r"leaf 2 .* \[3, 2\], but .* \[2, 2\]"):
        program(PARAMETERS, np.ones((3, 2)))
    with pytest.raises(errors.DTypeError, match="float32, but .* float64"):
        program(PARAMETERS, X.astype(np.float32))
    with pytest.raises(errors.ArgumentError, match="exported for"):
        program(X)
    with pytest.raises(errors.ArgumentError, match="no exported program"):
        tad.load_exported(b"other bytes")
    with pytest.raises(errors.ArgumentError, match="interpreter is Eager"):
        tad.export(loss, Eager())


# --- arguments that are not there -----------------------------------------------------------------
def test_a_spec_stands_for_an_array() -> None:
    model = nn.Linear(2, 3, rng=0)
    given = tad.export(lambda m, t: m(t["x"][0]))(model, {"x": [X]})
    absent = tad.export(lambda m, t: m(t["x"][0]))(model, {"x": [tad.Spec((2, 2))]})
    for data in (given, absent):
        np.testing.assert_allclose(tad.load_exported(data)(model, {"x": [X]}), model(X), rtol=1e-14)
    narrow = tad.load_exported(tad.export(tad.sin)(tad.Spec((2,), "float32")))
    assert narrow(np.ones(2, np.float32)).dtype == tad.float32
    half = tad.load_exported(tad.export(tad.sin)(jax.ShapeDtypeStruct((2,), np.float16)))
    assert half(np.ones(2, np.float16)).dtype == tad.float16


def test_lower_takes_specs() -> None:
    compiled = tad.jit(tad.sin, Jax())
    assert "tensor<3xf32>" in compiled.lower(tad.Spec((3,), "float32")).as_text()
    assert "tensor<3xf64>" in compiled.lower(np.ones(3)).as_text()
    with pytest.raises(errors.DTypeError, match="jit: argument 0 is a Spec"):
        compiled(tad.Spec((3,)))  # there are no numbers to compute with


N, K = tad.symbols("N K")
SYMBOLIC: dict[str, Any] = {
    "elementwise": lambda x: tad.sin(x),
    "sum": lambda x: tad.sum(x, axis=0),
    "mean": lambda x: tad.mean(x),
    "max": lambda x: tad.max(x, axis=1),
    "matmul": lambda x: x @ np.arange(6.0).reshape(3, 2),
    "reshape": lambda x: tad.reshape(x, (-1,)),
    "sort": lambda x: tad.sort(x, axis=0),
    "cumulative_sum": lambda x: tad.cumulative_sum(x, axis=0),
    "vmap": tad.vmap(lambda r: tad.sum(r**2)),
    "a bias": lambda x: x + np.ones(3),
    "gradient": tad.grad(lambda x: tad.sum(tad.tanh(x) ** 2)),
    "model": nn.Sequential(nn.Linear(3, 2, rng=0), nn.ReLU(), nn.Linear(2, 1, rng=1)),
}


@pytest.mark.parametrize("name", SYMBOLIC)
def test_a_symbol_stands_for_any_size(name: str) -> None:
    f = SYMBOLIC[name]
    program = tad.load_exported(tad.export(f)(tad.Spec((N, 3))))
    for n in (2, 5):
        x = np.random.default_rng(n).standard_normal((n, 3))
        np.testing.assert_allclose(program(x), f(tad.asarray(x)), rtol=1e-13)


def test_symbols_of_several_arguments() -> None:
    f = lambda x, y, z: (x + y, tad.concat([x, z]))  # noqa: E731  # one expression, named
    program = tad.load_exported(tad.export(f)(tad.Spec((N, 3)), tad.Spec((N, 3)), tad.Spec((K, 3))))
    a, b = program(np.ones((2, 3)), np.ones((2, 3)), np.ones((5, 3)))
    assert (a.shape, b.shape) == ((2, 3), (7, 3))
    with pytest.raises(errors.ShapeError, match="inconsistency between dimension size"):
        program(np.ones((2, 3)), np.ones((4, 3)), np.ones((5, 3)))
    with pytest.raises(errors.ShapeError, match=r"shape \[2, 4\], but .* \[N, 3\]"):
        program(np.ones((2, 4)), np.ones((2, 3)), np.ones((5, 3)))
    with pytest.raises(errors.ShapeError, match=r"shape \[2\], but .* \[N, 3\]"):
        program(np.ones(2), np.ones((2, 3)), np.ones((5, 3)))


def test_a_symbol_where_a_number_is_needed() -> None:
    with pytest.raises(errors.ConcretizationError, match="the size N is a symbol"):
        tad.export(lambda x: sum(x))(tad.Spec((N, 3)))
    with pytest.raises(errors.ShapeError, match=r"export: .* a size is a symbol.*\(N, 3\)"):
        tad.export(lambda x: tad.scan(lambda c, r: (c, r), 0.0, x)[1])(tad.Spec((N, 3)))
    with pytest.raises(errors.ShapeError, match=r"export: .* a size is a symbol.*\(N, 3\)"):
        tad.export(lambda x: x[1:])(tad.Spec((N, 3)))


# --- what XLA has no operation for ----------------------------------------------------------------
hosted = tad.primitive("test_hosted", np.sinh, partials=[lambda y, x: tad.cosh(x)])
behind = tad.custom_jvp(lambda x: tad.sin(x))
behind.defjvp(lambda primals, tangents: (behind(*primals), hosted(*primals) * tangents[0]))
HOSTED: dict[str, Any] = {
    "alone": lambda x: hosted(x),
    "in a branch": lambda x: tad.cond(x > 0.0, lambda x: hosted(x), lambda x: x, x),
    "in a loop's reverse": tad.grad(lambda x: tad.fori_loop(0, 3, lambda i, y: hosted(y), x)),
    "in a derivative": tad.grad(lambda x: behind(x)),
}


@pytest.mark.parametrize("name", HOSTED)
def test_what_runs_on_the_host_is_named(name: str) -> None:
    f = HOSTED[name]
    with pytest.raises(errors.ArgumentError) as caught:
        tad.export(f)(0.5)
    said = caught.value.message
    assert said.startswith(f"export: XLA has no operation for test_hosted ({__file__}:")
    assert "on the host" in said
