"""Handles that outlive their transform, however they got out."""

import copy
import pickle
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import EscapeError
from taglessad.interpreters import Eager, Taylor
from tests.misuse.misuse import Misuse, check, each, misuse

X = np.ones(3)
V = tad.asarray(X)
ADVICE = ("was used after the transform that made it had ended", "return", "has_aux=True")


def escaped(transform: Callable[[Any], Any], *arguments: Any) -> Any:
    """The handle that a program under the transform was called with, after it has ended."""
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x)
        return tad.sum(x * x)

    transform(f)(*(arguments or (X,)))
    return kept[0]


TRANSFORMS: dict[str, tuple[Any, str]] = {
    "grad": (tad.grad, "Tape(Eager)"),
    "value_and_grad": (tad.value_and_grad, "Tape(Eager)"),
    "vjp": (lambda f: lambda x: tad.vjp(f, x), "Tape(Eager)"),
    "jvp": (lambda f: lambda x: tad.jvp(f, (x,), (x,)), "Dual(Eager)"),
    "linearize": (lambda f: lambda x: tad.linearize(f, x), "Tape(Eager)"),
    "jacfwd": (tad.jacfwd, "Dual("),
    "jacrev": (tad.jacrev, "Tape("),
    "hessian": (tad.hessian, "Tape("),
    "hvp": (lambda f: lambda x: tad.hvp(f)(x, x), "Tape("),
    "vmap": (lambda f: lambda x: tad.vmap(f)(x[None, :]), "Batch(Eager)"),
    "jit": (tad.jit, "Record(Eager)"),
    "trace": (tad.trace, "Record(Eager)"),
    "jit of grad": (lambda f: tad.jit(tad.grad(f)), "Tape("),
    "grad of jit": (lambda f: tad.grad(tad.jit(f)), "Record("),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform_ends(name: str) -> None:
    transform, interpreter = TRANSFORMS[name]
    x = escaped(transform)
    check(misuse(lambda: x + 1.0, EscapeError, f"a value of {interpreter}", *ADVICE))
    check(misuse(lambda: tad.sin(x), EscapeError, f"a value of {interpreter}", *ADVICE))
    assert "ended" in repr(x)


def by_closure() -> Any:
    kept: list[Callable[[], Any]] = []

    def f(x: Any) -> Any:
        kept.append(lambda: x * 2.0)
        return x

    tad.grad(f)(1.0)
    return kept[0]()


def by_generator() -> Any:
    kept: list[Iterator[Any]] = []

    def entries(x: Any) -> Iterator[Any]:
        yield x * 2.0

    def f(x: Any) -> Any:
        kept.append(entries(x))
        return x

    tad.grad(f)(1.0)
    return next(kept[0])


def by_an_attribute() -> Any:
    class Layer:
        seen: Any = None

        def __call__(self, x: Any) -> Any:
            self.seen = x * 2.0
            return tad.sum(x)

    layer = Layer()
    tad.grad(layer)(X)
    return layer.seen.sum()


def by_mutation_of_an_argument() -> Any:
    log: dict[str, Any] = {}

    def f(x: Any) -> Any:
        log["x"] = x
        return x

    tad.grad(f)(1.0)
    return log["x"] + 1.0


def by_a_function_inside_aux() -> Any:
    _, later = tad.grad(lambda x: (x, lambda: x * 2.0), has_aux=True)(1.0)
    return later()


def by_an_iterator_inside_aux() -> Any:
    _, later = tad.grad(lambda x: (x, iter([x])), has_aux=True)(1.0)
    return next(later) + 1.0


def by_an_exception() -> Any:
    kept: list[Any] = []

    def f(x: Any) -> Any:
        kept.append(x)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        tad.grad(f)(1.0)
    return kept[0] * 2.0


def from_an_inner_transform() -> Any:
    def f(x: Any) -> Any:
        return x * escaped(tad.grad, tad.stack([x, x]))[0]

    return tad.grad(f)(1.0)


WAYS = {
    run.__name__.replace("_", " "): misuse(run, EscapeError, "a value of Tape(", *ADVICE)
    for run in (
        by_closure,
        by_generator,
        by_an_attribute,
        by_mutation_of_an_argument,
        by_a_function_inside_aux,
        by_an_iterator_inside_aux,
        by_an_exception,
        from_an_inner_transform,
    )
}
OLD = escaped(tad.grad)
USES: dict[str, Callable[[], Any]] = {
    "left operand": lambda: OLD + V,
    "right operand": lambda: V + OLD,
    "negative": lambda: -OLD,
    "comparison": lambda: OLD == V,
    "shape": lambda: OLD.shape,
    "dtype": lambda: OLD.dtype,
    "len": lambda: len(OLD),
    "iteration": lambda: list(OLD),
    "method": lambda: OLD.sum(),
    "transpose": lambda: OLD.mT,
    "index": lambda: OLD[0],
    "update": lambda: OLD.at[0].set(1.0),
    "updated with": lambda: V.at[:].set(OLD),
    "truth": lambda: bool(OLD),
    "np.asarray": lambda: np.asarray(OLD),
    "tad.to_numpy": lambda: tad.to_numpy(OLD),
    "pickle": lambda: pickle.dumps(OLD),
    "deepcopy": lambda: copy.deepcopy(OLD),
    "where": lambda: tad.where(True, OLD, V),
    "concat": lambda: tad.concat([V, OLD]),
    "stack": lambda: tad.stack([V, OLD]),
    "detach": lambda: tad.detach(OLD),
    "closed over by grad": lambda: tad.grad(lambda x: tad.sum(x * OLD))(X),
    "closed over by jit": lambda: tad.jit(lambda x: x * OLD)(X),
    "closed over by trace": lambda: tad.trace(lambda x: x * OLD)(X),
    "argument of grad": lambda: tad.grad(tad.sum)(OLD),
    "argument of vmap": lambda: tad.vmap(tad.sin)(OLD),
    "argument of jit": lambda: tad.jit(tad.sin)(OLD),
    "argument of trace": lambda: tad.trace(tad.sin)(OLD),
    "cotangent": lambda: tad.vjp(tad.sin, V)[1](OLD),
    "tangent": lambda: tad.linearize(tad.sin, V)[1](OLD),
}
# A root starts below every transform: what is differentiated here cannot be seen from there.
INTERPRETED = {
    f"interpret inside {name}": misuse(
        run, EscapeError, "was used where only", "interpret starts from a root of its own",
        "tad.jvp", "tad.taylor",
    )
    for name, run in {
        "grad": lambda: tad.grad(lambda x: tad.interpret(tad.sin, Eager())(x))(2.0),
        "grad, a series": lambda: tad.grad(
            lambda x: tad.interpret(tad.sin, Taylor(Eager(), 1))([x, 1.0])[1]
        )(2.0),
        "grad, closed over": lambda: tad.grad(
            lambda x: tad.interpret(lambda y: x * y, Eager())(1.0)
        )(2.0),
        "vmap": lambda: tad.vmap(lambda x: tad.interpret(tad.sin, Eager())(x))(X),
        "jit": lambda: tad.jit(lambda x: tad.interpret(tad.sin, Eager())(x))(2.0),
    }.items()
}  # fmt: skip
TRACED = {
    f"trace inside {name}": misuse(run, EscapeError, "trace: f closes over a value", "argument")
    for name, run in {
        "grad": lambda: tad.grad(lambda x: tad.trace(lambda y: x * y)(1.0))(2.0),
        "vmap": lambda: tad.vmap(lambda x: tad.trace(lambda y: x * y)(1.0))(X),
        "jit": lambda: tad.jit(lambda x: tad.trace(lambda y: x * y)(1.0))(2.0),
    }.items()
}


@each(
    WAYS
    | {u: misuse(r, EscapeError, "a value of Tape(", *ADVICE) for u, r in USES.items()}
    | TRACED
    | INTERPRETED
)
def test_misuse(row: Misuse) -> None:
    check(row)


def test_what_is_returned_may_leave() -> None:
    gradient, (value, aux) = tad.grad(
        lambda x: (x * x, {"twice": 2.0 * x}), value=True, has_aux=True
    )(3.0)
    assert float(aux["twice"] + gradient + value) == 21.0
