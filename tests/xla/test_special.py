"""Kernels of special functions, transforms and integer convolutions on XLA: against NumPy's."""

from typing import Any, Final

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Eager
from taglessad.primitive import PRIMITIVES
from taglessad.shapes import convolution as shapes
from taglessad.shapes.convolution import Window

jax = pytest.importorskip("jax")
from taglessad.interpreters import Jax  # noqa: E402  # after the skip
from taglessad.xla.convolution import by_taps  # noqa: E402  # after the skip
from taglessad.xla.width import wide  # noqa: E402  # after the skip

RNG: Final = np.random.default_rng(0)
N: Final = 1500
EDGES: Final = np.asarray([0.0, -0.0, 1.0, -1.0, 0.5, np.inf, -np.inf, np.nan])
POSITIVE: Final = np.concatenate([np.exp(RNG.uniform(-20, 6.4, N)), RNG.uniform(0, 30, N), EDGES])
REAL: Final = np.concatenate([RNG.uniform(-30, 30, N), POSITIVE, -POSITIVE, [712.0, 91.0]])
BESIDE: Final = np.concatenate([RNG.uniform(-0.9, 0.9, N), np.exp(RNG.uniform(-9, 5, N))])
FIRST: Final = np.concatenate([POSITIVE[: 2 * N], np.repeat(EDGES, EDGES.size)])
SECOND: Final = np.concatenate([FIRST[: 2 * N] * (1 + BESIDE), np.tile(EDGES, EDGES.size)])
POWER: Final = np.concatenate([RNG.uniform(-4, 4, 2 * N), np.tile(EDGES, EDGES.size)])
BETWEEN: Final = np.concatenate([np.tanh(RNG.uniform(-18, 18, N)), RNG.uniform(-1, 1, N), EDGES])
STEPS: Final = np.concatenate([FIRST[N : 2 * N], FIRST[: FIRST.size - 2 * N]])
ENDS: Final = np.concatenate([np.exp(RNG.uniform(-30, 0, N)), RNG.uniform(0, 2, N), EDGES, [2.0]])

BESIDE_POLES: Final = RNG.choice([-1, 1], N) * np.exp(RNG.uniform(-30, -1, N))
WHOLE: Final = np.concatenate([-RNG.integers(0, 128, N // 2), RNG.integers(-16, 3, N // 2)])
NEGATIVE: Final = np.concatenate([-RNG.uniform(0, 20, N), -RNG.uniform(0, 128, N)])
GAMMA: Final = np.concatenate([NEGATIVE, WHOLE + BESIDE_POLES, POSITIVE, -EDGES, [171.6, 190.0]])
EXPONENTS: Final = np.concatenate([REAL, np.exp(RNG.uniform(-2, 1, N)), RNG.uniform(-1, 1, N)])
# The end itself stands for the number next to it in the dtype, which here is another in each.
LOWER: Final = np.concatenate([np.exp(RNG.uniform(-14, -1.4, N)) - 1 / np.e, -ENDS[:N], -EDGES])
UPPER: Final = np.concatenate([LOWER, POSITIVE, np.exp(RNG.uniform(6, 80, N))])

# Units in the last place from NumPy's kernel, of whose own error 15 are in kl_div and 4 elsewhere.
CASES: Final[dict[str, tuple[str, tuple[Any, ...], tuple[int, ...], float]]] = {
    "log1p": ("log1p", (np.concatenate([POSITIVE, -POSITIVE, BETWEEN]),), (), 3),
    "atanh": ("atanh", (np.concatenate([BETWEEN, ENDS, -ENDS]),), (), 4),
    "softplus": ("softplus", (REAL,), (), 4),
    "erfc": ("erfc", (REAL,), (), 8),
    "erfinv": ("erfinv", (BETWEEN,), (), 4),
    "ndtr": ("ndtr", (REAL,), (), 8),
    "log_ndtr": ("log_ndtr", (REAL,), (), 8),
    **{f"erfcx {n}": ("erfcx", (REAL,), (n,), 8) for n in (0, 1, 3, 5)},
    "gamma": ("gamma", (GAMMA,), (), 8),
    "gammaln": ("gammaln", (GAMMA,), (), 16),  # 4 but beside -16 and -17
    "digamma": ("polygamma", (GAMMA,), (0,), 12),
    **{f"expn {n}": ("expn", (EXPONENTS,), (n,), 8) for n in (0, 1, 2, 3, 40)},
    "expi": ("expi", (EXPONENTS,), (), 12),
    **{f"lambertw 0 {s}": ("lambertw", (UPPER,), (0, s), 8) for s in (0, 1)},
    **{f"lambertw -1 {s}": ("lambertw", (LOWER,), (-1, s), 8) for s in (0, 1)},
    **{
        f"polygamma_difference {n}": ("polygamma_difference", (FIRST[:-N], STEPS), (n,), 10)
        for n in (0, 1, 3)
    },
    **{f"zeta {m}": ("zeta", (1 + FIRST / 4, SECOND), (m,), 8) for m in (0, 1, 2)},
    "entr": ("entr", (REAL,), (), 3),
    "cosm1": ("cosm1", (REAL,), (), 3),
    "rel_entr": ("rel_entr", (FIRST, SECOND), (), 4),
    "kl_div": ("kl_div", (FIRST, SECOND), (), 20),
    "boxcox": ("boxcox", (FIRST, POWER), (), 8),
    "spence": ("spence", (POSITIVE,), (), 8),
    "erfcinv": ("erfcinv", (ENDS,), (), 8),
    **{f"exprel {m}": ("exprel", (REAL,), (m,), 8) for m in (0, 1, 2, 5)},
    **{f"bessel_j {n}": ("bessel_j", (REAL / 120,), (n,), 8) for n in (0, 1)},
    **{
        f"bessel_i_scaled {n} {m}": ("bessel_i_scaled", (REAL,), (n, m), 12 if n * m else 8)
        for n in (0, 1)
        for m in (0, 1, 2)
    },
    **{f"bessel_i {n}": ("bessel_i", (REAL,), (n,), 12) for n in (0, 1, 2, 5, 6)},
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("case", CASES)
def test_a_special_function(case: str, dtype: Any) -> None:
    """In float32 too to few units: the reference is that of the same numbers in float64."""
    name, operands, params, ulp = CASES[case]
    prim = PRIMITIVES[name]
    xs = tuple([x.astype(dtype) for x in operands])
    wanted: Any = Eager().run(prim, tuple([x.astype(np.float64) for x in xs]), params)
    compiled: Any = jax.jit(lambda *xs: Jax().apply(prim, xs, params))
    got: Any = wide(compiled)(*xs)
    assert got.dtype == dtype
    info = np.finfo(dtype)
    size = np.abs(wanted)
    ordinary = (size > 4 * info.tiny) & (size < info.max / 4)
    unit = np.spacing(size[ordinary].astype(dtype)).astype(np.float64)
    error = np.abs(np.asarray(got, np.float64)[ordinary] - wanted[ordinary]) / unit
    assert ordinary.sum() > 1000 and np.max(error) <= ulp
    special = ~np.isfinite(wanted) | (wanted == 0)
    np.testing.assert_array_equal(np.asarray(got)[special], wanted[special].astype(dtype))


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("n", [0, 1, 2, 5, 20])
@pytest.mark.parametrize("name", ["bessel_j", "bessel_y"])
def test_a_wave(name: str, n: int, dtype: Any) -> None:
    """Where it oscillates in units of its amplitude, as NumPy's kernel: below n by itself."""
    x = np.concatenate([np.exp(RNG.uniform(-9, 7, N)), RNG.uniform(0, 60, N)]).astype(dtype)
    given = x.astype(np.float64)
    first, second = (
        np.asarray(Eager().run(PRIMITIVES[p], (given,), (n,))) for p in ("bessel_j", "bessel_y")
    )
    wanted = first if name == "bessel_j" else second
    compiled: Any = jax.jit(lambda x: Jax().apply(PRIMITIVES[name], (x,), (n,)))
    got = np.asarray(wide(compiled)(x))
    assert got.dtype == dtype
    size = np.where(given > n, np.hypot(first, second), np.abs(wanted))
    ordinary = (size > 4 * np.finfo(dtype).tiny) & (size < np.finfo(dtype).max / 4)
    unit = np.spacing(size[ordinary].astype(dtype)).astype(np.float64)
    error = np.abs(got[ordinary].astype(np.float64) - wanted[ordinary]) / unit
    assert ordinary.sum() > 1000 and np.max(error) <= 8 + n // 2
    ends = np.asarray([0.0, np.inf, np.nan, -1.5], dtype)
    with np.errstate(all="ignore"):
        edges = Eager().run(PRIMITIVES[name], (ends,), (n,))
    np.testing.assert_allclose(wide(compiled)(ends), edges, rtol=8 * np.finfo(dtype).eps)


AROUND: Final = np.exp(RNG.uniform(-9, 16, 800))
SHAPES: Final = np.concatenate([np.exp(RNG.uniform(-9, 9, 800)), RNG.uniform(0, 30, 800), AROUND])
VARIABLES: Final = np.concatenate(
    [
        *(np.exp(RNG.uniform(-9, 9, 800)), RNG.uniform(0, 30, 800)),
        np.abs(AROUND + 3 * np.sqrt(AROUND) * RNG.standard_normal(800)),
    ]
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize(
    "name,params",
    [
        *(("gammainc", (0,)), ("gammainc", (1,)), ("gammaincc", ())),
        *(("gamma_density", (0,)), ("gamma_density", (1,))),
    ],
)
def test_an_incomplete_gamma_function(name: str, params: tuple[int, ...], dtype: Any) -> None:
    """In units in the last place of its exponent, as NumPy's kernel: far tails are exponentials."""
    a, x = SHAPES.astype(dtype), VARIABLES.astype(dtype)
    prim = PRIMITIVES[name]
    wanted = np.asarray(Eager().run(prim, (a.astype(float), x.astype(float)), params))
    compiled: Any = jax.jit(lambda a, x: Jax().apply(prim, (a, x), params))
    got = np.asarray(wide(compiled)(a, x))
    assert got.dtype == dtype
    size = np.abs(wanted)
    ordinary = (size > 1000 * np.finfo(dtype).tiny) & (size < np.finfo(dtype).max / 4)
    unit = np.spacing(size[ordinary].astype(dtype)).astype(np.float64)
    if dtype is np.float64:
        unit = unit * (1 + np.abs(np.log(size[ordinary])))
    error = np.abs(got[ordinary].astype(np.float64) - wanted[ordinary]) / unit
    assert ordinary.sum() > 2000 and np.max(error) <= 8
    ends = [np.asarray(z, dtype) for z in ([1, 1, 1, 0, 2, np.nan], [0, np.inf, np.nan, 1, -1, 1])]
    with np.errstate(all="ignore"):
        edges = Eager().run(prim, tuple(ends), params)
    np.testing.assert_array_equal(wide(compiled)(*ends), edges)


@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=lambda t: t.__name__)
def test_the_logarithm_of_beta(dtype: Any) -> None:
    """In units in its last place, or in that of 1 next to its zeros; of negative numbers too."""
    mixed = RNG.uniform(-20, 20, (2, N)), RNG.integers(-9, 10, (2, 300)).astype(float)
    wide_range = np.exp(RNG.uniform(-80, 20, (2, N)))
    a, b = np.concatenate([np.stack([FIRST, SECOND]), *mixed, wide_range], axis=1).astype(dtype)
    prim = PRIMITIVES["betaln"]
    with np.errstate(all="ignore"):
        wanted = np.asarray(Eager().run(prim, (a.astype(float), b.astype(float)), ()))
    compiled: Any = jax.jit(lambda a, b: Jax().apply(prim, (a, b), ()))
    got = np.asarray(wide(compiled)(a, b))
    assert got.dtype == dtype
    finite = np.isfinite(wanted)
    unit = np.spacing(np.maximum(np.abs(wanted[finite]), 1).astype(dtype)).astype(np.float64)
    error = np.abs(got[finite].astype(np.float64) - wanted[finite]) / unit
    assert finite.sum() > 5000 and np.max(error) <= 8
    np.testing.assert_array_equal(got[~finite], wanted[~finite].astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
def test_the_slope_of_erf_has_its_digits_in_the_tails_too(dtype: Any) -> None:
    """exp(-x**2) is not exp of a rounded square, whatever XLA makes of the formula."""
    info = np.finfo(dtype)
    edge = np.sqrt(-np.log(4 * float(info.tiny)))
    x = np.linspace(-edge, edge, 40_001).astype(dtype)
    exact = np.exp(-(x.astype(np.longdouble) ** 2))
    prim = PRIMITIVES["exp_neg_square"]
    compiled: Any = jax.jit(lambda x: Jax().apply(prim, (x,), ()))
    kernel: Any = wide(compiled)
    unit = np.spacing(np.maximum(exact, info.tiny).astype(dtype)).astype(np.longdouble)
    assert np.max(np.abs(np.asarray(kernel(x)).astype(np.longdouble) - exact) / unit) <= 3
    ends = np.asarray([-np.inf, np.inf, np.nan, 100.25, info.max], dtype)
    np.testing.assert_array_equal(kernel(ends), np.asarray([0, 0, np.nan, 0, 0], dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64], ids=lambda t: t.__name__)
@pytest.mark.parametrize("n", [1, 2, 7, 8])
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_fourier_transforms(n: int, axis: int, dtype: Any) -> None:
    shape = tuple(n if i == axis else 3 for i in range(3))
    x = np.random.default_rng(0).standard_normal(shape).astype(dtype)
    rtol = 40 * float(np.finfo(dtype).eps)

    def spectrum(x: Any) -> Any:
        found = tad.fft.rfft(x, axis=axis)
        return found.re, found.im

    want = [np.asarray(y) for y in spectrum(tad.asarray(x))]
    for got, expected in zip(tad.jit(spectrum, Jax())(x), want, strict=True):
        assert got.dtype == dtype
        np.testing.assert_allclose(np.asarray(got), expected, rtol=rtol, atol=n * rtol)
    # Any numbers, also those that are no spectrum of real numbers: where imaginary parts vanish.
    re, im = (np.random.default_rng(i).standard_normal(want[0].shape).astype(dtype) for i in (1, 2))

    def back(re: Any, im: Any) -> Any:
        return tad.fft.irfft(re, im, n, axis=axis)

    got = tad.jit(back, Jax())(re, im)
    expected = back(tad.asarray(re), tad.asarray(im))
    assert got.dtype == dtype
    np.testing.assert_allclose(np.asarray(got), np.asarray(expected), rtol=rtol, atol=rtol)


def _windows(count: int) -> list[tuple[Any, Any, Window]]:
    """Operands' shapes with a window, those without channels, members, taps or results among them."""
    rng = np.random.default_rng(0)
    found: list[tuple[Any, Any, Window]] = []
    while len(found) < count:
        rank, groups = map(int, rng.integers((0, 1), (3, 3)))
        limits = ((1, 4), (-1, 4), (-1, 4), (1, 3), (1, 3), (1, 8), (0, 4))
        drawn = [tuple(map(int, rng.integers(low, high, rank))) for low, high in limits]
        strides, before, behind, dilation, kernel_dilation, sizes, taps = drawn
        channels, outputs, members = map(int, rng.integers(0, 3, 3))
        padding = tuple(zip(before, behind, strict=True))
        window = Window(strides, padding, dilation, kernel_dilation, groups)
        x = (members, groups * channels, *sizes)
        kernel = (groups * outputs, channels, *taps)
        results: Any = shapes.convolution(x, kernel, window)
        if min(results) >= 0:
            found.append((x, kernel, window))
    return found


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool], ids=lambda t: t.__name__)
def test_integers_are_convolved_tap_by_tap_alike(dtype: Any) -> None:
    """What GPUs and TPUs run, run here; integers wrap around as everywhere."""
    prim = PRIMITIVES["convolution"]
    rng = np.random.default_rng(1)
    for first, second, window in _windows(12):
        x, kernel = (rng.integers(0, 200, s).astype(dtype) for s in (first, second))
        wanted = np.asarray(Eager().run(prim, (x, kernel), (window,)))
        got = Jax().apply(prim, (x, kernel), (window,))
        assert got.dtype == dtype
        np.testing.assert_array_equal(np.asarray(got), wanted)
        if dtype is not bool and 0 not in kernel.shape[2:]:
            np.testing.assert_array_equal(by_taps(x, kernel, window), wanted)


def test_a_kernel_without_taps() -> None:
    """XLA refuses it, for numbers of any kind."""
    window = Window((1,), ((0, 0),), (1,), (1,))
    got = Jax().apply(
        PRIMITIVES["convolution"], (np.ones((1, 2, 3)), np.ones((4, 2, 0))), (window,)
    )
    np.testing.assert_array_equal(np.asarray(got), np.zeros((1, 4, 4)))
