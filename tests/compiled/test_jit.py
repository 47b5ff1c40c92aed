"""jit: signatures, static arguments, freshness of results, replay elsewhere."""

import dataclasses
from typing import Any

import numpy as np
import pytest

import taglessad as tad


def counted(f: Any) -> tuple[Any, list[int]]:
    calls = [0]

    def g(*args: Any, **kwargs: Any) -> Any:
        calls[0] += 1
        return f(*args, **kwargs)

    return g, calls


def test_one_recording_per_signature() -> None:
    f, calls = counted(lambda x: x * 2.0)
    j = tad.jit(f)
    j(np.ones(3)), j(np.zeros(3)), j(tad.asarray(np.ones(3)))
    assert calls == [1]
    j(np.ones(4)), j(np.ones(3, np.float32)), j(1.0), j(2.0), j(1)
    assert calls == [5]


def test_python_numbers_are_traced_and_weak() -> None:
    j = tad.jit(lambda x, s: x * s)
    x = np.ones(2, np.float32)
    assert j(x, 2.0).dtype == tad.float32
    np.testing.assert_array_equal(j(x, 3.0), [3.0, 3.0])
    np.testing.assert_array_equal(j(x, 4), [4.0, 4.0])


def test_strings_none_and_static_arguments_count_by_value() -> None:
    def f(x: Any, mode: str, extra: Any = None, n: int = 1) -> Any:
        y = x * n
        return y if mode == "keep" else -y if extra is None else y + extra

    g, calls = counted(f)
    j = tad.jit(g, static_argnames="n")
    np.testing.assert_array_equal(j(np.ones(2), "keep", n=2), [2.0, 2.0])
    np.testing.assert_array_equal(j(np.ones(2), "flip", n=2), [-2.0, -2.0])
    np.testing.assert_array_equal(j(np.ones(2), "flip", 5.0, n=3), [8.0, 8.0])
    assert calls == [3]
    k = tad.jit(lambda n, x: x[:n] if n else x, static_argnums=0)
    assert k(2, np.ones(5)).shape == (2,)
    assert k(3, np.ones(5)).shape == (3,)
    with pytest.raises(tad.errors.ArgumentError, match="hashable"):
        k([1], np.ones(5))


def test_results_share_no_memory_with_arguments_or_constants() -> None:
    c = np.arange(3.0)
    j = tad.jit(lambda x, y: (x, tad.reshape(y, (3, 1)), c * 1.0, tad.asarray(c)))
    x, y = np.ones(3), np.arange(3.0)
    results = j(x, y)
    x[:], y[:], c[:] = -1.0, -1.0, -1.0
    np.testing.assert_array_equal(results[0], [1.0, 1.0, 1.0])
    np.testing.assert_array_equal(results[1], [[0.0], [1.0], [2.0]])
    np.testing.assert_array_equal(results[3], [0.0, 1.0, 2.0])
    np.testing.assert_array_equal(j(x, y)[3], [0.0, 1.0, 2.0])


@dataclasses.dataclass(frozen=True)
class Model:
    w: Any
    b: Any
    name: str = "m"


def test_trees_in_and_out() -> None:
    j = tad.jit(lambda m, x: {"m": m, "y": m.w * x + m.b})
    out = j(Model(np.ones(2), 1.0), np.array([2.0, 3.0]))
    assert isinstance(out["m"], Model) and out["m"].name == "m"
    np.testing.assert_array_equal(out["y"], [3.0, 4.0])


def test_scalar_programs_follow_ieee_arithmetic() -> None:
    cases = {
        "divide by zero": (lambda x: 1.0 / x, 0.0, np.inf),
        "divide by negative zero": (lambda x: 1.0 / x, -0.0, -np.inf),
        "zero by zero": (lambda x: x / x, 0.0, np.nan),
        "log of zero": (tad.log, 0.0, -np.inf),
        "log of a negative": (tad.log, -1.0, np.nan),
        "exp of a large": (tad.exp, 1000.0, np.inf),
        "exp of a very negative": (tad.exp, -1000.0, 0.0),
        "sqrt of a negative": (tad.sqrt, -1.0, np.nan),
        "sin of inf": (tad.sin, np.inf, np.nan),
        "power overflow": (lambda x: x**3, 1e200, np.inf),
        "reciprocal": (tad.reciprocal, 0.0, np.inf),
        "maximum with NaN": (lambda x: tad.maximum(x, 1.0), np.nan, np.nan),
        "sigmoid far left": (tad.nn.functional.sigmoid, -800.0, np.exp(-800.0)),
    }
    for name, (f, x, expected) in cases.items():
        for got in (float(f(tad.asarray(x))), float(tad.jit(f)(x))):
            assert np.array_equal(got, expected, equal_nan=True), (name, got, expected)


def test_scalar_replay_gives_numpy_scalars_of_the_right_kind() -> None:
    value, gradient, flag = tad.jit(lambda x: (x * x, tad.exp(x), x > 0.0))(2.0)
    assert value.dtype == tad.float64 and gradient.dtype == tad.float64
    assert flag.dtype == tad.bool and bool(flag)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_replay_equals_eager_bit_by_bit_on_arrays(dtype: Any) -> None:
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(4, 3)).astype(dtype), rng.normal(size=(3, 5)).astype(dtype)

    def loss(w: Any, x: Any) -> Any:
        h = tad.tanh(x @ w)
        return tad.sum(tad.exp(h) / (1.0 + h * h)) + tad.max(h)

    eager = tad.value_and_grad(loss)(w, x)
    replay = tad.jit(tad.value_and_grad(loss))(w, x)
    assert replay[0].dtype == dtype and replay[1].dtype == dtype
    np.testing.assert_array_equal(np.asarray(replay[1]), np.asarray(eager[1]))


def test_bounded_cache() -> None:
    from taglessad.compiled.jit import SIGNATURES

    f, calls = counted(lambda x: x + 1.0)
    j = tad.jit(f)
    for n in range(SIGNATURES + 2):
        j(np.zeros(n))
    assert len(j._entries) <= SIGNATURES
    j(np.zeros(SIGNATURES + 1))
    assert calls == [SIGNATURES + 2]


def test_a_method_can_be_jitted() -> None:
    class Scale:
        @tad.jit
        def __call__(self, x: Any) -> Any:  # an object that can be called is static, by value
            return x * 3.0

    np.testing.assert_array_equal(Scale()(np.ones(2)), [3.0, 3.0])
