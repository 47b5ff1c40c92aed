"""einsum: against NumPy's, random specifications included."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import taglessad as tad
from taglessad.compiled.jit import jit
from taglessad.errors import ArgumentError, ShapeError

RNG = np.random.default_rng(0)
CASES = [
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ij", [(2, 3)]),
    ("ba", [(2, 3)]),
    ("ii", [(3, 3)]),
    ("ii->i", [(3, 3)]),
    ("iii->i", [(3, 3, 3)]),
    ("iji->j", [(3, 2, 3)]),
    ("iijj->ij", [(3, 3, 2, 2)]),
    ("i,i", [(3,), (3,)]),
    ("i,j->ji", [(3,), (2,)]),
    ("i,i->i", [(3,), (3,)]),
    (",i->i", [(), (3,)]),
    (",->", [(), ()]),
    ("->", [()]),
    ("ij,kl->il", [(2, 3), (4, 5)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("bij,bjk->kib", [(2, 3, 4), (2, 4, 5)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (5, 1, 4, 2)]),
    ("...ij,jk", [(2, 3, 4), (4, 2)]),
    ("i...,i...", [(3, 2), (3, 2)]),
    ("i...->...", [(3, 2, 4)]),
    ("...", [(2, 3)]),
    ("...,...", [(2, 3), (3,)]),
    ("a...b->b...a", [(2, 3, 4)]),
    ("ij,jk,kl", [(2, 3), (3, 4), (4, 2)]),
    ("ij,jk,ki->", [(2, 3), (3, 4), (4, 2)]),
    ("a,b,c,d->dcba", [(2,), (3,), (4,), (5,)]),
    ("ab,b,b->a", [(2, 3), (3,), (3,)]),
    ("aab,bcc,d->a", [(2, 2, 3), (3, 4, 4), (5,)]),
    ("ij,ij->ij", [(1, 3), (2, 3)]),
    ("ij,jk->ik", [(2, 1), (3, 4)]),
    ("ij,ij,ij->i", [(2, 1), (1, 3), (2, 3)]),
    ("ij,jk->ik", [(2, 0), (0, 4)]),
]


@pytest.mark.parametrize(("spec", "shapes"), CASES)
def test_einsum(
    check_program: Callable[..., None], spec: str, shapes: list[tuple[int, ...]]
) -> None:
    operands = [RNG.standard_normal(s) for s in shapes]
    want = np.einsum(spec, *operands)
    got = tad.einsum(spec, *operands)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-12, atol=1e-13)
    check_program(lambda *xs: tad.sin(tad.einsum(spec, *xs)), *operands)


@given(st.data())
def test_random_specifications(data: st.DataObject) -> None:
    letters = "abcd"
    sizes = {c: data.draw(st.integers(0, 3)) for c in letters}
    count = data.draw(st.integers(1, 4))
    groups = [data.draw(st.text(letters, max_size=4)) for _ in range(count)]
    present = sorted(set("".join(groups)))
    out = data.draw(st.lists(st.sampled_from(present), unique=True)) if present else []
    # An axis of size 1 is repeated, unless its letter occurs twice in the operand.
    shapes = [
        [1 if g.count(c) == 1 and data.draw(st.booleans()) else sizes[c] for c in g] for g in groups
    ]
    operands = [np.random.default_rng(i).standard_normal(s) for i, s in enumerate(shapes)]
    spec = ",".join(groups) + "->" + "".join(out)
    try:
        want = np.einsum(spec, *operands)
    except ValueError:  # NumPy repeats no axis of size 1 where the other has size 0
        return
    got = tad.einsum(spec, *operands)
    assert got.shape == want.shape
    np.testing.assert_allclose(np.asarray(got), want, rtol=1e-11, atol=1e-12)


def test_blanks_count_for_nothing() -> None:
    a, b = RNG.standard_normal((2, 3)), RNG.standard_normal((3, 4))
    np.testing.assert_allclose(np.asarray(tad.einsum(" i j , j k -> i k ", a, b)), a @ b)


def test_dtypes() -> None:
    whole, truth = np.array([[1, 2], [3, 4]]), np.array([[True, True], [False, True]])
    assert tad.einsum("ij,jk->ik", whole, whole).dtype == tad.int64
    np.testing.assert_array_equal(np.asarray(tad.einsum("ij->i", truth)), [2, 1])
    assert tad.einsum("ij,jk->ik", whole, whole.astype(np.float32)).dtype == tad.float32


def test_many_operands_are_contracted_two_at_a_time() -> None:
    # Contracted all at once this chain would take 9**13 products.
    links = [RNG.standard_normal((9, 9)) / 3 for _ in range(12)]
    letters = "abcdefghijklm"
    spec = ",".join(letters[i : i + 2] for i in range(12)) + "->am"
    want = np.linalg.multi_dot(links)
    np.testing.assert_allclose(np.asarray(tad.einsum(spec, *links)), want, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        np.asarray(jit(lambda *xs: tad.einsum(spec, *xs))(*links)), want, rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize(
    ("spec", "shapes", "error", "message"),
    [
        (
            "ij,jk",
            [(2, 3), (4, 5)],
            ShapeError,
            r"einsum: 'ij,jk' of \[2, 3\] and \[4, 5\]: letter",
        ),
        ("ii", [(2, 3)], ShapeError, r"einsum: 'ii': operand 0 of shape \[2, 3\] has two sizes"),
        ("ij", [(2,)], ShapeError, r"einsum: 'ij': operand 0 is 'ij', 2 axes, but has shape \[2\]"),
        ("ij->ik", [(2, 3)], ArgumentError, r"output letter 'k' is in no operand"),
        ("ij->ii", [(2, 3)], ArgumentError, r"output letter 'i' comes twice"),
        ("ij,j", [(2, 3)], ArgumentError, r"2 operands, got 1"),
        ("i1", [(2, 3)], ArgumentError, r"unexpected '1'"),
        ("...i->i", [(2, 3)], ShapeError, r"'...' covers \[2\], so the output needs a '...'"),
    ],
)
def test_errors(
    spec: str, shapes: list[tuple[int, ...]], error: type[Exception], message: Any
) -> None:
    with pytest.raises(error, match=message):
        tad.einsum(spec, *[np.ones(s) for s in shapes])
