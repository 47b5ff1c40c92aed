"""Keys: made, split, folded; one meaning under every transform; what is no key is refused."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad


def same(a: Any, b: Any) -> bool:
    return bool(np.array_equal(np.asarray(a), np.asarray(b)))


def test_a_key_is_the_two_halves_of_its_seed() -> None:
    key = tad.random.key(0x0123456789ABCDEF)
    assert key.dtype == tad.uint32
    assert key.tolist() == [0x01234567, 0x89ABCDEF]
    assert tad.random.key(-1).tolist() == [2**32 - 1] * 2
    assert same(tad.random.key(tad.asarray(5, dtype=tad.int32)), tad.random.key(5))
    assert same(tad.random.key(np.int64(2**40 + 1)), tad.random.key(2**40 + 1))


def test_split_and_fold_in_give_keys_that_differ() -> None:
    key = tad.random.key(3)
    keys = tad.random.split(key, 200)
    assert keys.shape == (200, 2)
    assert tad.random.split(key).shape == (2, 2)
    assert tad.random.split(key, (4, 3)).shape == (4, 3, 2)
    folded = [tad.random.fold_in(key, i).tolist() for i in range(200)]
    every = {tuple(k) for k in [*keys.tolist(), *folded, key.tolist()]}
    # split(key, n)[i] is fold_in(key, i), as in JAX: 200 keys, and the one they come from.
    assert len(every) == 201
    assert folded == keys.tolist()


def test_fold_in_takes_the_counter_of_a_loop() -> None:
    key = tad.random.key(3)
    step = tad.asarray(7)
    assert same(tad.random.fold_in(key, step), tad.random.fold_in(key, 7))
    assert same(
        tad.vmap(lambda i: tad.random.fold_in(key, i))(np.arange(5)), tad.random.split(key, 5)
    )


DRAWS = {
    "bits": lambda k: tad.random.bits(k, (3,)),
    "bits8": lambda k: tad.random.bits(k, (3,), tad.uint8),
    "bits64": lambda k: tad.random.bits(k, (3,), tad.uint64),
    "split": tad.random.split,
    "fold_in": lambda k: tad.random.fold_in(k, 4),
    "uniform": lambda k: tad.random.uniform(k, (2, 2)),
    "uniform32": lambda k: tad.random.uniform(k, (2, 2), tad.float32, -1.0, 3.0),
    "uniform16": lambda k: tad.random.uniform(k, (2, 2), tad.float16),
    "normal": lambda k: tad.random.normal(k, (3,), loc=1.0, scale=2.0),
    "truncated_normal": lambda k: tad.random.truncated_normal(k, -1.0, 2.0, (3,)),
    "truncated_normal, tail": lambda k: tad.random.truncated_normal(k, -9.0, -8.5, (3,)),
    "exponential": lambda k: tad.random.exponential(k, (3,)),
    "laplace": lambda k: tad.random.laplace(k, (3,)),
    "gumbel": lambda k: tad.random.gumbel(k, (3,)),
    "gamma": lambda k: tad.random.gamma(k, np.array([0.1, 1.0, 30.0])),
    "loggamma": lambda k: tad.random.loggamma(k, 1e-4, (2,)),
    "beta": lambda k: tad.random.beta(k, 0.5, 2.0, (3,)),
    "dirichlet": lambda k: tad.random.dirichlet(k, np.array([0.5, 1.0, 2.0]), (2, 3)),
    "bernoulli": lambda k: tad.random.bernoulli(k, 0.3, (5,)),
    "randint": lambda k: tad.random.randint(k, (5,), -3, 10),
    "categorical": lambda k: tad.random.categorical(k, np.zeros((2, 3))),
    "permutation": lambda k: tad.random.permutation(k, 7),
    "choice": lambda k: tad.random.choice(k, 7, (3,)),
    "choice, no replacement": lambda k: tad.random.choice(k, 7, (3,), replace=False),
    "choice, weights": lambda k: tad.random.choice(k, 3, (2,), p=np.array([1.0, 2.0, 3.0])),
}


@pytest.mark.parametrize("name", DRAWS)
def test_one_meaning_under_every_transform(name: str) -> None:
    f = DRAWS[name]
    key = tad.random.key(11)
    plain = f(key)
    assert same(f(key), plain)
    assert same(tad.jit(f)(key), plain)
    graph = tad.trace(f)(key)
    assert same(graph.run(plain.ops, [key.payload])[0], plain)
    assert tad.interpret(f, tad.interpreters.Shape())(tad.Spec((2,), tad.uint32)) == plain.shape
    keys = tad.random.split(key, 4)
    together = tad.vmap(f)(keys)
    for i in range(4):
        np.testing.assert_allclose(np.asarray(together[i]), np.asarray(f(keys[i])), rtol=1e-14)
    twice = tad.vmap(tad.vmap(f))(tad.random.split(key, (2, 2)))
    assert twice.shape == (2, 2, *plain.shape)
    _, inside = tad.value_and_grad(lambda x: tad.sum(x * tad.astype(f(key), tad.float64)))(1.0)
    assert float(inside) == pytest.approx(float(np.sum(np.asarray(plain, float))))


def test_a_key_closed_over_gives_numbers_of_a_symbolic_shape() -> None:
    (n,) = tad.symbols("n")
    key = tad.random.key(0)
    noise = lambda x: x + tad.random.normal(key, x.shape)
    assert tad.interpret(noise, tad.interpreters.Shape())(tad.Spec((n, 3))) == (n, 3)


WRONG: list[tuple[Any, type[Exception], str]] = [
    (0, tad.ArgumentError, "random.normal: key is an int, where a key is expected"),
    (np.random.default_rng(0), tad.ArgumentError, "key is a Generator"),
    (None, tad.ArgumentError, "key is None"),
    ([0, 1], tad.ArgumentError, "key is a list"),
    (np.array([0, 1]), tad.DTypeError, "key has dtype int64; a key is a uint32"),
    (np.zeros(3, np.uint32), tad.ShapeError, r"key is uint32 \[3\]"),
    (np.zeros((4, 2), np.uint32), tad.ShapeError, "an array of keys.* tad.vmap"),
]


@pytest.mark.parametrize(("key", "error", "message"), WRONG)
def test_what_is_no_key_is_refused(key: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        tad.random.normal(key)


@pytest.mark.parametrize("name", [n for n in DRAWS if "," not in n and n[-1] not in "0123456789"])
def test_every_function_names_itself(name: str) -> None:
    f = getattr(tad.random, name)
    arguments: dict[str, Any] = {
        "fold_in": (0,),
        "truncated_normal": (0.0, 1.0),
        "randint": ((), 0, 5),
        "categorical": (np.zeros(3),),
        "permutation": (3,),
        "choice": (3,),
        "gamma": (1.0,),
        "loggamma": (1.0,),
        "beta": (1.0, 2.0),
        "dirichlet": (np.ones(3),),
    }
    with pytest.raises(tad.ArgumentError, match=rf"random\.{name}: key is an int"):
        f(0, *arguments.get(name, ()))


def test_seeds_and_data_that_do_not_fit_are_refused() -> None:
    key = tad.random.key(0)
    with pytest.raises(tad.DomainError, match="does not fit 64 bits"):
        tad.random.key(2**64)
    with pytest.raises(tad.DTypeError, match="seed has dtype float64"):
        tad.random.key(1.5)  # type: ignore[arg-type]
    with pytest.raises(tad.ShapeError, match=r"seed has shape \[2\]"):
        tad.random.key(np.array([1, 2]))  # type: ignore[arg-type]
    with pytest.raises(tad.DomainError, match="data is -1"):
        tad.random.fold_in(key, -1)
    with pytest.raises(tad.ShapeError, match="must not be negative"):
        tad.random.split(key, -1)


def test_a_key_carries_no_derivative() -> None:
    with pytest.raises(tad.DTypeError, match="uint32"):
        tad.grad(lambda k: tad.random.normal(k))(tad.random.key(0))


def test_the_same_numbers_exactly_and_enclosed() -> None:
    pytest.importorskip("flint")
    key = tad.random.key(4)
    f = lambda x: x + tad.random.uniform(key, (3,))
    plain = f(tad.zeros(3)).tolist()
    exact = tad.interpret(f, tad.interpreters.Exact())(np.zeros(3))
    assert [float(x) for x in np.ravel(exact)] == plain
    enclosed = tad.interpret(lambda x: x + tad.random.normal(key, (3,)), tad.interpreters.Real())
    ends = enclosed(np.zeros(3))
    z = np.asarray(tad.random.normal(key, (3,)))
    np.testing.assert_allclose(ends.lo, z, rtol=1e-14)
    np.testing.assert_allclose(ends.hi, z, rtol=1e-14)


def test_keys_are_carried_through_loops() -> None:
    def walk(start: Any, key: Any) -> Any:
        def step(carry: Any, _: Any) -> Any:
            x, key = carry
            key, own = tad.random.split(key)
            x = x + tad.random.normal(own)
            return (x, key), x

        return tad.scan(step, (start, key), length=5)[1]

    key = tad.random.key(2)
    by_hand, x, k = [], 0.0, key
    for _ in range(5):
        k, own = tad.random.split(k)
        x = x + float(tad.random.normal(own))
        by_hand.append(x)
    assert walk(0.0, key).tolist() == pytest.approx(by_hand, rel=1e-14)
    assert tad.jit(walk)(0.0, key).tolist() == pytest.approx(by_hand, rel=1e-14)
    assert float(tad.grad(lambda s: tad.sum(walk(s, key)))(0.0)) == 5.0
    tried = tad.while_loop(
        lambda s: s[1] > 0.25,
        lambda s: (s[0] + 1, tad.random.uniform(tad.random.fold_in(key, s[0]))),
        (0, 1.0),
    )
    assert float(tried[1]) == float(tad.random.uniform(tad.random.fold_in(key, int(tried[0]) - 1)))
    assert float(tried[1]) <= 0.25
