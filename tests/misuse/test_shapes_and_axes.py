"""Shapes that do not go together and axes that are not there, in every family of functions."""

import inspect

import numpy as np

import taglessad as tad
from taglessad.errors import (
    ArgumentError,
    DomainError,
    IndexOutOfRange,
    ShapeAttributeError,
    ShapeError,
)
from tests.misuse.misuse import Misuse, check, each, misuse, misuse_with

V, W = tad.ones(3), np.ones(4)
A, B = tad.ones((2, 3)), tad.ones((4, 5))
I3 = tad.asarray([0, 1, 2])

ELEMENTWISE = {
    name: misuse(run, ShapeError, f"{name}: shapes", "[3]", "[4]", "3 != 4")
    for name, run in {
        "add": lambda: V + W,
        "subtract": lambda: V - W,
        "multiply": lambda: V * W,
        "divide": lambda: V / W,
        "floor_divide": lambda: V // W,
        "remainder": lambda: V % W,
        "pow": lambda: V**W,
        "less": lambda: V < W,
        "equal": lambda: V == W,
        "atan2": lambda: tad.atan2(V, W),
        "hypot": lambda: tad.hypot(V, W),
        "logaddexp": lambda: tad.logaddexp(V, W),
        "maximum": lambda: tad.maximum(V, W),
        "fmod": lambda: tad.fmod(V, W),
        "clip": lambda: tad.clip(V, W, 2.0),
        "where": lambda: tad.where(V > 0.0, V, W),
        "logical_and": lambda: tad.logical_and(V > 0.0, W > 0.0),
        "bitwise_and": lambda: tad.bitwise_and(I3, [1, 2, 3, 4]),
        "broadcast_arrays": lambda: tad.broadcast_arrays(V, W),
    }.items()
}
INSIDE = {
    "under grad": misuse(
        lambda: tad.grad(lambda x: tad.sum(x + W))(V), ShapeError, "add: shapes [3] and [4]"
    ),
    "under jvp": misuse(
        lambda: tad.jvp(lambda x: x * W, (V,), (V,)), ShapeError, "multiply: shapes [3] and [4]"
    ),
    "under jit": misuse(lambda: tad.jit(lambda x: x + W)(V), ShapeError, "add: shapes [3] and [4]"),
    "under trace": misuse(
        lambda: tad.trace(lambda x: x @ tad.ones((4, 2)))(V), ShapeError, "matmul", "[3] @ [4, 2]"
    ),
    "a member under vmap": misuse(
        lambda: tad.vmap(lambda x: x + W)(A), ShapeError, "add: shapes [3] and [4]"
    ),
    "under Shape": misuse(
        lambda: tad.interpret(tad.matmul, tad.interpreters.Shape())((2, 3), (4, 5)),
        ShapeError, "matmul: inner dimensions differ", "[2, 3] @ [4, 5]",
    ),
}  # fmt: skip
PRODUCTS = {
    "matmul": misuse(lambda: A @ B, ShapeError, "matmul", "[2, 3] @ [4, 5]", "3 != 4"),
    "matmul of a number": misuse(lambda: A @ 2.0, ShapeError, "matmul: a scalar operand", "*"),
    "matmul of vectors": misuse(lambda: V @ W, ShapeError, "matmul", "[3] @ [4]"),
    "matmul of batches": misuse(
        lambda: tad.ones((2, 2, 3)) @ tad.ones((3, 3, 2)),
        ShapeError, "matmul: batch dimensions", "[2, 2, 3] @ [3, 3, 2]", "2 != 3",
    ),
    "vecdot": misuse(lambda: tad.vecdot(V, W), ShapeError, "vecdot: shapes [3] and [4]"),
    "tensordot": misuse(
        lambda: tad.tensordot(A, B, axes=1), ShapeError, "tensordot: shapes [2, 3] and [4, 5]"
    ),
    "tensordot over too many": misuse(
        lambda: tad.tensordot(A, B, axes=5), ShapeError, "tensordot: 5 axes", "[2, 3] and [4, 5]"
    ),
    "tensordot over unpaired axes": misuse(
        lambda: tad.tensordot(A, B, axes=((0,), (0, 1))),
        ShapeError, "tensordot: axes", "pair 1", "2",
    ),
    "tensordot over an axis twice": misuse(
        lambda: tad.tensordot(A, B, axes=((0, 0), (0, 1))), ArgumentError, "tensordot", "twice"
    ),
    "einsum": misuse(
        lambda: tad.einsum("ij,jk->ik", A, B),
        ShapeError, "einsum: 'ij,jk->ik' of [2, 3] and [4, 5]", "'j'", "3 != 4",
    ),
    "einsum of another rank": misuse(
        lambda: tad.einsum("ijk->i", A), ShapeError, "einsum: 'ijk->i'", "'ijk', 3 axes", "[2, 3]"
    ),
    "einsum of a diagonal": misuse(
        lambda: tad.einsum("ii->i", A), ShapeError, "einsum: 'ii->i'", "[2, 3]", "2 != 3"
    ),
    "einsum of two for one": misuse(
        lambda: tad.einsum("ij->ij", A, B), ArgumentError, "einsum: 'ij->ij' names 1", "got 2"
    ),
    "einsum of none": misuse(
        lambda: tad.einsum("ij"),
        ArgumentError, "einsum: 'ij'", "no operands",
    ),
    "einsum without a text": misuse(
        lambda: tad.einsum(A), ArgumentError, "einsum: subscripts is a Tensor", "'ij,jk->ik'"
    ),
    "einsum with a stranger": misuse(
        lambda: tad.einsum("ij->z", A), ArgumentError, "einsum: 'ij->z'", "'z'", "no operand"
    ),
    "einsum with an output twice": misuse(
        lambda: tad.einsum("ij->ii", A), ArgumentError, "einsum: 'ij->ii'", "'i' comes twice"
    ),
    "einsum with a digit": misuse(
        lambda: tad.einsum("i1->i", A), ArgumentError, "einsum: 'i1->i'", "'1'"
    ),
    "outer of a matrix": misuse(
        lambda: tad.linalg.outer(A, V), ShapeError, "outer: shapes [2, 3] and [3]"
    ),
    "cross": misuse(
        lambda: tad.linalg.cross(V, np.ones(2)), ShapeError, "cross: shapes [3] and [2]", "size 3"
    ),
    "matrix_power": misuse(
        lambda: tad.linalg.matrix_power(A, 2), ShapeError, "matrix_power: shape [2, 3]", "square"
    ),
    "trace of a vector": misuse(lambda: tad.linalg.trace(V), ShapeError, "trace", "[3]"),
    "matrix_norm of a vector": misuse(
        lambda: tad.linalg.matrix_norm(V), ShapeError, "matrix_norm: shape [3]"
    ),
}  # fmt: skip
REARRANGED = {
    "reshape": misuse(
        lambda: tad.reshape(V, (2, 2)),
        ShapeError, "reshape: [3]", "[2, 2]", "3 != 4",
    ),
    "reshape method": misuse(lambda: V.reshape(2), ShapeError, "reshape: [3]", "[2]"),
    "reshape to two unknowns": misuse(
        lambda: tad.reshape(V, (-1, -1)), ShapeError, "reshape: [-1, -1]", "one -1"
    ),
    "reshape to no multiple": misuse(
        lambda: tad.reshape(V, (-1, 2)), ShapeError, "reshape: [3]", "[-1, 2]"
    ),
    "reshape to a negative": misuse(
        lambda: tad.reshape(V, (-2,)), ShapeError, "reshape: a size must not be negative", "-2"
    ),
    "reshape to a float": misuse(
        lambda: tad.reshape(V, 3.0), ArgumentError, "reshape: a size must be an integer, got 3.0"
    ),
    "broadcast_to": misuse(
        lambda: tad.broadcast_to(V, (4,)), ShapeError, "broadcast_to: shape [3]", "[4]", "3 != 4"
    ),
    "broadcast_to fewer axes": misuse(
        lambda: tad.broadcast_to(A, (3,)), ShapeError, "broadcast_to: shape [2, 3]", "[3]"
    ),
    "concat": misuse(
        lambda: tad.concat([A, B]), ShapeError, "concat: shapes [2, 3] and [4, 5]", "3 != 5"
    ),
    "concat of two ranks": misuse(
        lambda: tad.concat([A, V]), ShapeError, "concat: shapes [2, 3] and [3]", "ranks"
    ),
    "concat of nothing": misuse(lambda: tad.concat([]), ArgumentError, "concat: no arrays"),
    "concat of numbers": misuse(lambda: tad.concat([1.0, 2.0]), IndexOutOfRange, "concat: axis 0"),
    "stack": misuse(lambda: tad.stack([A, B]), ShapeError, "stack: shapes [2, 3] and [4, 5]"),
    "stack of nothing": misuse(lambda: tad.stack([]), ArgumentError, "stack: no arrays"),
    "ragged handles": misuse(
        lambda: tad.asarray([V, [1.0, 2.0]]), ShapeError, "[3] and [2]", "3 != 2"
    ),
    "permute_dims of too few": misuse(
        lambda: tad.permute_dims(A, (0,)), ShapeError, "permute_dims: (0,)", "2 axes of [2, 3]"
    ),
    "permute_dims of one number": misuse(
        lambda: tad.permute_dims(A, 1), ShapeError, "permute_dims: (1,)", "2 axes of [2, 3]"
    ),
    "squeeze": misuse(
        lambda: tad.squeeze(A, axis=0),
        ShapeError, "squeeze: axis 0 of shape [2, 3]",
    ),
    "moveaxis unpaired": misuse(
        lambda: tad.moveaxis(A, (0, 1), 0), ArgumentError, "moveaxis: 2 axes", "1 destinations"
    ),
    "transpose of a vector": misuse(lambda: V.T, ShapeAttributeError, ".T: shape [3]", "permute_dims"),
    "matrix_transpose of a vector": misuse(
        lambda: V.mT, ShapeAttributeError, "matrix_transpose: shape [3]"
    ),
    "repeat": misuse(lambda: tad.repeat(V, [1, 2]), ShapeError, "repeat: 2", "[3]", "3 != 2"),
    "repeat below 0": misuse(lambda: tad.repeat(V, -1), ShapeError, "repeat", "negative: -1"),
    "tile by a float": misuse(lambda: tad.tile(V, 1.5), ArgumentError, "tile", "integer, got 1.5"),
    "roll unpaired": misuse(
        lambda: tad.roll(A, (1, 2), axis=(0,)), ArgumentError, "roll: 2 shifts", "1 axes"
    ),
    "pad below 0": misuse(lambda: tad.pad(V, -1), ShapeError, "pad: the width -1", "[3]"),
    "diag of a cube": misuse(
        lambda: tad.diag(tad.ones((2, 2, 2))),
        ShapeError, "diag", "[2, 2, 2]",
    ),
    "tril of a vector": misuse(lambda: tad.tril(V), ShapeError, "tril: shape [3]"),
    "searchsorted in a matrix": misuse(
        lambda: tad.searchsorted(A, V), ShapeError, "searchsorted: x1 has shape [2, 3]"
    ),
    "top_k of too many": misuse(
        lambda: tad.top_k(V, 5), ArgumentError, "top_k: k is 5", "[3] has 3 entries"
    ),
    "full": misuse(lambda: tad.full((2,), V), ShapeError, "full: shape [3]", "[2]"),
    "full_like": misuse(lambda: tad.full_like(V, W), ShapeError, "full_like: shape [4]", "[3]"),
    "zeros below 0": misuse(lambda: tad.zeros((2, -1)), ShapeError, "zeros", "-1 in [2, -1]"),
    "zeros of a float": misuse(lambda: tad.zeros(2.5), ArgumentError, "zeros", "got 2.5"),
    "zeros of a bool": misuse(lambda: tad.zeros(True), ArgumentError, "zeros", "got True"),
    "zeros of a text": misuse(lambda: tad.zeros("ab"), ArgumentError, "zeros", "got 'a'"),
    "eye of a float": misuse(lambda: tad.eye(2.0), ArgumentError, "eye", "got 2.0"),
    "linspace below 0": misuse(lambda: tad.linspace(0, 1, -1), ShapeError, "linspace", "-1"),
    "arange without a step": misuse(lambda: tad.arange(0, 9, 0), DomainError, "arange: step is 0"),
    "Spec below 0": misuse(lambda: tad.Spec((2, -1)), ShapeError, "Spec", "-1 in [2, -1]"),
    "Spec of a text": misuse(lambda: tad.Spec((2, "N")), ArgumentError, "Spec", "got 'N'"),
    "max of nothing": misuse(lambda: tad.max(tad.zeros((0,))), ShapeError, "max: shape [0]"),
    "argmax of nothing": misuse(
        lambda: tad.argmax(tad.zeros((0,))),
        ShapeError, "argmax: shape [0]",
    ),
}  # fmt: skip
# A function of (array, axis): out of range on both sides, and what is no axis at all.
WITH_AXIS = {
    "sum": lambda axis: tad.sum(A, axis=axis),
    "mean": lambda axis: tad.mean(A, axis=axis),
    "max": lambda axis: tad.max(A, axis=axis),
    "prod": lambda axis: tad.prod(A, axis=axis),
    "std": lambda axis: tad.std(A, axis=axis),
    "all": lambda axis: tad.all(A > 0.0, axis=axis),
    "argmax": lambda axis: tad.argmax(A, axis=axis),
    "cumulative_sum": lambda axis: tad.cumulative_sum(A, axis=axis),
    "sort": lambda axis: tad.sort(A, axis=axis),
    "argsort": lambda axis: tad.argsort(A, axis=axis),
    "flip": lambda axis: tad.flip(A, axis=axis),
    "roll": lambda axis: tad.roll(A, 1, axis=axis),
    "squeeze": lambda axis: tad.squeeze(A, axis=axis),
    "take": lambda axis: tad.take(A, [0], axis=axis),
    "repeat": lambda axis: tad.repeat(A, 2, axis=axis),
    "concat": lambda axis: tad.concat([A, A], axis=axis),
    "unstack": lambda axis: tad.unstack(A, axis=axis),
    "moveaxis": lambda axis: tad.moveaxis(A, axis, 0),
    "swapaxes": lambda axis: tad.swapaxes(A, 0, axis),
    "diff": lambda axis: tad.diff(A, axis=axis),
    "vector_norm": lambda axis: tad.linalg.vector_norm(A, axis=axis),
    "softmax": lambda axis: tad.nn.functional.softmax(A, axis=axis),
    "logsumexp": lambda axis: tad.special.logsumexp(A, axis=axis),
}
REASONS = {
    "2": (2, IndexOutOfRange, ("axis 2", "[2, 3]", "-2 to 1")),
    "-3": (-3, IndexOutOfRange, ("axis -3", "[2, 3]", "-2 to 1")),
    "1.0": (1.0, ArgumentError, ("integer", "1.0")),
    "True": (True, ArgumentError, ("integer", "True")),
    "'a'": ("a", ArgumentError, ("integer", "'a'")),
}
AXES = {
    f"{name} along {text}": misuse_with(run, axis, error, f"{name}:", *says)
    for name, run in WITH_AXIS.items()
    for text, (axis, error, says) in REASONS.items()
}
REPEATED = {
    f"{name} along an axis twice": misuse_with(
        WITH_AXIS[name], (0, -2), ArgumentError, f"{name}: axes (0, -2)", "[2, 3] twice"
    )
    for name in ("sum", "mean", "max", "prod", "std", "all", "flip", "vector_norm", "softmax")
}
NEW_AXES = {
    "stack": misuse(
        lambda: tad.stack([A, A], axis=3), IndexOutOfRange, "stack: axis 3", "[2, 3] with 1 more"
    ),
    "expand_dims": misuse(
        lambda: tad.expand_dims(A, axis=-4), IndexOutOfRange, "expand_dims: axis -4", "[2, 3]"
    ),
    "permute_dims": misuse(
        lambda: tad.permute_dims(A, (0, 2)), IndexOutOfRange, "permute_dims: axis 2", "[2, 3]"
    ),
    "permute_dims twice": misuse(
        lambda: tad.permute_dims(A, (0, 0)), ArgumentError, "permute_dims: axes (0, 0)", "twice"
    ),
    "permute_dims by bools": misuse(
        lambda: tad.permute_dims(A, (True, False)), ArgumentError, "permute_dims", "got True"
    ),
    "tensordot": misuse(
        lambda: tad.tensordot(A, B, axes=((7,), (0,))),
        IndexOutOfRange, "tensordot: axis 7", "[2, 3]",
    ),
    "missing axis": misuse(
        lambda: tad.cumulative_sum(A), ArgumentError, "cumulative_sum: axis is missing", "[2, 3]"
    ),
}  # fmt: skip


@each(ELEMENTWISE | INSIDE)
def test_shapes_that_do_not_broadcast(row: Misuse) -> None:
    check(row)


@each(PRODUCTS | REARRANGED)
def test_shapes(row: Misuse) -> None:
    check(row)


@each(AXES | REPEATED | NEW_AXES)
def test_axes(row: Misuse) -> None:
    check(row)


def test_an_attribute_that_the_shape_does_not_have_is_not_there() -> None:
    assert not hasattr(V, "T")
    assert not hasattr(V, "mT")
    assert hasattr(V[None], "T")
    assert {"shape", "reshape"} <= {name for name, _ in inspect.getmembers(V)}
