"""Creation, dtype functions, broadcasting, constants and inspection, against NumPy."""

import ast
import inspect
import math
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import taglessad as tad
from taglessad.dims import Symbol, symbol
from taglessad.interpreters import Shape
from taglessad.levels import Under
from taglessad.primitive import Aval
from taglessad.tensor import AnyTensor, handle

INTS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
FLOATS = ["float16", "float32", "float64"]
DTYPES = ["bool", *INTS, *FLOATS]
SHAPES: list[Any] = [(), (0,), (3,), (2, 3), (2, 0, 4), 3, [2, 2], (np.int64(2), 1)]


def same(got: AnyTensor, expected: np.ndarray[Any, Any]) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    np.testing.assert_array_equal(tad.to_numpy(got), expected)


def kind(dtype: Any) -> type[AnyTensor]:
    return {"b": tad.BoolTensor, "f": tad.Tensor}.get(np.dtype(dtype).kind, tad.IntTensor)


# --- asarray -------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", DTYPES)
def test_an_array_keeps_its_dtype(dtype: str) -> None:
    x = np.array([[0, 1], [1, 1]], dtype)
    for made in (tad.asarray(x), tad.tensor(x), tad.asarray(x.tolist(), dtype=dtype)):
        same(made, x)
        assert type(made) is kind(dtype)
        assert not made.weak


@pytest.mark.parametrize(
    ("data", "dtype"),
    [
        (True, "bool"),
        (2, "int64"),
        (2.5, "float64"),
        ([True, False], "bool"),
        ([True, 2], "int64"),
        ([1, 2.5], "float64"),
        ([[1], [2]], "int64"),
        ([], "float64"),
        ((1, 2), "int64"),
        (range(3), "int64"),
        (np.float32(1.5), "float32"),
        ([2**63], "uint64"),
    ],
)
def test_the_dtype_of_python_numbers(data: Any, dtype: str) -> None:
    made = tad.asarray(data)
    assert made.dtype == dtype
    assert not made.weak
    np.testing.assert_array_equal(tad.to_numpy(made), np.asarray(data))


def test_a_handle_is_returned_as_it_is() -> None:
    x = tad.asarray([1.0])
    assert tad.asarray(x) is x
    assert tad.asarray(x, dtype=tad.float64, copy=False) is x
    assert tad.from_dlpack(x) is x
    assert tad.asarray(x, dtype=tad.float32).dtype == tad.float32


def test_handles_in_lists_are_stacked_and_keep_their_derivative() -> None:
    gradient = tad.grad(lambda a: tad.sum(tad.asarray([a, 2.0 * a, 3.0]) ** 2))
    assert gradient(1.5).item() == pytest.approx(2 * 1.5 + 8 * 1.5)


def test_later_changes_to_the_data_change_nothing() -> None:
    data = np.array([1.0, 2.0])
    made = [tad.asarray(data), tad.from_dlpack(data), tad.asarray(data[::-1])]
    data[:] = 0.0
    assert [m.tolist() for m in made] == [[1.0, 2.0], [1.0, 2.0], [2.0, 1.0]]


def test_what_numpy_reads_cannot_be_written() -> None:
    for made in (tad.asarray([1.0, 2.0]), tad.zeros((2, 2)), tad.full(3, 7.0), tad.eye(2)):
        for view in (np.asarray(made), tad.to_numpy(made)):
            with pytest.raises(ValueError, match="read-only"):
                view[...] = 1.0


def test_unusual_arrays() -> None:
    order = np.asfortranarray([[1.0, 2.0], [3.0, 4.0]])
    swapped = np.array([1.0, 2.0], ">f8")
    frozen = np.array([1.0, 2.0])
    frozen.flags.writeable = False
    same(tad.asarray(order), order)
    same(tad.asarray(swapped), np.array([1.0, 2.0]))
    assert tad.asarray(swapped).dtype.isnative
    same(tad.asarray(frozen), frozen)

    class Mine(np.ndarray[Any, Any]):
        pass

    same(tad.asarray(order.view(Mine)), order)


def test_copies_that_cannot_be_avoided() -> None:
    with pytest.raises(ValueError, match="asarray: .*copy=False"):
        tad.asarray(np.ones(2), copy=False)
    with pytest.raises(BufferError, match="from_dlpack: .*copy=False"):
        tad.from_dlpack(np.ones(2), copy=False)
    with pytest.raises(tad.ArgumentError, match="from_dlpack: x is a list"):
        tad.from_dlpack([1.0])


@pytest.mark.parametrize(
    ("data", "dtype", "says"),
    [
        (300, "int8", "the number 300 does not fit dtype int8"),
        (-1, "uint8", "the number -1 does not fit dtype uint8"),
        (math.nan, "int64", "the number nan does not fit dtype int64"),
        (math.inf, "int32", "the number inf does not fit dtype int32"),
        (2**64, None, "18446744073709551616 does not fit dtype int64"),
        ([300, 1], "int8", "asarray: obj has a number that does not fit"),
        ([math.nan], "int8", "asarray: obj has a number that does not fit"),
        ([1.0], "complex64", "complex"),
        ([1.0], "datetime64[s]", "datetime64"),
        ([1.0], "nothing", "'nothing' is not a dtype"),
    ],
)
def test_numbers_and_dtypes_that_are_refused(data: Any, dtype: Any, says: str) -> None:
    with pytest.raises(tad.DTypeError, match=says):
        tad.asarray(data, dtype=dtype)


@pytest.mark.parametrize("spec", [tad.float32, "float32", np.float32, np.dtype("f4")])
def test_ways_to_name_a_dtype(spec: Any) -> None:
    assert tad.zeros(1, dtype=spec).dtype == np.float32
    assert [tad.asarray([1], dtype=t).dtype for t in (bool, int, float)] == [
        "bool", "int64", "float64",
    ]  # fmt: skip


def test_only_the_cpu_is_known() -> None:
    assert tad.zeros(2, device="cpu").device == "cpu"
    for call in (
        lambda: tad.zeros(2, device="cuda"),
        lambda: tad.asarray([1.0], device="cuda"),
        lambda: tad.arange(2, device="cuda"),
        lambda: tad.linspace(0, 1, 2, device="cuda"),
        lambda: tad.astype(tad.ones(1), tad.float32, device="cuda"),
    ):
        with pytest.raises(tad.ArgumentError, match="device 'cuda' is not known"):
            call()


# --- one number everywhere -----------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [None, *DTYPES])
@pytest.mark.parametrize("shape", SHAPES)
def test_zeros_ones_full(shape: Any, dtype: Any) -> None:
    same(tad.zeros(shape, dtype=dtype), np.zeros(shape, dtype))
    same(tad.empty(shape, dtype=dtype), np.zeros(shape, dtype))
    same(tad.ones(shape, dtype=dtype), np.ones(shape, dtype))
    same(tad.full(shape, 1, dtype=dtype), np.full(shape, 1, dtype))
    same(tad.full(shape, True, dtype=dtype), np.full(shape, True, dtype))
    x = np.ones(shape, dtype)
    same(tad.zeros_like(x), np.zeros_like(x))
    same(tad.empty_like(x), np.zeros_like(x))
    same(tad.ones_like(x), x)
    same(tad.full_like(x, 1), x)
    same(tad.zeros_like(x, dtype=tad.int8), np.zeros_like(x, np.int8))


def test_full_takes_a_handle_and_its_derivative() -> None:
    f = tad.grad(lambda x: tad.sum(tad.full((2, 3), x)))
    assert f(2.0).item() == 6.0
    g = tad.grad(lambda x: tad.sum(tad.full_like(np.ones((2, 3)), x)))
    assert g(np.array([1.0, 2.0, 3.0])).tolist() == [2.0, 2.0, 2.0]
    same(tad.full(2, tad.asarray(3)), np.full(2, 3))
    same(tad.full(2, np.float32(3)), np.full(2, 3, np.float32))


def test_likes_stay_constants_inside_transforms() -> None:
    f = tad.grad(lambda x: tad.sum(x * tad.ones_like(x) + tad.zeros_like(x)))
    assert f(np.array([1.0, 2.0])).tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tad.zeros((2, -1)),
        lambda: tad.full((2, -1), 1.0),
        lambda: tad.eye(-1),
        lambda: tad.linspace(0, 1, -1),
    ],
)
def test_negative_sizes(call: Callable[[], Any]) -> None:
    with pytest.raises(tad.ShapeError, match="must not be negative"):
        call()


def test_wrong_sizes_and_values() -> None:
    with pytest.raises(tad.ArgumentError, match="zeros: a size must be an integer, got 2.5"):
        tad.zeros(2.5)  # type: ignore[arg-type]
    with pytest.raises(tad.DTypeError, match="full: the number 300 does not fit dtype int8"):
        tad.full(2, 300, dtype=tad.int8)
    with pytest.raises(tad.ShapeError, match="full"):
        tad.full(2, np.ones(3))


# --- patterns ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "args",
    [
        (5,), (0,), (-2,), (1, 5), (5, 1), (5, 1, -1), (0, 10, 3), (2.5,), (0, 1, 0.1),
        (1.0, 0.0, -0.25), (0, 5, 2.5), (np.int32(4),), (np.float32(2.5),), (10, 0, 3),
        (2**40, 2**40 + 3),
    ],
)  # fmt: skip
def test_arange(args: tuple[Any, ...]) -> None:
    plain = [a.item() if isinstance(a, np.generic) else a for a in args]
    same(tad.arange(*args), np.arange(*plain))
    same(tad.arange(*args, dtype=tad.float32), np.arange(*plain).astype(np.float32))


def test_arange_refuses() -> None:
    with pytest.raises(tad.DomainError, match="arange: step is 0"):
        tad.arange(0, 3, 0)
    with pytest.raises(tad.ConcretizationError):
        tad.grad(lambda x: tad.sum(tad.arange(x)))(2.0)
    with pytest.raises(tad.ArgumentError, match="item: shape"):
        tad.arange(tad.asarray([1, 2]))


@given(
    st.integers(-50, 50) | st.floats(-1e6, 1e6, allow_subnormal=False),
    st.integers(-50, 50) | st.floats(-1e6, 1e6, allow_subnormal=False),
    st.integers(0, 20),
    st.booleans(),
)
def test_linspace(start: float, stop: float, num: int, endpoint: bool) -> None:
    expected = np.linspace(start, stop, num, endpoint=endpoint)
    same(tad.linspace(start, stop, num, endpoint=endpoint), expected)
    single = tad.linspace(start, stop, num, dtype=tad.float32, endpoint=endpoint)
    same(single, expected.astype(np.float32))
    from_handles = tad.linspace(tad.asarray(start), stop, num, endpoint=endpoint)
    close = 1e-15 * max(abs(start), abs(stop), 1.0)
    np.testing.assert_allclose(tad.to_numpy(from_handles), expected, rtol=1e-15, atol=4 * close)


def test_the_derivative_of_linspace_and_its_exact_ends() -> None:
    jacobian = tad.jacfwd(lambda a, b: tad.linspace(a, b, 5), argnums=(0, 1))
    da, db = jacobian(2.0, 3.0)
    assert (da.tolist(), db.tolist()) == ([1, 0.75, 0.5, 0.25, 0], [0, 0.25, 0.5, 0.75, 1])
    ends = tad.linspace(tad.asarray(0.1), tad.asarray(0.7), 4)
    assert (ends[0].item(), ends[3].item()) == (0.1, 0.7)
    with pytest.raises(tad.ShapeError, match=r"linspace: .*\[2\]"):
        tad.linspace(tad.ones(2), 1.0, 3)


@pytest.mark.parametrize("k", [-(2**70), -4, -1, 0, 1, 2, 5, 2**70])
@pytest.mark.parametrize("sizes", [(0,), (1,), (3,), (2, 3), (3, 2), (0, 2), (2, 0)])
def test_eye(sizes: tuple[int, ...], k: int) -> None:
    near = max(-5, min(k, 5))
    same(tad.eye(*sizes, k=k), np.eye(*sizes, k=near))
    same(tad.eye(*sizes, k=k, dtype=tad.int8), np.eye(*sizes, k=near, dtype=np.int8))


@pytest.mark.parametrize("k", [-(2**70), -3, -1, 0, 1, 4, 2**70])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3), (3, 2), (2, 2, 3), (0, 2), (2, 0)])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32"])
def test_triangles(shape: tuple[int, ...], k: int, dtype: str) -> None:
    x = (np.arange(math.prod(shape)) + 1).reshape(shape).astype(dtype)
    near = max(-5, min(k, 5))
    same(tad.tril(x, k=k), np.tril(x, near))
    same(tad.triu(x, k), np.triu(x, near))


def test_triangles_need_a_matrix() -> None:
    with pytest.raises(tad.ShapeError, match=r"tril: shape \[3\] has no matrix"):
        tad.tril(np.ones(3))


@given(st.lists(st.integers(0, 3), min_size=0, max_size=4), st.sampled_from(["xy", "ij"]))
def test_meshgrid(lengths: list[int], indexing: Any) -> None:
    axes = [np.arange(float(n)) for n in lengths]
    expected = np.meshgrid(*axes, indexing=indexing)
    got = tad.meshgrid(*axes, indexing=indexing)
    assert len(got) == len(expected)
    for g, e in zip(got, expected, strict=True):
        same(g, e)


def test_meshgrid_refuses() -> None:
    with pytest.raises(tad.ArgumentError, match="indexing is 'xy' or 'ij', not 'yx'"):
        tad.meshgrid([1.0], indexing="yx")  # type: ignore[arg-type]
    with pytest.raises(tad.ShapeError, match=r"argument 1 has shape \[2, 2\]"):
        tad.meshgrid([1.0], np.ones((2, 2)))
    x, y = tad.meshgrid(2.0, np.array([1, 2]))
    assert (x.shape, y.shape, x.dtype, y.dtype) == ((2, 1), (2, 1), tad.float64, tad.int64)


# --- broadcasting --------------------------------------------------------------------------------
@given(npst.mutually_broadcastable_shapes(num_shapes=3, max_dims=4, max_side=3))
def test_broadcast_arrays(shapes: npst.BroadcastableShapes) -> None:
    arrays = [np.arange(math.prod(s)).reshape(s) for s in shapes.input_shapes]
    for got, expected in zip(
        tad.broadcast_arrays(*arrays), np.broadcast_arrays(*arrays), strict=True
    ):
        same(got, expected)
    same(
        tad.broadcast_to(arrays[0], shapes.result_shape),
        np.broadcast_to(arrays[0], shapes.result_shape),
    )


def test_broadcasting_that_fails() -> None:
    with pytest.raises(tad.ShapeError, match=r"broadcast_to: shape \[3\] .* \[2\] \(3 != 2\)"):
        tad.broadcast_to(np.ones(3), (2,))
    with pytest.raises(tad.ShapeError, match=r"broadcast_arrays: shapes \[2\] and \[3\]"):
        tad.broadcast_arrays(np.ones(2), np.ones(3))
    assert tad.broadcast_arrays() == []
    assert tad.broadcast_to(2, 3).dtype == tad.int64


# --- dtypes --------------------------------------------------------------------------------------
@pytest.mark.parametrize("b", DTYPES)
@pytest.mark.parametrize("a", DTYPES)
def test_promotion_is_one_table(a: str, b: str) -> None:
    expected = np.promote_types(a, b)
    if (a in FLOATS) != (b in FLOATS):  # the float wins and keeps its precision
        expected = np.dtype(a if a in FLOATS else b)
    assert tad.result_type(a, b) == expected
    assert tad.result_type(np.ones(1, a), tad.ones(1, b)) == expected
    assert tad.can_cast(a, b) == (expected == b)
    if "float16" in (a, b):
        return
    own, other = getattr(strict, a), getattr(strict, b)
    try:
        by_strict = strict.result_type(own, other)
    except TypeError:
        return
    assert by_strict == getattr(strict, str(expected))
    assert strict.can_cast(own, other) == tad.can_cast(a, b)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 2, 2.5])
def test_numbers_in_result_type_are_weak(dtype: str, number: float) -> None:
    kinds = {"b": 0, "i": 1, "u": 1, "f": 2}
    weaker = {bool: 0, int: 1, float: 2}[type(number)] <= kinds[np.dtype(dtype).kind]
    expected = dtype if weaker else {bool: "bool", int: "int64", float: "float64"}[type(number)]
    assert tad.result_type(number, dtype) == expected
    assert tad.result_type(tad.ones(1, dtype), number) == expected


def test_result_type_refuses() -> None:
    with pytest.raises(tad.ArgumentError, match="result_type: give at least one"):
        tad.result_type()
    with pytest.raises(tad.DTypeError, match="result_type"):
        tad.result_type("nothing")


@pytest.mark.parametrize("target", DTYPES)
@pytest.mark.parametrize("source", DTYPES)
def test_astype(source: str, target: str) -> None:
    x = np.array([0, 1, 2, 3], source)
    got = tad.astype(tad.asarray(x), target)
    same(got, x.astype(target))
    assert type(got) is kind(target)
    if source != target:
        same(tad.asarray(x).astype(target, copy=False), x.astype(target))


def test_derivatives_pass_through_real_dtypes_only() -> None:
    narrow = tad.grad(lambda x: tad.sum(tad.astype(x, tad.float32) ** 2))
    assert narrow(np.array([1.0, 2.0])).tolist() == [2.0, 4.0]
    stepped = tad.grad(lambda x: tad.sum(tad.astype(tad.astype(x, tad.int64), tad.float64) * x))
    assert stepped(np.array([1.5, 2.5])).tolist() == [1.0, 2.0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_isdtype(dtype: str) -> None:
    kinds = {
        "bool": dtype == "bool",
        "signed integer": dtype.startswith("int"),
        "unsigned integer": dtype.startswith("uint"),
        "integral": "int" in dtype,
        "real floating": dtype in FLOATS,
        "complex floating": False,
        "numeric": dtype != "bool",
    }
    for name, expected in kinds.items():
        assert tad.isdtype(np.dtype(dtype), name) is expected
    assert tad.isdtype(dtype, ("bool", "integral")) is (dtype not in FLOATS)
    assert tad.isdtype(dtype, tad.float32) is (dtype == "float32")
    with pytest.raises(tad.ArgumentError, match="isdtype: 'real' is no kind"):
        tad.isdtype(dtype, "real")


@pytest.mark.parametrize("dtype", [*INTS, *FLOATS])
def test_limits(dtype: str) -> None:
    if dtype in INTS:
        mine, whole = tad.iinfo(dtype), np.iinfo(dtype)
        assert (mine.bits, mine.min, mine.max, mine.dtype) == (
            whole.bits, whole.min, whole.max, np.dtype(dtype),
        )  # fmt: skip
        with pytest.raises(tad.DTypeError, match="finfo"):
            tad.finfo(dtype)
        return
    info, numpy = tad.finfo(np.ones(1, dtype)), np.finfo(dtype)
    for name in ("bits", "eps", "max", "min", "smallest_normal"):
        value = getattr(info, name)
        assert value == getattr(numpy, name)
        assert type(value) is (int if name == "bits" else float)
    with pytest.raises(tad.DTypeError, match="iinfo"):
        tad.iinfo(dtype)


# --- under the interpreter of shapes -------------------------------------------------------------
def test_patterns_of_what_has_only_a_shape() -> None:
    x = handle(Shape(), Aval((2, 3), np.dtype("float32")), np.dtype("float32"))
    for made in (tad.zeros_like(x), tad.full_like(x, 2.0), tad.tril(x), tad.triu(x, 1)):
        assert (made.shape, made.dtype) == ((2, 3), tad.float32)
        assert isinstance(made.ops, Shape)


def test_sizes_may_be_symbols() -> None:
    n = symbol(Symbol("n", "N"))
    ops = Shape()
    with Under(ops):
        assert tad.zeros((n, 2)).shape == (n, 2)
        assert tad.full(n, True).dtype == tad.bool
        assert tad.eye(n).shape == (n, n)
        assert tad.broadcast_to(tad.ones(2), (n, 2)).shape == (n, 2)
        with pytest.raises(tad.ConcretizationError, match="eye: the size N is a symbol"):
            tad.eye(n, 3)


# --- the namespace -------------------------------------------------------------------------------
def test_constants() -> None:
    assert (tad.e, tad.pi, tad.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(tad.nan)
    assert tad.newaxis is None
    assert all(type(c) is float for c in (tad.e, tad.pi, tad.inf, tad.nan))


def test_inspection() -> None:
    info = tad.__array_namespace_info__()
    assert tad.__array_api_version__ == "2024.12"
    assert info.default_device() in info.devices()
    assert info.default_dtypes()["real floating"] == tad.asarray(1.0).dtype
    assert info.default_dtypes()["integral"] == tad.asarray(1).dtype
    assert set(info.dtypes()) == {*DTYPES} - {"float16"}
    assert set(info.dtypes(kind="integral")) == set(INTS)
    assert set(info.dtypes(kind=("bool", "real floating"))) == {"bool", "float32", "float64"}
    assert info.capabilities()["max dimensions"] == 64
    with pytest.raises(tad.ArgumentError, match="device"):
        info.dtypes(device="cuda")


def test_the_namespace_only_re_exports() -> None:
    tree = ast.parse(inspect.getsource(tad))
    docstring, *rest = tree.body
    assert isinstance(docstring, ast.Expr)
    code = [node for node in rest if not isinstance(node, (ast.Import, ast.ImportFrom))]
    registration, lazy = code
    assert ast.unparse(registration) == "_Namespace.functions = _sys.modules[__name__]"
    assert isinstance(lazy, ast.If) and ast.unparse(lazy.test) == "_typing.TYPE_CHECKING"
    assert [type(node) for node in lazy.body] == [ast.ImportFrom, ast.AnnAssign]
    (found,) = lazy.orelse
    assert isinstance(found, ast.FunctionDef) and found.name == "__getattr__"


def test_the_checks_are_there_when_asked_for() -> None:
    from taglessad import proofs_checks

    assert tad.checks is proofs_checks
    with pytest.raises(AttributeError, match="no_such_name"):
        tad.no_such_name  # noqa: B018


# Not of the version of the standard that is followed here.
LATER = {"broadcast_shapes", "isin"}
STANDARD = [
    name
    for name in sorted(set(strict.__all__) - LATER)
    if inspect.isfunction(getattr(strict, name)) and not name.endswith("_flags")
]


@pytest.mark.parametrize("name", STANDARD)
def test_every_function_of_the_standard_takes_its_arguments(name: str) -> None:
    standard = inspect.signature(getattr(strict, name)).parameters.values()
    own = inspect.signature(getattr(tad, name)).parameters
    positional = [p for p in standard if p.kind is not inspect.Parameter.KEYWORD_ONLY]
    assert [p.name for p in own.values()][: len(positional)] == [p.name for p in positional]
    for parameter in standard:
        mine = own[parameter.name]
        if parameter.default in (None, True, False, 0, 1, -1, "xy"):  # not a mark of its own
            assert mine.default == parameter.default
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            assert mine.kind is not inspect.Parameter.POSITIONAL_ONLY
        else:
            assert mine.kind is parameter.kind


def test_handles_know_the_namespace() -> None:
    assert tad.ones(1).__array_namespace__() is tad
    assert tad.ones(1).__array_namespace__(api_version="2024.12") is tad


def test_the_import_brings_neither_jax_nor_scipy() -> None:
    code = "import sys, taglessad; print({'jax', 'scipy', 'mypy'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert answer.stdout.strip() == "set()"
