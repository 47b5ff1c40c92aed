"""What the shape rules say of a mistake: every message by its text."""

from collections.abc import Callable

import numpy as np
import pytest

from taglessad import shapes
from taglessad.dims import UNKNOWN, Star, symbols
from taglessad.errors import (
    ArgumentError,
    ConcretizationError,
    IndexOutOfRange,
    ShapeError,
    TaglessError,
)

N, M = symbols("N M")
RUN = Star("B", "B")

MESSAGES: list[tuple[type[TaglessError], Callable[[], object], str]] = [
    (
        ShapeError,
        lambda: shapes.broadcast((3,), (4,), what="add"),
        "add: shapes [3] and [4] do not broadcast (3 != 4)",
    ),
    (
        ShapeError,
        lambda: shapes.broadcast((3,), (2, 3), (4,), what="where"),
        "where: shapes [3], [2, 3] and [4] do not broadcast (3 != 4)",
    ),
    (
        ShapeError,
        lambda: shapes.broadcast((N, 2), (M, 2), what="add"),
        "add: shapes [N, 2] and [M, 2] do not broadcast (N and M are different dimensions)",
    ),
    (
        ShapeError,
        lambda: shapes.broadcast((RUN, 2), (3, 2), what="add"),
        "add: shapes [*B, 2] and [3, 2] do not broadcast (*B and 3 need not agree)",
    ),
    (
        ShapeError,
        lambda: shapes.unify((4, 2), (4, 3), what="cond: branches"),
        "cond: branches: shapes [4, 2] and [4, 3] differ (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.unify((4, 2), (4,), what="cond: branches"),
        "cond: branches: shapes [4, 2] and [4] differ (rank 2 != 1)",
    ),
    (
        ShapeError,
        lambda: shapes.broadcast_to((3,), (2, 4)),
        "broadcast_to: shape [3] does not broadcast to [2, 4] (3 != 4)",
    ),
    (
        ShapeError,
        lambda: shapes.broadcast_to((3, 3), (3,)),
        "broadcast_to: shape [3, 3] does not broadcast to [3] (rank 2 > 1)",
    ),
    (
        ShapeError,
        lambda: shapes.matmul((4, 2), (3, 2)),
        "matmul: inner dimensions differ: [4, 2] @ [3, 2] (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.matmul((5, 4, 2), (3, 2, 7)),
        "matmul: batch dimensions do not broadcast: [5, 4, 2] @ [3, 2, 7] (5 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.matmul((4, 2), ()),
        "matmul: a scalar operand: [4, 2] @ []; multiply with *",
    ),
    (
        ShapeError,
        lambda: shapes.matmul((RUN,), (2, 3)),
        "matmul: shapes [*B] and [2, 3]: an axis that is multiplied is in a run of unknown length",
    ),
    (
        ShapeError,
        lambda: shapes.vecdot((4, 2), (4, 3)),
        "vecdot: shapes [4, 2] and [4, 3] differ along axis -1 (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.vecdot((4, 2), (3, 2)),
        "vecdot: shapes [4, 2] and [3, 2] do not broadcast away from axis -1 (4 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.tensordot((4, 2), (3, 2), 1),
        "tensordot: shapes [4, 2] and [3, 2] differ where axis 1 meets axis 0 (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.tensordot((4, 2), (3,), 2),
        "tensordot: 2 axes to sum over in shapes [4, 2] and [3]",
    ),
    (
        ShapeError,
        lambda: shapes.tensordot((4, 2), (2, 4), ((0, 1), (1,))),
        "tensordot: axes ((0, 1), (1,)) pair 2 axes of [4, 2] with 1 of [2, 4]",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.normalize_axis(2, (4, 2), "sum"),
        "sum: axis 2 is out of range for shape [4, 2] (valid: -2 to 1)",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.normalize_axes((0, -1), (), "sum"),
        "sum: axis 0 is out of range for shape [] (it has no axes)",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.expand_dims((4, 2), -4),
        "expand_dims: axis -4 is out of range for shape [4, 2] with 1 more (valid: -3 to 2)",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.normalize_index(5, 0, (3,)),
        "index: index 5 is out of range for axis 0 of shape [3] (valid: -3 to 2)",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.normalize_index(N, 1, (3, N)),
        "index: index N is out of range for axis 1 of shape [3, N] (valid: -N to N - 1)",
    ),
    (
        IndexOutOfRange,
        lambda: shapes.normalize_index(0, 0, (0,)),
        "index: index 0 is out of range for axis 0 of shape [0] (it is empty)",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_axes((0, -2), (4, 2), "sum"),
        "sum: axes (0, -2) name an axis of shape [4, 2] twice",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_axis(True, (4, 2), "sum"),
        "sum: axis must be an integer, got True",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_axes(1.0, (4, 2), "sum"),  # type: ignore[arg-type]  # the mistake
        "sum: axis must be an integer, got 1.0",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_axes("ab", (4, 2), "sum"),  # type: ignore[arg-type]  # the mistake
        "sum: axis must be an integer, got 'a'",
    ),
    (
        ShapeError,
        lambda: shapes.find_axis(0, (RUN, 2), "sum"),
        "sum: axis 0 falls in the unknown part of shape [*B, 2]; count axes before *B from the "
        "front and those behind it from the back",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_shape((4, 2.0), "zeros"),  # type: ignore[arg-type]  # the mistake
        "zeros: a size must be an integer, got 2.0",
    ),
    (
        ShapeError,
        lambda: shapes.normalize_shape((4, -2), "zeros"),
        "zeros: a size must not be negative: -2 in [4, -2]",
    ),
    (
        ShapeError,
        lambda: shapes.reshape((4, 2), (3, 3)),
        "reshape: [4, 2] has 8 elements but [3, 3] has 9 elements (8 != 9)",
    ),
    (
        ShapeError,
        lambda: shapes.reshape((4, 2), (3, -1)),
        "reshape: [4, 2] has 8 elements, no known multiple of the 3 that [3, -1] has besides -1",
    ),
    (
        ShapeError,
        lambda: shapes.reshape((N,), (2, -1)),
        "reshape: [N] has N elements, no known multiple of the 2 that [2, -1] has besides -1",
    ),
    (
        ShapeError,
        lambda: shapes.reshape((4, 2), (-1, -1)),
        "reshape: [-1, -1] may have one -1 and no other negative size",
    ),
    (
        ShapeError,
        lambda: shapes.permute((4, 2), (0,)),
        "permute_dims: (0,) must name each of the 2 axes of [4, 2]",
    ),
    (
        ShapeError,
        lambda: shapes.squeeze((4, 2), 1),
        "squeeze: axis 1 of shape [4, 2] has size 2, not 1",
    ),
    (
        ShapeError,
        lambda: shapes.concat([(4, 2), (2, 3)]),
        "concat: shapes [4, 2] and [2, 3] differ away from axis 0 (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.concat([(4, 2), (2,)]),
        "concat: shapes [4, 2] and [2] have different ranks",
    ),
    (ArgumentError, lambda: shapes.concat([]), "concat: no arrays to join"),
    (
        ShapeError,
        lambda: shapes.stack([(4, 2), (2, 3)]),
        "stack: shapes [4, 2] and [2, 3] differ (4 != 2)",
    ),
    (
        ShapeError,
        lambda: shapes.repeat((4, 2), (1, 2, 3), 1),
        "repeat: 3 numbers of repetitions for axis 1 of [4, 2] (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.tile((4, 2), -1),
        "tile: a number of repetitions must not be negative: -1 in [-1]",
    ),
    (
        ShapeError,
        lambda: shapes.tile((RUN, 2), (2, 2)),
        "tile: [2, 2] reaches into the unknown part of [*B, 2]",
    ),
    (
        ShapeError,
        lambda: shapes.slice((4, 2), (0,), (1,), (1,)),
        "slice: 1 start positions [0] for the 2 axes of shape [4, 2]",
    ),
    (
        ArgumentError,
        lambda: shapes.slice((4,), (-1,), (1,), (1,)),
        "slice: start -1 of shape [4] is below 0",
    ),
    (
        ArgumentError,
        lambda: shapes.normalize_slice(slice(0, 2.0), 3),
        "index: a slice bound must be an integer, got 2.0",
    ),
    (
        ShapeError,
        lambda: shapes.pad((4, 2), (1,), (1,)),
        "pad: 1 widths before, 1 after and 1 between for the 2 axes of shape [4, 2]",
    ),
    (
        ShapeError,
        lambda: shapes.pad((4,), (1,), (-1,)),
        "pad: the width -1 for shape [4] is negative",
    ),
    (
        ShapeError,
        lambda: shapes.diagonal((4,)),
        "diagonal: needs two axes at the back of the shape, got [4]",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("ij->ji", (5, 4, 2)),
        "einsum: 'ij->ji': operand 0 is 'ij', 2 axes, but has shape [5, 4, 2]",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("...ij", (5,)),
        "einsum: '...ij': operand 0 is '...ij', at least 2 axes, but has shape [5]",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("ij,jk->ik", (4, 2), (3, 2)),
        "einsum: 'ij,jk->ik' of [4, 2] and [3, 2]: letter 'j' has two sizes (2 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("ii->i", (1, 3)),
        "einsum: 'ii->i': operand 0 of shape [1, 3] has two sizes for the letter 'i' (1 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("...i,...i", (4, 2), (3, 2)),
        "einsum: '...i,...i' of [4, 2] and [3, 2]: the axes under '...' do not broadcast (4 != 3)",
    ),
    (
        ShapeError,
        lambda: shapes.einsum("...i->i", (4, 2)),
        "einsum: '...i->i' of [4, 2]: '...' covers [4], so the output needs a '...'",
    ),
    (
        ArgumentError,
        lambda: shapes.einsum("ij->ik", (4, 2)),
        "einsum: 'ij->ik': output letter 'k' is in no operand",
    ),
    (
        ArgumentError,
        lambda: shapes.einsum("ij->ii", (4, 2)),
        "einsum: 'ij->ii': output letter 'i' comes twice",
    ),
    (
        ArgumentError,
        lambda: shapes.einsum("i,j", (4,)),
        "einsum: 'i,j' names 2 operands, got 1",
    ),
    *(
        (
            ArgumentError,
            lambda spec=spec: shapes.einsum(spec, (4, 2)),
            f"einsum: {spec!r}: unexpected {bad!r}; a group is letters and at most one '...', "
            "operands are separated by ',' and the output follows one '->'",
        )
        for spec, bad in [
            ("i1", "1"),
            ("i..j", "."),
            ("...i...", "."),
            ("é", "é"),
            ("i-j", "-"),
            ("ij->i->j", "-"),
            ("ij->i,j", ","),
        ]
    ),
]


@pytest.mark.parametrize(("kind", "mistake", "text"), MESSAGES, ids=[m[2][:60] for m in MESSAGES])
def test_message(kind: type[TaglessError], mistake: Callable[[], object], text: str) -> None:
    with pytest.raises(kind) as caught:
        mistake()
    assert type(caught.value) is kind
    assert caught.value.message == text


def test_integers_of_other_types_are_integers() -> None:
    assert shapes.normalize_axis(np.int8(-1), (4, 2), "sum") == 1
    assert shapes.normalize_axes(np.array([1, 0]), (4, 2), "sum") == (1, 0)
    assert shapes.normalize_axes(np.array(1), (4, 2), "sum") == (1,)
    assert shapes.normalize_shape(np.int64(3), "zeros") == (3,)
    sizes = shapes.normalize_shape([np.int64(3), 2], "zeros")
    assert sizes == (3, 2) and all(type(n) is int for n in sizes)
    assert shapes.normalize_shape((3, -1), "reshape", placeholder=True) == (3, -1)
    assert shapes.normalize_shape((N, UNKNOWN), "zeros") == (N, UNKNOWN)
    with pytest.raises(ArgumentError, match="axis must be an integer"):
        shapes.normalize_axis(np.bool_(True), (4, 2), "sum")  # type: ignore[arg-type]  # the mistake


def test_what_a_handle_says_as_an_axis_is_kept() -> None:
    class Handle:
        def __index__(self) -> int:
            raise ConcretizationError("the value is not known here")

    with pytest.raises(ConcretizationError, match="the value is not known here"):
        shapes.normalize_axis(Handle(), (4, 2), "sum")
