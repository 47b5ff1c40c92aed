"""Derivatives against differences, other modes, and the libraries that have the function."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad import linalg

RNG = np.random.default_rng(1)


def matrix(*shape: int) -> np.ndarray:
    """Well-conditioned, with singular values that are apart."""
    *lead, m, n = shape
    k = min(m, n)
    u = np.linalg.qr(RNG.normal(size=(*lead, m, m)))[0][..., :k]
    v = np.linalg.qr(RNG.normal(size=(*lead, n, n)))[0][..., :k]
    return (u * np.arange(1.0, k + 1)) @ v.swapaxes(-1, -2)


def symmetric(*shape: int) -> np.ndarray:
    x = RNG.normal(size=shape)
    return x + x.swapaxes(-1, -2) + np.diag(np.arange(0.0, 4.0 * shape[-1], 4.0))


def positive(*shape: int) -> np.ndarray:
    x = RNG.normal(size=shape)
    return x @ x.swapaxes(-1, -2) + np.diag(np.arange(1.0, shape[-1] + 1))


def flat(*xs: Any) -> Any:
    return tad.concat([tad.reshape(x, (-1,)) for x in xs])


Row = tuple[Callable[..., Any], tuple[np.ndarray, ...]]
PROGRAMS: dict[str, Row] = {
    "cholesky": (linalg.cholesky, (positive(2, 3, 3),)),
    "cholesky upper": (lambda x: linalg.cholesky(x, upper=True), (positive(3, 3),)),
    "cond": (linalg.cond, (matrix(3, 3),)),
    "cond 1": (lambda x: linalg.cond(x, 1), (matrix(3, 3),)),
    "det": (linalg.det, (matrix(2, 3, 3),)),
    "eigh": (lambda x: flat(*linalg.eigh(x)), (symmetric(2, 3, 3),)),
    "eigvalsh": (linalg.eigvalsh, (symmetric(4, 4),)),
    "expm": (linalg.expm, (matrix(2, 3, 3),)),
    "inv": (linalg.inv, (matrix(2, 3, 3),)),
    "lstsq": (lambda a, b: linalg.lstsq(a, b).x, (matrix(4, 2), RNG.normal(size=4))),
    "lstsq wide": (lambda a, b: linalg.lstsq(a, b).x, (matrix(2, 4), RNG.normal(size=(2, 3)))),
    "lstsq residuals": (
        lambda a, b: linalg.lstsq(a, b).residuals,
        (matrix(4, 2), RNG.normal(size=(4, 2))),
    ),
    "matrix_norm nuc": (lambda x: linalg.matrix_norm(x, ord="nuc"), (matrix(2, 3, 2),)),
    "matrix_norm 2": (lambda x: linalg.matrix_norm(x, ord=2), (matrix(3, 2),)),
    "matrix_norm -2": (lambda x: linalg.matrix_norm(x, ord=-2), (matrix(3, 2),)),
    "matrix_power": (lambda x: linalg.matrix_power(x, -2), (matrix(3, 3),)),
    "pinv": (linalg.pinv, (matrix(3, 2),)),
    "pinv wide": (linalg.pinv, (matrix(2, 3),)),
    "qr": (lambda x: flat(*linalg.qr(x)), (matrix(2, 3, 2),)),
    "qr wide": (lambda x: flat(*linalg.qr(x)), (matrix(2, 4),)),
    "qr complete": (lambda x: flat(*linalg.qr(x, mode="complete")), (matrix(2, 3),)),
    "slogdet": (lambda x: linalg.slogdet(x).logabsdet, (matrix(2, 3, 3),)),
    "solve": (linalg.solve, (matrix(3, 3), RNG.normal(size=3))),
    "solve stack": (linalg.solve, (matrix(2, 1, 3, 3), RNG.normal(size=(2, 3, 2)))),
    "solve one matrix": (linalg.solve, (matrix(3, 3), RNG.normal(size=(2, 3, 2)))),
    "solve_triangular": (
        lambda a, b: linalg.solve_triangular(a, b, lower=True, trans=1),
        (positive(3, 3), RNG.normal(size=(3, 2))),
    ),
    "svd": (lambda x: flat(*linalg.svd(x, full_matrices=False)), (matrix(2, 3, 2),)),
    "svd wide": (lambda x: flat(*linalg.svd(x, full_matrices=False)), (matrix(2, 4),)),
    "svd square": (lambda x: flat(*linalg.svd(x)), (matrix(3, 3),)),
    "svdvals": (linalg.svdvals, (matrix(4, 2),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_mode_to_the_second_order(name: str, check_program: Callable[..., None]) -> None:
    f, args = PROGRAMS[name]
    check_program(f, *args)


@pytest.mark.parametrize(
    "f",
    [linalg.cholesky, lambda x: flat(*linalg.eigh(x)), linalg.eigvalsh],
    ids=["cholesky", "eigh", "eigvalsh"],
)
def test_gradients_in_the_symmetric_part_are_symmetric(f: Callable[..., Any]) -> None:
    x = positive(3, 3)
    weights = RNG.normal(size=np.shape(f(x)))
    g = np.asarray(tad.grad(lambda x: tad.sum(weights * f(x)))(x))
    np.testing.assert_array_equal(g, g.T)


def exponential(xp: Any, x: Any) -> Any:
    """Each library has its own name for it."""
    if xp is tad:
        return linalg.expm(x)
    return xp.linalg.matrix_exp(x) if hasattr(xp.linalg, "matrix_exp") else jax_expm(x)


def jax_expm(x: Any) -> Any:
    return pytest.importorskip("jax").scipy.linalg.expm(x)


# Functions whose results do not depend on signs and order that another library may choose.
SHARED: dict[str, tuple[Callable[[Any, Any], Any], np.ndarray]] = {
    "cholesky": (lambda xp, x: xp.linalg.cholesky(x), positive(3, 3)),
    "det": (lambda xp, x: xp.linalg.det(x), matrix(3, 3)),
    "eigvalsh": (lambda xp, x: xp.linalg.eigvalsh(x), symmetric(3, 3)),
    "projector": (
        lambda xp, x: (lambda v: v[..., :2] @ v[..., :2].mT)(xp.linalg.eigh(x)[1]),
        symmetric(3, 3),
    ),
    "expm": (lambda xp, x: exponential(xp, x), matrix(3, 3)),
    "inv": (lambda xp, x: xp.linalg.inv(x), matrix(3, 3)),
    "pinv": (lambda xp, x: xp.linalg.pinv(x), matrix(4, 2)),
    "qr": (lambda xp, x: xp.linalg.qr(x)[0] @ xp.linalg.qr(x)[0].mT, matrix(4, 2)),
    "slogdet": (lambda xp, x: xp.linalg.slogdet(x)[1], matrix(3, 3)),
    "solve": (lambda xp, x: xp.linalg.solve(x, xp.asarray(np.ones(3))), matrix(3, 3)),
    "polar": (
        lambda xp, x: (lambda r: r[0] @ r[2])(xp.linalg.svd(x, full_matrices=False)),
        matrix(4, 2),
    ),
    "svdvals": (lambda xp, x: xp.linalg.svd(x, full_matrices=False)[1], matrix(2, 4)),
}


def scalar(xp: Any, name: str) -> Callable[[Any], Any]:
    return lambda x: xp.sum(xp.sin(SHARED[name][0](xp, x)))


def agree(name: str, want: list[np.ndarray]) -> None:
    for d, expected in zip((tad.grad, tad.hessian), want, strict=True):
        got = np.asarray(d(scalar(tad, name))(SHARED[name][1]))
        scale = np.max(np.abs(expected))
        np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-9 * scale)


@pytest.mark.parametrize("name", SHARED)
def test_gradient_and_hessian_are_those_of_torch(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the oracle of this test")
    functional = torch.autograd.functional
    x = torch.tensor(SHARED[name][1])
    f = scalar(torch, name)
    agree(name, [d(f, x).numpy() for d in (functional.jacobian, functional.hessian)])


@pytest.mark.slow
@pytest.mark.parametrize("name", SHARED)
def test_gradient_and_hessian_are_those_of_jax(name: str) -> None:
    jax = pytest.importorskip("jax", reason="JAX is the oracle of this test")
    with jax.enable_x64(True):
        f, x = scalar(jax.numpy, name), SHARED[name][1]
        want = [np.asarray(d(f)(x)) for d in (jax.grad, jax.hessian)]
    agree(name, want)


def test_the_gradient_of_expm_does_not_lose_digits_to_a_large_cotangent() -> None:
    # d expm(x)[0, 1] / dx at the diagonal x = (a, b): the divided difference of exp.
    a, b = 0.5, -1.0
    want = (np.exp(a) - np.exp(b)) / (a - b)
    for size in (1.0, 1e-30, 1e30):
        g = tad.grad(lambda x, s=size: s * linalg.expm(x)[0, 1])(np.diag([a, b]))
        np.testing.assert_allclose(float(g[0, 1]) / size, want, rtol=1e-14)


@pytest.mark.parametrize("name", ["solve", "inv", "eigh", "svd"])
def test_torch_agrees(name: str) -> None:
    torch = pytest.importorskip("torch", reason="PyTorch is the oracle of this test")
    x = symmetric(3, 3) if name == "eigh" else matrix(3, 3)
    w = RNG.normal(size=(3, 3))
    programs: dict[str, Callable[[Any, Any], Any]] = {
        "solve": lambda xp, m: xp.linalg.solve(m, m.mT @ m),
        "inv": lambda xp, m: xp.linalg.inv(m),
        # Squares: signs of vectors are the library's choice.
        "eigh": lambda xp, m: xp.linalg.eigh(m)[1] ** 2 * xp.linalg.eigh(m)[0],
        "svd": lambda xp, m: (lambda r: r[0] ** 2 * r[1] + r[2].mT ** 2)(xp.linalg.svd(m)),
    }
    f = programs[name]
    leaf = torch.tensor(x, requires_grad=True)
    (torch.sum(torch.tensor(w) * f(torch, leaf))).backward()
    got = np.asarray(tad.grad(lambda m: tad.sum(w * f(tad, m)))(x))
    np.testing.assert_allclose(got, leaf.grad.numpy(), rtol=1e-9, atol=1e-9)


def test_float32_stays_float32() -> None:
    x = positive(3, 3).astype(np.float32)
    for f in (linalg.cholesky, linalg.inv, linalg.det, linalg.expm, linalg.svdvals):
        g = tad.grad(lambda x, f=f: tad.sum(f(x)))(x)
        assert g.dtype == tad.float32
        exact = tad.grad(lambda x, f=f: tad.sum(f(x)))(x.astype(np.float64))
        scale = float(np.max(np.abs(np.asarray(exact))))
        np.testing.assert_allclose(np.asarray(g), np.asarray(exact), rtol=1e-4, atol=1e-4 * scale)


def test_the_rank_and_the_sign_carry_no_derivative() -> None:
    x = matrix(3, 3)
    sign = tad.grad(lambda x: linalg.slogdet(x).sign + 0.0 * tad.sum(x))(x)
    np.testing.assert_array_equal(np.asarray(sign), np.zeros((3, 3)))
    rank = tad.grad(lambda x: tad.sum(x) * linalg.matrix_rank(x))(x)
    np.testing.assert_array_equal(np.asarray(rank), np.full((3, 3), 3.0))
