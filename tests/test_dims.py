"""Sizes: the arithmetic is that of the integers, the printed and compared form canonical."""

import copy
import pickle
from collections.abc import Callable, Mapping
from operator import add, floordiv, mul, sub

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from taglessad.dims import (
    ANY_RANK,
    UNKNOWN,
    Extent,
    Polynomial,
    Quotient,
    Star,
    Symbol,
    at_least,
    differ,
    exact_quotient,
    symbols,
)

N, M, K = symbols("N M K")
NAMES = {"N": N, "M": M, "K": K}
Values = dict[str, int]
Size = int | Polynomial
Expression = tuple[Callable[..., object], "Expression", "Expression"] | int | str


def evaluate(size: Size, values: Values) -> int:
    """The polynomial's number, read from its terms."""
    if isinstance(size, int):
        return size
    total = 0
    for monomial, c in size.terms:
        for atom in monomial:
            if isinstance(atom, Symbol):
                c *= values[atom.key]
            else:
                assert isinstance(atom, Quotient)
                c *= evaluate(atom.numerator, values) // evaluate(atom.denominator, values)
        total += c
    return total


def build(expression: Expression, leaves: Mapping[str, Size]) -> Size:
    if isinstance(expression, int):
        return expression
    if isinstance(expression, str):
        return leaves[expression]
    operation, left, right = expression
    result = operation(build(left, leaves), build(right, leaves))
    assert isinstance(result, Size)
    return result


leaf = st.integers(-4, 6) | st.sampled_from(list(NAMES))
operations = st.sampled_from([add, sub, mul, floordiv])
expressions = st.recursive(leaf, lambda inner: st.tuples(operations, inner, inner), max_leaves=7)
polynomials = st.recursive(
    leaf, lambda inner: st.tuples(st.sampled_from([add, sub, mul]), inner, inner), max_leaves=6
).map(lambda e: build(e, NAMES))
valuations = st.fixed_dictionaries({name: st.integers(1, 9) for name in NAMES})


@given(expressions, valuations)
def test_arithmetic_is_that_of_the_integers(expression: Expression, values: Values) -> None:
    try:
        number = build(expression, values)
        size = build(expression, NAMES)
        again = evaluate(size, values)
    except ZeroDivisionError:
        assume(False)
    assert again == number


@given(expressions)
def test_the_form_is_canonical(expression: Expression) -> None:
    try:
        size = build(expression, NAMES)
    except ZeroDivisionError:
        assume(False)
    assert size * 1 == size and size + 0 == size and size - size == 0
    if isinstance(size, Polynomial):
        assert any(monomial for monomial, _ in size.terms)
        assert all(c for _, c in size.terms)


@given(polynomials, polynomials, polynomials)
def test_equal_polynomials_are_equal_objects(a: Size, b: Size, c: Size) -> None:
    left, right = a * (b + c), c * a + b * a
    assert left == right and hash(left) == hash(right) and str(left) == str(right)
    assert differ(left, right) is None


@given(polynomials, polynomials)
def test_exact_division_undoes_multiplication(a: Size, b: Size) -> None:
    if b == 0:
        assert exact_quotient(a, b) is None
    else:
        assert exact_quotient(a * b, b) == a
        assert a * b // b == a


@given(polynomials, polynomials)
def test_a_quotient_is_exact(a: Size, b: Size) -> None:
    q = exact_quotient(a, b)
    assert q is None or (isinstance(q, Size) and q * b == a)


@given(expressions, expressions, valuations)
def test_at_least_never_claims_too_much(a: Expression, b: Expression, values: Values) -> None:
    try:
        x, y = build(a, NAMES), build(b, NAMES)
        numbers = evaluate(x, values), evaluate(y, values)
    except ZeroDivisionError:
        assume(False)
    if at_least(x, y):
        assert numbers[0] >= numbers[1]


@pytest.mark.parametrize(
    ("a", "b", "known"),
    [
        (N, 1, True),
        (N, 2, False),
        (N + M, N, True),
        (N, M, False),
        (N * M, N, False),
        (N, N // 2, True),
        (N, (N + 1) // 2, True),
        ((N + 1) // 2, 1, True),
        (N // 2, 1, False),
        (N // M, 0, True),
        (3, 2, True),
        (UNKNOWN, 0, False),
    ],
)
def test_at_least(a: Extent, b: Extent, known: bool) -> None:
    assert at_least(a, b) is known


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (N * 2 + N + 1, "3*N + 1"),
        (1 - N, "-N + 1"),
        (N - 1, "N - 1"),
        (M * N - 2 * M, "M*N - 2*M"),
        (N * N, "N*N"),
        ((4 * N + 2) // 2, "2*N + 1"),
        (N // 2, "N//2"),
        ((N - 3) // 2 + 1, "(N + 1)//2 - 1"),
        ((2 * N + 1) // 4, "N//2"),
        (N // 2 // 3, "N//6"),
        ((N // 2 + 1) // 3, "(N + 2)//6"),
        (N // (2 * M), "N//(2*M)"),
        (N * M // (N * K), "M//K"),
        (7 // N, "7//N"),
        (3 * (N // 2), "3*(N//2)"),
        (M * (N // 2) + K, "(N//2)*M + K"),
        ((N * M + M) // (N + 1), "M"),
        ((N * N - 1) // (N - 1), "N + 1"),
        (UNKNOWN, "?"),
    ],
)
def test_printing(size: Extent, text: str) -> None:
    assert str(size) == text == repr(size)


def test_ints_stay_ints() -> None:
    for size, value in ((N - N, 0), (N * 0, 0), (N + 2 - N, 2), (2 * N // N, 2), (0 // N, 0)):
        assert type(size) is int and size == value


def test_a_quotient_is_not_undone() -> None:
    assert N // 2 * 2 != N
    assert N // 2 * 2 - N // 2 * 2 == 0


def test_unknown_absorbs() -> None:
    for other in (3, N, UNKNOWN):
        for operation in (add, sub, mul, floordiv):
            assert operation(UNKNOWN, other) is UNKNOWN
            assert operation(other, UNKNOWN) is UNKNOWN
    assert -UNKNOWN is UNKNOWN


@pytest.mark.parametrize(
    ("a", "b", "why"),
    [
        (2, 3, "2 != 3"),
        (N + 1, N, "N + 1 != N"),
        (N, M, "N and M are different dimensions"),
        (N, 3, "N and 3 are different dimensions"),
        (N * 2 + N, 3 * N, None),
        (2, 2, None),
        (UNKNOWN, 7, None),
        (N, UNKNOWN, None),
        (Star("B", "B"), Star("B", "C"), None),
        (Star("B", "B"), 3, "*B and 3 need not agree"),
        (ANY_RANK, 3, None),
    ],
)
def test_differ(a: Extent | Star, b: Extent | Star, why: str | None) -> None:
    assert differ(a, b) == why


def test_identity_is_the_key() -> None:
    one, same, other = Symbol("f.N", "N"), Symbol("f.N", "n"), Symbol("g.N", "N")
    assert one == same and hash(one) == hash(same) and one != other
    assert Star("B", "B") == Star("B", "C") != Star("C", "C")


def test_a_size_leaves_other_operands_to_answer() -> None:
    class Doubler:
        def __rmul__(self, size: Polynomial) -> str:
            return f"doubled {size}"

    assert N * Doubler() == "doubled N"
    for operation in (add, sub, mul, floordiv):
        with pytest.raises(TypeError):
            operation(N, 2.5)
        with pytest.raises(TypeError):
            operation(2.5, N)


def test_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError, match="floor division of the size N by zero"):
        N // 0


def test_copies_are_equal_and_unknown_is_one() -> None:
    for value in (N // 2 + 3 * M, UNKNOWN, ANY_RANK):
        assert pickle.loads(pickle.dumps(value)) == value == copy.deepcopy(value)
    assert pickle.loads(pickle.dumps(UNKNOWN)) is UNKNOWN is copy.copy(UNKNOWN)
