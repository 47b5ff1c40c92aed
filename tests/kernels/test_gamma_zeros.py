"""log|Gamma| and digamma about their zeros at negative numbers, against mpmath."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from taglessad.kernels import gamma_zeros as zeros
from taglessad.kernels.double_double import Pair
from taglessad.kernels.gamma import digamma, gammaln

F64 = NDArray[np.float64]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), mp.workdps(60):
        yield


def log_gamma(x: Any) -> Any:  # Any: mpmath numbers
    return mp.log(abs(mp.gamma(x)))


def ulps(kernel: Callable[[F64], F64], exact: Callable[[Any], Any], x: F64) -> float:
    """The largest error in units of the last place."""
    worst = 0.0
    for at, found in zip(x.tolist(), kernel(x).tolist(), strict=True):
        true = exact(mp.mpf(at))
        worst = max(worst, float(abs(found - true)) / np.spacing(abs(float(true))))
    return worst


def exactly(at: Pair) -> list[Any]:  # Any: mpmath numbers
    return [mp.mpf(a) + mp.mpf(b) for a, b in zip(at.high.tolist(), at.low.tolist(), strict=True)]


def test_the_zeros() -> None:
    at = exactly(zeros.digamma_zeros().at)
    assert len(at) == 128
    assert all(-k - 1 < x < -k and abs(mp.digamma(x)) < 1e-28 for k, x in enumerate(at))
    found = zeros.log_gamma_places()
    at = exactly(found.places.at)
    assert len(at) == 29 and [int(mp.floor(-x)) for x in at[:-1:2]] == list(range(2, 16))
    assert all(y < x for x, y in zip(at[:-2], at[1:-1], strict=True))
    slopes = found.slope.tolist()
    pairs = zip(at[:-1], slopes[:-1], strict=True)
    assert all(abs(log_gamma(x) / slope) < 2e-30 for x, slope in pairs)
    assert abs(mp.digamma(at[-1])) < 1e-28 and -3 < at[-1] < -2


@pytest.mark.parametrize(("low", "high"), ((-3, -2), (-4.2, -2), (-7, -3), (-16, -5)))
def test_gammaln(low: float, high: float) -> None:
    x = np.random.default_rng(3).uniform(low, high, 400)
    assert ulps(gammaln, log_gamma, x) < 4.5


@pytest.mark.parametrize("k", (3, 5, 8, 10, 15, 17))
def test_gammaln_next_to_an_integer(k: int) -> None:
    """From the pole past the zero, which the end of the reach at -16 does not interrupt."""
    x = -k + np.concatenate([sign * np.geomspace(1e-13, 0.3, 120) for sign in (-1, 1)])
    assert ulps(gammaln, log_gamma, x) < 4.5


@pytest.mark.parametrize(("low", "high"), ((-1, 0), (-5, 0), (-127.9, -5), (-131, -125)))
def test_digamma(low: float, high: float) -> None:
    x = np.random.default_rng(4).uniform(low, high, 400)
    assert ulps(digamma, mp.digamma, x) < 5


@pytest.mark.parametrize(
    ("kernel", "exact", "zero"),
    (
        (gammaln, log_gamma, -2.4570247382208006),
        (gammaln, log_gamma, -5.008218168322593),
        (digamma, mp.digamma, -0.5040830082644554),
        (digamma, mp.digamma, -10.672841206164726),
    ),
)
def test_next_to_a_zero(kernel: Any, exact: Any, zero: float) -> None:  # Any: functions
    x = zero + np.concatenate([s * np.geomspace(1e-14, 1e-3, 30) for s in (-1, 1)])
    assert ulps(kernel, exact, x) < 4
