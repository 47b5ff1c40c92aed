"""Distributions against SciPy's, at fixed keys; their supports; derivatives in the parameters."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

stats = pytest.importorskip("scipy.stats")

KEY = tad.random.key(2026)
N = 20_000
# A right sampler falls below this once in ten thousand keys, and these keys are fixed.
LEAST = 1e-4

CONTINUOUS: dict[str, tuple[Callable[..., Any], Any]] = {
    "uniform": (tad.random.uniform, stats.uniform()),
    "uniform on an interval": (
        lambda k, s, d: tad.random.uniform(k, s, d, -2.0, 5.0),
        stats.uniform(-2, 7),
    ),
    "normal": (tad.random.normal, stats.norm()),
    "normal, located": (lambda k, s, d: tad.random.normal(k, s, d, 3.0, 0.5), stats.norm(3, 0.5)),
    "truncated_normal": (
        lambda k, s, d: tad.random.truncated_normal(k, -0.5, 2.0, s, d),
        stats.truncnorm(-0.5, 2.0),
    ),
    "truncated_normal, tail": (
        lambda k, s, d: tad.random.truncated_normal(k, 3.0, np.inf, s, d),
        stats.truncnorm(3.0, np.inf),
    ),
    "truncated_normal, far tail": (
        lambda k, s, d: tad.random.truncated_normal(k, -12.5, -12.0, s, d),
        stats.truncnorm(-12.5, -12.0),
    ),
    "exponential": (lambda k, s, d: tad.random.exponential(k, s, d, 2.0), stats.expon(scale=2)),
    "laplace": (lambda k, s, d: tad.random.laplace(k, s, d, 1.0, 3.0), stats.laplace(1, 3)),
    "gumbel": (lambda k, s, d: tad.random.gumbel(k, s, d, 1.0, 3.0), stats.gumbel_r(1, 3)),
}


@pytest.mark.parametrize("dtype", [tad.float64, tad.float32], ids=str)
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_against_scipy(name: str, dtype: Any) -> None:
    f, law = CONTINUOUS[name]
    x = f(KEY, (N,), dtype)
    assert x.dtype == dtype
    sample = np.asarray(x, np.float64)
    assert np.all(np.isfinite(sample))
    assert stats.kstest(sample, law.cdf).pvalue > LEAST
    deviation = law.std()
    assert abs(sample.mean() - law.mean()) < 4 * deviation / N**0.5
    kurtosis = float(law.stats(moments="k"))
    assert abs(sample.var() / law.var() - 1) < 4 * ((kurtosis + 2) / N) ** 0.5


def test_float16_is_its_own_lattice() -> None:
    x = np.asarray(tad.random.uniform(KEY, (N,), tad.float16), np.float64)
    assert set(np.unique(x * 1024)) == set(range(1024))


def test_entries_are_independent_of_their_neighbours() -> None:
    x = np.asarray(tad.random.uniform(KEY, (N,)))
    y = np.asarray(tad.random.uniform(tad.random.split(KEY)[0], (N,)))
    for a, b in [(x[1:], x[:-1]), (x, y)]:
        assert abs(np.corrcoef(a, b)[0, 1]) < 4 / N**0.5


def test_bits_are_fair_coins() -> None:
    for dtype in (tad.uint8, tad.uint16, tad.uint32, tad.uint64):
        words = np.asarray(tad.random.bits(KEY, (4000,), dtype))
        assert words.dtype == dtype
        width = words.dtype.itemsize * 8
        ones = [
            np.mean((words >> np.asarray(i, dtype)) & np.asarray(1, dtype)) for i in range(width)
        ]
        assert max(abs(np.array(ones) - 0.5)) < 4.5 * 0.5 / 4000**0.5


def test_supports() -> None:
    u = np.asarray(tad.random.uniform(KEY, (N,)))
    assert 0 <= u.min() and u.max() < 1
    e = np.asarray(tad.random.exponential(KEY, (N,)))
    assert e.min() >= 0
    t = np.asarray(tad.random.truncated_normal(KEY, -1.0, 0.25, (N,)))
    assert -1 <= t.min() and t.max() <= 0.25


def fair(sample: np.ndarray, probabilities: np.ndarray) -> bool:
    counts = np.bincount(sample.reshape(-1), minlength=len(probabilities))
    possible = probabilities > 0
    if counts[~possible].any():
        return False
    total = sample.size / probabilities.sum()
    expected = probabilities[possible] * total
    return bool(stats.chisquare(counts[possible], expected).pvalue > LEAST)


def test_discrete_against_their_probabilities() -> None:
    p = np.array([0.1, 0.0, 0.4, 0.3, 0.2])
    sixths = np.ones(6) / 6
    assert fair(np.asarray(tad.random.randint(KEY, (N,), -2, 4)) + 2, sixths)
    assert fair(np.asarray(tad.random.choice(KEY, 6, (N,))), sixths)
    assert fair(np.asarray(tad.random.choice(KEY, 5, (N,), p=p)), p)
    assert fair(np.asarray(tad.random.choice(KEY, 5, (N,), p=7 * p)), p)
    assert fair(np.asarray(tad.random.categorical(KEY, tad.log(p), shape=(N,))), p)
    assert fair(np.asarray(tad.random.bernoulli(KEY, 0.3, (N,))).astype(int), np.array([0.7, 0.3]))
    keys = tad.random.split(KEY, 3000)
    firsts = tad.vmap(lambda k: tad.random.permutation(k, 6))(keys)
    for place in range(6):
        assert fair(np.asarray(firsts)[:, place], sixths)
    pairs = np.asarray(tad.vmap(lambda k: tad.random.choice(k, 3, (2,), replace=False))(keys))
    assert fair(3 * pairs[:, 0] + pairs[:, 1], (1 - np.eye(3)).reshape(-1) / 6)
    weighted = lambda k: tad.random.choice(k, 5, (2,), replace=False, p=p)
    pairs = np.asarray(tad.vmap(weighted)(keys))
    both = np.outer(p, p) / (1 - p)[:, None]  # the second among what is left
    np.fill_diagonal(both, 0.0)
    assert fair(5 * pairs[:, 0] + pairs[:, 1], both.reshape(-1))


def test_randint_reaches_all_of_a_dtype() -> None:
    small = np.asarray(tad.random.randint(KEY, (N,), 0, 256, tad.uint8))
    assert set(np.unique(small)) == set(range(256))
    wide = np.asarray(tad.random.randint(KEY, (N,), -(2**63), 2**63))
    assert wide.min() < -(2**62) and wide.max() > 2**62
    whole = np.asarray(tad.random.randint(KEY, (N,), 0, 2**64, tad.uint64))
    assert whole.max() > 2**63
    each = tad.random.randint(KEY, (2, 3), np.array([0, 10, 20]), np.array([1, 11, 21]))
    assert each.tolist() == [[0, 10, 20]] * 2
    unseen = tad.jit(lambda k, n: tad.random.randint(k, (4,), 5, n))
    assert set(unseen(KEY, 6).tolist()) == {5}
    assert set(unseen(KEY, 2).tolist()) == {5}  # an empty range that cannot be seen


def test_permutations_keep_what_they_order() -> None:
    x = np.arange(12.0).reshape(3, 4)
    rows = np.asarray(tad.random.permutation(KEY, x))
    assert sorted(map(tuple, rows)) == sorted(map(tuple, x))
    columns = np.asarray(tad.random.permutation(KEY, x, axis=-1))
    assert sorted(map(tuple, columns.T)) == sorted(map(tuple, x.T))
    wide = np.tile(np.arange(50), (2, 1))
    assert sorted(tad.random.permutation(KEY, np.int64(5)).tolist()) == list(range(5))
    apart = np.asarray(tad.random.permutation(KEY, wide, axis=1, independent=True))
    assert [sorted(r) for r in apart.tolist()] == [list(range(50))] * 2
    assert apart[0].tolist() != apart[1].tolist()


def test_derivatives_pass_through_parameters() -> None:
    z = np.asarray(tad.random.normal(KEY, (5,)))
    f = lambda loc, scale: tad.sum(tad.random.normal(KEY, (5,), loc=loc, scale=scale) ** 2)
    by_loc, by_scale = tad.grad(f, (0, 1))(1.5, 0.7)
    assert float(by_loc) == pytest.approx(float(np.sum(2 * (1.5 + 0.7 * z))), rel=1e-13)
    assert float(by_scale) == pytest.approx(float(np.sum(2 * (1.5 + 0.7 * z) * z)), rel=1e-13)
    u = np.asarray(tad.random.uniform(KEY, (5,)))
    f = lambda low, high: tad.sum(tad.random.uniform(KEY, (5,), minval=low, maxval=high) ** 2)
    by_low, by_high = tad.grad(f, (0, 1))(0.0, 1.0)
    assert float(by_low) == pytest.approx(float(np.sum(2 * u * (1 - u))), rel=1e-13)
    assert float(by_high) == pytest.approx(float(np.sum(2 * u * u)), rel=1e-13)
    for name in ("laplace", "gumbel"):
        z = np.asarray(getattr(tad.random, name)(KEY, (5,)))
        g = lambda s, n=name: tad.sum(getattr(tad.random, n)(KEY, (5,), loc=s, scale=s))
        assert float(tad.grad(g)(2.0)) == pytest.approx(float(np.sum(1 + z)), rel=1e-13)
    e = np.asarray(tad.random.exponential(KEY, (5,)))
    h = lambda s: tad.sum(tad.random.exponential(KEY, (5,), scale=s))
    assert float(tad.grad(h)(2.0)) == pytest.approx(float(np.sum(e)), rel=1e-13)
    # x = F^-1(u) moves with the bounds: at a fixed key, against differences of values.
    bounded = lambda a, b: tad.sum(tad.random.truncated_normal(KEY, a, b, (7,)))
    got = tad.grad(bounded, (0, 1))(-0.5, 1.0)
    h = 1e-6
    steps = [((h, 0.0), got[0]), ((0.0, h), got[1])]
    for (da, db), slope in steps:
        ahead, behind = bounded(-0.5 + da, 1.0 + db), bounded(-0.5 - da, 1.0 - db)
        assert float(slope) == pytest.approx((float(ahead) - float(behind)) / (2 * h), rel=1e-6)
    x = np.arange(3.0)
    taken = tad.grad(lambda a: tad.random.choice(KEY, a, ()))(x)
    place = int(tad.random.choice(KEY, 3, ()))
    assert taken.tolist() == [1.0 if i == place else 0.0 for i in range(3)]


def test_shape_and_dtype_follow_the_parameters() -> None:
    loc = tad.asarray([0.0, 1.0, 2.0], dtype=tad.float32)
    scale = np.ones((2, 1), np.float32)
    x = tad.random.normal(KEY, loc=loc, scale=scale)
    assert (x.shape, x.dtype) == ((2, 3), tad.float32)
    assert tad.random.normal(KEY, (4, 2, 3), loc=loc).shape == (4, 2, 3)
    assert tad.random.normal(KEY, loc=loc, dtype=tad.float64).dtype == tad.float64
    assert tad.random.normal(KEY).shape == ()
    assert tad.random.bernoulli(KEY, np.full((2, 2), 0.5)).shape == (2, 2)
    assert tad.grad(lambda m: tad.sum(tad.random.normal(KEY, loc=m)))(loc).dtype == tad.float32


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tad.random.normal(KEY, dtype=tad.int64), tad.DTypeError, "dtype int64 is not real"),
    (
        lambda: tad.random.normal(KEY, (2,), loc=np.zeros(3)),
        tad.ShapeError,
        r"random.normal: loc: shape \[3\] does not broadcast to \[2\]",
    ),
    (lambda: tad.random.bits(KEY, (), tad.int32), tad.DTypeError, "int32 is not unsigned"),
    (lambda: tad.random.randint(KEY, (), 3, 3), tad.DomainError, "no integer is >= 3 and < 3"),
    (lambda: tad.random.randint(KEY, (), 0, 300, tad.uint8), tad.DomainError, "do not fit dtype"),
    (lambda: tad.random.randint(KEY, (), 0, 2.0), tad.DTypeError, "maxval has dtype float64"),  # type: ignore[arg-type]
    (lambda: tad.random.randint(KEY, (), 0, 2, float), tad.DTypeError, "not an integer dtype"),
    (lambda: tad.random.choice(KEY, 2, (3,), replace=False), tad.DomainError, "3 draws without"),
    (lambda: tad.random.choice(KEY, 0), tad.DomainError, "1 draws from 0"),
    (
        lambda: tad.random.choice(KEY, 3, p=np.ones(2)),
        tad.ShapeError,
        r"p has shape \[2\]; it must be \[3\]",
    ),
    (lambda: tad.random.permutation(KEY, True), tad.ArgumentError, "x is a bool"),
    (lambda: tad.random.choice(KEY, 2.0), tad.IndexOutOfRange, "random.choice"),
    (lambda: tad.random.permutation(KEY, -1), tad.DomainError, "a count is not negative"),
    (lambda: tad.random.permutation(KEY, np.zeros(3), axis=1), tad.IndexOutOfRange, "axis 1"),
    (
        lambda: tad.random.categorical(KEY, np.zeros((2, 3)), shape=(3,)),
        tad.ShapeError,
        r"shape \[3\] does not end in \[2\]",
    ),
    (lambda: tad.random.truncated_normal(KEY, 2.0, 1.0), tad.DomainError, "no number lies"),
    (lambda: tad.random.truncated_normal(KEY, 40.0, 41.0), tad.DomainError, "far out in one tail"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_misuse(case: int) -> None:
    f, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        f()
