"""tad.program: what a call checks, and that a program stays the function that it was."""

import dataclasses
import inspect
import pickle
import sys
import threading
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, TypeVarTuple
from typing import Literal as L

import numpy as np
import pytest

import taglessad as tad
from taglessad import (
    Add,
    BoolTensor,
    Dim,
    Div,
    Dyn,
    IntTensor,
    Mul,
    ShapeError,
    Size,
    Sub,
    Tensor,
)

N = TypeVar("N")
M = TypeVar("M")
K = TypeVar("K")
B = TypeVarTuple("B")


class Batch(Dim): ...


class Time(Dim): ...


class Hidden(Dim, size=8): ...


@tad.program
def dense(x: Tensor[*B, K], w: Tensor[K, M], b: Tensor[M]) -> Tensor[*B, M]:
    """An affine map."""
    return x @ w + b


X, W, BIAS = tad.ones((4, 2)), tad.ones((2, 3)), tad.ones((3,))


def test_a_call_gives_what_the_function_gives() -> None:
    assert tad.to_numpy(dense(X, W, BIAS)).tolist() == [[3.0] * 3] * 4
    assert dense(x=X, w=W, b=BIAS).shape == (4, 3)
    assert dense(tad.ones((5, 4, 2)), W, b=BIAS).shape == (5, 4, 3)
    assert dense(tad.ones((2,)), W, BIAS).shape == (3,)


def test_a_type_variable_is_one_size_per_call() -> None:
    for _ in range(2):  # again once the shapes are known
        with pytest.raises(ShapeError) as caught:
            dense(X, W, tad.ones((4,)))
        assert caught.value.message == (
            "dense: argument 'b': shape [4] where [M] is expected "
            "(M is 3 from argument 'w', but 4 here)"
        )
        assert dense(X, W, BIAS).shape == (4, 3)
        assert dense(X, tad.ones((2, 4)), tad.ones((4,))).shape == (4, 4)


def test_a_run_of_axes_is_one_run_per_call() -> None:
    @tad.program
    def pair(x: Tensor[*B, K], y: Tensor[*B]) -> Tensor[*B]:
        return x.sum(axis=-1) + y

    assert pair(tad.ones((4, 5, 2)), tad.ones((4, 5))).shape == (4, 5)
    with pytest.raises(ShapeError, match=r"\*B is \[4, 5\] from argument 'x', but \[5\] here"):
        pair(tad.ones((4, 5, 2)), tad.ones((5,)))
    with pytest.raises(ShapeError, match="rank 0, not 1 or more"):
        pair(tad.ones(()), tad.ones(()))


def test_a_wrong_result_is_an_error_on_the_line_that_returns_it() -> None:
    @tad.program
    def f(x: Tensor[Dyn]) -> Tensor[L[3]]:
        y = x + 1.0
        return y

    assert f(tad.ones((3,))).shape == (3,)
    with pytest.raises(ShapeError, match=r"the result: shape \[4\] where \[3\] is expected") as e:
        f(tad.ones((4,)))
    _, first = inspect.getsourcelines(f)
    assert e.value.site == (__file__, first + 3)


@pytest.mark.parametrize(
    ("make", "shape", "bad", "why"),
    [
        (lambda a: Mul[L[2], N], (6,), (5,), r"no N makes 2\*N = 5"),
        (lambda a: Add[N, L[2]], (2,), (1,), r"no N makes N \+ 2 = 1"),
        (lambda a: Sub[N, L[2]], (0,), None, ""),
        (lambda a: Mul[N, L[0]], (0,), (1,), "1 != 0"),
        (lambda a: L[3], (3,), (2,), "2 != 3"),
        (lambda a: Hidden, (8,), (7,), "7 != 8"),
        (lambda a: Div[L[7], L[2]], (3,), (4,), "4 != 3"),
    ],
)
def test_sizes_that_are_expressions_are_solved(make: Any, shape: Any, bad: Any, why: str) -> None:
    def f(x: Any) -> Any:
        return x.sum()

    f.__annotations__ = {"x": Tensor[make(None)]}
    checked = tad.program(f)
    assert checked(tad.ones(shape)).shape == ()
    if bad is not None:
        with pytest.raises(ShapeError, match=why):
            checked(tad.ones(bad))


def test_arithmetic_is_checked_once_its_variables_are_bound() -> None:
    @tad.program
    def split(x: Tensor[Add[N, M]], n: Size[N]) -> tuple[Tensor[N], Tensor[M]]:
        return x[:n], x[n:]

    first, rest = split(tad.ones((5,)), 2)
    assert (first.shape, rest.shape) == ((2,), (3,))
    with pytest.raises(ShapeError, match="no M makes"):
        split(tad.ones((5,)), 6)


def test_a_named_dimension_is_one_size_per_outermost_call() -> None:
    @tad.program
    def total(x: Tensor[Batch, N]) -> Tensor[N]:
        return x.sum(axis=0)

    @tad.program
    def both(x: Tensor[Dyn, N], y: Tensor[Dyn, N]) -> Tensor[N]:
        return total(x) + total(y)

    assert total(tad.ones((4, 2))).shape == total(tad.ones((5, 2))).shape == (2,)
    assert both(tad.ones((4, 2)), tad.ones((4, 2))).shape == (2,)
    with pytest.raises(ShapeError, match="Batch is 4 from argument 'x' of total, but 5 here"):
        both(tad.ones((4, 2)), tad.ones((5, 2)))
    assert total(tad.ones((7, 2))).shape == (2,)  # the failed call has ended


def test_named_dimensions_of_two_threads_do_not_meet() -> None:
    @tad.program
    def total(x: Tensor[Batch]) -> Tensor[()]:
        inside.wait(10)
        return x.sum()

    inside = threading.Event()
    inside.set()
    results: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: results.append(float(total(tad.ones((n,))))))
        for n in (2, 3, 4)
    ]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert sorted(results) == [2.0, 3.0, 4.0]


def test_named_dimensions_differ() -> None:
    with pytest.raises(ShapeError, match="Batch and Time are different dimensions"):

        @tad.program
        def f(x: Tensor[Batch], y: Tensor[Time]) -> Tensor[Batch]:
            return x + y


def test_a_sized_dimension_stands_for_its_size() -> None:
    assert tad.zeros((Hidden, 2)).shape == (8, 2)
    assert tad.zeros(Hidden).shape == (8,)
    with pytest.raises(ShapeError, match="the dimension Batch has no size"):
        tad.zeros((Batch, 2))
    with pytest.raises(tad.ArgumentError, match="size of Wrong must be 0, 1, 2"):

        class Wrong(Dim, size=-1): ...


def test_sizes_are_ints_and_bind() -> None:
    @tad.program
    def eye(n: Size[N], x: Tensor[N]) -> Tensor[N, N]:
        return tad.zeros((n, n)) + x

    assert eye(3, tad.ones((3,))).shape == (3, 3)
    with pytest.raises(ShapeError, match="N is 3 from argument 'n', but 4 here"):
        eye(3, tad.ones((4,)))


# --- kinds of numbers, array-likes --------------------------------------------------------------
@tad.program
def kinds(x: Tensor[N], i: IntTensor[N], m: BoolTensor[N]) -> Tensor[N]:
    return tad.where(m, x * i, 0.0)


REAL, INTS, TRUTH = tad.ones((2,)), tad.asarray([1, 2]), tad.asarray([True, False])


def test_kinds_of_numbers_are_checked() -> None:
    assert tad.to_numpy(kinds(REAL, INTS, TRUTH)).tolist() == [1.0, 0.0]
    with pytest.raises(tad.DTypeError, match="argument 'i': a Tensor of dtype float64 where an I"):
        kinds(REAL, REAL, TRUTH)
    with pytest.raises(tad.DTypeError, match="argument 'm': an IntTensor of dtype int64 where a B"):
        kinds(REAL, INTS, INTS)
    with pytest.raises(tad.DTypeError, match="argument 'x': a BoolTensor of dtype bool where a T"):
        kinds(TRUTH, INTS, TRUTH)


def test_array_likes_become_handles() -> None:
    y = kinds([1.0, 2.0], np.asarray([3, 4]), [True, True])
    assert isinstance(y, Tensor) and tad.to_numpy(y).tolist() == [3.0, 8.0]
    assert isinstance(kinds([1, 2], [3, 4], [True, True]), Tensor)  # integers serve as reals
    with pytest.raises(tad.DTypeError, match="argument 'i': a list of dtype float64"):
        kinds([1.0, 2.0], [3.0, 4.0], [True, True])
    with pytest.raises(tad.DTypeError, match="argument 'm': a list of dtype int64"):
        kinds([1.0, 2.0], [3, 4], [1, 0])
    with pytest.raises(tad.DTypeError, match="argument 'x': a list of truth values"):
        kinds([True, False], [3, 4], [True, True])
    with pytest.raises(tad.ArgumentError, match="kinds: argument 'x' is None"):
        kinds(None, INTS, TRUTH)  # type: ignore[arg-type]
    with pytest.raises(ShapeError, match=r"argument 'i': shape \[3\] where \[N\]"):
        kinds([1.0, 2.0], [3, 4, 5], [True, True])


# --- trees --------------------------------------------------------------------------------------
@dataclasses.dataclass(frozen=True)
class Layer(Generic[N, M]):
    w: Tensor[N, M]
    b: Tensor[M]
    name: str = dataclasses.field(default="layer", metadata={"static": True})

    @tad.program
    def __call__(self, x: Tensor[*B, N]) -> Tensor[*B, M]:
        return x @ self.w + self.b


@dataclasses.dataclass(frozen=True)
class Wide(Layer[N, L[3]]):
    extra: Tensor[N] | None = None


class Pair(NamedTuple):
    x: Tensor[L[2]]
    y: Tensor[L[3]]


class Keys(TypedDict):
    x: Tensor[L[2]]


class Mistaken(TypedDict, total=False):
    x: Tensor[L[2]]


LAYER: Any = Layer(W, BIAS)


@tad.program
def trees(
    layer: Layer[N, M],
    pair: Pair,
    keys: Keys,
    each: list[Tensor[N]],
    named: dict[str, Tensor[M]],
    two: tuple[Tensor[N], Tensor[M]],
) -> tuple[Layer[N, M], dict[str, Tensor[M]]]:
    return layer, named


GOOD_TREES: dict[str, Any] = {
    "layer": LAYER,
    "pair": Pair(tad.ones((2,)), tad.ones((3,))),
    "keys": {"x": tad.ones((2,))},
    "each": [tad.ones((2,)), tad.ones((2,))],
    "named": {"a": tad.ones((3,))},
    "two": (tad.ones((2,)), tad.ones((3,))),
}


def test_trees_are_checked_to_their_leaves() -> None:
    layer, named = trees(**GOOD_TREES)
    assert layer is LAYER and named is GOOD_TREES["named"]
    assert isinstance(trees(**{**GOOD_TREES, "each": [[1.0, 2.0]]})[0], Layer)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("layer", Layer(W, tad.ones((4,))), r"argument 'layer.b': shape \[4\] where \[M\]"),
        ("layer", W, "argument 'layer': a Tensor where a Layer is expected"),
        ("pair", Pair(tad.ones((2,)), tad.ones((2,))), r"'pair'.y: shape \[2\] where \[3\]"),
        ("keys", {"x": tad.ones((3,))}, r"argument 'keys'\['x'\]: shape \[3\] where \[2\]"),
        ("keys", {}, r"the keys \['x'\] of Keys are missing"),
        ("each", [tad.ones((3,))], r"argument 'each'\[0\]: shape \[3\] where \[N\]"),
        ("each", {"a": 1}, "argument 'each': a dict where a list is expected"),
        ("named", {"a": tad.ones((2,))}, r"argument 'named'\['a'\]: shape \[2\] where \[M\]"),
        ("two", (tad.ones((2,)),), "a tuple of 1 where a tuple of 2 is expected"),
        ("two", (tad.ones((2,)), tad.ones((2,))), r"argument 'two'\[1\]: shape \[2\]"),
    ],
)
def test_a_fault_in_a_tree_is_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(tad.TaglessError) as caught:
        trees(**{**GOOD_TREES, name: value})
    found = caught.value.message.replace("'layer'.b", "'layer.b'")
    import re

    assert re.search(message, found), caught.value.message


def test_a_method_takes_its_sizes_from_its_model() -> None:
    assert LAYER(X).shape == (4, 3)
    with pytest.raises(ShapeError, match=r"argument 'x': shape \[4, 3\] where \[\*B, N\]"):
        LAYER(tad.ones((4, 3)))
    assert Wide(W, BIAS)(X).shape == (4, 3)


def test_arguments_of_a_generic_class_go_through_its_bases() -> None:
    @tad.program
    def f(layer: Wide[K], x: Tensor[K]) -> Tensor[L[3]]:
        return x @ layer.w

    assert f(Wide(W, BIAS), tad.ones((2,))).shape == (3,)
    with pytest.raises(ShapeError, match=r"argument 'layer'.w: shape \[2, 4\] where \[K, 3\]"):
        f(Wide(tad.ones((2, 4)), BIAS), tad.ones((2,)))


def test_unions_take_what_fits() -> None:
    @tad.program
    def f(x: Tensor[N] | None, y: Tensor[N] | Tensor[N, N] | float = 1.0) -> Tensor[()]:
        return tad.zeros(()) if x is None else (x * y).sum()

    assert f(None).shape == f(REAL).shape == f(REAL, tad.ones((2, 2))).shape == f(REAL, 2.0).shape
    with pytest.raises(ShapeError, match=r"shape \[3, 2\] where \[N, N\]"):
        f(REAL, tad.ones((3, 2)))
    with pytest.raises(tad.ArgumentError, match="a dict where a Tensor or None is expected"):
        f({})  # type: ignore[arg-type]


# --- a program is a function --------------------------------------------------------------------
@tad.program
def loss(w: Tensor[N, M], x: Tensor[K, N]) -> Tensor[()]:
    return ((x @ w) ** 2).sum()


def test_it_keeps_its_name_its_documentation_and_its_signature() -> None:
    assert dense.__name__ == "dense" and dense.__doc__ == "An affine map."
    assert list(inspect.signature(dense).parameters) == ["x", "w", "b"]
    assert pickle.loads(pickle.dumps(dense)) is dense


def test_it_works_under_every_transform() -> None:
    plain = lambda w, x: ((x @ w) ** 2).sum()
    np.testing.assert_array_equal(tad.grad(loss)(W, X), tad.grad(plain)(W, X))
    np.testing.assert_array_equal(tad.grad(loss, wrt="w")(W, X), tad.grad(plain)(W, X))
    np.testing.assert_array_equal(tad.jit(loss)(W, X), plain(W, X))
    np.testing.assert_array_equal(tad.grad(tad.jit(loss))(W, X), tad.grad(plain)(W, X))
    np.testing.assert_array_equal(tad.hvp(loss)(W, X, W), tad.hvp(plain)(W, X, W))
    np.testing.assert_array_equal(
        tad.vmap(loss, in_axes=(None, 0))(W, tad.ones((5, 4, 2))), np.full(5, float(plain(W, X)))
    )
    n, m, k = tad.symbols("n m k")
    assert tad.interpret(loss, tad.interpreters.Shape())((n, m), (k, n)) == ()
    assert len(tad.trace(loss)(W, X)) == len(tad.trace(plain)(W, X))


@pytest.mark.parametrize("transform", [tad.grad, tad.jit, tad.vmap, tad.hvp, tad.trace])
def test_it_checks_under_every_transform(transform: Any) -> None:
    args = [W, tad.ones((4, 3))]
    if transform is tad.hvp:
        args.append(W)
    if transform is tad.vmap:
        args = [tad.ones((5, *x.shape)) for x in args]
    with pytest.raises(ShapeError, match=r"loss: argument 'x': shape \[4, 3\] where \[K, N\]"):
        transform(loss)(*args)


def test_a_jitted_function_can_be_a_program() -> None:
    @tad.program
    @tad.jit
    def f(x: Tensor[N, N]) -> Tensor[N]:
        return x.sum(axis=0)

    assert f(tad.ones((2, 2))).shape == (2,)
    with pytest.raises(ShapeError, match=r"f: argument 'x': shape \[2, 3\] where \[N, N\]"):
        f(W)


def test_a_static_argument_of_jit_stays_one() -> None:
    @tad.program
    def power(x: Tensor[N], n: int) -> Tensor[N]:
        return x**n

    assert tad.to_numpy(tad.jit(power, static_argnames="n")(tad.ones((2,)), n=3)).tolist() == [1, 1]


# --- what cannot be run at definition -----------------------------------------------------------
def test_a_forward_reference_is_checked_at_the_first_call() -> None:
    @tad.program
    def f(x: "Later") -> Tensor[N]:  # noqa: F821  # defined below, as in a module
        return x @ x

    globals()["Later"] = Tensor[N, N]
    try:
        with pytest.raises(ShapeError, match=r"the result: shape \[N, N\] where \[N\]"):
            f(tad.ones((2, 2)))
    finally:
        del globals()["Later"]


def test_a_name_that_comes_later_puts_the_check_off() -> None:
    @tad.program
    def f(x: Tensor[N]) -> Tensor[N]:
        return helper(x)

    def helper(x: Any) -> Any:
        return tad.concat((x, x))

    with pytest.raises(ShapeError, match=r"the result: shape \[2\*N\] where \[N\] is expected"):
        f(tad.ones((2,)))


def test_a_recursive_program() -> None:
    @tad.program
    def halve(x: Tensor[N]) -> Tensor[()]:
        return x[0] if x.shape[0] == 1 else halve(x[::2])

    assert float(halve(tad.ones((8,)))) == 1.0


def test_an_annotation_that_never_resolves_checks_nothing() -> None:
    @tad.program
    def f(x: "Nowhere", y: Tensor[L[3]]) -> Tensor[L[3]]:  # type: ignore[name-defined]  # noqa: F821
        return x

    assert f(X, X) is X


def test_programs_are_run_once_at_definition_and_compute_nothing() -> None:
    seen: list[str] = []

    @tad.program
    def f(x: Tensor[N, K]) -> Tensor[N]:
        seen.append(repr(x.ops))
        return x.sum(axis=1)

    assert seen == ["Shape"]
    f(X)
    assert seen == ["Shape", "Eager"]


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(tad.ArgumentError, match="program: f is a float"):
        tad.program(1.0)  # type: ignore[type-var]
    with pytest.raises(tad.ArgumentError, match="@staticmethod"):
        tad.program(staticmethod(len))
    with pytest.raises(tad.ArgumentError, match="mark the function"):
        tad.program(len)
    with pytest.raises(tad.ArgumentError, match="is a generator or a coroutine"):

        @tad.program
        def rows(x: Tensor[N, K]) -> Any:
            yield x[0]


@pytest.mark.skipif(sys.version_info < (3, 12), reason="type parameters need Python 3.12")
def test_type_parameters() -> None:
    code = """
import taglessad as tad
from taglessad import Add, Tensor

type Square[A] = Tensor[A, A]

@tad.program
def join[A, C, *R](p: Tensor[A, *R], q: Tensor[C, *R]) -> Tensor[Add[A, C], *R]:
    return tad.concat((p, q))

@tad.program
def trace[A](p: Square[A]) -> Tensor[A]:
    return tad.diag(p)
"""
    names: dict[str, Any] = {"__name__": __name__}
    exec(code, names)
    assert names["join"](tad.ones((2, 3)), tad.ones((4, 3))).shape == (6, 3)
    with pytest.raises(ShapeError, match=r"\*R is \[3\] from argument 'p', but \[4\] here"):
        names["join"](tad.ones((2, 3)), tad.ones((4, 4)))
    with pytest.raises(ShapeError, match=r"shape \[2, 3\] where \[A, A\] is expected"):
        names["trace"](W)


def test_what_an_inner_call_binds_is_not_kept_for_the_outer_one() -> None:
    sizes = iter((9, 2, 3, 3))  # the first when it is defined

    @tad.program
    def inner(x: Tensor[Batch]) -> Tensor[Batch]:
        return x

    @tad.program
    def outer(x: Tensor[N]) -> Tensor[Batch]:
        return inner(tad.ones((next(sizes, 5),))) * 1.0

    assert [outer(tad.ones((4,))).shape for _ in range(3)] == [(2,), (3,), (3,)]
