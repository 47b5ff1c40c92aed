"""Kinks names what is a kink of the mathematical function, and no step inside a smooth one."""

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Kinks
from taglessad.primitive import PRIMITIVES, inner

S, F = tad.special, tad.nn.functional
Program = Callable[..., Any]
Range = tuple[float, float]

# Where functions are smooth: of one number, in a range; of two, in a rectangle.
LINE, POSITIVE, UNIT, SHARE = (-12.0, 12.0), (0.1, 12.0), (-0.99, 0.99), (0.01, 0.99)
QUADRANT = ((0.1, 6.0), (0.11, 6.0))
PLANE = ((0.2, 6.0), (-6.0, 6.0))

SPECIAL: dict[str, tuple[Program, Range]] = {
    **{
        name: (getattr(S, name), LINE)
        for name in (
            *("cosm1", "erf", "erfc", "erfcx", "expit", "exprel", "i0", "i1", "j0", "j1"),
            *("log_expit", "log_ndtr", "ndtr"),
        )
    },
    **{
        name: (getattr(S, name), POSITIVE)
        for name in (
            *("digamma", "entr", "exp1", "expi", "gamma", "gammaln", "lambertw", "spence"),
            *("y0", "y1"),
        )
    },
    "erfinv": (S.erfinv, UNIT),
    "erfcinv": (lambda x: S.erfcinv(1.0 + x), UNIT),
    "logit": (S.logit, SHARE),
    "ndtri": (S.ndtri, SHARE),
    "expn": (lambda x: S.expn(3, x), POSITIVE),
    "polygamma": (lambda x: S.polygamma(2, x), POSITIVE),
    "multigammaln": (lambda x: S.multigammaln(x + 1.0, 3), POSITIVE),
}
SPECIAL_OF_TWO: dict[str, tuple[Program, tuple[Range, Range]]] = {
    **{
        name: (getattr(S, name), QUADRANT)
        for name in (
            *("beta", "betaln", "boxcox", "gammainc", "gammaincc", "inv_boxcox", "kl_div"),
            *("poch", "rel_entr", "xlogy", "xlog1py"),
        )
    },
    "betainc": (lambda a, x: S.betainc(a, 1.7, x), ((0.1, 6.0), SHARE)),
    "binom": (lambda a, b: S.binom(a + b, b), QUADRANT),
    "comb": (lambda a, b: S.comb(a + b, b), QUADRANT),
    "zeta": (lambda a, b: S.zeta(a + 1.0, b), QUADRANT),
    "log_softmax": (lambda a, b: S.log_softmax(tad.stack((a, b)), axis=0), (LINE, LINE)),
    "logsumexp": (lambda a, b: S.logsumexp(tad.stack((a, b)), axis=0), (LINE, LINE)),
    "softmax": (lambda a, b: S.softmax(tad.stack((a, b)), axis=0), (LINE, LINE)),
}
OTHERS: dict[str, tuple[Program, Range]] = {
    **{
        name: (getattr(tad, name), LINE)
        for name in ("asinh", "atan", "cos", "cosh", "exp", "expm1", "sin", "sinc", "sinh", "tanh")
    },
    **{name: (getattr(tad, name), UNIT) for name in ("acos", "asin", "atanh", "tan")},
    **{name: (getattr(tad, name), POSITIVE) for name in ("cbrt", "log", "log1p", "log2", "sqrt")},
    **{
        name: (getattr(F, name), LINE)
        for name in ("gelu", "log_sigmoid", "mish", "sigmoid", "silu", "softplus")
    },
    "gelu, exact": (lambda x: F.gelu(x, approximate=False), LINE),
    "gelu, far": (F.gelu, (99.0, 101.0)),
    "soft_sign": (F.soft_sign, POSITIVE),
    "binary_cross_entropy": (lambda x: F.binary_cross_entropy(x, 0.3 + 0.0 * x), LINE),
}
OTHERS_OF_TWO: dict[str, tuple[Program, tuple[Range, Range]]] = {
    "power": (lambda a, b: a**b, PLANE),
    "atan2": (tad.atan2, PLANE),
    "hypot": (tad.hypot, PLANE),
    "logaddexp": (tad.logaddexp, (LINE, LINE)),
    "logaddexp2": (tad.logaddexp2, (LINE, LINE)),
    "vector_norm": (lambda a, b: tad.linalg.vector_norm(tad.stack((a, b)), axis=0), PLANE),
    "vector_norm of order 3": (
        lambda a, b: tad.linalg.vector_norm(tad.stack((a, b)), axis=0, ord=3),
        PLANE,
    ),
    "std": (lambda a, b: tad.std(tad.stack((a, b, a + 1.0)), axis=0), PLANE),
    "nanstd": (lambda a, b: tad.nanstd(tad.stack((a, b, a + 1.0, np.nan * a)), axis=0), PLANE),
}
# Below: a kink that is named, and a function of which only the second derivative jumps.
KINKED = {"i0e", "i1e"}


def test_every_special_function_is_here() -> None:
    modules = {name for name in dir(S) if type(getattr(S, name)) is type(np)}
    public = {name for name in dir(S) if not name.startswith("_")} - modules
    assert public == SPECIAL.keys() | SPECIAL_OF_TWO.keys() | KINKED


def row(low: float, high: float, count: int) -> Any:
    """Points so dense that one is near each number in the range, beside those met by accident."""
    return np.linspace(low, high, count) + 1e-7


def named(f: Program, *xs: Any) -> set[tuple[str, str]]:
    """What Kinks says of a function, its gradient and its Hessian times ones at all points."""
    places = tuple(range(len(xs)))
    total = lambda *xs: tad.sum(f(*xs))
    gradient = tad.grad(total, argnums=places)
    slopes = lambda *xs: sum(tad.sum(g) for g in gradient(*xs))
    found = set()
    for what, g in (
        ("value", f),
        ("gradient", gradient),
        ("second", tad.grad(slopes, argnums=places)),
    ):
        found |= {(what, k.op) for k in tad.interpret(g, Kinks(1e-3))(*xs)}
    return found


def spans(low: float, high: float) -> int:
    return int((high - low) / 1e-3) + 1


@pytest.mark.parametrize("name", [*SPECIAL, *OTHERS])
def test_a_smooth_function_has_none(name: str) -> None:
    f, span = {**SPECIAL, **OTHERS}[name]
    assert named(f, row(*span, spans(*span))) == set()


# Points of a rectangle, and those where one argument is a half of the other, the same, its double.
@pytest.mark.parametrize("name", [*SPECIAL_OF_TWO, *OTHERS_OF_TWO])
def test_a_smooth_function_of_two_has_none(name: str) -> None:
    f, (first, second) = {**SPECIAL_OF_TWO, **OTHERS_OF_TWO}[name]
    a, b = (x.ravel() for x in np.meshgrid(row(*first, 60), row(*second, 61)))
    for x, y in ((a, b), *((a[: b.size], b) for b in (0.5 * a, a, 2.0 * a) if inside(b, second))):
        assert named(f, x, y) == set()


def inside(b: Any, span: Range) -> bool:
    return bool(np.min(b) >= min(span[0], 0.05) and np.max(b) <= 2.0 * span[1])


def test_of_whole_numbers() -> None:
    """Where `comb` rounds, and a power and a norm look at zeros."""
    n = np.arange(3.0, 9.0)
    assert named(lambda n: S.comb(n, 2.0), n) == set()
    assert named(lambda n: n**2.0, n) == set()
    assert named(lambda x: tad.linalg.vector_norm(x), np.asarray([0.0, 1.0, 1.0])) == set()
    for order in (2.5, 3, 4, 5.5):
        norm = lambda x, order=order: tad.linalg.vector_norm(x, ord=order)
        beyond = {("second", "pow")} if order == 2.5 else set()  # of which the slope is infinite
        assert named(norm, np.asarray([0.0, 1.0, -1.0])) == beyond
    slopes = named(lambda x: tad.linalg.vector_norm(x, ord=1.5), np.asarray([0.0, 1.0, -1.0]))
    assert not any(what == "value" for what, _ in slopes)
    assert named(tad.std, np.asarray([0.0, 1.0, 1.0])) == set()
    assert named(tad.nanstd, np.asarray([0.0, 1.0, np.nan, 1.0])) == set()
    assert named(tad.nanvar, np.asarray([0.0, 1.0, np.nan, 1.0])) == set()


REAL: dict[str, tuple[Program, float, set[str]]] = {
    # function, a point where it has a kink, the primitive that is named
    "relu": (F.relu, 0.0, {"relu"}),
    "relu6": (F.relu6, 6.0, {"less_equal"}),
    "leaky_relu": (F.leaky_relu, 0.0, {"less"}),
    "elu": (lambda x: F.elu(x, 0.5), 0.0, {"less"}),
    "celu": (F.celu, 0.0, {"less"}),
    "selu": (F.selu, 0.0, {"less"}),
    "hard_sigmoid": (F.hard_sigmoid, -3.0, {"relu"}),
    "hard_silu": (F.hard_silu, 3.0, {"less_equal"}),
    "hard_tanh": (F.hard_tanh, 1.0, {"clip"}),
    "soft_sign": (F.soft_sign, 0.0, {"abs"}),
    "huber": (lambda x: F.huber(x, 0.0 * x), 1.0, {"clip"}),
    "hinge": (lambda x: F.hinge(x, 1.0 + 0.0 * x), 1.0, {"relu"}),
    "l1": (lambda x: F.l1(x, 0.0 * x), 0.0, {"abs"}),
    "i0e": (S.i0e, 0.0, {"abs"}),
    "vector_norm": (lambda x: tad.linalg.vector_norm(tad.stack((x, x))), 0.0, {"sqrt"}),
    "vector_norm of order 1": (
        lambda x: tad.linalg.vector_norm(tad.stack((x, 1.0 + x)), ord=1),
        0.0,
        {"abs"},
    ),
    "vector_norm of order 3": (
        lambda x: tad.linalg.vector_norm(tad.stack((x, x)), ord=3),
        0.0,
        {"pow"},
    ),
    "std": (lambda x: tad.std(tad.stack((x, -x))), 0.0, {"sqrt"}),
    "nanstd": (lambda x: tad.nanstd(tad.stack((x, -x, np.nan * x))), 0.0, {"sqrt"}),
    "max pool": (
        lambda x: F.max_pool1d(tad.reshape(tad.stack((x, 1.0 - x)), (1, 1, 2)), 2),
        0.5,
        {"max"},
    ),
}


@pytest.mark.parametrize("name", REAL)
def test_a_real_kink_of_a_library_function_is_named_with_the_line(name: str) -> None:
    f, x, ops = REAL[name]
    found = tad.interpret(lambda x: f(x), Kinks(1e-3))(np.asarray(x))
    assert {k.op for k in found} == ops
    assert all(k.site is not None and k.site[0] == __file__ for k in found)
    assert tad.interpret(f, Kinks(1e-3))(np.asarray(x + 0.05)) == []


WAYS: dict[str, Callable[[Program], Program]] = {
    "by itself": lambda f: f,
    "jit": tad.jit,
    "vmap": tad.vmap,
    "checkpoint": tad.checkpoint,
    "scan": lambda f: lambda x: tad.scan(lambda c, x: (c, f(x)), 0.0, x)[1],
    "cond": lambda f: lambda x: tad.cond(x[0] < 9.0, f, lambda x: x, x),
    "grad of scan": lambda f: tad.grad(
        lambda x: tad.sum(tad.scan(lambda c, x: (c, f(x)), 0.0, x)[1])
    ),
    "jvp of jit": lambda f: lambda x: tad.jvp(tad.jit(f), (x,), (x,)),
    "series": lambda f: lambda x: tad.taylor(f, 2)(x, x),
}


@pytest.mark.parametrize("way", WAYS)
def test_steps_inside_are_such_however_the_program_runs(way: str) -> None:
    x = np.asarray([0.25, 0.2501, 0.75, 0.7501])  # where S.logit and S.ndtri change their formulas
    for f in (S.logit, S.ndtri):
        assert tad.interpret(WAYS[way](f), Kinks(1e-3))(x) == []
    own = lambda x: tad.where(x < 0.25, x, 0.5 * x)
    assert "less" in [k.op for k in tad.interpret(WAYS[way](own), Kinks(1e-3))(x)]


def test_largest_entries_inside_are_such_under_vmap() -> None:
    x = np.asarray([[0.0, 1.0, 1.0], [2.0, 1.0, 2.0]])
    assert tad.interpret(tad.vmap(tad.std), Kinks())(x) == []
    assert tad.interpret(tad.vmap(tad.jit(tad.std)), Kinks())(x) == []
    assert [k.op for k in tad.interpret(tad.vmap(tad.max), Kinks())(x)] == ["max"]


def test_a_saved_program_keeps_them() -> None:
    graph = pickle.loads(pickle.dumps(tad.trace(S.logit)(0.3)))
    kinks = Kinks(1e-3)
    assert kinks.complete(lambda: graph.run(kinks, [kinks.entered(np.asarray(0.25))])) == []


def test_an_inner_primitive_is_the_primitive_but_for_that() -> None:
    step, plain = inner("less"), PRIMITIVES["less"]
    assert inner("less") is step is pickle.loads(pickle.dumps(step))
    assert step is not plain and (step.name, step.slots) == (plain.name, plain.slots)
    assert pickle.loads(pickle.dumps(plain)) is plain
    text = str(tad.trace(S.ndtri)(0.3))
    assert " less " in text and "inner" not in text
