"""The chapter "Differentiation" of the TorchLean guide: its two transcripts and its calculations."""

from dataclasses import dataclass
from typing import Final, Literal

import taglessad as tad
from taglessad.demo.formats import Numbers, fixed, negative_zeros, state, wrapped
from taglessad.demo.lines import Line, Mark, Section, section
from taglessad.nn.functional import mse, relu


@dataclass(frozen=True)
class Affine:
    """The parameters of y = W x + b."""

    weight: tad.Tensor
    bias: tad.Tensor


Pair = tad.Tensor[Literal[2]]

RESIDUAL: Final = -0.8774323
"""W x + b - t of the first transcript. Its weights are not stated; this residual is the one number
that they enter by, and the printed loss and bias gradient leave its first seven digits."""
RESIDUALS: Final = 0.58145
"""The sum of the three residuals of the second transcript, from its directional derivative."""
ROUNDING: Final = 1e-12


def mean_square(x: tad.Tensor) -> tad.Tensor:
    """mean(x^2)."""
    return tad.mean(x * x)


def output(model: Affine, x: Pair) -> tad.Tensor:
    """W x + b."""
    return model.weight @ x + model.bias


def loss(model: Affine, x: Pair, target: tad.Tensor) -> tad.Tensor:
    """The mean squared error of the model's output."""
    return mse(output(model, x), target)


def detached_loss(model: Affine, x: Pair, target: tad.Tensor) -> tad.Tensor:
    """The same number, with no derivative in the model."""
    return mse(tad.detach(output(model, x)), target)


def twice(x: tad.Tensor) -> tad.Tensor:
    """mean(x^2 + x^2)."""
    return tad.mean(x * x + x * x)


def constant(value: float) -> Affine:
    """A model from two inputs to three outputs, every parameter the same."""
    return Affine(tad.full((3, 2), value), tad.full((3,), value))


def _example() -> tuple[Affine, tad.Tensor, tad.Tensor]:
    """The chapter's point: every parameter 0.1."""
    return constant(0.1), tad.tensor([0.5, -1.2]), tad.tensor([0.7, 0.1, -0.5])


EXAMPLES: Final = {"loss": _example, "detached_loss": _example, "twice": tad.tensor([0.5, -1.2])}
"""What `taglessad view taglessad.demo.torchlean:loss` looks at."""


def sections() -> list[Section]:
    """Everything that the chapter prints."""
    return [basics(), transforms(), calculations()]


BASICS: Final = """\
== Differentiate a tensor function ==
mean(x^2) = 4.666667
d/dx       = [0.666667, 1.333333, 2.000000]

== Differentiate a model loss ==
loss     = 0.769887
gradient = [[1, 2]: [[-0.877432, 1.754865]], [1]: [-1.754865]]
"""


def basics() -> Section:
    """The transcript of quickstart_autograd."""
    slope, value = tad.grad(mean_square, value=True)(tad.tensor([1.0, 2.0, 3.0]))
    x, target = tad.tensor([0.5, -1.0]), tad.tensor([0.25])
    model = Affine(tad.zeros((1, 2)), target + RESIDUAL)
    g, error = tad.grad(loss, value=True)(model, x, target)
    gap = float(tad.abs(error - tad.sum(g.bias / 2.0) ** 2))
    spread = float(tad.max(tad.abs(g.weight - g.bias * x)))
    holds = max(gap, spread) <= ROUNDING
    note = (
        f"the chapter does not state its weights. The residual W x + b - t = {RESIDUAL} is taken "
        "from its digits, and all four numbers are computed from it. For all weights "
        f"loss = (gb/2)^2 and gW = gb x: off by {gap:.1g} and {spread:.1g}"
    )
    return section(
        "TorchLean, Differentiation: quickstart_autograd",
        BASICS,
        [
            Line("== Differentiate a tensor function =="),
            Line(f"mean(x^2) = {fixed(value)}"),
            Line(f"d/dx       = {fixed(slope)}"),
            Line(""),
            Line("== Differentiate a model loss =="),
            Line(f"loss     = {fixed(error)}", Mark.UNKNOWN, holds=holds),
            Line(f"gradient = {state(g.weight, g.bias)}", Mark.UNKNOWN, note, holds),
        ],
    )


TRANSFORMS: Final = """\
Jacobian of x^2: [[1.000000, 0.000000], [0.000000, -2.400000]]
Hessian of mean(x^2): [[1.000000, 0.000000], [0.000000, 1.000000]]
loss directional derivative = 0.011629
loss Hessian-vector product = [[3, 2]: [[0.010000, -0.024000],
  [0.010000, -0.024000], [0.010000, -0.024000]], [3]: [0.020000, 0.020000, 0.020000]]
state gradient after detaching the model output = [[3, 2]: [[0.000000, 0.000000],
  [0.000000, 0.000000], [0.000000, 0.000000]], [3]: [0.000000, 0.000000, 0.000000]]
mixed input derivative of tanh at zero: [0.000000, 0.000000] (expected [0, 0])
third input derivative along [1, 0]: [-2.000000, 0.000000] (expected [-2, 0])
"""


def transforms() -> Section:
    """The transcript of autograd_transforms."""
    x, target = tad.tensor([0.5, -1.2]), tad.tensor([0.7, 0.1, -0.5])
    model = Affine(tad.zeros((3, 2)), target + RESIDUALS / 3.0)
    along = constant(0.1)
    moved = Affine(model.weight + along.weight, model.bias + along.bias)
    slope = tad.jvp(loss)(model, x, target, along)
    curved: Affine = tad.hvp(loss)(model, x, target, along)
    elsewhere: Affine = tad.hvp(loss)(constant(0.1), x, target, along)
    cut: Affine = tad.grad(detached_loss)(model, x, target)

    # The loss is quadratic in the parameters, whatever they are: Taylor's formula ends.
    bend = tad.sum(curved.weight * along.weight) + tad.sum(curved.bias * along.bias)
    rest = float(loss(moved, x, target) - loss(model, x, target) - slope - 0.5 * bend)
    apart = float(
        tad.max(tad.abs(curved.weight - elsewhere.weight))
        + tad.max(tad.abs(curved.bias - elsewhere.bias))
    )
    slope_note = (
        "the chapter's weights are seeded and not stated: residuals that add up to "
        f"{RESIDUALS} are taken, from its digits. For all weights "
        f"L(s + v) = L(s) + DL(s)[v] + <v, H v> / 2: off by {abs(rest):.1g}"
    )
    hessian_note = f"does not depend on the weights: with all of them 0.1 off by {apart:.1g}"

    origin, e0, e1 = tad.zeros(2), tad.tensor([1.0, 0.0]), tad.tensor([0.0, 1.0])
    mixed = tad.derivative(tad.tanh)(origin, [e0, e1])
    third = tad.derivative(tad.tanh)(origin, [e0, e0, e0])
    point = tad.tensor([0.5, -1.2])
    return section(
        "TorchLean, Differentiation: autograd_transforms",
        TRANSFORMS,
        [
            Line(f"Jacobian of x^2: {fixed(tad.jacrev(tad.square)(point))}"),
            Line(f"Hessian of mean(x^2): {fixed(tad.hessian(mean_square)(point))}"),
            Line(
                f"loss directional derivative = {fixed(slope)}",
                Mark.UNKNOWN,
                slope_note,
                abs(rest) <= ROUNDING,
            ),
            Line(
                wrapped(f"loss Hessian-vector product = {state(curved.weight, curved.bias)}"),
                note=hessian_note,
                holds=apart <= ROUNDING,
            ),
            Line(
                wrapped(
                    "state gradient after detaching the model output = "
                    f"{state(cut.weight, cut.bias)}"
                )
            ),
            Line(
                f"mixed input derivative of tanh at zero: {fixed(mixed)} (expected [0, 0])",
                note=_unsigned(mixed),
            ),
            Line(
                f"third input derivative along [1, 0]: {fixed(third)} (expected [-2, 0])",
                note=_unsigned(third),
            ),
        ],
    )


def _unsigned(value: Numbers) -> str:
    """The note on a line that prints -0 without its sign."""
    return "a zero here is -0.0; its sign is not printed" if negative_zeros(value) else ""


CALCULATIONS: Final = """\
value    = 0.845000
gradient = [0.500000, -1.200000]
seed (1, 1)  -> [1.000000, -2.400000]
seed (1, 10) -> [1.000000, -24.000000]
jacfwd [[1.000000, 0.000000], [-0.000000, -2.400000]]
jacrev [[1.000000, 0.000000], [0.000000, -2.400000]]
state gradient = [[3, 2]: [[0.500000, -1.200000], [0.500000, -1.200000], [0.500000, -1.200000]], \
[3]: [1.000000, 1.000000, 1.000000]]
input gradient = [0.300000, 0.300000]
loss     = 0.244900
gradient = [[3, 2]: [[-0.223333, 0.536000], [-0.023333, 0.056000], [0.176667, -0.424000]], \
[3]: [-0.446667, -0.046667, 0.353333]]
relu vjp at (-1, 0, 1) = [0.000000, 0.000000, 1.000000]
grad of mean(x^2 + x^2) = [1.000000, -2.400000]
detached loss     = 0.244900
detached gradient = [[3, 2]: [[0.000000, 0.000000], [0.000000, 0.000000], \
[0.000000, 0.000000]], [3]: [0.000000, 0.000000, 0.000000]]
directional derivative = -0.004200
Hessian-vector product = [[3, 2]: [[0.010000, -0.024000], [0.010000, -0.024000], \
[0.010000, -0.024000]], [3]: [0.020000, 0.020000, 0.020000]]
hessian [[1.000000, 0.000000], [0.000000, 1.000000]]
"""


def calculations() -> Section:
    """The numbers between the chapter's paragraphs; every parameter of the model is 0.1."""
    model, x, target = _example()
    along = constant(0.1)
    slope, value = tad.grad(mean_square, value=True)(x)
    pull = tad.vjp(tad.square)
    of_model, of_input = tad.vjp(output, argnums=(0, 1))(model, x, tad.ones(3))
    g, error = tad.grad(loss, value=True)(model, x, target)
    kink = tad.vjp(relu)(tad.tensor([-1.0, 0.0, 1.0]), tad.ones(3))
    cut, cut_error = tad.grad(detached_loss, value=True)(model, x, target)
    curved: Affine = tad.hvp(loss)(model, x, target, along)
    forward = fixed(tad.jacfwd(tad.square)(x), signed_zero=True)
    reverse = fixed(tad.jacrev(tad.square)(x), signed_zero=True)
    texts = [
        f"value    = {fixed(value)}",
        f"gradient = {fixed(slope)}",
        f"seed (1, 1)  -> {fixed(pull(x, tad.tensor([1.0, 1.0])))}",
        f"seed (1, 10) -> {fixed(pull(x, tad.tensor([1.0, 10.0])))}",
        f"jacfwd {forward}",
        f"jacrev {reverse}",
        f"state gradient = {state(of_model.weight, of_model.bias)}",
        f"input gradient = {fixed(of_input)}",
        f"loss     = {fixed(error)}",
        f"gradient = {state(g.weight, g.bias)}",
        f"relu vjp at (-1, 0, 1) = {fixed(kink)}",
        f"grad of mean(x^2 + x^2) = {fixed(tad.grad(twice)(x))}",
        f"detached loss     = {fixed(cut_error)}",
        f"detached gradient = {state(cut.weight, cut.bias)}",
        f"directional derivative = {fixed(tad.jvp(loss)(model, x, target, along))}",
        f"Hessian-vector product = {state(curved.weight, curved.bias)}",
        f"hessian {fixed(tad.hessian(mean_square)(x))}",
    ]
    return section(
        "TorchLean, Differentiation: the chapter's calculations",
        CALCULATIONS,
        [Line(text) for text in texts],
    )
