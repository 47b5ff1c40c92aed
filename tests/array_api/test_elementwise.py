"""Elementwise functions against NumPy and array-api-strict: values, dtypes, errors, derivatives."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import taglessad as tad
from taglessad.interpreters import Shape
from taglessad.primitive import Aval
from taglessad.tensor import AnyTensor, handle

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTS, *FLOATS]

# Names here where NumPy's differ.
NUMPY = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atan2": "arctan2",
    "atanh": "arctanh",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
    "pow": "power",
    "round": "rint",
}
REAL_UNARY = [
    *["acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "expm1", "log"],
    *["log10", "log1p", "log2", "reciprocal", "sin", "sinc", "sinh", "sqrt", "tan", "tanh"],
]
NUMERIC_UNARY = ["abs", "ceil", "floor", "negative", "positive", "round", "sign", "square", "trunc"]
PREDICATES = ["isfinite", "isinf", "isnan", "signbit"]
REAL_BINARY = ["atan2", "copysign", "divide", "hypot", "logaddexp", "nextafter"]
NUMERIC_BINARY = [
    *["add", "floor_divide", "fmod", "maximum", "minimum", "multiply", "remainder", "subtract"],
]
COMPARISONS = ["equal", "greater", "greater_equal", "less", "less_equal", "not_equal"]
LOGICAL = ["logical_and", "logical_or", "logical_xor"]
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor"]
SHIFTS = ["bitwise_left_shift", "bitwise_right_shift"]
BINARY = [*REAL_BINARY, *NUMERIC_BINARY, *COMPARISONS, *LOGICAL]


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """NumPy warns where it computes expected infinities; the library must not need this."""
    with np.errstate(all="ignore"):
        yield


def in_numpy(name: str) -> Callable[..., Any]:
    return getattr(np, NUMPY.get(name, name))


def sample(dtype: str) -> np.ndarray[Any, Any]:
    if dtype == "bool":
        return np.array([True, False, True])
    if dtype in FLOATS:
        values = [0.0, -0.0, 0.5, -0.5, 1.0, -1.0, 2.5, -3.5, 1e-3, 700.0, math.inf, -math.inf]
        return np.array([*values, math.nan], dtype)
    info = np.iinfo(dtype)
    return np.array([0, 1, 2, 3, 7, info.max, info.min], dtype)


def as_real(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x if x.dtype.kind == "f" else x.astype(np.float64)


def as_number(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return x.astype(np.int64) if x.dtype == bool else x


def same(got: AnyTensor, expected: np.ndarray[Any, Any]) -> None:
    """Equal in dtype, shape and every bit, except that a NaN is a NaN."""
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    value = tad.to_numpy(got)
    np.testing.assert_array_equal(value, expected)
    if expected.dtype.kind == "f":
        known = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(value)[known], np.signbit(expected)[known])


# --- values and dtypes against NumPy -------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", REAL_UNARY)
def test_functions_of_reals(name: str, dtype: str) -> None:
    x = sample(dtype)
    got = getattr(tad, name)(x)
    assert isinstance(got, tad.Tensor)
    expected = in_numpy(name)(as_real(x))
    if name != "sinc":
        same(got, expected)
        return
    # Near 0 a series is summed here, and NumPy's own float16 makes NaN of 0.
    assert got.dtype == expected.dtype
    exact = np.sinc(as_real(x).astype(np.float64))
    tolerance = {"float16": 2e-3, "float32": 1e-6}.get(dtype, 1e-15)
    np.testing.assert_allclose(tad.to_numpy(got), exact, rtol=0, atol=tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", NUMERIC_UNARY)
def test_functions_that_keep_the_dtype(name: str, dtype: str) -> None:
    x = sample(dtype)
    steps = name in {"ceil", "floor", "round", "trunc"} and x.dtype.kind != "f"
    same(getattr(tad, name)(x), as_number(x) if steps else in_numpy(name)(as_number(x)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PREDICATES)
def test_predicates(name: str, dtype: str) -> None:
    same(getattr(tad, name)(sample(dtype)), in_numpy(name)(as_real(sample(dtype))))


@pytest.mark.parametrize("dtype", ["bool", *INTS])
def test_bits(dtype: str) -> None:
    a = sample(dtype)
    b = a[::-1].copy()
    for name in BITWISE:
        same(getattr(tad, name)(a, b), in_numpy(name)(a, b))
    same(tad.bitwise_invert(a), np.invert(a))
    counts = np.array(range(len(a)), np.int8 if dtype == "bool" else dtype)
    for name in SHIFTS:
        same(getattr(tad, name)(a, counts), in_numpy(name)(*np.broadcast_arrays(a, counts)))


def promoted(a: str, b: str) -> str:
    """The table of the documentation: the standard's, and where that is silent the float wins."""
    if (a in FLOATS) == (b in FLOATS):
        return str(np.promote_types(a, b))
    return a if a in FLOATS else b


@pytest.mark.parametrize("b", DTYPES)
@pytest.mark.parametrize("a", DTYPES)
def test_pairs_of_dtypes(a: str, b: str) -> None:
    x, y = sample(a)[:, None], sample(b)
    common = promoted(a, b)
    u, v = x.astype(common), y.astype(common)
    for name in REAL_BINARY:
        same(getattr(tad, name)(x, y), in_numpy(name)(as_real(u), as_real(v)))
    for name in NUMERIC_BINARY:
        same(getattr(tad, name)(x, y), in_numpy(name)(as_number(u), as_number(v)))
    for name in COMPARISONS:
        same(getattr(tad, name)(x, y), in_numpy(name)(u, v))
    for name in LOGICAL:
        same(getattr(tad, name)(x, y), in_numpy(name)(x, y))


@pytest.mark.parametrize("name", BINARY)
@settings(max_examples=25)
@given(shapes=npst.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
def test_operands_broadcast(name: str, shapes: npst.BroadcastableShapes) -> None:
    a, b = (np.arange(1.0, 1 + math.prod(s)).reshape(s) for s in shapes.input_shapes)
    with np.errstate(all="ignore"):
        same(getattr(tad, name)(a, b), np.asarray(in_numpy(name)(a, b)))


# --- array-api-strict, where it does not raise ---------------------------------------------------
STANDARD = [n for n in strict.__all__ if n in {*BINARY, *BITWISE, *SHIFTS, "pow"}]


@pytest.mark.parametrize("name", STANDARD)
def test_binary_functions_as_array_api_strict(name: str) -> None:
    compared = 0
    for a in DTYPES:
        for b in DTYPES:
            if "float16" in (a, b):
                continue
            x, y = sample(a)[:3, None], np.abs(sample(b)[:3])
            try:
                expected = getattr(strict, name)(strict.asarray(x), strict.asarray(y))
            except (TypeError, ValueError):
                continue
            same(getattr(tad, name)(x, y), np.asarray(expected))
            compared += 1
    assert compared >= 1


@pytest.mark.parametrize("name", [*NUMERIC_UNARY, *REAL_UNARY, *PREDICATES, "logical_not"])
def test_unary_functions_as_array_api_strict(name: str) -> None:
    if not hasattr(strict, name):
        assert name == "sinc"
        return
    compared = 0
    for dtype in (d for d in DTYPES if d != "float16"):
        try:
            expected = getattr(strict, name)(strict.asarray(sample(dtype)))
        except TypeError:
            continue
        same(getattr(tad, name)(sample(dtype)), np.asarray(expected))
        compared += 1
    assert compared >= 1


# --- Python numbers are weak ---------------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 2.5])
@pytest.mark.parametrize("name", ["multiply", "maximum", "divide", "less", "hypot"])
def test_a_number_takes_the_dtype_of_the_array(name: str, number: float, dtype: str) -> None:
    x = sample(dtype)
    kinds = "bif"
    kind = {bool: 0, int: 1, float: 2}[type(number)]
    own = kinds.index(x.dtype.kind.replace("u", "i"))
    common = x.dtype if kind <= own else np.dtype(["bool", "int64", "float64"][kind])
    u, v = x.astype(common), np.asarray(number).astype(common)
    prepare = {"divide": as_real, "hypot": as_real, "less": lambda z: z}.get(name, as_number)
    function = in_numpy(name)
    same(getattr(tad, name)(x, number), function(prepare(u), prepare(v)))
    same(getattr(tad, name)(number, x), function(prepare(v), prepare(u)))


def test_numbers_alone_stay_weak() -> None:
    x = tad.asarray([1.0], dtype=tad.float32)
    assert (tad.sin(2.0) * x).dtype == tad.float32
    assert (tad.add(1, 2.5) * x).dtype == tad.float32
    assert (tad.asarray(2.0) * x).dtype == tad.float64


def test_a_number_that_does_not_fit_is_an_error() -> None:
    small = tad.asarray([1], dtype=tad.int8)
    with pytest.raises(tad.DTypeError, match="add: the number 300 does not fit dtype int8"):
        small + 300
    with pytest.raises(tad.DTypeError, match="multiply: the number .* does not fit dtype float64"):
        tad.asarray([1.0]) * 10**400


def test_a_number_too_large_for_a_float_is_infinite_without_warning() -> None:
    with np.errstate(all="warn"):
        assert (tad.asarray([1.0], dtype=tad.float32) * 1e300).tolist() == [math.inf]
        assert tad.add(np.float32(1.0), 1e300).item() == math.inf
    assert (tad.asarray([1.0], dtype=tad.float32) * 1e300).dtype == tad.float32


# --- powers --------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_integer_powers_keep_the_dtype_of_the_base(dtype: str) -> None:
    x = np.array([1, 2, 3], dtype)
    for n in (0, 1, 2, 3):
        same(tad.asarray(x) ** n, x**n)
    exponents = np.array([0, 1, 2], np.int64)
    expected = x ** exponents.astype(dtype) if dtype in FLOATS else x**exponents
    same(tad.pow(x, exponents), expected)


def test_negative_powers() -> None:
    same(tad.asarray([2.0, 4.0]) ** -1, np.array([0.5, 0.25]))
    same(tad.pow([2.0, 4.0], [-1, -2]), np.array([0.5, 0.0625]))
    for n in (-1, np.array([-1])):
        with pytest.raises(tad.DomainError, match="pow: integers"):
            tad.asarray([2, 3]) ** n


def test_a_shape_mistake_in_a_power_is_a_shape_error() -> None:
    for exponent in (np.ones(3), np.ones(3, int)):
        with pytest.raises(tad.ShapeError, match=r"pow: shapes \[2\] and \[3\]"):
            tad.ones(2) ** exponent


def test_an_integer_power_is_smooth_at_zero() -> None:
    def second(f: Callable[..., Any]) -> Any:
        return tad.grad(tad.grad(f))(0.0).item()

    assert second(lambda x: x**2) == 2.0
    assert second(lambda x: x ** tad.asarray(2)) == 2.0
    assert second(lambda x: x**3) == 0.0
    assert tad.grad(lambda x: x**1)(0.0).item() == 1.0
    assert tad.grad(lambda x: x**0)(0.0).item() == 0.0


# --- clip ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_clip(dtype: str) -> None:
    x = sample(dtype)
    low, high = np.array(1, dtype), np.array(3, dtype)
    same(tad.clip(x, low, high), np.clip(x, low, high))
    same(tad.clip(x, low), np.maximum(x, low))
    same(tad.clip(x, max=high), np.minimum(x, high))
    same(tad.clip(x, 1, 3), np.clip(x, low, high))
    same(tad.clip(x), x)


def test_clip_propagates_nan_and_broadcasts() -> None:
    assert np.isnan(tad.clip([1.0], math.nan, 2.0).item())
    assert np.isnan(tad.clip([1.0], 0.0, math.nan).item())
    assert tad.clip(np.ones(3), np.zeros((2, 1)), 5.0).shape == (2, 3)
    with pytest.raises(tad.ShapeError, match="clip"):
        tad.clip(np.ones(3), np.ones(2))


def test_the_derivative_of_clip_is_one_on_the_closed_interval() -> None:
    f = tad.grad(lambda x, a, b: tad.sum(tad.clip(x, a, b)), argnums=(0, 1, 2))
    dx, da, db = f(np.array([-1.0, 0.0, 0.5, 1.0, 2.0]), np.array(0.0), np.array(1.0))
    assert (dx.tolist(), da.item(), db.item()) == ([0.0, 1.0, 1.0, 1.0, 0.0], 1.0, 1.0)
    one_sided = tad.grad(lambda x: tad.sum(tad.clip(x, 0.0)))
    assert one_sided(np.array([-1.0, 0.0, 1.0])).tolist() == [0.0, 1.0, 1.0]


# --- sinc ----------------------------------------------------------------------------------------
def derivatives(f: Callable[..., Any], x: float, orders: int) -> list[float]:
    found = []
    for _ in range(orders):
        found.append(float(f(x)))
        f = tad.grad(f)
    return found


def test_every_derivative_of_sinc_at_zero() -> None:
    # sinc(x) is the sum of (-1)**k (pi x)**(2k) / (2k+1)!.
    expected = [0.0 if k % 2 else (-1) ** (k // 2) * math.pi**k / (k + 1) for k in range(7)]
    np.testing.assert_allclose(derivatives(tad.sinc, 0.0, 7), expected, rtol=1e-14)


@pytest.mark.parametrize("x", [1e-8, 1e-3, 0.3, 0.95, 0.96, 2.5, 40.25])
def test_derivatives_of_sinc(x: float) -> None:
    mpmath = pytest.importorskip("mpmath")
    with mpmath.workdps(60):
        expected = [float(mpmath.diff(lambda z: mpmath.sincpi(z), x, k)) for k in range(4)]
    np.testing.assert_allclose(derivatives(tad.sinc, x, 4), expected, rtol=1e-11)


# --- errors --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", [*BINARY, *BITWISE, *SHIFTS, "pow"])
def test_shapes_that_do_not_broadcast(name: str) -> None:
    dtype = int if name.startswith("bitwise") else float
    with pytest.raises(tad.ShapeError) as caught:
        getattr(tad, name)(np.ones((2, 3), dtype), np.ones((4,), dtype))
    assert str(caught.value).startswith(f"{name}: shapes [2, 3] and [4] do not broadcast (3 != 4)")
    assert "test_elementwise.py" in str(caught.value)


@pytest.mark.parametrize("name", [*BINARY, "pow"])
def test_messages_name_the_argument(name: str) -> None:
    for args, argument in ((("a", 1.0), "x1"), ((1.0, None), "x2"), ((tad.ones(1), {}), "x2")):
        with pytest.raises(tad.ArgumentError, match=f"{name}: {argument} is"):
            getattr(tad, name)(*args)


@pytest.mark.parametrize("name", [*BITWISE, *SHIFTS])
def test_bits_of_reals_are_refused(name: str) -> None:
    with pytest.raises(tad.DTypeError, match=f"{name}: .*float64.*integers"):
        getattr(tad, name)([1.0], [2])
    with pytest.raises(tad.DTypeError, match="bitwise_invert: .*float64"):
        tad.bitwise_invert([1.0])


REFUSED: list[tuple[Any, type[Exception], str]] = [
    (1j, tad.DTypeError, "complex"),
    ([1j], tad.DTypeError, "complex"),
    (np.ones(2, complex), tad.DTypeError, "complex"),
    (np.complex64(1), tad.DTypeError, "complex"),
    (np.array([object()]), tad.DTypeError, "object"),
    (np.array(["a"]), tad.DTypeError, "dtype"),
    (np.array(["2020-01-01"], "M8[D]"), tad.DTypeError, "dtype"),
    ("1.0", tad.ArgumentError, "a str"),
    (None, tad.ArgumentError, "None"),
    ({}, tad.ArgumentError, "a dict"),
    (math.sin, tad.ArgumentError, "builtin"),
    ([[1.0], [1.0, 2.0]], tad.ArgumentError, "ragged"),
    (np.ma.masked_array([1.0], [True]), tad.ArgumentError, "masked"),
]


@pytest.mark.parametrize(("value", "error", "says"), REFUSED)
def test_what_is_no_array_of_numbers_is_refused(
    value: Any, error: type[Exception], says: str
) -> None:
    for call in (
        lambda: tad.sin(value),
        lambda: tad.abs(value),
        lambda: tad.isnan(value),
        lambda: tad.add(value, 1.0),
        lambda: tad.hypot(tad.ones(2), value),
        lambda: tad.less(1, value),
        lambda: tad.asarray(value),
    ):
        with pytest.raises(error, match=says) as caught:
            call()
        assert isinstance(caught.value, tad.TaglessError)
        assert caught.value.site is not None and caught.value.site[0] == __file__


# --- the same under the interpreter of shapes ----------------------------------------------------
def unary_and_dtype() -> list[tuple[str, str]]:
    names = [*REAL_UNARY, *NUMERIC_UNARY, *PREDICATES, "logical_not", "clip", "conj", "imag"]
    return [(n, d) for n in names for d in ("bool", "int8", "float32")]


@pytest.mark.parametrize(("name", "dtype"), unary_and_dtype())
def test_shapes_and_dtypes_are_known_without_values(name: str, dtype: str) -> None:
    ops = Shape()
    symbolic = handle(ops, Aval((2, 3), np.dtype(dtype)), np.dtype(dtype))
    concrete = getattr(tad, name)(np.ones((2, 3), dtype))
    got = getattr(tad, name)(symbolic)
    assert (got.shape, got.dtype, type(got)) == (concrete.shape, concrete.dtype, type(concrete))


@given(st.sampled_from([*BINARY, "pow"]), st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_binary_shapes_and_dtypes_are_known_without_values(name: str, a: str, b: str) -> None:
    ops = Shape()
    x, y = np.ones((2, 1), a), np.ones(3, b)
    pair = [handle(ops, Aval(z.shape, z.dtype), z.dtype) for z in (x, y)]
    concrete, got = getattr(tad, name)(x, y), getattr(tad, name)(*pair)
    assert (got.shape, got.dtype, type(got)) == (concrete.shape, concrete.dtype, type(concrete))


# --- operators -----------------------------------------------------------------------------------
def test_operators_are_the_functions() -> None:
    a, b = np.array([5.0, -7.5, 2.0]), np.array([2.0, 2.0, -0.5])
    x, y = tad.asarray(a), tad.asarray(b)
    pairs: list[tuple[AnyTensor, np.ndarray[Any, Any]]] = [
        (x + b, a + b), (a - y, a - b), (x * y, a * b), (x / 2, a / 2), (2 / x, 2 / a),
        (x // y, a // b), (a % y, a % b), (x**2.0, a**2.0), (2.0**x, 2.0**a), (-x, -a), (+x, a),
        (abs(x), abs(a)), (x < y, a < b), (x >= 2, a >= 2), (x == y, a == b), (x != y, a != b),
        (divmod(x, y)[0], a // b), (round(x), np.rint(a)),
    ]  # fmt: skip
    for got, expected in pairs:
        same(got, expected)
    i, j = np.array([6, 3]), np.array([3, 1])
    for got, expected in [
        (tad.asarray(i) & j, i & j), (tad.asarray(i) | 1, i | 1), (2 ^ tad.asarray(j), 2 ^ j),
        (~tad.asarray(i), ~i), (tad.asarray(i) << 1, i << 1), (i >> tad.asarray(j), i >> j),
    ]:  # fmt: skip
        same(got, expected)


def test_the_real_parts_of_complex_numbers() -> None:
    x = tad.asarray([1.0, -0.0], dtype=tad.float32)
    same(tad.real(x), tad.to_numpy(x))
    same(tad.conj(x), tad.to_numpy(x))
    same(tad.imag(x), np.zeros(2, np.float32))
