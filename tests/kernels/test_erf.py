"""erf, erfc, erfinv against mpmath at 50 digits, over the whole range and at every edge."""

from collections.abc import Callable, Iterator
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from taglessad.kernels.erf import erf, erfc, erfinv, piecewise, pointwise, polynomial

F64 = NDArray[np.float64]
INF, NAN = np.inf, np.nan
TINY = 5e-324


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    with np.errstate(all="ignore"), mpmath.workdps(50):
        yield


def ulps(kernel: Callable[[F64], F64], exact: Callable[[Any], Any], x: F64) -> float:
    """The largest error over x, in units in the last place of the exact result."""
    worst = 0.0
    for at, got in zip(x.tolist(), kernel(x).tolist(), strict=True):
        expected = exact(mpmath.mpf(at))
        error = abs(mpmath.mpf(got) - expected) / mpmath.mpf(
            float(np.spacing(abs(float(expected))))
        )
        assert mpmath.isfinite(error), (at, got)
        worst = max(worst, float(error))
    return worst


def both_signs(x: F64) -> F64:
    return np.concatenate([-x[::-1], x])


def inverse(x: Any) -> Any:
    """erfinv by Newton's method on log(erfc), which is nearly a parabola."""
    if x < 0:
        return -inverse(-x)
    y = mpmath.sqrt(-mpmath.log((1 - x) * (1 + x))) * mpmath.mpf("0.9")
    target = mpmath.log(1 - x)
    for _ in range(100):
        value = mpmath.erfc(y)
        step = (mpmath.log(value) - target) * value * mpmath.exp(y * y) * mpmath.sqrt(mpmath.pi) / 2
        y += step
        if abs(step) <= abs(y) * mpmath.mpf(10) ** -30:
            return y
    raise AssertionError(f"no convergence at {x}")


def series_inverse(x: Any) -> Any:
    """erfinv of a small x: the first terms of its Taylor series, DLMF 7.17.2."""
    t = mpmath.sqrt(mpmath.pi) / 2 * x
    return t + t**3 / 3 + 7 * t**5 / 30


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (np.linspace(0, 0.4769, 500), 1.0),
        (np.linspace(0.4769, 1, 500), 3.0),
        (np.linspace(1, 6.5, 800), 1.5),
        (np.geomspace(TINY, 1e-3, 300), 1.0),
        (np.geomspace(6.5, 1.7e308, 50), 0.5),
    ],
    ids=["near", "far", "saturating", "small", "one"],
)
def test_erf_is_accurate(x: F64, bound: float) -> None:
    assert ulps(erf, mpmath.erf, both_signs(x)) <= bound


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (-np.linspace(0.4769, 7, 500), 1.5),
        (np.linspace(-0.4769, 0.4769, 500), 1.0),
        (np.linspace(0.4769, 2, 1000), 5.0),
        (np.linspace(2, 26.5, 1000), 5.0),
        (np.linspace(26.5, 27.3, 500), 5.0),
        (both_signs(np.geomspace(TINY, 1e-3, 100)), 0.6),
    ],
    ids=["negative", "near", "middle", "tail", "subnormal", "small"],
)
def test_erfc_is_accurate(x: F64, bound: float) -> None:
    assert ulps(erfc, mpmath.erfc, x) <= bound


def test_erfc_reaches_the_smallest_number() -> None:
    # On the two sides of the x where erfc(x) is half of it, so that it rounds up or down.
    x = np.nextafter(np.float64(27.226017111108366), np.array([0.0, 30.0]))
    above = [mpmath.erfc(mpmath.mpf(at)) > mpmath.mpf(2) ** -1075 for at in x.tolist()]
    assert above == [True, False]
    assert erfc(x).tolist() == [TINY, 0.0]


@pytest.mark.parametrize(
    ("x", "bound"),
    [
        (np.linspace(0.01, 0.98, 400), 3.0),
        (np.linspace(0.98, 0.9999, 200), 3.0),
        (1 - 2.0**-53 * np.round(np.geomspace(1, 2**40, 150)), 3.0),
    ],
    ids=["centre", "tail", "next to one"],
)
def test_erfinv_is_accurate(x: F64, bound: float) -> None:
    assert ulps(erfinv, inverse, both_signs(x)) <= bound


def test_erfinv_is_accurate_at_small_numbers() -> None:
    assert ulps(erfinv, series_inverse, both_signs(np.geomspace(TINY, 1e-3, 300))) <= 3.0


def test_the_branches_join() -> None:
    # On both sides of each limit, a few numbers apart.
    steps = np.arange(-20, 21)
    for limit in (0.4769, 26.457513110645905):
        x = limit + steps * np.spacing(limit)
        assert ulps(erfc, mpmath.erfc, x) <= 5.0
        assert ulps(erf, mpmath.erf, both_signs(x)) <= 3.0
    assert ulps(erfinv, inverse, 0.98 + steps * np.spacing(0.98)) <= 3.0


def test_special_values() -> None:
    x = np.array([INF, -INF, NAN, 0.0, -0.0])
    np.testing.assert_array_equal(erf(x), [1, -1, NAN, 0, 0])
    np.testing.assert_array_equal(erfc(x), [0, 2, NAN, 1, 1])
    np.testing.assert_array_equal(erfinv(x), [NAN, NAN, NAN, 0, 0])
    np.testing.assert_array_equal(np.signbit(erf(x[3:])), [False, True])
    np.testing.assert_array_equal(np.signbit(erfinv(x[3:])), [False, True])
    np.testing.assert_array_equal(erfc(np.array([28.0, 40.0, 1e200])), [0, 0, 0])
    outside = np.array([1.0, -1.0, 1 + 2.0**-52, -1 - 2.0**-52, 2.0])
    np.testing.assert_array_equal(erfinv(outside), [INF, -INF, NAN, NAN, NAN])


def test_odd_functions_are_odd_to_the_bit() -> None:
    x = np.linspace(0, 7, 3001)
    np.testing.assert_array_equal(erf(-x), -erf(x))
    np.testing.assert_array_equal(erfinv(-x / 7), -erfinv(x / 7))


@pytest.mark.parametrize("kernel", [erf, erfc, erfinv])
@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (2, 3), (2, 3, 4)])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", ">f8", ">f4"])
def test_shape_and_dtype_are_kept(kernel: Callable[..., Any], shape: Any, dtype: str) -> None:
    x = np.linspace(-1, 1, int(np.prod(shape))).reshape(shape).astype(dtype)
    result = kernel(x)
    assert isinstance(result, np.ndarray)
    assert result.shape == shape and result.dtype == np.dtype(dtype)
    # The value is the float64 one, rounded once.
    np.testing.assert_array_equal(result, kernel(x.astype(np.float64)).astype(dtype))


@pytest.mark.parametrize("kernel", [erf, erfc, erfinv])
@pytest.mark.parametrize("scalar", [np.float16, np.float32, np.float64])
def test_scalars(kernel: Callable[..., Any], scalar: Callable[[float], Any]) -> None:
    result = kernel(scalar(0.5))
    assert result.shape == () and result.dtype == scalar(0.5).dtype
    assert result == kernel(np.array([0.5], result.dtype))[0]


@pytest.mark.parametrize("kernel", [erf, erfc, erfinv])
def test_memory_order_and_size_do_not_matter(kernel: Callable[..., Any]) -> None:
    x = np.linspace(-0.999, 0.999, 30000).reshape(150, 200)  # several blocks
    x.setflags(write=False)
    expected = np.array([kernel(row) for row in x])
    np.testing.assert_array_equal(kernel(x), expected)
    np.testing.assert_array_equal(kernel(np.asfortranarray(x)), expected)
    np.testing.assert_array_equal(kernel(x[::-2, ::3]), expected[::-2, ::3])
    np.testing.assert_array_equal(kernel(x.T), expected.T)


def test_scipy_agrees() -> None:
    special = pytest.importorskip("scipy.special")
    x = np.linspace(-5, 5, 5001)
    np.testing.assert_allclose(erf(x), special.erf(x), rtol=1e-15)
    np.testing.assert_allclose(erfc(x), special.erfc(x), rtol=1e-14)
    np.testing.assert_allclose(erfinv(x / 5), special.erfinv(x / 5), rtol=1e-14)
    edges = np.array([INF, -INF, NAN, 0.0, -0.0, 1.0, -1.0, 1.5])
    for ours, theirs in ((erf, special.erf), (erfc, special.erfc), (erfinv, special.erfinv)):
        np.testing.assert_array_equal(np.isnan(ours(edges)), np.isnan(theirs(edges)))
        np.testing.assert_array_equal(np.isinf(ours(edges)), np.isinf(theirs(edges)))


def test_piecewise_evaluates_each_piece_on_its_elements_only() -> None:
    seen: list[list[float]] = []

    def record(x: F64) -> F64:
        seen.append(x.tolist())
        return 10 * x

    x = np.array([3.0, 1.0, 2.0, NAN])
    result = piecewise(x, (x > 1, record), (x > 5, record))
    np.testing.assert_array_equal(result, [30, NAN, 20, NAN])
    assert seen == [[3.0, 2.0]]


def test_polynomial_and_pointwise() -> None:
    x = np.array([0.0, 2.0, -1.0])
    assert polynomial((5.0, 0.0, 3.0), x).tolist() == [5.0, 17.0, 8.0]
    assert polynomial((5.0,), x).tolist() == [5.0, 5.0, 5.0]
    # float16 would overflow in the square: what is between is float64.
    assert pointwise(lambda x: np.sqrt(x * x), np.float16(1000)) == 1000
