"""Loops and branches, custom rules, matrix functions."""

from typing import Any

import numpy as np

import taglessad as tad
from tests.cases.case import JACOBIAN, Case, Mode, Program, first

FORWARD: tuple[Mode, ...] = (tad.jacfwd,)
REVERSE: tuple[Mode, ...] = (tad.grad, tad.jacrev)


def nan_safe_branch(d: Mode) -> Program:
    f = lambda x: tad.cond(x > 0.0, lambda t: tad.log(t), lambda t: 0.0 * t, x)
    return tad.vmap(d(f))


def reading_a_captured_array(x: Any) -> Any:
    step = lambda c, i: (c + (i + 1.0) * x[i], None)
    return tad.scan(step, 0.0, tad.arange(4))[0]


def stopped_early(x: Any) -> Any:
    step = lambda c, v: (tad.where(c > 10.0, c, c + v * v), None)
    return tad.scan(step, 0.0, x)[0]


def never_entered(x: Any) -> Any:
    return 5.0 * tad.while_loop(lambda s: s > 10.0, lambda s: s * s, x)


LOOPS = [
    Case(
        "cond-is-nan-safe-under-vmap", "jax-ml/jax#5658", nan_safe_branch, ([2.0, 0.0],), [0.5, 0.0]
    ),
    Case(
        "while-captured-array",
        "tensorflow/tensorflow#3114",
        first(reading_a_captured_array),
        (np.ones(4),),
        [1.0, 2.0, 3.0, 4.0],
    ),
    # Stops after 1 + 4 + 9 = 14.
    Case(
        "until-scan-offset",
        "pymc-devs/pytensor#2217",
        first(stopped_early),
        ([1.0, 2.0, 3.0, 4.0],),
        [2.0, 4.0, 6.0, 0.0],
    ),
    Case("while-zero-trips", "tensorflow/tensorflow#1093", first(never_entered), (3.0,), 5.0),
]


def over_a_captured_value(a: Any) -> Any:
    @tad.custom_vjp
    def f(x: Any) -> Any:
        return a * x

    f.defvjp(lambda x: (a * x, None), lambda r, g: (a * g,))
    return f(2.0)


def constant_with_slope_x(recalled: bool) -> Program:
    """foo(x) = 1 with the rule dfoo = x dx, squared."""

    @tad.custom_jvp
    def foo(x: Any) -> Any:
        return 1.0 + 0.0 * x

    @foo.defjvp
    def rule(p: Any, t: Any) -> Any:
        x = p[0]
        return (foo(x) if recalled else 1.0 + 0.0 * x), x * t[0]

    return lambda x: foo(x) ** 2


def twice_in_a_scan(x: Any) -> Any:
    m = tad.asarray([1.0, 0.0, 2.0])

    @tad.custom_vjp
    def f(x: Any, k: Any) -> Any:
        return x * k

    f.defvjp(lambda x, k: (x * k, k), lambda k, g: (g * k, None))
    return tad.sum(tad.scan(lambda c, _: (f(c, m), None), x, tad.arange(2))[0])


def integer_argument(d: Mode) -> Program:
    @tad.custom_vjp
    def f(x: Any, n: Any) -> Any:
        return x**n

    f.defvjp(
        lambda x, n: (x**n, (x, n)),
        lambda r, g: (r[1] * r[0] ** (r[1] - 1) * g, None),
    )
    return lambda x: d(f)(x, 3)


def gauss_newton(d: Mode, e: Mode) -> Program:
    """h = f(g(x)): the curvature of f kept, that of g stopped."""

    @tad.custom_jvp
    def f(u: Any) -> Any:
        return 0.5 * u * u

    @f.defjvp
    def rule(p: Any, t: Any) -> Any:
        return f(p[0]), p[0] * tad.detach(t[0])

    return d(e(lambda x: f(0.5 * x * x)))


def rows_in_a_scan(c: Any) -> Any:
    @tad.custom_vjp
    def step(u: Any, c: Any) -> Any:
        return c * u + c

    step.defvjp(
        lambda u, c: (c * u + c, (u, c)),
        lambda r, g: (r[1] * g, tad.sum(g * (r[0] + 1.0))),
    )
    thrice = lambda u: tad.scan(lambda s, _: (step(s, c), None), u, tad.zeros(3))[0]
    rows = tad.asarray([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return tad.sum(tad.vmap(thrice)(rows))


RULES = [
    Case(
        "custom-rule-closed-over-value",
        "jax-ml/jax#4008",
        first(over_a_captured_value),
        (3.0,),
        2.0,
    ),
    # F'' = 2 (x * x + foo) where the rule calls foo again, 2 foo where its primal is a constant.
    Case(
        "custom-jvp-primal-must-be-function",
        "jax-ml/jax#28805",
        lambda d, e: (
            lambda x: (d(e(constant_with_slope_x(True)))(x), d(e(constant_with_slope_x(False)))(x))
        ),
        (0.5,),
        (2.5, 2.0),
        (FORWARD, FORWARD),
    ),
    Case(
        "custom-rule-array-nondiff-in-scan",
        "jax-ml/jax#20889",
        first(twice_in_a_scan),
        (np.ones(3),),
        [1.0, 0.0, 4.0],
        (REVERSE,),
    ),
    Case(
        "custom-rule-none-for-integer",
        "jax-ml/jax#7652",
        integer_argument,
        (2.0,),
        12.0,
        (REVERSE,),
    ),
    # g'(3)**2; the full second derivative would be 3 * 9 / 2.
    Case(
        "detach-tangent-gauss-newton",
        "jax-ml/jax#10994",
        gauss_newton,
        (3.0,),
        9.0,
        (FORWARD, FORWARD),
    ),
    Case(
        "custom-vjp-scan-vmap", "jax-ml/jax#5832", first(rows_in_a_scan), (2.0,), 354.0, (REVERSE,)
    ),
]


def norm_through_svd(a: Any) -> Any:
    u, s, vt = tad.linalg.svd(a, full_matrices=False)
    m = (u * s) @ vt
    return tad.sqrt(tad.sum(m * m))


def sign_and_log(a: Any) -> Any:
    s, log = tad.linalg.slogdet(a)
    return 10.0 * s + log


def det_second(d: Mode, e: Mode) -> Program:
    def entries(a: Any) -> Any:
        h = d(e(tad.linalg.det))(a)
        return h[0, 0, 1, 1], h[0, 1, 1, 0], h[0, 0, 0, 0]

    return entries


def log_det_by_cholesky(a: Any) -> Any:
    return 2.0 * tad.sum(tad.log(tad.diag(tad.linalg.cholesky(a))))


MATRICES = [
    Case(
        "expm-at-zero",
        "jax-ml/jax#2131",
        first(lambda a: tad.sum(tad.linalg.expm(a))),
        (np.zeros((2, 2)),),
        np.ones((2, 2)),
    ),
    Case(
        "slogdet-sign-output",
        "pytorch/pytorch#15605",
        first(sign_and_log),
        ([[2.0, 1.0], [1.0, 3.0]],),
        [[0.6, -0.2], [-0.2, 0.4]],
    ),
    # det = a d - b c
    Case(
        "det-singular-hessian",
        "pytorch/pytorch#79487",
        det_second,
        (np.zeros((2, 2)),),
        (1.0, -1.0, 0.0),
        (JACOBIAN, (tad.grad, *JACOBIAN)),
    ),
    Case(
        "det-singular",
        "tensorflow/tensorflow#119477",
        first(lambda a: tad.linalg.det(a)),
        ([[1.0, 2.0], [3.0, 6.0]],),
        [[6.0, -3.0], [-2.0, 1.0]],
    ),
    Case(
        "eigvals-sum-degenerate",
        "jax-ml/jax#669",
        first(lambda a: tad.sum(tad.linalg.eigh(a)[0])),
        (np.eye(3),),
        np.eye(3),
    ),
    # The gradient on the symmetric matrices: the inverse.
    Case(
        "cholesky-logdet-symmetric",
        "pytorch/pytorch#18825",
        first(log_det_by_cholesky),
        ([[4.0, 1.0], [1.0, 3.0]],),
        [[3 / 11, -1 / 11], [-1 / 11, 4 / 11]],
    ),
    Case(
        "slogdet-forward-mode",
        "HIPS/autograd#536",
        first(lambda t: tad.linalg.slogdet(t * tad.eye(5))[1]),
        (4.0,),
        1.25,
    ),
    # f(A) is the Frobenius norm, whose gradient is A / f(A). Forward mode, which is asked for the
    # motion of vectors that are not determined, answers inf: tests/linalg/test_degenerate.py.
    Case(
        "svd-equal-singular-values",
        "jax-ml/jax#8732",
        first(norm_through_svd),
        (np.diag([1.0, 1.0, 2.0]),),
        np.diag([1.0, 1.0, 2.0]) / 6.0**0.5,
        ((tad.grad, tad.jacrev),),
    ),
]
CASES = [*LOOPS, *RULES, *MATRICES]
