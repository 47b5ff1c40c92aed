"""Results that have no gradient, seeds that do not fit, has_aux that does not hold."""

import numpy as np

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, EscapeError, ShapeError
from tests.misuse.misuse import Misuse, check, each, misuse

X = np.ones(3)

RESULTS = {
    "grad of a vector": misuse(
        lambda: tad.grad(lambda x: x * x)(X),
        ShapeError, "grad: f must return", "[]", "[3]", "jacrev",
    ),
    "value_and_grad of a matrix": misuse(
        lambda: tad.value_and_grad(lambda x: x[:, None] * x)(X),
        ShapeError, "value_and_grad: f must return", "[]", "[3, 3]",
    ),
    "hvp of a vector": misuse(
        lambda: tad.hvp(lambda x: x * x)(X, X), ShapeError, "hvp: f must return", "[]", "[3]"
    ),
    "hessian of a vector": misuse(
        lambda: tad.hessian(lambda x: x * x)(X), ShapeError, "hessian: f must return", "[]", "[3]"
    ),
    "grad of an integer": misuse(
        lambda: tad.grad(tad.argmax)(X), DTypeError, "grad: f returned dtype int64", "real"
    ),
    "grad of a truth value": misuse(
        lambda: tad.grad(lambda x: x > 0.0)(1.0), DTypeError, "grad: f returned dtype bool", "real"
    ),
    "hessian of an integer": misuse(
        lambda: tad.hessian(tad.argmax)(X), DTypeError, "hessian: f returned dtype int64"
    ),
    "jacrev of an integer": misuse(
        lambda: tad.jacrev(tad.argmax)(X), DTypeError, "jacrev: f returned dtype int64"
    ),
    "jacfwd of an integer": misuse(
        lambda: tad.jacfwd(tad.argmax)(X), DTypeError, "jacfwd: f returned dtype int64"
    ),
    "grad of nothing": misuse(
        lambda: tad.grad(lambda x: None)(1.0), ArgumentError, "grad: f must return one", "None"
    ),
    "grad of a text": misuse(
        lambda: tad.grad(lambda x: "loss")(1.0), ArgumentError, "grad: f must return one", "'loss'"
    ),
    "grad of a dict": misuse(
        lambda: tad.grad(lambda x: {"loss": x})(1.0),
        ArgumentError, "grad: f must return one", "{'loss': *}",
    ),
}  # fmt: skip
INPUTS = {
    "grad in an integer array": misuse(
        lambda: tad.grad(tad.sum)(np.arange(3)),
        DTypeError, "grad: argument 0 ('x') has dtype int64", "real", "astype",
    ),
    "grad in a truth value": misuse(
        lambda: tad.grad(lambda x: x)(True), DTypeError, "grad: argument 0 ('x') has dtype bool"
    ),
    "grad in a tree with integers": misuse(
        lambda: tad.grad(lambda m: m["w"])({"w": 1.0, "n": np.arange(2)}),
        DTypeError, "grad: argument 0 ('m') at .n has dtype int64",
    ),
    "grad in a text": misuse(
        lambda: tad.grad(lambda mode: 1.0)("train"),
        ArgumentError, "grad: argument 0 ('mode') is a str", "no numbers",
    ),
    "jacfwd in None": misuse(
        lambda: tad.jacfwd(lambda x: 1.0)(None),
        ArgumentError, "jacfwd: argument 0 ('x') is None", "no numbers",
    ),
    "vjp in an integer array": misuse(
        lambda: tad.vjp(tad.sum)(np.arange(3), 1.0), DTypeError, "vjp: argument 0 ('x') has dtype"
    ),
    "jvp in an integer array": misuse(
        lambda: tad.jvp(tad.sum)(np.arange(3), X), DTypeError, "jvp: argument 0 ('x') has dtype"
    ),
    "jacfwd in an integer array": misuse(
        lambda: tad.jacfwd(tad.sum)(np.arange(3)), DTypeError, "jacfwd: argument 0 ('x') has dtype"
    ),
    "jacrev in an integer array": misuse(
        lambda: tad.jacrev(tad.sum)(np.arange(3)), DTypeError, "jacrev: argument 0 ('x') has dtype"
    ),
    "hessian in an integer array": misuse(
        lambda: tad.hessian(tad.sum)(np.arange(3)), DTypeError, "hessian: argument 0 ('x') has"
    ),
    "linearize in an integer array": misuse(
        lambda: tad.linearize(tad.sum, np.arange(3)), DTypeError, "linearize: argument 0 ('x') has"
    ),
}  # fmt: skip
SEEDS = {
    "cotangent of the wrong shape": misuse(
        lambda: tad.vjp(lambda x: x * x)(X, np.ones(4)),
        ShapeError, "vjp: the cotangent", "[4]", "the result of f", "[3]",
    ),
    "cotangent of the wrong dtype": misuse(
        lambda: tad.vjp(lambda x: x * x)(X, np.ones(3, np.float32)),
        DTypeError, "vjp: the cotangent", "float32", "the result of f", "float64", "astype",
    ),
    "integer cotangent": misuse(
        lambda: tad.vjp(lambda x: x * x, X)[1](np.ones(3, int)),
        DTypeError, "vjp: the cotangent", "int64", "float64",
    ),
    "cotangent of another structure": misuse(
        lambda: tad.vjp(lambda x: (x, x), X)[1](X),
        ArgumentError, "vjp: the cotangent", "expected tuple of 2", "got a leaf (ndarray)",
    ),
    "cotangent with other keys": misuse(
        lambda: tad.vjp(lambda x: {"a": x}, X)[1]({"b": X}),
        ArgumentError, "vjp: the cotangent", "['a']", "['b']",
    ),
    "cotangent is None": misuse(
        lambda: tad.vjp(lambda x: x, X)[1](None), ArgumentError, "vjp: the cotangent", "got None"
    ),
    "vjp without its seed": misuse(
        lambda: tad.vjp(lambda x: x * x)(X), ArgumentError, "vjp: the cotangent is missing", "last"
    ),
    "jvp without its seed": misuse(
        lambda: tad.jvp(lambda x: x * x)(X), ArgumentError, "jvp: the tangent is missing", "last"
    ),
    "hvp without its seed": misuse(
        lambda: tad.hvp(tad.sum)(X), ArgumentError, "hvp: the tangent is missing", "last"
    ),
    "derivative without directions": misuse(
        lambda: tad.derivative(tad.sin)(1.0),
        ArgumentError, "derivative: the list of directions is missing",
    ),
    "directions that are no list": misuse(
        lambda: tad.derivative(tad.sin)(1.0, 1.0),
        ArgumentError, "derivative: the directions", "list",
    ),
    "tangent of the wrong shape": misuse(
        lambda: tad.jvp(lambda x: x * x)(X, np.ones(4)),
        ShapeError, "jvp: the tangent", "[4]", "the argument", "[3]",
    ),
    "tangent of the wrong dtype": misuse(
        lambda: tad.jvp(lambda x: x * x)(X, np.ones(3, np.float32)),
        DTypeError, "jvp: the tangent", "float32", "float64",
    ),
    "direction of the wrong shape": misuse(
        lambda: tad.hvp(lambda x: tad.sum(x * x))(X, np.ones(4)),
        ShapeError, "hvp: the tangent", "[4]", "[3]",
    ),
    "tangent of another structure": misuse(
        lambda: tad.jvp(lambda t: t["a"])({"a": X}, {"b": X}),
        ArgumentError, "jvp: the tangent", "['a']", "['b']",
    ),
    "one tangent for two arguments": misuse(
        lambda: tad.jvp(lambda x, y: x * y, argnums=(0, 1))(X, X, X),
        ArgumentError, "jvp: the tangent", "expected tuple of 2",
    ),
    "too few tangents": misuse(
        lambda: tad.jvp(lambda x, y: x * y, (X, X), (X,)),
        ArgumentError, "jvp: 2 primals but 1 tangents",
    ),
    "primals that are no tuple": misuse(
        lambda: tad.jvp(lambda x: x, X, X), ArgumentError, "jvp: primals must be a tuple", "ndarray"
    ),
    "primals without tangents": misuse(
        lambda: tad.jvp(lambda x: x, (X,)), ArgumentError, "jvp: tangents must be a tuple", "None"
    ),
    "linearize without a point": misuse(
        lambda: tad.linearize(lambda x: x), ArgumentError, "linearize: give the point"
    ),
    "pushforward of too many tangents": misuse(
        lambda: tad.linearize(lambda x: x, X)[1](X, X),
        ArgumentError, "linearize: the pushforward takes 1", "got 2",
    ),
    "pushforward of the wrong shape": misuse(
        lambda: tad.linearize(lambda x: x, X)[1](np.ones(4)),
        ShapeError, "linearize: the tangent", "[4]", "[3]",
    ),
    "argnums with vjp's other form": misuse(
        lambda: tad.vjp(lambda x, y: x * y, X, X, argnums=1),
        ArgumentError, "vjp(f, *primals)", "argnums", "vjp(f, argnums=...)",
    ),
    "value with jvp's other form": misuse(
        lambda: tad.jvp(lambda x: x, (X,), (X,), value=True),
        ArgumentError, "jvp(f, primals, tangents)", "value", "jvp(f, value=...)",
    ),
}  # fmt: skip
AUX = {
    "a pair without has_aux": misuse(
        lambda: tad.grad(lambda x: (x * x, x))(2.0),
        ArgumentError, "grad: f must return one", "(*, *)", "has_aux=True",
    ),
    "has_aux without a pair": misuse(
        lambda: tad.grad(lambda x: x, has_aux=True)(1.0),
        ArgumentError, "grad: with has_aux=True", "(output, aux)", "a Tensor",
    ),
    "has_aux with three results": misuse(
        lambda: tad.value_and_grad(lambda x: (x, x, x), has_aux=True)(1.0),
        ArgumentError, "value_and_grad: with has_aux=True", "a tuple of 3",
    ),
    "has_aux with a list": misuse(
        lambda: tad.jacrev(lambda x: [x, x], has_aux=True)(1.0),
        ArgumentError, "jacrev: with has_aux=True", "a list",
    ),
    "has_aux of vjp": misuse(
        lambda: tad.vjp(lambda x: x, has_aux=True)(1.0, 1.0),
        ArgumentError, "vjp: with has_aux=True",
    ),
    "has_aux of jvp": misuse(
        lambda: tad.jvp(lambda x: x, has_aux=True)(1.0, 1.0),
        ArgumentError, "jvp: with has_aux=True",
    ),
    "has_aux of jacfwd": misuse(
        lambda: tad.jacfwd(lambda x: x, has_aux=True)(1.0),
        ArgumentError, "jacfwd: with has_aux=True",
    ),
    "has_aux of linearize": misuse(
        lambda: tad.linearize(lambda x: x, 1.0, has_aux=True),
        ArgumentError, "linearize: with has_aux=True",
    ),
    "an aux that hides a pair of losses": misuse(
        lambda: tad.grad(lambda x: ((x, x), 1), has_aux=True)(1.0),
        ArgumentError, "grad: f must return one", "(*, *)",
    ),
}  # fmt: skip


def pullback_of_an_ended_transform() -> object:
    kept = []

    def inner(x: object) -> object:
        y, pull = tad.vjp(lambda t: t * x, x)
        kept.append(pull)
        return y

    tad.grad(inner)(2.0)
    return kept[0](1.0)


ENDED = {
    "pullback after its transform": misuse(
        pullback_of_an_ended_transform, EscapeError, "Tape(Eager)", "ended"
    )
}


@each(RESULTS | INPUTS | SEEDS | AUX | ENDED)
def test_misuse(row: Misuse) -> None:
    check(row)
