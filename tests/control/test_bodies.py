"""What a differentiable body may hold, beyond the programs of `programs` and tests/conformance."""

from collections.abc import Callable
from functools import reduce
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ConcretizationError, EscapeError, ShapeError

Function = Callable[..., Any]

# forward, reverse, and both compiled: a slope of a function of one number
SLOPES: dict[str, Function] = {
    "forward": tad.jacfwd,
    "reverse": tad.grad,
    "compiled": lambda f: tad.jit(tad.grad(f)),
    "series": lambda f: lambda x: tad.taylor(f, 1)(x, 1.0)[1],
}
each_slope = pytest.mark.parametrize("slope", SLOPES.values(), ids=SLOPES.keys())


# --- loops ----------------------------------------------------------------------------------------
def doubled_until(limit: Any) -> Function:
    return lambda x: tad.while_loop(lambda c: c < limit, lambda c: c * x, x)


@each_slope
@pytest.mark.parametrize(
    ("x", "trips"), [(2.0, 3), (1.9, 4), (4.0, 1), (16.0, 0), (20.0, 0)], ids=str
)
def test_the_trips_that_ran_count(slope: Function, x: float, trips: int) -> None:
    """Trip count depends on x; at 2, 4 and 16 the last test fails by equality: it stops there."""
    f = doubled_until(16.0)
    assert float(f(x)) == pytest.approx(x ** (trips + 1), rel=1e-14)
    assert float(slope(f)(x)) == pytest.approx((trips + 1) * x**trips, rel=1e-14)


@each_slope
@pytest.mark.parametrize(("lo", "hi"), [(0, 0), (3, 3), (3, 1), (0, -2)])
def test_empty_ranges(slope: Function, lo: int, hi: int) -> None:
    f = lambda x: 3.0 * tad.fori_loop(lo, hi, lambda i, c: c * c + i, x)
    assert float(slope(f)(2.0)) == 3.0


@each_slope
def test_an_empty_range_that_is_computed(slope: Function) -> None:
    count = lambda x: tad.astype(tad.floor(x), tad.int64) - 2
    f = lambda x: 3.0 * tad.fori_loop(0, count(x), lambda i, c: c * x, x)
    assert float(slope(f)(2.5)) == 3.0
    assert float(slope(f)(3.5)) == 6.0 * 3.5


@each_slope
def test_early_exit(slope: Function) -> None:
    """A flag in the carry is `break`: the trip that sets it is the last."""

    def f(x: Any) -> Any:
        def body(s: Any) -> Any:
            i, c, _ = s
            c = c * x
            return i + 1, c, c > 5.0

        return tad.while_loop(lambda s: (s[0] < 10) & ~s[2], body, (0, 1.0, False))[1]

    assert float(slope(f)(2.0)) == 3 * 2.0**2  # 2, 4, 8
    assert float(slope(f)(6.0)) == 1.0
    assert float(slope(f)(0.5)) == pytest.approx(10 * 0.5**9)


@each_slope
def test_a_trip_passed_over(slope: Function) -> None:
    """`continue`: the branch that leaves the carry as it is."""
    step = lambda i, c: tad.cond(i % 2 == 0, lambda c: c, lambda c: c * c, c)
    assert float(slope(lambda x: tad.fori_loop(0, 4, step, x))(1.5)) == 4 * 1.5**3


@each_slope
def test_inner_bounds_from_the_outer_loop(slope: Function) -> None:
    def f(x: Any) -> Any:
        inner = lambda i, c: tad.fori_loop(0, i, lambda j, c: c * x, c)
        return tad.fori_loop(0, 4, inner, 1.0)  # x**(0 + 1 + 2 + 3)

    assert float(slope(f)(1.5)) == pytest.approx(6 * 1.5**5, rel=1e-14)


@each_slope
def test_while_in_while_with_values_of_both(slope: Function) -> None:
    def f(x: Any) -> Any:
        def body(s: Any) -> Any:
            i, c = s
            return i + 1, tad.while_loop(lambda d: d < 10.0 * (i + 1.0), lambda d: d * x, c)

        return tad.while_loop(lambda s: s[0] < 2, body, (0, x))[1]

    assert float(f(3.0)) == 27.0  # 3, 9, 27; then 27 is past 20
    assert float(slope(f)(3.0)) == 3 * 3.0**2


@each_slope
def test_integers_and_truth_values_only_choose(slope: Function) -> None:
    def f(x: Any) -> Any:
        def body(s: Any) -> Any:
            n, up, c = s
            n = tad.where(up, n + 1, n - 1)
            return n, ~up, c * tad.astype(n, tad.float64) * x

        return tad.while_loop(lambda s: s[2] < 50.0, body, (2, True, x))[2]

    # factors 3x, 2x, 3x: x = 2 gives 12, 48, 288
    assert float(f(2.0)) == 288.0
    assert float(slope(f)(2.0)) == 18 * 4 * 2.0**3


def test_pythons_for_is_unrolled() -> None:
    """Ranges by steps and backwards, enumerate, and a handle's own rows."""

    def f(w: Any) -> Any:
        total = 0.0 * w[0]
        for i in range(4, -1, -2):
            total = total * 2.0 + w[i]
        for k, row in enumerate(w):
            total = total + k * row
        return total

    np.testing.assert_array_equal(tad.grad(f)(np.ones(5)), [1.0, 1.0, 4.0, 3.0, 8.0])


@each_slope
def test_break_continue_match_and_return_are_pythons(slope: Function) -> None:
    """They act on values that are known while the program is built."""

    def f(x: Any, mode: str = "cubes") -> Any:
        total = 0.0
        for i in range(10):
            if i == 1:
                continue
            if i == 4:
                break
            match mode:
                case "cubes":
                    total = total + i * x**3
                case _:
                    raise AssertionError
        else:
            return x
        return total

    assert float(slope(f)(2.0)) == (2 + 3) * 3 * 2.0**2


# --- branches -------------------------------------------------------------------------------------
@each_slope
@pytest.mark.parametrize(("x", "expected"), [(3.0, 6.0), (1.0, 1.0), (-2.0, -1.0), (0.0, -1.0)])
def test_returns_in_arms(slope: Function, x: float, expected: float) -> None:
    def large(x: Any) -> Any:
        return x * x

    def small(x: Any) -> Any:
        return tad.cond(x > 0.0, lambda x: x, lambda x: -x, x)

    assert float(slope(lambda x: tad.cond(x > 1.0, large, small, x))(x)) == expected


@each_slope
def test_equality_takes_the_else_arm(slope: Function) -> None:
    f = lambda x: tad.cond(x > 2.0, lambda x: x * x, lambda x: 7.0 * x, x)
    assert [float(slope(f)(x)) for x in (2.0, np.nextafter(2.0, 3.0))] == [
        7.0,
        2.0 * np.nextafter(2.0, 3.0),
    ]


def test_an_arm_that_reads_nothing() -> None:
    f = lambda w: tad.cond(w[0] > 0.0, lambda: w[1] * w[1], lambda: tad.asarray(4.0))
    np.testing.assert_array_equal(tad.grad(f)(np.array([1.0, 3.0])), [0.0, 6.0])
    np.testing.assert_array_equal(tad.grad(f)(np.array([-1.0, 3.0])), [0.0, 0.0])


@each_slope
def test_float_to_integer_and_back_has_no_slope(slope: Function) -> None:
    there_and_back = lambda t: tad.astype(tad.astype(t, tad.int64), tad.float64)
    assert float(slope(lambda x: x * there_and_back(x))(2.5)) == 2.0
    looped = lambda x: tad.fori_loop(0, 3, lambda i, c: c + there_and_back(x) * x, 0.0)
    assert float(slope(looped)(2.5)) == 6.0


# --- captured values ------------------------------------------------------------------------------
XS = np.array([1.0, 2.0])
CAPTURES: dict[str, tuple[Function, Function]] = {
    "cond": (
        lambda a: tad.cond(True, lambda x: a * x, lambda x: x, 3.0),
        lambda a: 3.0 * a,
    ),
    "cond, its predicate": (
        lambda a: tad.cond(a > 1.0, lambda: a * a, lambda: a),
        lambda a: a * a,
    ),
    "switch": (lambda a: tad.switch(1, [lambda: a, lambda: a**3]), lambda a: a**3),
    "while_loop, its body": (
        lambda a: tad.while_loop(lambda c: c < 10.0, lambda c: c * a, 1.0),
        lambda a: a**4,  # at a = 2: 2, 4, 8, 16
    ),
    "while_loop, its test": (
        lambda a: tad.while_loop(lambda c: c < 5.0 * a, lambda c: c * a, a),
        lambda a: a**4,
    ),
    "fori_loop": (lambda a: tad.fori_loop(0, 3, lambda i, c: c + a * i, 0.0), lambda a: 3.0 * a),
    "scan": (
        lambda a: tad.sum(tad.scan(lambda c, x: (c * a, c * x), 1.0, XS)[1]),
        lambda a: 1.0 + 2.0 * a,
    ),
    "map": (lambda a: tad.sum(tad.map(lambda x: x**2 * a**2, XS)), lambda a: 5.0 * a**2),
    "reduce": (lambda a: tad.reduce(lambda c, x: c * a + x, 1.0, XS), lambda a: a**2 + a + 2.0),
    "two deep": (
        lambda a: tad.fori_loop(
            0, 2, lambda i, c: tad.cond(c > 0.0, lambda: c * a, lambda: a), 1.0
        ),
        lambda a: a**2,
    ),
}


@pytest.mark.parametrize(("program", "meaning"), CAPTURES.values(), ids=CAPTURES.keys())
def test_captured_values_are_differentiated(program: Function, meaning: Function) -> None:
    for twice in (False, True):
        for slope in (tad.grad, tad.jacfwd, lambda f: tad.jit(tad.grad(f))):
            f, g = (slope(tad.grad(h)) if twice else slope(h) for h in (program, meaning))
            assert float(f(2.0)) == pytest.approx(float(g(2.0)), rel=1e-13)


def test_a_captured_model_is_differentiated() -> None:
    model = {"w": np.array([0.5, -1.0]), "b": 0.25}

    def loss(m: Any) -> Any:
        return tad.reduce(lambda c, x: c + (tad.sum(m["w"] * x) + m["b"]) ** 2, 0.0, XS)

    gradient = tad.grad(loss)(model)
    # sum over x of (-0.5 x + 0.25)^2: residuals -0.25 and -0.75
    np.testing.assert_allclose(gradient["w"], [2 * (-0.25 - 1.5)] * 2)
    assert float(gradient["b"]) == pytest.approx(2 * (-0.25 - 0.75))


# --- functions as values --------------------------------------------------------------------------
def compose(*functions: Function) -> Function:
    """Left to right."""
    return reduce(lambda f, g: lambda x: g(f(x)), functions)


@each_slope
def test_compositions(slope: Function) -> None:
    assert float(slope(compose(tad.sin, tad.exp, lambda t: t * t))(0.3)) == pytest.approx(
        2.0 * np.exp(2.0 * np.sin(0.3)) * np.cos(0.3), rel=1e-14
    )


@each_slope
def test_a_closure_made_in_the_program(slope: Function) -> None:
    def f(x: Any) -> Any:
        scale = x * x
        by = lambda t: scale * t
        return compose(by, by)(x)  # x**5

    assert float(slope(f)(1.5)) == pytest.approx(5 * 1.5**4, rel=1e-14)


@each_slope
def test_functions_as_arguments_and_results(slope: Function) -> None:
    def repeat(f: Function, n: int) -> Function:
        return lambda x: tad.fori_loop(0, n, lambda _, c: f(c), x)

    assert float(slope(repeat(lambda c: c * c, 3))(1.1)) == pytest.approx(8 * 1.1**7, rel=1e-13)


def test_map_over_several_sequences() -> None:
    xs, ys = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    f = lambda xs, ys, s: tad.sum(tad.map(lambda p: s * p[0] * p[1] ** 2, (xs, ys)))
    dx, dy, ds = tad.grad(f, (0, 1, 2))(xs, ys, 2.0)
    np.testing.assert_array_equal(dx, 2.0 * ys**2)
    np.testing.assert_array_equal(dy, 4.0 * xs * ys)
    assert float(ds) == float(np.sum(xs * ys**2))


def test_map_has_no_limit_of_length() -> None:
    xs = np.linspace(0.0, 1.0, 5000)
    f = lambda a: tad.reduce(tad.add, 0.0, tad.map(lambda x: a * x, xs))
    assert float(tad.grad(f)(3.0)) == pytest.approx(float(np.sum(xs)), rel=1e-12)


@each_slope
@pytest.mark.parametrize("name", ["sin", "exp"])
def test_chosen_by_a_name(slope: Function, name: str) -> None:
    table = {"sin": (tad.sin, np.cos), "exp": (tad.exp, np.exp)}
    f, derivative = table[name]
    assert float(slope(lambda x: table[name][0](x))(0.4)) == pytest.approx(derivative(0.4))
    assert float(slope(f)(0.4)) == pytest.approx(derivative(0.4))


@pytest.mark.parametrize("look", [tad.jit, tad.vmap], ids=["jit", "vmap"])
def test_chosen_by_a_value_names_switch(look: Function) -> None:
    functions = [tad.sin, tad.exp]
    i = np.asarray(1) if look is tad.jit else np.asarray([1, 0])
    x = 0.0 if look is tad.jit else np.zeros(2)
    with pytest.raises(ConcretizationError, match=r"one of several functions: tad\.switch"):
        look(lambda i, x: functions[i](x))(i, x)
    chosen = look(lambda i, x: tad.grad(lambda x: tad.switch(i, functions, x))(x))
    np.testing.assert_array_equal(chosen(i, x), 1.0 if look is tad.jit else [1.0, 1.0])


def test_chosen_by_an_if_names_cond() -> None:
    with pytest.raises(ConcretizationError, match=r"tad\.cond"):
        tad.grad(lambda x: (tad.sin if x > 0.0 else tad.exp)(x))(1.0)
    # With the tape the path that runs is the one that is differentiated.
    assert float(tad.grad(lambda x: (tad.sin if x > 0.0 else tad.exp)(x), tape=True)(-1.0)) == (
        pytest.approx(np.exp(-1.0))
    )


@each_slope
def test_recursion_of_known_depth(slope: Function) -> None:
    def power(x: Any, n: int) -> Any:
        return x if n == 1 else x * power(x, n - 1)

    assert float(slope(lambda x: power(x, 6))(1.5)) == pytest.approx(6 * 1.5**5, rel=1e-14)


def test_a_refusal_is_reported_inside_the_callee() -> None:
    def callee(x: Any) -> Any:
        return x + np.ones(3)

    with pytest.raises(ShapeError) as caught:
        tad.grad(lambda x: tad.sum(tad.fori_loop(0, 2, lambda i, c: callee(c), x)))(np.ones(2))
    assert caught.value.site is not None
    assert caught.value.site[1] == callee.__code__.co_firstlineno + 1


def test_what_a_body_leaves_behind_is_refused() -> None:
    """Assigning to what is outside the body: the value means nothing there."""
    kept: list[Any] = []

    def body(i: Any, c: Any) -> Any:
        kept.append(c)
        return c * 2.0

    def f(x: Any) -> Any:
        y = tad.fori_loop(0, 2, body, x)
        return y + kept[0]

    with pytest.raises(EscapeError):
        tad.grad(f)(1.0)


# --- fences ---------------------------------------------------------------------------------------
def loops_of(fence: Function) -> dict[str, Function]:
    """x fenced c in three trips: x**4, of which one factor counts: its derivatives are c**3's."""
    return {
        "fori_loop": lambda x: tad.fori_loop(0, 3, lambda i, c: c * fence(x), x),
        "while_loop": lambda x: tad.while_loop(
            lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * fence(x)), (0, x)
        )[1],
        "scan": lambda x: tad.scan(lambda c, _: (c * fence(x), None), x, length=3)[0],
        "cond": lambda x: tad.cond(x > 0.0, lambda: x * fence(x * x * x), lambda: x),
        "within a loop's branch": lambda x: tad.fori_loop(
            0, 3, lambda i, c: tad.cond(i >= 0, lambda: c * fence(x), lambda: c), x
        ),
        "reduce": lambda x: tad.reduce(lambda c, k: c * fence(x) * k, x, np.ones(3)),
    }


FENCES: dict[str, Function] = {"detach": tad.detach, "no_grad": tad.no_grad(lambda t: t)}


@pytest.mark.parametrize("fence", FENCES.values(), ids=FENCES.keys())
@pytest.mark.parametrize("name", loops_of(tad.detach))
def test_fences_hold_at_every_order(name: str, fence: Function) -> None:
    f = loops_of(fence)[name]
    assert float(f(2.0)) == 16.0
    modes = (tad.grad, tad.jacfwd)
    for first in modes:
        assert float(first(f)(2.0)) == 8.0
        assert float(tad.jit(first(f))(2.0)) == 8.0
        for second in modes:
            assert float(second(first(f))(2.0)) == 0.0
            assert float(tad.grad(second(first(f)))(2.0)) == 0.0
    np.testing.assert_array_equal(tad.taylor(f, 3)(2.0, 1.0), [16.0, 8.0, 0.0, 0.0])


def test_a_fenced_carry() -> None:
    """A fence around the carry itself: only the last trip counts."""
    f = lambda x: tad.fori_loop(0, 3, lambda i, c: tad.detach(c) * x, x)
    assert float(tad.grad(f)(2.0)) == 8.0
    assert float(tad.grad(tad.grad(f))(2.0)) == 0.0
