"""Exported programs: bytes that run here, and in plain JAX where this library is not."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import errors, nn, trees
from taglessad.interpreters import Eager

pytest.importorskip("jax")
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
