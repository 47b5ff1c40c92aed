"""gammaln, digamma, polygamma against mpmath at 50 digits, over the whole range and at every edge."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from taglessad.errors import DomainError
from taglessad.kernels.gamma import digamma, gammaln, polygamma

F64 = NDArray[np.float64]
INF, NAN = np.inf, np.nan
TINY = 5e-324
NEXT = 2.0**-52


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), mpmath.workdps(50):
        yield


def spacing(x: Any) -> Any:
    return mpmath.mpf(float(np.spacing(abs(float(x)))))


def ulps(
    kernel: Callable[[F64], F64],
    exact: Callable[[Any], Any],
    x: F64,
    scale: Callable[[Any], Any] = lambda x: 0,
) -> float:
    """The largest error over x, in units in the last place of the larger of result and scale."""
    worst = 0.0
    for at, got in zip(x.tolist(), kernel(x).tolist(), strict=True):
        expected = exact(mpmath.mpf(at))
        error = abs(mpmath.mpf(got) - expected)
        error /= spacing(max(abs(expected), scale(mpmath.mpf(at))))
        assert mpmath.isfinite(error), (at, got)
        worst = max(worst, float(error))
    return worst


def log_gamma(x: Any) -> Any:
    """log|Gamma(x)|, by reflection for x < 0."""
    if x > 0:
        return mpmath.loggamma(x)
    with mpmath.workdps(70):
        return mpmath.log(mpmath.pi / abs(mpmath.sinpi(x))) - mpmath.loggamma(1 - x)


def psi(n: int) -> Callable[[Any], Any]:
    """polygamma(n, x) for x >= 1e-300, from Hurwitz's zeta function; by shifting for x < 0."""

    def at(x: Any) -> Any:
        if n == 0:
            return mpmath.digamma(x)
        with mpmath.workdps(mpmath.mp.dps + 20):
            shift = max(0, int(mpmath.ceil(-x)))
            below = mpmath.fsum((x + k) ** -(n + 1) for k in range(shift))
            total = below + mpmath.zeta(n + 1, x + shift)
            return (-1) ** (n + 1) * mpmath.factorial(n) * total

    return at


def nearest_pole(n: int) -> Callable[[Any], Any]:
    """The size of polygamma's largest term, n!/d**(n + 1)."""
    return lambda x: mpmath.factorial(n) / abs(x - mpmath.nint(x)) ** (n + 1)


def around(x: float, decades: int = 15) -> F64:
    """x and its neighbours, at distances from 10**-decades to 0.1."""
    away = np.geomspace(10.0**-decades, 0.1, 150)
    return np.concatenate([x - away[::-1], [np.nextafter(x, 0), np.nextafter(x, 9)], x + away])


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (np.geomspace(TINY, 0.5, 300), 3.0),
        (np.linspace(0.5, 3, 802)[1:], 4.0),
        (around(1.0), 4.0),
        (around(2.0), 4.0),
        (np.linspace(3, 4, 400), 5.0),
        (np.linspace(4, 100, 400), 4.0),
        (np.geomspace(100, 2.5e305, 300), 3.0),
    ],
    ids=["small", "lowest", "zero at 1", "zero at 2", "three", "middle", "large"],
)
def test_gammaln_is_accurate(x: F64, bound: float) -> None:
    x = x[(x != 1) & (x != 2)]
    assert ulps(gammaln, log_gamma, x) <= bound


def test_gammaln_of_negative_numbers() -> None:
    above = -np.concatenate([np.geomspace(TINY, 0.9, 120), np.linspace(0.9, 1.999, 200)[1:]])
    above = above[above != -1]
    assert ulps(gammaln, log_gamma, above) <= 5.0
    below = -np.concatenate([np.linspace(2.001, 20, 400), np.geomspace(20.3, 1e12, 200)])
    below = below[below != np.rint(below)]
    size = 5.0
    assert ulps(gammaln, log_gamma, below, lambda x: max(1, mpmath.loggamma(1 - x))) <= size


def test_gammaln_special_values() -> None:
    x = np.array([1.0, 2.0, 0.0, -0.0, -1.0, -2.0, -1e17, INF, -INF, NAN, 2.6e305])
    np.testing.assert_array_equal(gammaln(x), [0, 0, INF, INF, INF, INF, INF, INF, INF, NAN, INF])


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (np.geomspace(1e-308, 0.5, 300), 2.5),
        (np.linspace(0.5, 3, 800), 4.0),
        (around(1.4616321449683622, 16), 4.0),
        (np.linspace(3, 100, 400), 2.5),
        (np.geomspace(100, 1.7e308, 200), 2.0),
    ],
    ids=["small", "lowest", "zero", "middle", "large"],
)
def test_digamma_is_accurate(x: F64, bound: float) -> None:
    assert ulps(digamma, psi(0), x) <= bound


def test_digamma_of_negative_numbers() -> None:
    def terms(x: Any) -> Any:
        return max(abs(mpmath.digamma(1 - x)), mpmath.pi * abs(mpmath.cospi(x) / mpmath.sinpi(x)))

    x = -np.concatenate(
        [np.geomspace(1e-308, 0.01, 200), np.linspace(0.01, 20, 500), np.geomspace(20.3, 1e9, 200)]
    )
    assert ulps(digamma, psi(0), x[x != np.rint(x)], terms) <= 5.0


def test_digamma_special_values() -> None:
    x = np.array([0.0, -0.0, -1.0, -2.0, -1e17, INF, -INF, NAN, 1e-310, -1e-310])
    np.testing.assert_array_equal(digamma(x), [-INF, INF, NAN, NAN, NAN, INF, NAN, NAN, -INF, INF])
    np.testing.assert_array_equal(polygamma(0, x), digamma(x))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20, 60, 150, 400])
def test_polygamma_is_accurate(n: int) -> None:
    x = np.concatenate([np.geomspace(1e-300, 0.1, 30), np.linspace(0.1, 2 * n + 20, 90)])
    x = np.concatenate([x, np.geomspace(2 * n + 20, 1e300, 30), np.arange(1, 20.0)])
    # Left out: what overflows. What underflows stays, with the subnormal numbers on the way.
    x = x[np.isfinite(polygamma(n, x))]
    assert x.size > 40
    assert ulps(lambda x: polygamma(n, x), psi(n), x) <= 5.0


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 20, 60, 120])
def test_polygamma_of_negative_numbers(n: int) -> None:
    x = -np.concatenate(
        [np.geomspace(1e-2, 0.5, 20), np.linspace(0.5, 12, 60), [50.25, 99.5, 99.75]]
    )
    x = x[x != np.rint(x)]
    x = x[np.isfinite(polygamma(n, x))]
    assert x.size > 40
    size = nearest_pole(n) if n % 2 == 0 else lambda x: 0
    assert ulps(lambda x: polygamma(n, x), psi(n), x, size) <= 5.0


def test_polygamma_next_to_a_pole() -> None:
    # n!/r**(n + 1) there, to full precision, with the sign of the side for even n.
    r = np.array([2.0**-30, 2.0**-20, -(2.0**-30), -(2.0**-20)])
    np.testing.assert_allclose(polygamma(1, r - 5), r**-2.0, rtol=1e-11)
    np.testing.assert_allclose(polygamma(2, r - 5), -2 / r**3, rtol=1e-11)
    np.testing.assert_array_equal(polygamma(300, r - 5), -INF * np.sign(r))
    np.testing.assert_array_equal(polygamma(301, r - 5), INF)


@pytest.mark.parametrize("n", [1, 2, 3, 8, 300])
def test_polygamma_special_values(n: int) -> None:
    pole = INF if n % 2 else NAN
    x = np.array([0.0, -0.0, -1.0, -2.0, -1e17, -INF, NAN])
    np.testing.assert_array_equal(polygamma(n, x), [pole] * 5 + [NAN, NAN])
    at_infinity = polygamma(n, np.array([INF]))[0]
    assert at_infinity == 0 and np.signbit(at_infinity) == (n % 2 == 0)
    np.testing.assert_array_equal(polygamma(n, np.array([TINY])), [INF if n % 2 else -INF])


@pytest.mark.parametrize("n", [3000, 10000])
def test_polygamma_of_a_high_order(n: int) -> None:
    # The result is in range only around x = n/e; the factorial and the power never are.
    x = np.linspace(n / 2.75, n / 2.68, 20)
    x = x[np.isfinite(polygamma(n, x))]
    assert x.size > 5

    def exact(x: Any) -> Any:
        total = mpmath.fsum((x + k) ** -(n + 1) for k in range(60))
        return (-1) ** (n + 1) * mpmath.factorial(n) * total

    assert ulps(lambda x: polygamma(n, x), exact, x) <= 5 * n / 2000


def test_polygamma_is_the_derivative_of_the_one_before() -> None:
    x = np.array([0.3, 1.0, 4.5, 30.0, -0.3, -2.6])
    for n in range(5):
        slope = [float(mpmath.diff(psi(n), at)) for at in x.tolist()]
        np.testing.assert_allclose(polygamma(n + 1, x), slope, rtol=1e-12)


def test_the_branches_join() -> None:
    steps = np.arange(-10, 11)
    for limit in (3.0, -2.5):
        x = limit + steps * np.spacing(limit)
        assert ulps(gammaln, log_gamma, x, lambda x: 1) <= 5.0
        assert ulps(digamma, psi(0), x, lambda x: 1) <= 5.0
        for n in (1, 3):
            assert ulps(lambda x, n=n: polygamma(n, x), psi(n), x) <= 5.0
    for n in (1, 2, 9):  # where the terms taken one by one end
        x = n + 10 + np.concatenate([steps * NEXT * 16, -np.arange(1.0, n + 10)])
        assert ulps(lambda x, n=n: polygamma(n, x), psi(n), x) <= 5.0


def test_a_negative_order_is_refused() -> None:
    with pytest.raises(DomainError, match="polygamma: the order n is -1"):
        polygamma(-1, np.array([1.0]))


def trigamma(x: Any) -> Any:
    return polygamma(1, x)


KERNELS = [gammaln, digamma, trigamma]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f8", ">f4"])
def test_shape_and_dtype_are_kept(kernel: Callable[..., Any], shape: Any, dtype: str) -> None:
    x = np.linspace(-3, 9, int(np.prod(shape))).reshape(shape).astype(dtype)
    result = kernel(x)
    assert isinstance(result, np.ndarray)
    assert result.shape == shape and result.dtype == np.dtype(dtype)
    # The value is the float64 one, rounded once.
    np.testing.assert_array_equal(result, kernel(x.astype(np.float64)).astype(dtype))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("scalar", [np.float16, np.float32, np.float64])
def test_scalars(kernel: Callable[..., Any], scalar: Callable[[float], Any]) -> None:
    result = kernel(scalar(2.5))
    assert result.shape == () and result.dtype == scalar(2.5).dtype
    assert result == kernel(np.array([2.5], result.dtype))[0]


@pytest.mark.parametrize("kernel", KERNELS)
def test_memory_order_and_size_do_not_matter(kernel: Callable[..., Any]) -> None:
    x = np.linspace(-7.03, 30, 30000).reshape(150, 200)  # several blocks
    x.setflags(write=False)
    expected = np.array([kernel(row) for row in x])
    np.testing.assert_array_equal(kernel(x), expected)
    np.testing.assert_array_equal(kernel(np.asfortranarray(x)), expected)
    np.testing.assert_array_equal(kernel(x[::-2, ::3]), expected[::-2, ::3])


def test_scipy_agrees() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.linspace(0.01, 40, 3001)
    np.testing.assert_allclose(gammaln(x), special.gammaln(x), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(digamma(x), special.digamma(x), rtol=1e-13, atol=1e-15)
    for n in (1, 2, 5, 12):
        np.testing.assert_allclose(polygamma(n, x), special.polygamma(n, x), rtol=1e-13)
    edges = np.array([0.0, -0.0, -1.0, -2.0, INF, NAN])
    np.testing.assert_array_equal(gammaln(edges), special.gammaln(edges))
    np.testing.assert_array_equal(digamma(edges), special.digamma(edges))
    np.testing.assert_array_equal(polygamma(1, edges), special.polygamma(1, edges))
