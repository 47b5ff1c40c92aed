"""Every way in which Python lets a program look at a number that is not there yet."""

import copy
import math
import operator
import pickle
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError
from tests.misuse.misuse import Misuse, check, each, misuse

X = np.ones(3)
UNKNOWN = "its value is not known"
# What to write instead: the tape follows choices, and loses what becomes a number or an array.
CHOICE = (UNKNOWN, "tad.where", "tad.grad(f, tape=True)")
NUMBER = (UNKNOWN, "it would lose the derivative", "tad.sin for math.sin", "tad.stack", "has_aux")
ARRAY = (UNKNOWN, "it would lose the derivative", "tad.sin for np.sin", "tad.stack", "has_aux")
INSTEAD = (
    dict.fromkeys(("bool()", "np.allclose()", "np.array_equal()"), CHOICE)
    | dict.fromkeys(("float()", "int()", "item()", "tolist()"), NUMBER)
    | dict.fromkeys(("np.asarray()", "__dlpack__", "tad.to_numpy()"), ARRAY)
)


def inside(look: Any) -> Any:
    """The gradient of a program that looks at its argument."""
    return tad.grad(look)(2.0)


def in_an_if() -> Any:
    def f(t: Any) -> Any:
        if t > 0.0:
            return t
        return -t

    return tad.grad(f)(2.0)


def in_a_while() -> Any:
    def f(t: Any) -> Any:
        while t > 1.0:
            t = t / 2.0
        return t

    return tad.grad(f)(2.0)


def in_an_assert() -> Any:
    def f(t: Any) -> Any:
        assert t > 0.0
        return t

    return tad.grad(f)(2.0)


def rank_zero() -> Any:
    return tad.asarray(1.0)


PEEKS = {
    "bool": (lambda: inside(lambda t: bool(t)), "bool()"),
    "not": (lambda: inside(lambda t: not t), "bool()"),
    "and": (lambda: inside(lambda t: t and 1.0), "bool()"),
    "or": (lambda: inside(lambda t: t or 1.0), "bool()"),
    "conditional expression": (lambda: inside(lambda t: t if t > 0.0 else -t), "bool()"),
    "in a list": (lambda: inside(lambda t: t in [1.0, 2.0]), "bool()"),
    "in a vector": (lambda: tad.grad(lambda t: 2.0 in t)(X), "bool()"),
    "max of two": (lambda: inside(lambda t: max(t, 1.0)), "bool()"),
    "sorted": (lambda: inside(lambda t: sorted([t, 1.0])), "bool()"),
    "any": (lambda: inside(lambda t: any([t > 0.0])), "bool()"),
    "chained comparison": (lambda: inside(lambda t: 0.0 < t < 3.0), "bool()"),
    "float": (lambda: inside(lambda t: float(t)), "float()"),
    "math.sin": (lambda: inside(lambda t: math.sin(t)), "float()"),
    "math.floor": (lambda: inside(lambda t: math.floor(t)), "float()"),
    "math.isnan": (lambda: inside(lambda t: math.isnan(t)), "float()"),
    "percent format": (lambda: inside(lambda t: operator.mod("%.2f", t)), "float()"),
    "int": (lambda: inside(lambda t: int(t)), "int()"),
    "item": (lambda: inside(lambda t: t.item()), "item()"),
    "tolist": (lambda: inside(lambda t: t.tolist()), "tolist()"),
    "f-string with a format": (lambda: inside(lambda t: f"{t:.3f}"), "item()"),
    "format": (lambda: inside(lambda t: format(t, ".3f")), "item()"),
    "np.asarray": (lambda: inside(lambda t: np.asarray(t)), "np.asarray()"),
    "np.array": (lambda: inside(lambda t: np.array(t)), "np.asarray()"),
    "np.float64": (lambda: inside(lambda t: np.float64(t)), "np.asarray()"),
    "np.from_dlpack": (lambda: inside(lambda t: np.from_dlpack(t)), "__dlpack__"),
    "tad.to_numpy": (lambda: inside(lambda t: tad.to_numpy(t)), "tad.to_numpy()"),
    "index of a list": (lambda: tad.grad(lambda t: [1, 2, 3][tad.argmax(t)])(X), "use as an index"),
    "operator.index": (
        lambda: tad.grad(lambda t: operator.index(tad.argmax(t)))(X),
        "use as an index",
    ),
    "range": (lambda: tad.grad(lambda t: range(tad.argmax(t)))(X), "use as an index"),
    "size of a new array": (lambda: tad.grad(lambda t: tad.zeros(tad.argmax(t)))(X), "zeros"),
    "axis": (lambda: tad.grad(lambda t: tad.sum(t, axis=tad.argmax(t)))(X), "sum: axis"),
    "np.allclose": (lambda: inside(lambda t: np.allclose(t, 1.0)), "np.allclose()"),
    "np.copy": (lambda: inside(lambda t: np.copy(t)), "np.asarray()"),
    "np.sum of a list": (lambda: inside(lambda t: np.sum([t, t])), "np.asarray()"),
    "np.array_equal": (lambda: inside(lambda t: np.array_equal(t, 1.0)), "np.array_equal()"),
    "np.full": (lambda: inside(lambda t: np.full(3, t)), "np.asarray()"),
}
# Integers and truth values have no derivative to lose: what is done with them is a choice.
WITHOUT_DERIVATIVE = {
    "float of an integer": (
        lambda: tad.grad(lambda t: float(tad.argmax(t)))(X), "float()", *CHOICE
    ),
    "int of a truth value": (lambda: inside(lambda t: int(t > 0.0)), "int()", *CHOICE),
    "item of an integer": (
        lambda: tad.grad(lambda t: tad.argmax(t).item())(X), "item()", *CHOICE
    ),
    "np.asarray of an integer": (
        lambda: tad.grad(lambda t: X[tad.argmax(t)])(X),
        "np.asarray()", UNKNOWN, "tad.asarray(array)[index]",
    ),
}  # fmt: skip
BLOCKS = {
    "if": (in_an_if, "bool()"),
    "while": (in_a_while, "bool()"),
    "assert": (in_an_assert, "bool()"),
}
OTHERS = {
    "jit": (lambda: tad.jit(lambda t: float(t))(2.0), "float()", "Record"),
    "trace": (lambda: tad.trace(lambda t: float(t))(2.0), "float()", "Record"),
    "vmap": (lambda: tad.vmap(lambda t: t if t > 0.0 else -t)(X), "bool()", "Batch"),
    "jvp": (lambda: tad.jvp(lambda t: float(t), (2.0,), (1.0,)), "float()", "Dual"),
    "jacfwd": (lambda: tad.jacfwd(lambda t: float(t))(2.0), "float()", "Dual"),
    "vjp": (lambda: tad.vjp(lambda t: float(t), 2.0), "float()", "Tape"),
    "hessian": (lambda: tad.hessian(lambda t: float(t))(2.0), "float()", "Tape"),
}
UNKNOWN_NUMBER = {
    "mask": misuse(
        lambda: tad.grad(lambda t: tad.sum(t[t > 0.0]))(X),
        ConcretizationError, "index: a mask", "not known", "tad.where",
    ),
    "nonzero": misuse(
        lambda: tad.grad(lambda t: tad.nonzero(t))(X),
        ConcretizationError, "nonzero: x", "not known", "tad.where",
    ),
    "unique_values": misuse(
        lambda: tad.jit(tad.unique_values)(X), ConcretizationError, "unique_values: x", "not known"
    ),
}  # fmt: skip
COPIES = {
    "pickle": misuse(
        lambda: inside(lambda t: pickle.dumps(t)), ConcretizationError, "Tape(Eager)", "pickled"
    ),
    "deepcopy": misuse(
        lambda: inside(lambda t: copy.deepcopy(t)), ConcretizationError, "Tape(Eager)", "copied"
    ),
    "copy": misuse(
        lambda: inside(lambda t: copy.copy(t)), ConcretizationError, "Tape(Eager)", "copied"
    ),
    "deepcopy under jit": misuse(
        lambda: tad.jit(lambda t: copy.deepcopy(t))(2.0), ConcretizationError, "Record", "copied"
    ),
}
# Mistakes where the value is known as much as where it is not.
ALWAYS = {
    "len of rank 0": misuse(lambda: len(rank_zero()), ArgumentError, "len() of a handle of rank 0"),
    "len of rank 0 inside": misuse(
        lambda: inside(lambda t: len(t)), ArgumentError, "len() of a handle of rank 0"
    ),
    "iteration of rank 0": misuse(
        lambda: inside(lambda t: list(t)), ArgumentError, "iteration over a handle of rank 0"
    ),
    "unpacking of rank 0": misuse(
        lambda: inside(lambda t: [*t]), ArgumentError, "iteration over a handle of rank 0"
    ),
    "hash": misuse(lambda: hash(rank_zero()), ArgumentError, "hash() of a handle", "item()"),
    "dict key": misuse(lambda: {rank_zero(): 1}, ArgumentError, "hash() of a handle"),
    "set member": misuse(lambda: inside(lambda t: {t}), ArgumentError, "hash() of a handle"),
    "float of a vector": misuse(
        lambda: float(tad.asarray(X)), ArgumentError, "float() of a handle of shape [3]", "rank 0"
    ),
    "bool of a vector": misuse(
        lambda: bool(tad.asarray(X) > 0.0), ArgumentError, "bool() of a handle of shape [3]", "any"
    ),
    "int of a vector": misuse(
        lambda: int(tad.asarray(X)), ArgumentError, "int() of a handle of shape [3]"
    ),
    "item of a vector": misuse(
        lambda: tad.asarray(X).item(), ArgumentError, "item: shape [3]", "3 entries"
    ),
    "math.sin of a vector": misuse(
        lambda: math.sin(tad.asarray(X)), ArgumentError, "float() of a handle of shape [3]"
    ),
    "vector as an index": misuse(
        lambda: [1, 2][tad.asarray([0, 1])], ArgumentError, "use as an index", "[2]"
    ),
    "real as an index": misuse(
        lambda: [1, 2][rank_zero()], DTypeError, "use as an index", "float64", "integers"
    ),
    "real as a range": misuse(
        lambda: inside(lambda t: range(t)), DTypeError, "use as an index", "float64"
    ),
    "real as an axis": misuse(
        lambda: tad.sum(X, axis=rank_zero()), DTypeError, "sum: axis", "float64", "integers"
    ),
}


# What Python asked for is named; where it was asked by a function of ours, that function is.
NOT_KNOWN = (
    {
        name: misuse(look, ConcretizationError, asked, *INSTEAD.get(asked, CHOICE[-1:]))
        for name, (look, asked) in (PEEKS | BLOCKS).items()
    }
    | {
        f"under {name}": misuse(look, ConcretizationError, asked, *texts, *INSTEAD[asked])
        for name, (look, asked, *texts) in OTHERS.items()
    }
    | {
        name: misuse(look, ConcretizationError, *texts)
        for name, (look, *texts) in WITHOUT_DERIVATIVE.items()
    }
)


@pytest.mark.parametrize("row", [row for name, row in NOT_KNOWN.items() if name in PEEKS])
def test_the_tape_is_advised_for_choices_alone(row: Misuse) -> None:
    with pytest.raises(ConcretizationError) as caught:
        row.run()
    assert ("tape=True" in caught.value.message) == (
        "lose the derivative" not in caught.value.message
    )


@each(NOT_KNOWN)
def test_a_value_that_is_not_known(row: Misuse) -> None:
    check(row)


@each(UNKNOWN_NUMBER | COPIES | ALWAYS)
def test_misuse(row: Misuse) -> None:
    check(row)


def test_printing_is_no_peeking() -> None:
    seen: list[str] = []
    tad.grad(lambda t: (seen.append(f"{t}|{t!s}|{t!r}"), t)[1])(2.0)
    assert "Tape(Eager)" in seen[0] and "2." not in seen[0]


def test_shapes_lengths_and_dtypes_are_known_inside() -> None:
    def f(t: Any) -> Any:
        a, b, c = t
        assert len(t) == 3 and t.shape == (3,) and t.ndim == 1 and t.dtype == tad.float64
        return a * b + c + sum(t)

    np.testing.assert_array_equal(tad.grad(f)(np.array([2.0, 3.0, 4.0])), [4.0, 3.0, 2.0])


def test_the_tape_may_look() -> None:
    def halved(t: Any) -> Any:
        while t > 1.0:
            t = t / 2.0
        return t if float(t) > 0.0 else -t

    # 5 is halved three times; -2 is negated.
    assert float(tad.grad(halved, tape=True)(5.0)) == 0.125
    assert float(tad.grad(halved, tape=True)(-2.0)) == -1.0


# --- under a tape that lets values be looked at --------------------------------------------------
def filled(t: Any) -> Any:
    a = np.zeros((2, 3))
    a[0] = t  # a row
    return tad.sum(a)


LOST = {
    "np.asarray": (lambda t: tad.sum(np.asarray(t)), "np.asarray()"),
    "another dtype": (lambda t: tad.sum(np.asarray(t, np.float32)), "np.asarray()"),
    "np.sum of a list": (lambda t: np.sum([t[0], t[1]]), "np.asarray()"),
    "np.linalg.norm of a list": (lambda t: np.linalg.norm([t[0], t[1]]), "np.asarray()"),
    "np.array of a list": (lambda t: tad.sum(np.array([t, t])), "np.asarray()"),
    "np.full": (lambda t: tad.sum(np.full(3, t[0])), "np.asarray()"),
    "np.copy": (lambda t: tad.sum(np.copy(t)), "np.asarray()"),
    "np.atleast_2d": (lambda t: tad.sum(np.atleast_2d(t)), "np.asarray()"),
    "np.from_dlpack": (lambda t: tad.sum(np.from_dlpack(t)), "__dlpack__"),
    "tad.to_numpy": (lambda t: tad.sum(tad.to_numpy(t)), "tad.to_numpy()"),
    "a row of an array": (filled, "np.asarray()"),
    "a result of a loop": (
        lambda t: tad.sum(np.asarray(tad.fori_loop(0, 2, lambda i, y: 2.0 * y, t))), "np.asarray()"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOST)
def test_arrays_would_lose_the_derivative(name: str) -> None:
    look, asked = LOST[name]
    with pytest.raises(ConcretizationError) as caught:
        tad.grad(look, tape=True)(np.ones(3))
    assert caught.value.message == (
        f"{asked} of a handle under Tape(Eager): the derivative would be lost, since NumPy arrays "
        "carry none; compute with handles (tad.sin for np.sin, tad.stack or tad.asarray for a list "
        "of them, x.at[index].set(value) for x[index] = value), or say that it is a constant: "
        "tad.detach(x)"
    )


def test_an_outer_tape_loses_nothing_either() -> None:
    # The inner derivative is in `a` alone, so that to the inner tape `t` is a constant.
    inner = lambda t: tad.grad(lambda a: a * tad.sum(np.asarray(t)), tape=True)(1.0)
    with pytest.raises(ConcretizationError, match="derivative would be lost"):
        tad.grad(inner, tape=True)(np.ones(3))


def test_arrays_of_what_has_no_derivative_are_given_under_a_tape() -> None:
    def f(t: Any, constant: Any) -> Any:
        assert np.asarray(tad.detach(t)).tolist() == [3.0, 1.0]
        assert np.asarray(t > 2.0).tolist() == [True, False]
        assert tad.to_numpy(tad.argsort(t)).tolist() == [1, 0]
        assert np.sum([constant, constant]) == 4.0
        assert np.allclose(t, [3.0, 1.0]) and np.array_equal(t, [3.0, 1.0])
        return t[int(tad.argmax(t))] * float(np.asarray(constant))

    assert tad.grad(f, tape=True)(np.array([3.0, 1.0]), 2.0).tolist() == [2.0, 0.0]


def test_python_numbers_are_constants_under_a_tape() -> None:
    f = lambda t: t * float(t) + t.item() * t + math.sin(t)
    assert float(tad.grad(f, tape=True)(3.0)) == 3.0 + 3.0
