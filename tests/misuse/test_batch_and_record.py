"""vmap, jit, trace and interpret called wrongly."""

from typing import Any

import numpy as np

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from taglessad.interpreters import Batch, Dual, Eager, Shape
from tests.misuse.misuse import Misuse, check, each, misuse

X = np.ones(3)
A = np.ones((3, 2))


def identity(x: Any) -> Any:
    return x


def pair(x: Any) -> Any:
    return x, x


def scaled(x: Any, n: Any) -> Any:
    return x * n


VMAP = {
    "unequal sizes": misuse(
        lambda: tad.vmap(scaled)(X, np.ones(4)),
        ShapeError, "vmap: the mapped sizes differ", "argument 0", "[3]", "argument 1", "[4]",
    ),
    "unequal sizes along other axes": misuse(
        lambda: tad.vmap(scaled, in_axes=(0, 1))(A, np.ones((2, 4))),
        ShapeError, "vmap: the mapped sizes differ", "[3, 2], 3 along axis 0", "[2, 4], 4 along",
    ),
    "unequal sizes in a tree": misuse(
        lambda: tad.vmap(identity)({"w": X, "b": np.ones(4)}),
        ShapeError, "vmap: the mapped sizes differ", "at .w", "[3]", "at .b", "[4]",
    ),
    "unequal sizes by keyword": misuse(
        lambda: tad.vmap(scaled)(X, n=np.ones(4)),
        ShapeError, "vmap: the mapped sizes differ", "argument 0", "argument 'n'",
    ),
    "a number": misuse(
        lambda: tad.vmap(identity)(2.0), IndexOutOfRange, "vmap: argument 0", "[]", "no axis 0",
        "None in in_axes",
    ),
    "scalar keyword": misuse(
        lambda: tad.vmap(lambda x, s: x * s)(X, s=2.0), IndexOutOfRange,
        "vmap: argument 's' has shape []", "keywords are all mapped: close over one",
    ),
    "an axis that is not there": misuse(
        lambda: tad.vmap(identity, in_axes=1)(X),
        IndexOutOfRange, "vmap: argument 0", "[3]", "axis 1",
    ),
    "no argument": misuse(
        lambda: tad.vmap(identity)(),
        ArgumentError, "vmap: no argument is mapped",
    ),
    "no mapped argument": misuse(
        lambda: tad.vmap(scaled, in_axes=(None, None))(X, X),
        ArgumentError, "vmap: no argument is mapped", "in_axes",
    ),
    "too many in_axes": misuse(
        lambda: tad.vmap(identity, in_axes=(0, 0))(X),
        ArgumentError, "vmap: in_axes has 2 entries", "1 positional",
    ),
    "in_axes of another structure": misuse(
        lambda: tad.vmap(lambda t: t["a"], in_axes=({"b": 0},))({"a": X}),
        ArgumentError, "vmap: in_axes", "{'b': 0}",
    ),
    "in_axes a float": misuse(
        lambda: tad.vmap(identity, in_axes=0.5)(X), ArgumentError, "vmap: in_axes", "0.5"
    ),
    "in_axes a bool": misuse(
        lambda: tad.vmap(identity, in_axes=True)(X), ArgumentError, "vmap: in_axes", "True"
    ),
    "in_axes a text": misuse(
        lambda: tad.vmap(identity, in_axes="x")(X), ArgumentError, "vmap: in_axes", "'x'"
    ),
    "out_axes that is not there": misuse(
        lambda: tad.vmap(identity, out_axes=2)(A), IndexOutOfRange, "vmap: out_axes 2", "[3, 2]"
    ),
    "out_axes of another structure": misuse(
        lambda: tad.vmap(pair, out_axes=(0, 0, 0))(X), ArgumentError, "vmap: out_axes", "(0, 0, 0)"
    ),
    "out_axes a float": misuse(
        lambda: tad.vmap(identity, out_axes=0.5)(X), ArgumentError, "vmap: out_axes", "0.5"
    ),
    "out_axes a bool": misuse(
        lambda: tad.vmap(identity, out_axes=True)(X), ArgumentError, "vmap: out_axes", "True"
    ),
    "out_axes None of what differs": misuse(
        lambda: tad.vmap(identity, out_axes=None)(X),
        ArgumentError, "vmap: out_axes is None", "member",
    ),
    "a result that is no number": misuse(
        lambda: tad.vmap(lambda x: object())(X), DTypeError, "vmap: the result of f", "an object"
    ),
}  # fmt: skip
JIT = {
    "static list": misuse(
        lambda: tad.jit(scaled, static_argnums=1)(X, [1]),
        ArgumentError, "jit: static argument 1 is a list", "not hashable",
    ),
    "static array": misuse(
        lambda: tad.jit(scaled, static_argnums=1)(X, X),
        ArgumentError, "jit: static argument 1 is a", "ndarray", "not hashable",
    ),
    "static handle": misuse(
        lambda: tad.jit(scaled, static_argnums=1)(X, tad.asarray(X)),
        ArgumentError, "jit: static argument 1 is a Tensor", "not hashable",
    ),
    "static list by name": misuse(
        lambda: tad.jit(scaled, static_argnames="n")(X, n=[1]),
        ArgumentError, "jit: static argument 'n' is a list", "not hashable",
    ),
    "static argnums out of range": misuse(
        lambda: tad.jit(scaled, static_argnums=2)(X, 1),
        ArgumentError, "jit: static_argnums names argument 2", "are: 0, 1",
    ),
    "static argnums a float": misuse(
        lambda: tad.jit(scaled, static_argnums=1.0), ArgumentError, "jit: static_argnums", "1.0"
    ),
    "static argnums a bool": misuse(
        lambda: tad.jit(scaled, static_argnums=True), ArgumentError, "jit: static_argnums", "True"
    ),
    "static argnums a name": misuse(
        lambda: tad.jit(scaled, static_argnums="n"), ArgumentError, "jit: static_argnums", "'n'"
    ),
    "static argnames a number": misuse(
        lambda: tad.jit(scaled, static_argnames=1), ArgumentError, "jit: static_argnames", "not 1"
    ),
    "static argnames unknown": misuse(
        lambda: tad.jit(scaled, static_argnames="m"),
        ArgumentError, "jit: static_argnames names 'm'", "are: x, n",
    ),
    "an interpreter without a generator": misuse(
        lambda: tad.jit(identity, Shape()), ArgumentError, "jit", "Shape", "tad.interpret"
    ),
    "a text as interpreter": misuse(
        lambda: tad.jit(identity, "jax"),
        ArgumentError, "jit", "'jax'",
    ),
    "a result that is no number": misuse(
        lambda: tad.jit(lambda x: object())(X), DTypeError, "jit: the result of f", "an object"
    ),
    "a complex entry of a tree": misuse(
        lambda: tad.jit(identity)({"a": [X, 1j]}), DTypeError, "jit: argument 0 at .a[1]", "complex"
    ),
    "a complex keyword": misuse(
        lambda: tad.trace(scaled)(X, n=1j), DTypeError, "trace: argument 'n'", "complex"
    ),
}  # fmt: skip
INTERPRET = {
    "a class": misuse(
        lambda: tad.interpret(identity, Eager),
        ArgumentError, "interpret", "no interpreter", "Eager()",
    ),
    "a number": misuse(
        lambda: tad.interpret(identity, 3), ArgumentError, "interpret: 3 is no interpreter"
    ),
    "a Spec for an array": misuse(
        lambda: tad.interpret(identity, Eager())(tad.Spec(())),
        ArgumentError, "argument 0 is a Spec",
    ),
    "no pair under Dual": misuse(
        lambda: tad.interpret(identity, Dual(Eager()))(1.0),
        ArgumentError, "interpret", "argument 0", "(primal, tangent)",
    ),
    "another shape of the tangent under Dual": misuse(
        lambda: tad.interpret(identity, Dual(Eager()))((X, np.ones(4))),
        ShapeError, "interpret", "[4]", "argument 0", "[3]",
    ),
    "another size of the batch": misuse(
        lambda: tad.interpret(identity, Batch(Eager(), 2))(X),
        ShapeError, "interpret: argument 0", "[3]", "size 2",
    ),
}  # fmt: skip


@each(
    {f"vmap: {k}": v for k, v in VMAP.items()}
    | {f"jit: {k}": v for k, v in JIT.items()}
    | {f"interpret: {k}": v for k, v in INTERPRET.items()}
)
def test_misuse(row: Misuse) -> None:
    check(row)


def test_static_arguments_are_found_by_position_and_by_name() -> None:
    by_name = tad.jit(lambda x, n: x[:n], static_argnames="n")
    by_number = tad.jit(lambda x, n: x[:n], static_argnums=1)
    for f in (by_name, by_number):
        assert f(X, 2).shape == (2,) and f(X, n=1).shape == (1,) and f(x=X, n=2).shape == (2,)


def test_static_values_that_are_equal_but_of_two_kinds_are_two_programs() -> None:
    f = tad.jit(lambda x, n: x * n, static_argnums=1)
    i = np.arange(3)
    assert [f(i, n).dtype for n in (1, 1.0, 1)] == [tad.int64, tad.float64, tad.int64]
    assert np.signbit(np.asarray(f(X, -0.0))).all() and not np.signbit(np.asarray(f(X, 0.0))).any()
