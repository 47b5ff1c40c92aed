"""The shape rules on ints, against NumPy: the same shape, or both refuse."""

from collections.abc import Callable
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taglessad import shapes
from taglessad.errors import ArgumentError, IndexOutOfRange, TaglessError

Ints = tuple[int, ...]

# Few sizes, so that shapes agree often.
size = st.sampled_from([1, 2, 2, 3, 0])
shape = st.lists(size, max_size=4).map(tuple)
ranked = st.lists(size, min_size=1, max_size=4).map(tuple)
axis = st.integers(-5, 4)
axes = st.lists(st.integers(-4, 3), max_size=4).map(tuple)
counts = st.integers(0, 3)


def array(of: Ints) -> "np.ndarray[Ints, np.dtype[np.int8]]":
    return np.ones(of, np.int8)


def agree(rule: Callable[[], object], numpy: Callable[[], object]) -> None:
    """Both give the same shape (or tuple), all of ints, or both refuse."""
    try:
        result = numpy()
        expected = result if isinstance(result, tuple) else np.asarray(result).shape
    except (ValueError, IndexError, TypeError):
        with pytest.raises(TaglessError):
            rule()
        return
    got = rule()
    assert got == expected
    assert isinstance(got, tuple) and all(type(n) is int for n in got)


@given(st.lists(shape, max_size=4))
def test_broadcast(operands: list[Ints]) -> None:
    agree(
        lambda: shapes.broadcast(*operands, what="add"),
        lambda: np.broadcast_shapes(*operands),
    )


@given(shape, shape)
def test_broadcast_to(a: Ints, new: Ints) -> None:
    agree(lambda: shapes.broadcast_to(a, new), lambda: np.broadcast_to(array(a), new))


@given(shape, shape)
def test_matmul(a: Ints, b: Ints) -> None:
    agree(lambda: shapes.matmul(a, b), lambda: array(a) @ array(b))


@given(shape, shape, axis)
def test_vecdot(a: Ints, b: Ints, along: int) -> None:
    agree(lambda: shapes.vecdot(a, b, along), lambda: np.vecdot(array(a), array(b), axis=along))


@given(shape, shape, st.integers(0, 4) | st.tuples(axes, axes) | st.tuples(axis, axis))
def test_tensordot(a: Ints, b: Ints, over: int | tuple[Ints, Ints] | tuple[int, int]) -> None:
    agree(
        lambda: shapes.tensordot(a, b, over),
        lambda: np.tensordot(array(a), array(b), over),
    )


@given(ranked, st.none() | axis | axes, st.booleans())
def test_reduce(a: Ints, over: int | Ints | None, keepdims: bool) -> None:
    agree(
        lambda: shapes.reduce(a, over, keepdims),
        lambda: array(a).sum(axis=over, keepdims=keepdims),
    )


@given(shape, st.lists(st.sampled_from([-1, 0, 1, 2, 3, 4, 6]), max_size=3).map(tuple))
def test_reshape(a: Ints, new: Ints) -> None:
    agree(lambda: shapes.reshape(a, new), lambda: array(a).reshape(new))


@given(shape.flatmap(lambda a: st.tuples(st.just(a), st.permutations(a), st.integers(0, 4))))
def test_reshape_to_the_same_count(case: tuple[Ints, list[int], int]) -> None:
    a, permuted, hole = case
    new = [-1 if i == hole else n for i, n in enumerate(permuted)]
    agree(lambda: shapes.reshape(a, tuple(new)), lambda: array(a).reshape(new))


@given(shape, st.none() | axes)
def test_permute(a: Ints, order: Ints | None) -> None:
    agree(lambda: shapes.permute(a, order), lambda: array(a).transpose(order))


@given(shape, axis | axes)
def test_expand_dims(a: Ints, at: int | Ints) -> None:
    agree(lambda: shapes.expand_dims(a, at), lambda: np.expand_dims(array(a), at))


@given(ranked, axis | axes)
def test_squeeze(a: Ints, at: int | Ints) -> None:
    agree(lambda: shapes.squeeze(a, at), lambda: array(a).squeeze(at))


@given(st.lists(shape, max_size=3), st.none() | axis)
def test_concat(parts: list[Ints], along: int | None) -> None:
    agree(lambda: shapes.concat(parts, along), lambda: np.concatenate([*map(array, parts)], along))


@given(shape, st.lists(counts, min_size=1, max_size=3), axis)
def test_concat_of_parts_that_fit(a: Ints, lengths: list[int], along: int) -> None:
    parts = [tuple(n if i == along % 4 else m for i, m in enumerate(a)) for n in lengths]
    agree(lambda: shapes.concat(parts, along), lambda: np.concatenate([*map(array, parts)], along))


def test_rank_0_has_no_axes() -> None:
    # NumPy lets axis 0 and -1 of a scalar slip through in these.
    for rule in (
        lambda: shapes.reduce((), 0, what="sum"),
        lambda: shapes.squeeze((), -1, what="sum"),
        lambda: shapes.take((), (2,), 0, what="sum"),
        lambda: shapes.repeat((), 2, 0, what="sum"),
    ):
        with pytest.raises(
            IndexOutOfRange, match=r"^sum: axis -?\d is out of range for shape \[\] "
        ):
            rule()


@given(shape, shape, st.integers(0, 3), axis)
def test_stack(a: Ints, b: Ints, alike: int, along: int) -> None:
    parts = [a] * alike + [b] * (alike == 0)
    agree(lambda: shapes.stack(parts, along), lambda: np.stack([*map(array, parts)], along))
    agree(lambda: shapes.stack([a, b], along), lambda: np.stack([array(a), array(b)], along))


@given(shape, counts | st.lists(counts, max_size=5).map(tuple))
def test_tile(a: Ints, times: int | Ints) -> None:
    agree(lambda: shapes.tile(a, times), lambda: np.tile(array(a), times))


@given(ranked, counts | st.lists(counts, max_size=4), st.none() | axis)
def test_repeat(a: Ints, times: int | list[int], along: int | None) -> None:
    agree(
        lambda: shapes.repeat(a, times, along),
        lambda: np.repeat(array(a), np.asarray(times, int), along),
    )


@given(shape, axis)
def test_diagonal(a: Ints, offset: int) -> None:
    agree(lambda: shapes.diagonal(a, offset), lambda: np.diagonal(array(a), offset, -2, -1))


@given(ranked, shape, axis)
def test_take(a: Ints, indices: Ints, along: int) -> None:
    # NumPy refuses indices into an empty axis; which numbers they are is no question of shape.
    position = np.zeros(indices, int)
    if 0 in a:
        a = tuple(n or 1 for n in a)
    agree(lambda: shapes.take(a, indices, along), lambda: np.take(array(a), position, along))


@given(shape, st.data())
def test_pad(a: Ints, data: st.DataObject) -> None:
    widths = st.lists(st.integers(-1, 2), min_size=len(a), max_size=len(a))
    before, after = data.draw(widths), data.draw(widths)
    agree(
        lambda: shapes.pad(a, before, after),
        lambda: np.pad(array(a), [*zip(before, after, strict=True)]) if a else array(a),
    )


@given(counts, counts, counts, counts)
def test_pad_between(n: int, before: int, after: int, gap: int) -> None:
    entries = [0] * before
    for i in range(n):
        entries += [0] * (gap if i else 0) + [1]
    (length,) = shapes.pad((n,), (before,), (after,), (gap,))
    assert length == len(entries + [0] * after)


bound = st.none() | st.integers(-7, 7)


@given(st.integers(0, 5), st.builds(slice, bound, bound, st.none() | st.integers(-3, 3)))
def test_a_slice_names_the_entries_that_python_does(n: int, index: slice) -> None:
    try:
        expected = [*range(n)][index]
    except ValueError:
        with pytest.raises(ArgumentError, match="a slice step must not be 0"):
            shapes.normalize_slice(index, n)
        return
    start, stop, step, reverse = shapes.normalize_slice(index, n)
    assert isinstance(start, int) and isinstance(stop, int)
    assert 0 <= start <= stop <= n and step >= 1
    entries = [*range(n)][start:stop:step]
    assert entries[::-1] == expected if reverse else entries == expected
    assert shapes.slice_length(start, stop, step, n) == len(expected)


@given(shape, st.data())
def test_slice(a: Ints, data: st.DataObject) -> None:
    starts, stops, steps = (
        data.draw(st.lists(st.integers(least, 4), min_size=len(a), max_size=len(a)))
        for least in (0, 0, 1)
    )
    index = tuple(slice(*bounds) for bounds in zip(starts, stops, steps, strict=True))
    agree(lambda: shapes.slice(a, starts, stops, steps), lambda: array(a)[index])


@given(shape)
def test_size(a: Ints) -> None:
    assert shapes.size(a) == prod(a) == array(a).size


@given(shape, axis, axes)
def test_axes(a: Ints, one: int, several: Ints) -> None:
    reference = np.lib.array_utils
    agree(
        lambda: (shapes.normalize_axis(one, a, "sum"),),
        lambda: (reference.normalize_axis_index(one, len(a)),),
    )
    agree(
        lambda: shapes.normalize_axes(several, a, "sum"),
        lambda: reference.normalize_axis_tuple(several, len(a)),
    )


@given(st.integers(0, 3), axis)
def test_index(n: int, position: int) -> None:
    try:
        expected = range(n)[position]
    except IndexError:
        with pytest.raises(IndexOutOfRange, match=f"index {position} is out of range for axis 1"):
            shapes.normalize_index(position, 1, (2, n))
    else:
        assert shapes.normalize_index(position, 1, (2, n)) == expected


letters = st.text("ab", max_size=3)
group = letters | st.tuples(letters, letters).map("...".join)


@st.composite
def einsums(draw: st.DrawFn) -> tuple[str, list[Ints]]:
    """A specification, and shapes that mostly fit it.

    None has a size of 0: NumPy takes "ii" of shape [0, 1], where it uses 0 as a mark.
    """
    groups = draw(st.lists(group, min_size=1, max_size=3))
    sizes = {c: draw(st.integers(1, 3)) for c in "ab."}
    operands: list[Ints] = []
    for text in groups:
        run = draw(st.integers(0, 2))
        names = text.replace("...", "." * run)
        operands.append(tuple(draw(st.sampled_from([sizes[c]] * 4 + [1])) for c in names))
    spec = ",".join(groups)
    if draw(st.booleans()):
        spec += " -> " + draw(st.sampled_from(["", "a", "b", "ab", "ba", "...", "...a", "a..."]))
    return spec, operands


@given(einsums())
def test_einsum(case: tuple[str, list[Ints]]) -> None:
    spec, operands = case
    agree(
        lambda: shapes.einsum(spec, *operands).shape,
        lambda: np.einsum(spec, *map(array, operands)),
    )


@given(einsums(), st.integers(0, 1000))
def test_einsum_without_ellipsis_means_the_same(case: tuple[str, list[Ints]], seed: int) -> None:
    spec, operands = case
    try:
        read = shapes.einsum(spec, *operands)
    except TaglessError:
        return
    random = np.random.default_rng(seed)
    values = [random.integers(-3, 3, of) for of in operands]
    written = f"{','.join(read.operands)}->{read.output}"
    assert "." not in written
    np.testing.assert_array_equal(np.einsum(written, *values), np.einsum(spec, *values))
    assert tuple(read.sizes[c] for c in read.output) == read.shape
    for named, of in zip(read.operands, operands, strict=True):
        assert all(n in (1, read.sizes[c]) for c, n in zip(named, of, strict=True))


@pytest.mark.parametrize(
    ("spec", "operands", "result"),
    [
        ("ij,jk->ik", [(4, 2), (2, 3)], (4, 3)),
        ("ij,jk", [(4, 2), (2, 3)], (4, 3)),
        ("ba", [(4, 2)], (2, 4)),
        ("aB", [(4, 2)], (2, 4)),
        ("ii", [(3, 3)], ()),
        ("ii->i", [(3, 3)], (3,)),
        ("...ij,...jk->...ik", [(7, 1, 4, 2), (5, 2, 3)], (7, 5, 4, 3)),
        ("i...->...", [(4, 2)], (2,)),
        ("ij->ji...", [(4, 2)], (2, 4)),
        (",->", [(), ()], ()),
        ("i,i->i", [(1,), (3,)], (3,)),
        ("ij,jk->ik", [(0, 2), (2, 3)], (0, 3)),
        ("ij,j->i", [(4, 0), (0,)], (4,)),
        ("i,i->i", [(1,), (0,)], (0,)),
        (" i j -> j i ", [(4, 2)], (2, 4)),
    ],
)
def test_einsum_examples(spec: str, operands: list[Ints], result: Ints) -> None:
    assert shapes.einsum(spec, *operands).shape == result


def test_einsum_reads_its_letters() -> None:
    read = shapes.einsum("...ij,...jk", (7, 1, 4, 2), (5, 2, 3))
    assert read.operands == ("abij", "bjk") and read.output == "abik"
    assert read.sizes == {"a": 7, "b": 5, "i": 4, "j": 2, "k": 3}
