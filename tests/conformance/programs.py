"""ONE list of programs with known values and gradients: every interpreter runs every one.

A case is a program of real arrays, a point, its value, and its gradients (for a scalar result) or
its Jacobians. The numbers are those printed in the published texts named in `source`: TorchLean's
chapter on differentiation (T), a Candle lesson on automatic differentiation (C), Neuro's `@grad`
chapter with its showcase and oracle (N), Baydin et al. 2018 (B). They are compared to the digits
printed there.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import taglessad as tad
from taglessad.nn import functional as nnf

Arrays = Sequence[Any]


@dataclass(frozen=True)
class Case:
    """A program at a point. `digits`: decimals that the source prints."""

    source: str
    program: Callable[..., Any]
    point: Arrays
    value: Any
    gradients: Arrays
    digits: int = 12

    @property
    def smooth(self) -> bool:
        """Whether a difference quotient at the point is the derivative: no kink there, no fence."""
        return not any(word in self.source for word in ("kink", "detach", "fence"))

    @property
    def id(self) -> str:
        return self.source.replace(" ", "-")


def _mean_square(x: Any) -> Any:
    return tad.mean(x**2)


def _linear_loss(w: Any, b: Any, x: Any, t: Any) -> Any:
    return tad.mean((w @ x + b - t) ** 2)


X2 = [0.5, -1.2]
TARGET = [0.7, 0.1, -0.5]
W01, B01 = np.full((3, 2), 0.1), np.full(3, 0.1)

TORCHLEAN = [
    Case(
        "T1 mean of squares",
        _mean_square,
        [[1.0, 2.0, 3.0]],
        4.666667,
        [[0.666667, 1.333333, 2.0]],
        6,
    ),
    Case(
        "T3 linear model, mse",
        lambda w, b: tad.mean((w @ tad.asarray([0.5, -1.0]) + b - 0.25) ** 2),
        [[[0.1, 0.2]], [0.0]],
        0.16,
        [[[-0.4, 0.8]], [-0.8]],
    ),
    Case("T4 mean of squares", _mean_square, [X2], 0.845, [X2]),
    Case("T5 sum of squares", lambda x: tad.sum(x**2), [X2], 1.69, [[1.0, -2.4]]),
    Case(
        "T7 T8 Jacobian of squares", lambda x: x**2, [X2], [0.25, 1.44], [[[1.0, 0.0], [0.0, -2.4]]]
    ),
    Case(
        "T11 T12 affine map",
        lambda w, b, x: tad.sum(w @ x + b),
        [W01, B01, X2],
        0.09,
        [[[0.5, -1.2]] * 3, [1.0] * 3, [0.3, 0.3]],
    ),
    Case(
        "T13 affine model, mse",
        lambda w, b: _linear_loss(w, b, tad.asarray(X2), tad.asarray(TARGET)),
        [W01, B01],
        0.2449,
        [
            [[-0.223333, 0.536], [-0.023333, 0.056], [0.176667, -0.424]],
            [-0.446667, -0.046667, 0.353333],
        ],
        6,
    ),
    Case(
        "T17 detached loss",
        lambda w, b: tad.mean((tad.detach(w @ tad.asarray(X2) + b) - tad.asarray(TARGET)) ** 2),
        [W01, B01],
        0.2449,
        [np.zeros((3, 2)), np.zeros(3)],
    ),
    Case(
        "T18 relu, kink", lambda x: tad.sum(nnf.relu(x)), [[-1.0, 0.0, 1.0]], 1.0, [[0.0, 0.0, 1.0]]
    ),
    Case(
        "T18 relu just above its kink",
        lambda x: tad.sum(nnf.relu(x)),
        [[-1.0, 1e-30, 1.0]],
        1.0,
        [[0.0, 1.0, 1.0]],
    ),
    Case(
        "T18 relu just below its kink",
        lambda x: tad.sum(nnf.relu(x)),
        [[-1.0, -1e-30, 1.0]],
        1.0,
        [[0.0, 0.0, 1.0]],
    ),
    Case("T19 two paths", lambda x: tad.mean(x**2 + x**2), [X2], 1.69, [[1.0, -2.4]]),
    Case("T19 three paths", lambda x: tad.mean(x**2 + x**2 + x**2), [X2], 2.535, [[1.5, -3.6]]),
    Case(
        "T21 all parameters 0.2",
        lambda w, b: _linear_loss(w, b, tad.asarray(X2), tad.asarray(TARGET)),
        [np.full((3, 2), 0.2), np.full(3, 0.2)],
        0.2416,
        [
            [[-0.213333, 0.512], [-0.013333, 0.032], [0.186667, -0.448]],
            [-0.426667, -0.026667, 0.373333],
        ],
        6,
    ),
    Case(
        "T22 first input 0",
        lambda w, b: _linear_loss(w, b, tad.asarray([0.0, -1.2]), tad.asarray(TARGET)),
        [W01, B01],
        0.2544,
        [[[0.0, 0.576], [0.0, 0.096], [0.0, -0.384]], [-0.48, -0.08, 0.32]],
    ),
    Case("T tape example", lambda x: tad.sum(x**2 + x**2), [[3.0, -1.5]], 22.5, [[12.0, -6.0]]),
    Case(
        "T tape example, one path detached",
        lambda x: tad.sum(x**2 + tad.detach(x**2)),
        [[3.0, -1.5]],
        22.5,
        [[6.0, -3.0]],
    ),
    Case("T exp", tad.exp, [0.5], 1.648721, [1.648721], 6),
    Case("T exp(-2x)", lambda x: tad.exp(-2.0 * x), [0.5], 0.367879, [-0.735759], 6),
    Case(
        "T two-layer field",
        lambda w1, b1, w2, b2, x: tad.sum(w2 * (w1 @ x + b1)) + b2,
        [[[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], [0.1, 0.2, 0.3], [0.7, 0.8, 0.9], 0.4, [0.5, 0.8]],
        2.08,
        [
            [[0.35, 0.56], [0.4, 0.64], [0.45, 0.72]],
            [0.7, 0.8, 0.9],
            [0.31, 0.67, 1.03],
            1.0,
            [0.76, 1.0],
        ],
    ),
]

_A8 = [[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]]
_B8 = [[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]]


def _logistic(w: Any, b: Any) -> Any:
    x = tad.asarray([[1.0, 2.0], [2.0, -1.0], [-1.0, -3.0], [0.5, 0.5]])
    y = tad.asarray([1.0, 0.0, 0.0, 1.0])
    p = 1.0 / (1.0 + tad.exp(-(x @ w + b)))
    return -tad.mean(y * tad.log(p) + (1.0 - y) * tad.log(1.0 - p))


def _line_loss(w: Any, b: Any) -> Any:
    """The mean squared error of the lesson's 52 builds, from their sufficient statistics."""
    n, sx, sxx, sy, syy, sxy = 52.0, 9570.0, 1964216.0, 904.0, 16376.0, 174836.0
    return (w**2 * sxx + b**2 * n + syy + 2 * w * b * sx - 2 * w * sxy - 2 * b * sy) / n


CANDLE = [
    Case("C1 x^2 + 3x", lambda x: x**2 + 3.0 * x, [2.0], 10.0, [7.0]),
    Case(
        "C2 sum of squares of products",
        lambda w, c: tad.sum((w * c) ** 2),
        [[1.0, -2.0, 3.0], [4.0, 5.0, 6.0]],
        440.0,
        [[32.0, -100.0, 216.0], [8.0, 40.0, 108.0]],
    ),
    Case(
        "C4 a value used twice",
        lambda w: tad.sum((w + 1.0) * (w + 1.0)),
        [[1.0, -2.0, 3.0]],
        21.0,
        [[4.0, -2.0, 8.0]],
    ),
    Case(
        "C5 sum of squares", lambda w: tad.sum(w**2), [[1.0, -2.0, 3.0]], 14.0, [[2.0, -4.0, 6.0]]
    ),
    Case(
        "C7 detach",
        lambda w: tad.sum(tad.detach(w) * tad.asarray([4.0, 5.0, 6.0])),
        [[1.0, -2.0, 3.0]],
        12.0,
        [[0.0, 0.0, 0.0]],
    ),
    Case(
        "C7 round, kink at 1/2",
        lambda w: tad.sum(tad.round(w * 0.5)),
        [[1.0, -2.0, 3.0]],
        1.0,
        [[0.0, 0.0, 0.0]],
    ),
    Case("C7 max", lambda w: tad.max(w), [[1.0, -2.0, 3.0]], 3.0, [[0.0, 0.0, 1.0]]),
    Case(
        "C8 tanh of a product",
        lambda a, b: tad.sum(tad.tanh(a @ b)),
        [_A8, _B8],
        0.24003512979758,
        [
            [[0.0072830, 0.0018192, -0.0072781], [0.4207431, -0.4197822, 1.2591543]],
            [[0.6299621, 0.0023970], [0.1049924, -0.0035448], [-0.3149783, 0.0069935]],
        ],
        7,
    ),
    Case(
        "C12 line at the origin", _line_loss, [0.0, 0.0], 314.923077, [-6724.461538, -34.769231], 6
    ),
    Case(
        "C16 logistic loss",
        _logistic,
        [[0.3, -0.2], 0.1],
        0.867068,
        [[0.022982, -0.934574], 0.086767],
        6,
    ),
    Case(
        "C18 variance",
        lambda x: tad.var(x),
        [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]],
        2.916667,
        [[(v - 3.5) / 3 for v in range(1, 7)]],
        6,
    ),
    Case(
        "C elu, kink",
        lambda x: tad.sum(nnf.elu(x, 2.0)),
        [[-1.0, 0.0, -2.0, 3.0]],
        0.00643,
        [[0.735759, 2.0, 0.270671, 1.0]],
        5,
    ),
]

_DATA = np.array([[1.0, 2.0], [2.0, 0.0], [0.0, 1.0], [3.0, 1.0]])
_LABELS = np.array([[6.0], [3.0], [3.0], [6.0]])


def _fit(w: Any, b: Any) -> Any:
    return tad.mean((tad.asarray(_DATA) @ w + b - tad.asarray(_LABELS)) ** 2)


_BM = np.array([[1.0, -1.0], [0.5, 2.0], [-2.0, 1.5]])
_KM = np.array([[1.0, 2.0], [-1.0, 0.5]])
_AM = np.array([[1.0, 2.0, -1.0], [0.5, -1.5, 2.0]])


def _scalar_math(x: Any, y: Any) -> Any:
    return x**2.5 + tad.abs(y) * tad.sqrt(x) + tad.log(tad.exp(x * y))


def _fenced(w: Any) -> Any:
    sg = tad.detach
    return tad.sum(sg(2.0 * w) * w + sg(w / 2.0) * w) * sg(tad.max(w))


NEURO = [
    Case("N1 loss at the origin", _fit, [np.zeros((2, 1)), 0.0], 22.5, [[[-15.0], [-10.5]], -9.0]),
    Case(
        "N1 loss halfway", _fit, [np.array([[0.5], [1.0]]), 0.5], 5.625, [[[-7.5], [-5.25]], -4.5]
    ),
    Case("N1 loss at the fit", _fit, [np.array([[1.0], [2.0]]), 1.0], 0.0, [[[0.0], [0.0]], 0.0]),
    Case("N11 fences", _fenced, [[1.0, 2.0, 3.0]], 105.0, [[7.5, 15.0, 22.5]]),
    Case(
        "N12 fenced square",
        lambda w: tad.sum(tad.detach(w**2) * w**2),
        [[1.0, 2.0]],
        17.0,
        [[2.0, 16.0]],
    ),
    Case(
        "N13 fenced maximum",
        lambda w: tad.detach(tad.max(w)) * tad.sum(w**2),
        [[1.0, 3.0]],
        30.0,
        [[6.0, 18.0]],
    ),
    Case(
        "N14 square of a sum",
        lambda x: tad.sum(x) ** 2,
        [[1.0, 2.0, 3.0]],
        36.0,
        [[12.0, 12.0, 12.0]],
    ),
    Case("N15 a^3 + a b^2", lambda a, b: a**3 + a * b**2, [2.0, 3.0], 26.0, [21.0, 12.0]),
    Case("N affine", lambda x, y: 3.0 * x - 2.0 * y, [1.25, -0.5], 4.75, [3.0, -2.0]),
    Case("N product", lambda x, y: x * y, [2.5, -4.0], -10.0, [-4.0, 2.5]),
    Case("N cubic", lambda x, y: x**3 + 2.0 * x * y - y**2, [1.5, 0.75], 5.0625, [8.25, 1.5]),
    Case("N quotient", lambda x, y: (x**2 + y) / (1.0 + y**2), [1.5, 2.0], 0.85, [0.6, -0.48]),
    Case("N parabola", lambda x: 4.0 * (x - 1.5) ** 2, [0.875], 1.5625, [-5.0]),
    Case("N fifth power", lambda x: x**5, [1.4], 5.37824, [19.208]),
    Case("N unused argument", lambda x, y: x * x, [3.0, 11.0], 9.0, [6.0, 0.0]),
    Case(
        "N weighted squares",
        lambda w: tad.sum(w**2 * tad.asarray([3.0, -2.0, 0.5])),
        [[1.25, -0.5, 2.0]],
        6.1875,
        [[7.5, 2.0, 2.0]],
    ),
    Case(
        "N right matmul",
        lambda w: tad.sum((tad.asarray(_AM) @ w) ** 2),
        [[[0.5, -0.25], [1.0, 0.75], [-0.5, 0.125]]],
        16.328125,
        [[[3.75, 1.25], [18.75, 7.5], [-15.0, -6.25]]],
    ),
    Case(
        "N row means",
        lambda w: tad.sum(tad.mean(w, axis=1) ** 2),
        [[[1.0, 2.0, -0.5], [0.25, -1.5, 3.0]]],
        1.034722,
        [[[0.555556] * 3, [0.388889] * 3]],
        6,
    ),
    Case("N rank 0 cube", lambda w: w**3, [1.3], 2.197, [5.07]),
    Case("N unread element", lambda w: w[0] ** 2 + 1.0, [[3.0, 11.0]], 10.0, [[6.0, 0.0]]),
    Case(
        "N reshaped",
        lambda w: (
            tad.sum(
                2.0 * tad.reshape(w, (3, 2)) * tad.asarray([[1.0, -2.0], [0.5, 3.0], [-1.5, 2.5]])
            )
            + tad.sum(4.0 * w**2)
        ),
        [[[1.0, -0.5, 2.0], [1.5, -1.25, 0.75]]],
        61.0,
        [[[10.0, -8.0, 17.0], [18.0, -13.0, 11.0]]],
    ),
    Case(
        "N method receiver",
        lambda w: 3.0 * tad.sum((w / 4.0 + 2.0) ** 2) - 0.5 * w[0],
        [[1.5, -0.75, 2.0]],
        44.777344,
        [[3.0625, 2.71875, 3.75]],
        6,
    ),
    Case(
        "N passed function",
        lambda w: 1.5 * tad.sum(1.5 * w**2) + 1.5 * (w[0] * w[1]) ** 2,
        [[0.75, -1.25]],
        6.099609,
        [[6.890625, -7.734375]],
        6,
    ),
    Case("N scalar math", _scalar_math, [1.5, -0.75], 2.549235, [4.148979, 0.275255], 6),
    Case(
        "N abs at its kink",
        lambda w: tad.sum(tad.abs(w) * tad.asarray([3.0, 2.0])),
        [[0.0, -1.5]],
        3.0,
        [[0.0, -2.0]],
    ),
    Case("N diamond", lambda x: (lambda t: 2.0 * t + 5.0 * t)(x * 3.0), [2.0], 42.0, [21.0]),
    Case(
        "N contracted",
        lambda w: (
            tad.sum((w @ tad.asarray(_BM)) ** 2)
            + tad.sum(tad.sum(w, axis=1) * tad.asarray([2.0, -1.0]))
            + tad.sum(w**2)
        ),
        [[[1.0, -0.5, 2.0], [0.25, 1.5, -1.0]]],
        None,
        [None],
    ),
    Case(
        "N through calls",
        lambda w: (
            tad.sum(w**2)
            + 3.0 * w[0]
            + w[2]
            + 0.5 * (w[0] + w[1])
            + tad.where(w[0] > w[1], 2.0 * w[0], w[1])
            + w[2] ** 3
            + w[1] ** 2
        ),
        [[1.5, 0.5, -1.0]],
        None,
        [None],
    ),
    Case(
        "N commuted",
        lambda w: tad.sum((w @ tad.asarray(_KM)).mT @ w),
        [[[1.0, -0.5], [2.0, 0.25]]],
        None,
        [None],
    ),
]

OTHERS = [
    Case(
        "B log + product - sine",
        lambda a, b: tad.log(a) + a * b - tad.sin(b),
        [2.0, 5.0],
        11.652071455223,
        [5.5, 1.7163378145367],
    ),
    Case(
        "cross entropy",
        lambda z: tad.mean(nnf.cross_entropy(z, tad.asarray([0, 3, 1]))),
        [[[2.0, 1.0, 0.1, -1.0], [0.5, 0.5, 0.5, 3.0], [-2.0, 4.0, 1.0, 0.0]]],
        0.2458859914,
        [None],
        10,
    ),
    Case(
        "layer norm of two entries",
        lambda x: tad.sum(
            tad.asarray([2.0, -1.0]) * (x - tad.mean(x)) / tad.sqrt(tad.var(x) + 0.25)
        ),
        [[-0.25, 0.25]],
        -1.3416407865,
        [[2.1466252584, -2.1466252584]],
        10,
    ),
    Case(
        "RMS norm of two entries",
        lambda x, s: tad.sum(tad.asarray([2.0, -1.0]) * s * x / tad.sqrt(tad.mean(x**2) + 0.25)),
        [[-0.25, 0.25], [1.0, 1.0]],
        -1.3416407865,
        [[3.0410524494, -1.2521980674], [-0.8944271910, -0.4472135955]],
        10,
    ),
]

CASES = [*TORCHLEAN, *CANDLE, *NEURO, *OTHERS]
