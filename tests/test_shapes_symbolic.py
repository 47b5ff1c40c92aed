"""The shape rules on symbols, unknown sizes and runs of unknown length, against those on ints."""

from collections.abc import Callable
from typing import NamedTuple

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from taglessad import shapes
from taglessad.dims import ANY_RANK, UNKNOWN, Extent, Polynomial, ShapeLike, Star, Symbol, symbols
from taglessad.errors import ShapeError, TaglessError

N, M, K = symbols("N M K")
RUN, OTHER = Star("B", "B"), Star("C", "C")
Rule = Callable[..., ShapeLike]

# Size 2 is N and 3 is M wherever a size is made symbolic; 0 and 1 stay themselves.
NAMED = {2: N, 3: M}
VALUES = {"N": 2, "M": 3}

RULES: dict[str, tuple[int, Rule]] = {
    "broadcast": (2, lambda a, b: shapes.broadcast(a, b)),
    "broadcast three": (3, lambda a, b, c: shapes.broadcast(a, b, c)),
    "broadcast_to": (2, shapes.broadcast_to),
    "unify": (2, lambda a, b: shapes.unify(a, b, what="cond")),
    "matmul": (2, shapes.matmul),
    "vecdot": (2, shapes.vecdot),
    "tensordot": (2, lambda a, b: shapes.tensordot(a, b, 1)),
    "sum": (1, lambda a: shapes.reduce(a, -1)),
    "sum kept": (1, lambda a: shapes.reduce(a, (0, -1), True)),
    "sum all kept": (1, lambda a: shapes.reduce(a, None, True)),
    "permute": (1, lambda a: shapes.permute(a, (2, 0, 1))),
    "transpose": (1, lambda a: shapes.permute(a, None)),
    "expand_dims": (1, lambda a: shapes.expand_dims(a, 1)),
    "expand_dims behind": (1, lambda a: shapes.expand_dims(a, -1)),
    "expand_dims twice": (1, lambda a: shapes.expand_dims(a, (0, -1))),
    "squeeze": (1, lambda a: shapes.squeeze(a, -1)),
    "concat": (2, lambda a, b: shapes.concat([a, b], 0)),
    "concat flat": (2, lambda a, b: shapes.concat([a, b], None)),
    "stack": (2, lambda a, b: shapes.stack([a, b], -1)),
    "tile": (1, lambda a: shapes.tile(a, (2, 1))),
    "repeat": (1, lambda a: shapes.repeat(a, 2, -1)),
    "diagonal": (1, lambda a: shapes.diagonal(a, 1)),
    "take": (2, lambda a, b: shapes.take(a, b, 0)),
    "reshape": (2, shapes.reshape),
    "flatten": (1, lambda a: shapes.reshape(a, (-1,))),
    "einsum": (2, lambda a, b: shapes.einsum("ij,jk->ki", a, b).shape),
    "einsum ellipsis": (2, lambda a, b: shapes.einsum("...ij,jk->...ik", a, b).shape),
}


def listed(*operands: ShapeLike) -> list[ShapeLike]:
    return [*operands]


class Case(NamedTuple):
    rule: Rule
    operands: list[tuple[int, ...]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    arity, rule = RULES[draw(st.sampled_from(sorted(RULES)))]
    one = st.lists(st.sampled_from([2, 2, 3, 1]), max_size=4).map(tuple)
    first = draw(one)
    again = st.just(first) | st.just(first[1:]) | st.just(first[::-1]) | one
    return Case(rule, [first, *(draw(again) for _ in range(arity - 1))])


def outcome(rule: Rule, operands: list[ShapeLike]) -> ShapeLike | None:
    try:
        return rule(*operands)
    except TaglessError:
        return None


def number(size: Extent, values: dict[str, int]) -> int | None:
    """The size's value; None where it is unknown."""
    if isinstance(size, int):
        return size
    if not isinstance(size, Polynomial):
        return None
    total = 0
    for monomial, c in size.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                c *= values[atom.key]
            else:
                over, under = number(atom.numerator, values), number(atom.denominator, values)
                assert over is not None and under is not None
                c *= over // under
        total += c
    return total


def fits(shape: ShapeLike, concrete: ShapeLike) -> bool:
    """Whether the shape says nothing false of the concrete one."""
    runs = [i for i, n in enumerate(shape) if isinstance(n, Star)]
    if runs:
        (k,) = runs
        behind = len(shape) - k - 1
        if len(concrete) < k + behind:
            return False
        concrete = (*concrete[:k], *concrete[len(concrete) - behind :])
        shape = (*shape[:k], *shape[k + 1 :])
    return len(shape) == len(concrete) and all(
        not isinstance(n, Star) and number(n, VALUES) in (None, m)
        for n, m in zip(shape, concrete, strict=True)
    )


@given(cases())
def test_symbols_agree_with_their_values(case: Case) -> None:
    named = [tuple(NAMED.get(n, n) for n in operand) for operand in case.operands]
    expected, got = outcome(case.rule, [*case.operands]), outcome(case.rule, [*named])
    if got is None:
        # 2 + 2 = 2 * 2 and the like hold of values and not of symbols.
        assert expected is None or case.rule is shapes.reshape
    else:
        assert expected is not None
        assert fits(got, expected)
        assert UNKNOWN not in got or case.rule is RULES["diagonal"][1]


@given(cases(), st.data())
def test_unknown_sizes_make_no_false_claim(case: Case, data: st.DataObject) -> None:
    expected = outcome(case.rule, [*case.operands])
    assume(expected is not None)
    hidden: list[ShapeLike] = [
        tuple(data.draw(st.sampled_from([n, UNKNOWN])) for n in operand)
        for operand in case.operands
    ]
    got = outcome(case.rule, [*hidden])
    assert got is not None and expected is not None
    assert fits(got, expected)


@given(cases(), st.data())
def test_unknown_rank_makes_no_false_claim(case: Case, data: st.DataObject) -> None:
    expected = outcome(case.rule, [*case.operands])
    assume(expected is not None)
    hidden: list[ShapeLike] = []
    for operand in case.operands:
        start = data.draw(st.integers(0, len(operand)))
        stop = data.draw(st.integers(start, len(operand)))
        run: ShapeLike = (ANY_RANK,) if data.draw(st.booleans()) else operand[start:stop]
        hidden.append((*operand[:start], *run, *operand[stop:]))
    # Shapes written alike are taken to be alike.
    for i, a in enumerate(hidden):
        for j, b in enumerate(hidden[:i]):
            assume(a != b or case.operands[i] == case.operands[j])
    got = outcome(case.rule, hidden)
    assert got is not None and expected is not None
    assert fits(got, expected)


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (shapes.broadcast((N, 1), (M,)), (N, M)),
        (shapes.broadcast((RUN, 3), (3,)), (RUN, 3)),
        (shapes.broadcast((RUN, 3), (2, RUN, 3)), (2, RUN, 3)),
        (shapes.broadcast((ANY_RANK, 3), (4, 1)), (ANY_RANK, 3)),
        (shapes.broadcast((UNKNOWN,), (4,)), (4,)),
        (shapes.broadcast((UNKNOWN, 1), (1, UNKNOWN)), (UNKNOWN, UNKNOWN)),
        (shapes.broadcast((2, ANY_RANK), (ANY_RANK,)), (ANY_RANK,)),
        (shapes.broadcast_to((1, 3), (N, UNKNOWN)), (N, 3)),
        (shapes.unify((UNKNOWN, 3), (N, UNKNOWN), what="cond"), (N, 3)),
        (shapes.unify((ANY_RANK,), (N, 2), what="cond"), (N, 2)),
        (shapes.matmul((RUN, K), (K, N)), (RUN, N)),
        (shapes.matmul((RUN, M, K), (RUN, K, N)), (RUN, M, N)),
        (shapes.matmul((ANY_RANK, K), (2, K, N)), (ANY_RANK, N)),
        (shapes.reduce((RUN, K), -1), (RUN,)),
        (shapes.reduce((RUN, K), -1, True), (RUN, 1)),
        (shapes.reduce((N, ANY_RANK, K), None, True), (1, ANY_RANK, 1)),
        (shapes.reduce((N, ANY_RANK), 0), (ANY_RANK,)),
        (shapes.reduce((ANY_RANK, N), 0), (ANY_RANK,)),
        (shapes.reshape((N, M), (-1,)), (M * N,)),
        (shapes.reshape((2 * N + 2, 3), (N + 1, -1)), (N + 1, 6)),
        (shapes.reshape((RUN, 6), (-1, 3)), (2 * shapes.size((RUN,)), 3)),
        (shapes.reshape((8,), (2, UNKNOWN)), (2, 4)),
        (shapes.reshape((0,), (0, UNKNOWN)), (0, UNKNOWN)),
        (shapes.reshape((0, UNKNOWN), (-1,)), (0,)),
        (shapes.reshape((N,), (2, UNKNOWN)), (2, UNKNOWN)),
        (shapes.expand_dims((RUN, K), 0), (1, RUN, K)),
        (shapes.expand_dims((RUN, K), -2), (RUN, 1, K)),
        (shapes.concat([(N, K), (M, K)]), (N + M, K)),
        (shapes.concat(listed((N, K), (UNKNOWN, K))), (UNKNOWN, K)),
        (shapes.concat(listed((RUN, K), (RUN, 2)), -1), (RUN, K + 2)),
        (shapes.stack(listed((N, UNKNOWN), (N, 2), (N, 2)), 1), (N, 3, 2)),
        (shapes.tile((N, 2), (3, M)), (3 * N, 2 * M)),
        (shapes.tile((RUN, 2), 2), (RUN, 4)),
        (shapes.repeat((N, 2), M), (2 * M * N,)),
        (shapes.take((RUN, K), (2, M), -1), (RUN, 2, M)),
        (shapes.take((RUN, K), (OTHER,), -1), (ANY_RANK,)),
        (shapes.diagonal((RUN, N, N)), (RUN, N)),
        (shapes.diagonal((N, N + 1), 2), (N - 1,)),
        (shapes.diagonal((N, M)), (UNKNOWN,)),
        (shapes.pad((N, 2), (1, M), (N, 0)), (2 * N + 1, M + 2)),
        (shapes.pad((N,), (0,), (0,), (2,)), (3 * N - 2,)),
        (shapes.tensordot((N, M, K), (M, K, 2)), (N, 2)),
        (shapes.einsum("ij,jk", (N, K), (K, M)).shape, (N, M)),
        (shapes.einsum("...ij,jk->...ik", (RUN, N, K), (K, M)).shape, (RUN, N, M)),
        (shapes.einsum("ii->i", (UNKNOWN, N)).shape, (N,)),
        (shapes.einsum("ij,jk->ik", (ANY_RANK,), (K, M)).shape, (UNKNOWN, M)),
        (shapes.einsum("ij,jk->ik", (N, UNKNOWN), (K, M)).shape, (N, M)),
    ],
)
def test_examples(result: ShapeLike, expected: ShapeLike) -> None:
    assert result == expected


def test_einsum_over_a_run_keeps_its_ellipsis() -> None:
    read = shapes.einsum("...ij,jk->...ik", (RUN, N, K), (K, M))
    assert read.operands == ("...ij", "jk") and read.output == "...ik"


@pytest.mark.parametrize(
    ("index", "extent", "length"),
    [
        (slice(None), N, N),
        (slice(None), UNKNOWN, UNKNOWN),
        (slice(1, None), N, N - 1),
        (slice(2, None), N, N - 2),
        (slice(None, -1), N, N - 1),
        (slice(1, -1), N, N - 2),
        (slice(None, 1), N, 1),
        (slice(-1, None), N, 1),
        (slice(None, 5), N, UNKNOWN),
        (slice(-5, None), N, UNKNOWN),
        (slice(None, N), N + M, N),
        (slice(N, None), N + M, M),
        (slice(None, N // 2), N, N // 2),
        (slice(N // 2, None), N, N - N // 2),
        (slice(None, M), N, UNKNOWN),
        (slice(M, None), N, UNKNOWN),
        (slice(None, None, 2), N, (N + 1) // 2),
        (slice(1, None, 2), N, N // 2),
        (slice(None, None, -1), N, N),
        (slice(-2, None, -1), N, N - 1),
        (slice(None, None, -2), N, (N + 1) // 2),
        (slice(2, 1), N, 0),
        (slice(N + 3, N + 4), N, 0),
        (slice(1, 2), UNKNOWN, UNKNOWN),
    ],
)
def test_slices(index: slice, extent: Extent, length: Extent) -> None:
    start, stop, step, reverse = shapes.normalize_slice(index, extent)
    assert shapes.slice_length(start, stop, step, extent) == length
    assert reverse is ((index.step or 1) < 0)


@given(
    st.builds(
        slice,
        st.none() | st.integers(-3, 3),
        st.none() | st.integers(-3, 3),
        st.none() | st.integers(1, 3) | st.integers(-3, -1),
    ),
    st.integers(7, 12),
)
def test_a_symbolic_slice_is_right_on_a_long_axis(index: slice, n: int) -> None:
    start, stop, step, _ = shapes.normalize_slice(index, N)
    length = shapes.slice_length(start, stop, step, N)
    assert number(length, {"N": n}) in (None, len([*range(n)][index]))


@pytest.mark.parametrize(
    ("index", "extent", "position"),
    [(0, N, 0), (-1, N, N - 1), (-1, UNKNOWN, UNKNOWN), (N - 1, N, N - 1), (3, UNKNOWN, 3)],
)
def test_indices(index: int | Polynomial, extent: Extent, position: Extent) -> None:
    assert shapes.normalize_index(index, 0, (extent,)) == position


def test_a_run_that_hides_an_axis_is_refused() -> None:
    for rule in (
        lambda: shapes.reduce((RUN, K), 0),
        lambda: shapes.permute((RUN, K), (1, 0)),
        lambda: shapes.matmul((RUN, K), (2, K, N)),
        lambda: shapes.broadcast((RUN,), (OTHER,)),
        lambda: shapes.einsum("ij->ji", (RUN, K)),
        lambda: shapes.expand_dims((RUN, K), 1),
        lambda: shapes.concat(listed((2, K), (RUN, K))),
    ):
        with pytest.raises(ShapeError):
            rule()
