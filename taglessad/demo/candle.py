"""The Candle lesson "Automatic differentiation": its first half and exercise 1.

The regression on the site's builds is in builds.py.
"""

from collections.abc import Callable
from typing import Any, Final, Literal

import numpy as np

import taglessad as tad
from taglessad.demo.formats import described, exponent, fixed, short, truth
from taglessad.demo.lines import Line, Mark, Section, section

Triple = tad.Tensor[Literal[3]]

W: Final = np.asarray([1.0, -2.0, 3.0], np.float32)
C: Final = np.asarray([4.0, 5.0, 6.0], np.float32)
STEP: Final = 1e-6


def sections() -> list[Section]:
    """The lesson's blocks of output up to the regression, and exercise 1."""
    return [first(), recorded(), rules(), stops(), differences(), logistic()]


def quadratic(x: tad.Tensor[()]) -> tad.Tensor:
    """x^2 + 3 x."""
    return x * x + 3.0 * x


def products(w: Triple, c: Triple) -> tad.Tensor:
    """sum((w c)^2)."""
    return tad.sum((w * c) ** 2)


def weighted(w: Triple, e: Triple) -> tad.Tensor:
    """sum(w e)."""
    return tad.sum(w * e)


def behind_exp(w: Triple, c: Triple) -> tad.Tensor:
    """sum(w exp(c))."""
    return weighted(w, tad.exp(c))


def shifted_square(w: Triple) -> tad.Tensor:
    """sum(h h) for h = w + 1."""
    h = w + 1.0
    return tad.sum(h * h)


def sum_of_squares(w: Triple) -> tad.Tensor:
    """sum(w^2)."""
    return tad.sum(tad.square(w))


def detached(w: Triple) -> tad.Tensor:
    """sum(w c), with no derivative in w."""
    return tad.sum(tad.detach(w) * tad.tensor(C))


def rounded(w: Triple) -> tad.Tensor:
    """sum(round(w / 2))."""
    return tad.sum(tad.round(w * 0.5))


def largest(w: Triple) -> tad.Tensor:
    """max(w)."""
    return tad.sum(tad.max(w, axis=-1, keepdims=True))


def through_tanh(a: tad.Tensor[Literal[2], Literal[3]], b: tad.Tensor) -> tad.Tensor:
    """sum(tanh(a b))."""
    return tad.sum(tad.tanh(a @ b))


FIRST: Final = """\
== y = x^2 + 3x at x = 2, so dy/dx = 2x + 3 = 7
y 10
dy/dx 7
"""


def first() -> Section:
    """A first derivative."""
    slope, value = tad.grad(quadratic, value=True)(tad.tensor(2.0))
    return section(
        "Candle, Automatic differentiation: a first derivative",
        FIRST,
        [
            Line("== y = x^2 + 3x at x = 2, so dy/dx = 2x + 3 = 7"),
            Line(f"y {short(value)}"),
            Line(f"dy/dx {short(slope)}"),
        ],
    )


RECORDED: Final = """\
== which tensors get a gradient
d loss / dw: shape [3], F32, [32, -100, 216]
2 * w * c^2 by hand: shape [3], F32, [32, -100, 216]
d loss / dc, c a plain tensor: shape [3], F32, [8, 40, 108]
tensors in the GradStore: 2
loss = sum(w * exp(c)): gradient for e true, for c false
"""


def recorded() -> Section:
    """Which arguments have a gradient: those asked for."""
    w, c = tad.tensor(W), tad.tensor(C)
    both = tad.grad(products, (0, 1))(w, c)
    by_e = tad.grad(weighted, 1)(w, tad.exp(c))
    by_c = tad.grad(behind_exp, 1)(w, c)
    return section(
        "Candle: which tensors get a gradient",
        RECORDED,
        [
            Line("== which tensors get a gradient"),
            Line(f"d loss / dw: {described(both[0])}"),
            Line(f"2 * w * c^2 by hand: {described(2.0 * w * c * c)}"),
            Line(f"d loss / dc: {described(both[1])}"),
            Line(
                f"gradients returned: {len(both)}",
                Mark.DIFFERENT,
                "there is no store: what was asked for is returned, and nothing else is computed",
                len(both) == 2,
            ),
            Line(
                "loss = sum(w * exp(c)): gradient for e "
                f"{truth(_is(by_e, w))}, for c {truth(_is(by_c, w * tad.exp(c)))}",
                Mark.DIFFERENT,
                "no tensor is marked as a variable: c is differentiated through exp when asked for",
                _is(by_e, w) and _is(by_c, w * tad.exp(c)),
            ),
        ],
    )


def _is(a: tad.Tensor, b: tad.Tensor) -> bool:
    return np.array_equal(np.asarray(a), np.asarray(b))


RULES: Final = """\
== a tensor used twice adds up its gradients
d sum(h*h) / dw: shape [3], F32, [4, -2, 8]

== backward on a tensor that isn't a scalar starts from ones
d v / dw, seeded with ones: shape [3], F32, [2, -4, 6]
d sum(v) / dw: shape [3], F32, [2, -4, 6]

== each backward returns a new GradStore: nothing accumulates between calls
first: shape [3], F32, [32, -100, 216]
second: shape [3], F32, [32, -100, 216]
"""


def rules() -> Section:
    """Adding up, seeds, and no accumulation."""
    w, c = tad.tensor(W), tad.tensor(C)
    slope = tad.grad(products)
    error = _refusal(lambda: tad.grad(tad.square)(w))
    return section(
        "Candle: adding up, seeds, and no accumulation",
        RULES,
        [
            Line("== a tensor used twice adds up its gradients"),
            Line(f"d sum(h*h) / dw: {described(tad.grad(shifted_square)(w))}"),
            Line(""),
            Line("== a result that isn't a scalar is given its cotangent, here ones"),
            Line(
                f"d v / dw, seeded with ones: {described(tad.vjp(tad.square)(w, tad.ones_like(w)))}",
                note=f"grad of it raises {error}: nothing is seeded in silence",
                holds=error == "ShapeError",
            ),
            Line(f"d sum(v) / dw: {described(tad.grad(sum_of_squares)(w))}"),
            Line(""),
            Line("== each call returns a new gradient: nothing accumulates between calls"),
            Line(f"first: {described(slope(w, c))}"),
            Line(f"second: {described(slope(w, c))}"),
        ],
    )


def _refusal(call: Callable[[], Any]) -> str:
    """The name of the error that a call raises. Any: it has no result."""
    try:
        call()
    except tad.TaglessError as error:
        return type(error).__name__
    return "nothing"


STOPS: Final = """\
through detach: gradient for w None
through round: gradient for w None
through max: d max(w) / dw: shape [3], F32, [0, 0, 1]
gradient for a u32 Var: None
"""


def stops() -> Section:
    """What stops a gradient."""
    w = tad.tensor(W)
    through_detach = tad.grad(detached)(w)
    through_round = tad.grad(rounded)(w)
    through_max = tad.grad(largest)(w)
    counts = tad.asarray([1, 2, 3], dtype=tad.uint32)
    error = _refusal(lambda: tad.grad(sum_of_squares)(counts))
    zeros = all(_is(g, tad.zeros_like(w)) for g in (through_detach, through_round))
    return section(
        "Candle: what stops a gradient",
        STOPS,
        [
            Line(
                f"through detach: gradient for w: {described(through_detach)}",
                Mark.DIFFERENT,
                holds=zeros,
            ),
            Line(
                f"through round: gradient for w: {described(through_round)}",
                Mark.DIFFERENT,
                "a result that does not depend on an argument has zeros of its shape, never None",
                zeros,
            ),
            Line(f"through max: d max(w) / dw: {described(through_max)}"),
            Line(
                f"gradient for u32 numbers: {error}",
                Mark.DIFFERENT,
                "integers carry no derivative; asking for one is an error that says so",
                error == "DTypeError",
            ),
        ],
        ["the other lines on Var::set have no counterpart: handles are immutable"],
    )


DIFFERENCES: Final = """\
== matmul against finite differences, f64
backward: shape [2, 3], F64, [0.007283, 0.001819, -0.007278, 0.420743, -0.419782, 1.259154]
finite differences: shape [2, 3], F64, [0.007283, 0.001819, -0.007278, 0.420743, -0.419782, 1.259154]
largest gap below 1e-8: true
"""


def differences() -> Section:
    """The gradient of sum(tanh(a b)) against central differences, entry by entry."""
    a = tad.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])
    b = tad.tensor([[1.0, 2.0], [-1.0, 0.5], [3.0, -2.0]])
    slope = tad.grad(through_tanh)(a, b)

    def quotient(direction: tad.Tensor) -> tad.Tensor:
        step = STEP * direction
        return (through_tanh(a + step, b) - through_tanh(a - step, b)) / (2.0 * STEP)

    basis = tad.reshape(tad.eye(a.size), (a.size, *a.shape))
    quotients = tad.reshape(tad.vmap(quotient)(basis), a.shape)
    gap = float(tad.max(tad.abs(slope - quotients)))
    return section(
        "Candle: checking against finite differences",
        DIFFERENCES,
        [
            Line("== matmul against finite differences, f64"),
            Line(f"backward: {described(slope)}"),
            Line(f"finite differences: {described(quotients)}"),
            Line(f"largest gap below 1e-8: {truth(gap < 1e-8)}", note=f"it is {exponent(gap, 1)}"),
        ],
        ["a and b are not in the lesson's text; they are those of its source, l04_autodiff.rs"],
    )


LOGISTIC: Final = """\
== exercise 1: gradient of the logistic loss
loss 0.867068
candle dw: shape [2], F64, [0.022982, -0.934574]
candle db: shape [], F64, [0.086767]
by hand dw: shape [2], F64, [0.022982, -0.934574]
by hand db: shape [], F64, [0.086767]
"""


def logistic_loss(
    w: tad.Tensor[Literal[2]], b: tad.Tensor[()], x: tad.Tensor, y: tad.Tensor
) -> tad.Tensor:
    """mean of -(y log p + (1 - y) log(1 - p)), the sigmoid written out as the exercise asks."""
    p = 1.0 / (1.0 + tad.exp(-(x @ w + b)))
    return -tad.mean(y * tad.log(p) + (1.0 - y) * tad.log(1.0 - p))


def logistic() -> Section:
    """Exercise 1."""
    x = tad.tensor([[1.0, 2.0], [2.0, -1.0], [-1.0, -3.0], [0.5, 0.5]])
    y = tad.tensor([1.0, 0.0, 0.0, 1.0])
    w, b = tad.tensor([0.3, -0.2]), tad.tensor(0.1)
    (dw, db), value = tad.grad(logistic_loss, (0, 1), value=True)(w, b, x, y)
    error = 1.0 / (1.0 + tad.exp(-(x @ w + b))) - y
    return section(
        "Candle: exercise 1",
        LOGISTIC,
        [
            Line("== exercise 1: gradient of the logistic loss"),
            Line(f"loss {fixed(value)}"),
            Line(f"grad dw: {described(dw)}"),
            Line(f"grad db: {described(db)}"),
            Line(f"by hand dw: {described(error @ x / 4.0)}"),
            Line(f"by hand db: {described(tad.mean(error))}"),
        ],
    )
