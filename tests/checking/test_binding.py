"""One call bound: what each size comes out as, and each way of not fitting."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taglessad.dims import ANY_RANK, UNKNOWN, Polynomial, Star, Symbol, symbols
from taglessad.errors import ShapeError
from taglessad.shapes.binding import Binder, linear_in, lone, substitute, symbols_of

N, M, K = symbols("N M K")
OTHER = symbols("X Y")
B = Star("B", "B")
OWN = {"N", "M", "K", "B"}


def bound(*pairs: tuple[Any, Any]) -> Binder:
    binder = Binder("f", OWN)
    for i, (want, have) in enumerate(pairs):
        binder.bind(want, have, f"argument {i}")
    binder.finish()
    return binder


@pytest.mark.parametrize(
    ("pairs", "sizes"),
    [
        ([((N, 2), (4, 2))], {"N": 4}),
        ([((2 * N,), (6,))], {"N": 3}),
        ([((N + 1,), (1,))], {"N": 0}),
        ([((N * M, N), (6, 2))], {"N": 2, "M": 3}),
        ([((N + M,), (5,)), ((M,), (2,))], {"N": 3, "M": 2}),
        ([((N + M,), (5,)), ((2 * M + 1,), (5,))], {"N": 3, "M": 2}),
        ([((N,), (UNKNOWN,)), ((N,), (3,))], {"N": 3}),
        ([((N,), (OTHER[0],)), ((2 * M,), (2 * OTHER[1],))], {"N": OTHER[0], "M": OTHER[1]}),
        ([((N,), (ANY_RANK,))], {}),
        ([((ANY_RANK, N), (2, 3, 4))], {"N": 4}),
        ([((N, ANY_RANK), (2,))], {"N": 2}),
        ([((N + M,), (5,))], {}),
        ([((N // 2,), (5,))], {}),
        ([((N, N // 2), (5, 2))], {"N": 5}),
        ([((B, N), (2, 3, 4))], {"N": 4}),
        ([((N, B), (2,))], {"N": 2}),
    ],
)
def test_sizes(pairs: Any, sizes: dict[str, Any]) -> None:
    assert bound(*pairs).sizes == sizes


def test_runs() -> None:
    binder = bound(((N, B, 4), (2, 3, OTHER[0], 4)), ((B,), (3, OTHER[0])))
    assert binder.runs == {"B": (3, OTHER[0])}
    assert binder.shape((B, N, K)) == (3, OTHER[0], 2, K)
    assert binder.extent(N * 3 + M) == M + 6


@pytest.mark.parametrize(
    ("pairs", "why"),
    [
        ([((2,), (3,))], "shape [3] where [2] is expected (3 != 2)"),
        ([((N, N), (2, 3))], "(N is 2 from argument 0, but 3 here)"),
        ([((N,), (2,)), ((N,), (3,))], "(N is 2 from argument 0, but 3 here)"),
        ([((N,), (2, 3))], "shape [2, 3] where [N] is expected (rank 2, not 1)"),
        ([((N, B, 2), (3,))], "(rank 1, not 2 or more)"),
        ([((2 * N,), (5,))], "(no N makes 2*N = 5)"),
        ([((N + 3,), (2,))], "(no N makes N + 3 = 2)"),
        ([((N, 2 * N), (2, 5))], "(5 != 4; 2*N is 4 here)"),
        ([((N, N // 2), (5, 3))], "(3 != 2; N//2 is 2 here)"),
        ([((2 * N,), (OTHER[0],))], "(no N makes 2*N = X)"),
        ([((OTHER[0],), (OTHER[1],))], "(Y and X are different dimensions)"),
        ([((OTHER[0],), (3,))], "(3 and X are different dimensions)"),
        ([((B,), (2,)), ((B,), (2, 3))], "(*B is [2] from argument 0, but [2, 3] here)"),
        ([((N,), (Star("C", "C"),))], "(the rank of [*C] is not known)"),
        ([((Star("C", "C"),), (2,))], "([2] is not *C)"),
    ],
)
def test_what_does_not_fit(pairs: Any, why: str) -> None:
    with pytest.raises(ShapeError) as caught:
        bound(*pairs)
    assert caught.value.message.startswith(f"f: argument {len(pairs) - 1}: shape [")
    assert why in caught.value.message


def test_what_is_bound_beforehand_is_the_annotation_itself() -> None:
    binder = Binder("f", OWN)
    binder.sizes.update({"N": OTHER[0], "M": OTHER[1]})
    binder.bind((N, M), OTHER, "the result")
    with pytest.raises(ShapeError, match=r"where \[M\] is expected \(X and Y are different"):
        binder.bind((M,), OTHER[:1], "the result")
    binder.know("K", 3, "argument 'x' of g")
    with pytest.raises(ShapeError, match="K is 3 from argument 'x' of g, but 4 here"):
        binder.bind((K,), (4,), "the result")


def test_a_trial_changes_nothing_until_it_is_taken() -> None:
    binder = Binder("f", OWN)
    trial = binder.trial()
    trial.bind((N,), (3,), "x")
    assert binder.sizes == {}
    binder.take(trial)
    assert binder.sizes == {"N": 3} and binder.origin("N") == "x"


small = st.integers(-3, 3)


@settings(deadline=None)
@given(st.lists(small, min_size=4, max_size=4), st.integers(0, 5), st.integers(0, 5))
def test_substitution_commutes_with_arithmetic(c: list[int], n: int, m: int) -> None:
    make = lambda a, b: c[0] * a * b + c[1] * a + c[2] * b + c[3]
    assert substitute(make(N, M), {"N": n, "M": m}) == make(n, m)
    assert substitute(make(N, M), {"N": M, "M": N}) == make(M, N)
    quotient = (make(N, M) * 2 + 1) // 3
    assert substitute(quotient, {"N": n, "M": m}) == (make(n, m) * 2 + 1) // 3


@settings(deadline=None)
@given(small, small, small)
def test_a_linear_size_comes_apart(a: int, b: int, c: int) -> None:
    n = a * N * M + b * N + c + M
    atom = Symbol("N", "N")
    found = linear_in(n, atom) if isinstance(n, Polynomial) else None
    assert found is not None and found[0] * N + found[1] == n
    assert "N" not in symbols_of(found[0]) and "N" not in symbols_of(found[1])
    quadratic = N * N + n
    assert isinstance(quadratic, Polynomial) and linear_in(quadratic, atom) is None


def test_a_lone_symbol() -> None:
    assert lone(N) == Symbol("N", "N")
    assert lone(2 * N) is lone(N * N) is lone(N + M) is lone(N // 2) is None
