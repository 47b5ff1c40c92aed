"""rfft and irfft against numpy.fft, as linear maps, and under every transform."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad

RNG = np.random.default_rng(0)
LENGTHS = [1, 2, 3, 4, 5, 8, 9]
NORMS: list[Any] = ["backward", "ortho", "forward"]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_against_numpy(length: int, norm: Any) -> None:
    x = RNG.standard_normal((2, length, 3))
    for n in (None, 1, length, length + 1, length + 4, max(1, length - 2)):
        want = np.fft.rfft(x, n, axis=1, norm=norm)
        got = tad.fft.rfft(x, n, axis=-2, norm=norm)
        np.testing.assert_allclose(np.asarray(got.re), want.real, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(np.asarray(got.im), want.imag, rtol=1e-14, atol=1e-14)
        if n is None and length == 1:
            continue  # NumPy's own default would be an inverse of length 0
        back = np.fft.irfft(x + 1j * x[::-1], n, axis=1, norm=norm)
        mine = tad.fft.irfft(x, x[::-1], n, axis=1, norm=norm)
        np.testing.assert_allclose(np.asarray(mine), back, rtol=1e-14, atol=1e-14)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("length", LENGTHS)
def test_there_and_back(length: int, norm: Any) -> None:
    x = RNG.standard_normal((3, length))
    back = tad.fft.irfft(*tad.fft.rfft(x, norm=norm), n=length, norm=norm)
    np.testing.assert_allclose(np.asarray(back), x, rtol=1e-13, atol=1e-14)


@pytest.mark.parametrize("length", LENGTHS)
def test_parseval(length: int) -> None:
    x = RNG.standard_normal(length)
    re, im = tad.fft.rfft(x, norm="ortho")
    mirrored = np.ones(length // 2 + 1)
    mirrored[1 : (length + 1) // 2] = 2
    total = float(tad.sum(mirrored * (re**2 + im**2)))
    assert total == pytest.approx(float(np.sum(x * x)), rel=1e-14)


@pytest.mark.parametrize("length", [4, 5])
def test_adjoint_and_derivatives(length: int, check_program: Callable[..., None]) -> None:
    x = RNG.standard_normal((2, length))
    tad.checks.check_adjoint(lambda x: tad.fft.rfft(x, axis=1), x)
    re, im = (RNG.standard_normal((2, length // 2 + 1)) for _ in range(2))
    tad.checks.check_adjoint(lambda a, b: tad.fft.irfft(a, b, length), re, im)

    def power(x: Any) -> Any:
        re, im = tad.fft.rfft(x, norm="ortho")
        return tad.exp(-re) * im + re**2

    check_program(power, x)
    check_program(lambda a, b: tad.fft.irfft(tad.sin(a), a * b, length), re, im)


def test_a_convolution_by_the_theorem() -> None:
    x, h = RNG.standard_normal(7), RNG.standard_normal(3)

    def filtered(x: Any, h: Any) -> Any:
        n = 9
        a, b = tad.fft.rfft(x, n), tad.fft.rfft(h, n)
        return tad.fft.irfft(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re, n)

    np.testing.assert_allclose(np.asarray(filtered(x, h)), np.convolve(x, h), atol=1e-14)
    jacobian = np.asarray(tad.jacrev(filtered)(x, h))
    np.testing.assert_allclose(
        jacobian, np.stack([np.convolve(row, h) for row in np.eye(7)], axis=1), atol=1e-14
    )


@pytest.mark.parametrize("dtype", [tad.float16, tad.float32, tad.float64], ids=str)
def test_dtypes(dtype: Any) -> None:
    x = np.arange(6).astype(dtype)
    re, im = tad.fft.rfft(x)
    assert re.dtype == im.dtype == dtype
    assert tad.fft.irfft(re, im).dtype == dtype
    np.testing.assert_allclose(np.asarray(tad.fft.irfft(re, im)), x, atol=100 * np.finfo(dtype).eps)
    assert tad.fft.rfft(np.arange(6)).re.dtype == tad.float64


def test_no_rows_and_symbolic_shapes() -> None:
    assert tad.fft.rfft(np.zeros((0, 4))).re.shape == (0, 3)
    assert tad.fft.irfft(np.zeros((0, 3)), np.zeros((0, 3))).shape == (0, 4)
    (n,) = tad.symbols("n")
    shapes = tad.interpret(lambda x: tad.fft.rfft(x), tad.interpreters.Shape())(
        tad.Spec((n, 2 * n))
    )
    assert tuple(shapes) == ((n, n + 1), (n, n + 1))
    back = lambda a, b: tad.fft.irfft(a, b, norm="ortho")
    got = tad.interpret(back, tad.interpreters.Shape())(tad.Spec((n + 1,)), tad.Spec((n + 1,)))
    assert got == (2 * n,)


def test_rfftfreq() -> None:
    for n in LENGTHS:
        assert tad.fft.rfftfreq(n, 0.1).tolist() == np.fft.rfftfreq(n, 0.1).tolist()


WRONG: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: tad.fft.rfft(np.ones(3) + 1j), tad.DTypeError, "fft.rfft.*complex"),
    (lambda: tad.fft.rfft(np.ones(3), 0), tad.DomainError, "fft.rfft: 0 numbers"),
    (lambda: tad.fft.rfft(np.ones((2, 0))), tad.DomainError, "fft.rfft: 0 numbers"),
    (lambda: tad.fft.rfft(np.ones(3), axis=1), tad.IndexOutOfRange, "fft.rfft"),
    (lambda: tad.fft.rfft(1.0), tad.IndexOutOfRange, "fft.rfft"),
    (lambda: tad.fft.rfft(np.ones(3), norm="unit"), tad.ArgumentError, "norm 'unit'"),  # type: ignore[arg-type]
    (lambda: tad.fft.rfft(np.ones(3), 2.0), tad.ArgumentError, "n must be an integer"),  # type: ignore[arg-type]
    (lambda: tad.fft.irfft(np.ones(3), np.ones(4)), tad.ShapeError, r"re has shape \[3\] and im"),
    (lambda: tad.fft.irfft(np.ones(1), np.ones(1)), tad.DomainError, "fft.irfft: 0 numbers"),
    (lambda: tad.fft.rfftfreq(0), tad.DomainError, "fft.rfftfreq: 0 numbers"),
]


@pytest.mark.parametrize("case", range(len(WRONG)))
def test_misuse(case: int) -> None:
    f, error, message = WRONG[case]
    with pytest.raises(error, match=message):
        f()
