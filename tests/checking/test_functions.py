"""Under Shape a function has the shape that NumPy gives it, or both refuse; on symbols likewise."""

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import taglessad as tad
from taglessad.dims import UNKNOWN, Extent
from taglessad.errors import ConcretizationError, TaglessError
from taglessad.interpreters.shape import Shape
from taglessad.shapes import symbols
from taglessad.shapes.binding import substitute
from tests.checking.functions_arrays import MANIPULATION
from tests.checking.functions_beyond import BEYOND, elementwise
from tests.checking.functions_elementwise import binary, reductions, unary
from tests.checking.functions_indexing import INDEXING
from tests.checking.functions_linear import EINSUM, LINEAR_ALGEBRA
from tests.checking.functions_neural import NEURAL
from tests.checking.rule import Rule

ELEMENTWISE = [*unary(), *binary(), *elementwise()]
RULES = [
    *reductions(),
    *MANIPULATION,
    *LINEAR_ALGEBRA,
    *EINSUM,
    *INDEXING,
    *NEURAL,
    *BEYOND,
]

N, M = symbols("N M")
NAMED: dict[Any, Extent] = {2: N, 3: M}
VALUES = {"N": 2, "M": 3}
DTYPES = {"r": np.float64, "i": np.int64, "b": np.bool_}
EXAMPLES = pytest.mark.parametrize(
    "examples", [6, pytest.param(400, marks=pytest.mark.slow)], ids=["few", "many"]
)


def array(kind: str, shape: tuple[int, ...]) -> Any:
    """Ones, with twos added on the diagonals, so that matrices have inverses; indices are 0."""
    if kind != "r":
        return np.zeros(shape, DTYPES[kind])
    whole = np.ones(shape)
    return whole + 2.0 * np.eye(*shape[-2:]) if len(shape) >= 2 else whole


def under_shape(rule: Rule, shapes: Any, params: tuple[Any, ...]) -> Any:
    """The shape, or the error."""
    specs = [tad.Spec(s, DTYPES[k]) for s, k in zip(shapes, rule.kinds, strict=True)]
    try:
        return tad.interpret(lambda *xs: rule.ours(*xs, *params), Shape())(*specs)
    except TaglessError as error:
        return error


@st.composite
def calls(draw: st.DrawFn, rule: Rule) -> tuple[list[tuple[int, ...]], tuple[Any, ...]]:
    size = st.sampled_from([1, 2, 2, 3, 0] if rule.empty else [1, 2, 2, 3])
    low, high = rule.ranks
    one = st.lists(size, min_size=low, max_size=high).map(tuple)
    first = draw(one)
    # Mostly shapes that have something to do with each other.
    again = [st.just(s) for s in (first, first[::-1], first[1:], first[-1:]) if low <= len(s)]
    others = [draw(st.one_of(*again, one)) for _ in rule.kinds[1:]]
    return [first, *others], draw(rule.params)


def numpys(rule: Rule, shapes: Any, params: tuple[Any, ...]) -> Any:
    """The shape of NumPy's result, or None where it refuses."""
    arrays = [array(k, s) for k, s in zip(rule.kinds, shapes, strict=True)]
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of means of nothing
            return np.asarray(rule.numpy(*arrays, *params)).shape
    except (ValueError, IndexError, TypeError, np.linalg.LinAlgError):
        return None


def check(rule: Rule, shapes: Any, params: tuple[Any, ...]) -> None:
    call = f"{rule.name}: {shapes}, {params}"
    found, expected = under_shape(rule, shapes, params), numpys(rule, shapes, params)
    if expected is None:
        assert isinstance(found, TaglessError), f"{call}: NumPy refuses, not {found}"
        assert not isinstance(found, ConcretizationError), call
    else:
        assert found == expected, call

    on_symbols = under_shape(rule, [tuple(NAMED.get(n, n) for n in s) for s in shapes], params)
    if isinstance(on_symbols, ConcretizationError):
        assert rule.counts, call
    elif isinstance(on_symbols, TaglessError):
        assert not rule.exact or expected is None, f"{call}: {on_symbols}"
    elif expected is None:
        assert not rule.exact, f"{call}: {on_symbols}, where numbers are refused"
    else:
        put = [substitute(n, VALUES) for n in on_symbols]
        assert len(put) == len(expected), call
        assert all(a is UNKNOWN or a == b for a, b in zip(put, expected, strict=True)), call


@EXAMPLES
@pytest.mark.parametrize("rule", [pytest.param(rule, id=rule.name) for rule in RULES])
def test_the_shape_is_numpys(rule: Rule, examples: int) -> None:
    @settings(max_examples=examples, deadline=None, database=None)
    @given(calls(rule))
    def agree(call: tuple[list[tuple[int, ...]], tuple[Any, ...]]) -> None:
        check(rule, *call)

    agree()


@EXAMPLES
@pytest.mark.parametrize("kinds", ["r", "rr", "ii"])
def test_elementwise_functions(kinds: str, examples: int) -> None:
    rules = [rule for rule in ELEMENTWISE if rule.kinds == kinds]

    @settings(max_examples=examples, deadline=None, database=None)
    @given(calls(rules[0]))
    def agree(call: tuple[list[tuple[int, ...]], tuple[Any, ...]]) -> None:
        for rule in rules:
            check(rule, *call)

    agree()
