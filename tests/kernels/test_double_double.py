"""Numbers of two float64, and the gamma functions of them, against mpmath."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from taglessad.kernels import double_double as wide
from taglessad.kernels import wide_gamma
from taglessad.kernels.blocks import two_sum
from taglessad.kernels.double_double import Pair

F64 = NDArray[np.float64]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), mp.workdps(60):
        yield


def drawn(low: float, high: float, count: int = 60) -> Pair:
    """Numbers whose lower parts are not 0."""
    rng = np.random.default_rng(7)
    x = rng.uniform(low, high, count)
    return Pair(*two_sum(x, x * rng.uniform(-1, 1, count) * 1e-17))


def exactly(x: Pair) -> list[Any]:  # Any: mpmath numbers
    return [mp.mpf(a) + mp.mpf(b) for a, b in zip(x.high.tolist(), x.low.tolist(), strict=True)]


def error(found: Pair, exact: list[Any]) -> float:
    """The largest relative error."""
    pairs = zip(exactly(found), exact, strict=True)
    return max(float(abs(f / e - 1)) if e else float(abs(f)) for f, e in pairs)


ONE: list[tuple[str, Callable[[Pair], Pair], Callable[[Any], Any], float, float]] = [
    ("log", wide.log, mp.log, 1e-3, 50),
    ("log far", wide.log, mp.log, 1e200, 1e290),
    ("sin", wide.sine_of_pi, mp.sinpi, -0.5, 0.5),
    ("cos", wide.cosine_of_pi, mp.cospi, -0.5, 0.5),
    ("power", lambda x: wide.power(x, 11), lambda x: x**11, -3, 3),
    ("digamma", wide_gamma.digamma, mp.digamma, 0.01, 60),
    ("log Gamma", wide_gamma.log_gamma, mp.loggamma, 2.1, 60),
]


@pytest.mark.parametrize(("name", "f", "exact", "low", "high"), ONE, ids=[row[0] for row in ONE])
def test_functions(
    name: str, f: Callable[[Pair], Pair], exact: Callable[[Any], Any], low: float, high: float
) -> None:
    x = drawn(low, high)
    assert error(f(x), [exact(v) for v in exactly(x)]) < 2e-29


def test_arithmetic() -> None:
    a, b = drawn(-5, 5), drawn(0.5, 7)
    p, q = exactly(a), exactly(b)
    both = list(zip(p, q, strict=True))
    assert error(wide.add(a, b), [x + y for x, y in both]) < 1e-30
    assert error(wide.multiply(a, b), [x * y for x, y in both]) < 1e-31
    assert error(wide.divide(a, b), [x / y for x, y in both]) < 1e-31
    assert np.all(wide.subtract(a, a).value() == 0)


@pytest.mark.parametrize("p", (2, 3, 7))
def test_sums_of_powers(p: int) -> None:
    a, u = drawn(0.01, 0.5), drawn(0.2, 40)
    exact = [mp.zeta(p, y) * x**p for x, y in zip(exactly(a), exactly(u), strict=True)]
    assert error(wide_gamma.powers(p, a, u), exact) < 1e-29


def test_what_is_mended_is_a_number() -> None:
    found = np.asarray([1.0, 2.0, 3.0])
    better = wide.mended(found, found > 1, lambda i: np.where(i == 1, np.nan, 9.0))
    assert better.tolist() == [1.0, 2.0, 9.0]
