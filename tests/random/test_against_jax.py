"""The same numbers as jax.random draws by its default generator, in 64 bits."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import taglessad as tad

jax = pytest.importorskip("jax")

SEEDS = [0, 12345, 2**40 + 17]


@pytest.fixture(autouse=True)
def _jax_as_documented() -> Iterator[None]:
    with jax.enable_x64(True), jax.threefry_partitionable(True):
        yield


def keys(seed: int) -> tuple[Any, Any]:
    return tad.random.key(seed), jax.random.key(seed, impl="threefry2x32")


def raw(key: Any) -> np.ndarray:
    return np.asarray(jax.random.key_data(key))


@pytest.mark.parametrize("seed", SEEDS)
def test_keys(seed: int) -> None:
    ours, theirs = keys(seed)
    np.testing.assert_array_equal(np.asarray(ours), raw(theirs))
    np.testing.assert_array_equal(
        np.asarray(tad.random.split(ours, 5)), raw(jax.random.split(theirs, 5))
    )
    np.testing.assert_array_equal(
        np.asarray(tad.random.split(ours, (2, 3))), raw(jax.random.split(theirs, (2, 3)))
    )
    for data in (0, 3, 2**32 - 1):
        np.testing.assert_array_equal(
            np.asarray(tad.random.fold_in(ours, data)), raw(jax.random.fold_in(theirs, data))
        )


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "uint64"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bits(seed: int, dtype: str) -> None:
    ours, theirs = keys(seed)
    for shape in [(), (7,), (2, 3)]:
        np.testing.assert_array_equal(
            np.asarray(tad.random.bits(ours, shape, dtype)),
            np.asarray(jax.random.bits(theirs, shape, dtype)),
        )


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
@pytest.mark.parametrize("seed", SEEDS)
def test_uniform_to_the_last_bit(seed: int, dtype: str) -> None:
    ours, theirs = keys(seed)
    np.testing.assert_array_equal(
        np.asarray(tad.random.uniform(ours, (50,), dtype)),
        np.asarray(jax.random.uniform(theirs, (50,), dtype)),
    )


# Functions of those uniform numbers: each library rounds its own erfinv and log.
ROUNDED: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "uniform": (
        lambda k, s, d: tad.random.uniform(k, s, d, -2.0, 5.0),
        lambda k, s, d: jax.random.uniform(k, s, d, -2.0, 5.0),
    ),
    "normal": (tad.random.normal, jax.random.normal),
    "exponential": (tad.random.exponential, jax.random.exponential),
    "gumbel": (tad.random.gumbel, jax.random.gumbel),
    "laplace": (tad.random.laplace, jax.random.laplace),
    "truncated_normal": (
        lambda k, s, d: tad.random.truncated_normal(k, -1.0, 2.0, s, d),
        lambda k, s, d: jax.random.truncated_normal(k, -1.0, 2.0, s, d),
    ),
}


@pytest.mark.parametrize(("dtype", "digits"), [("float64", 1e-12), ("float32", 1e-5)])
@pytest.mark.parametrize("name", ROUNDED)
def test_functions_of_uniform_numbers(name: str, dtype: str, digits: float) -> None:
    f, g = ROUNDED[name]
    ours, theirs = keys(7)
    np.testing.assert_allclose(
        np.asarray(f(ours, (200,), dtype)),
        np.asarray(g(theirs, (200,), dtype)),
        rtol=digits,
        atol=digits,
    )


def test_discrete() -> None:
    ours, theirs = keys(7)
    logits = np.log([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])
    np.testing.assert_array_equal(
        np.asarray(tad.random.bernoulli(ours, 0.3, (50,))),
        np.asarray(jax.random.bernoulli(theirs, 0.3, (50,))),
    )
    np.testing.assert_array_equal(
        np.asarray(tad.random.categorical(ours, logits, shape=(20, 2))),
        np.asarray(jax.random.categorical(theirs, logits, shape=(20, 2))),
    )
    np.testing.assert_array_equal(
        np.asarray(tad.random.choice(ours, 3, (20,), p=np.array([0.2, 0.3, 0.5]))),
        np.asarray(jax.random.choice(theirs, 3, (20,), p=np.array([0.2, 0.3, 0.5]))),
    )


def test_a_typed_key_of_jax_is_refused_with_the_remedy() -> None:
    theirs = jax.random.key(7)
    with pytest.raises(tad.DTypeError, match="jax.random.key_data"):
        tad.random.normal(theirs)
    assert float(tad.random.uniform(jax.random.key_data(theirs))) == float(
        jax.random.uniform(theirs)
    )


def test_the_same_numbers_when_jax_computes_them() -> None:
    def draws(key: Any) -> tuple[Any, ...]:
        first, second = tad.random.split(key)
        return (
            tad.random.fold_in(first, 5),
            tad.random.uniform(first, (3, 2)),
            tad.random.uniform(first, (3,), tad.float32),
            tad.random.randint(second, (4,), -2, 9),
            tad.random.choice(second, 4, (5,), p=np.array([1.0, 2.0, 3.0, 4.0])),
            tad.random.normal(second, (3,)),
        )

    key = tad.random.key(3)
    here = [np.asarray(x) for x in draws(key)]
    there = [np.asarray(x) for x in tad.interpret(draws, tad.interpreters.Jax())(np.asarray(key))]
    assert [x.dtype for x in there] == [x.dtype for x in here]
    for got, want in zip(there[:-1], here[:-1], strict=True):
        np.testing.assert_array_equal(got, want)
    np.testing.assert_allclose(there[-1], here[-1], rtol=1e-13)
