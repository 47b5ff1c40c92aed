"""grad and value_and_grad: arguments, results, their order, dtypes, and the path that ran."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, ConcretizationError, DTypeError, ShapeError

X = np.array([0.5, -1.2])


def mean_square(x: Any) -> Any:
    return tad.mean(x**2)


def product(a: Any, b: Any) -> Any:
    return a * b * b


# --- which argument ---------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("argnums", "expected"),
    [(None, 9.0), (0, 9.0), (1, 12.0), (-1, 12.0), (-2, 9.0), (np.int64(1), 12.0)],
)
def test_argnums_is_an_int(argnums: Any, expected: float) -> None:
    assert float(tad.grad(product, argnums)(2.0, 3.0)) == expected


@pytest.mark.parametrize(
    ("argnums", "expected"),
    [((0, 1), (9.0, 12.0)), ((1, 0), (12.0, 9.0)), ([0, 1], (9.0, 12.0)), ((-1,), (12.0,))],
)
def test_argnums_is_a_tuple_and_so_is_the_gradient(argnums: Any, expected: Any) -> None:
    gradient = tad.grad(product, argnums=argnums)(2.0, 3.0)
    assert isinstance(gradient, tuple)
    assert tuple(map(float, gradient)) == expected


def test_a_differentiated_argument_passed_by_keyword() -> None:
    assert float(tad.grad(product, argnums=1)(2.0, b=3.0)) == 12.0
    assert float(tad.grad(product, argnums=-1)(2.0, b=3.0)) == 12.0
    assert float(tad.grad(product)(b=3.0, a=2.0)) == 9.0
    assert tuple(map(float, tad.grad(product, (0, 1))(b=3.0, a=2.0))) == (9.0, 12.0)
    # Of a transformed function the parameters are still f's own.
    assert float(tad.grad(tad.jit(product), argnums=1)(2.0, b=3.0)) == 12.0
    assert float(tad.grad(tad.grad(product), argnums=1)(2.0, b=3.0)) == 6.0


def test_other_keywords_are_constants() -> None:
    f = lambda x, *, scale, mode="sum": scale * (tad.sum(x) if mode == "sum" else tad.prod(x))
    np.testing.assert_array_equal(tad.grad(f)(X, scale=3.0), [3.0, 3.0])
    np.testing.assert_allclose(tad.grad(f)(X, scale=2, mode="prod"), [-2.4, 1.0], rtol=1e-15)


@pytest.mark.parametrize("argnums", [2, -3, (0, 2)])
def test_an_argnum_past_the_end_lists_what_exists(argnums: Any) -> None:
    with pytest.raises(ArgumentError, match=r"grad: argnums names argument -?\d.*: 0, 1"):
        tad.grad(product, argnums=argnums)(2.0, 3.0)


@pytest.mark.parametrize("argnums", [(0, 0), (1, -1)])
def test_an_argument_named_twice(argnums: Any) -> None:
    with pytest.raises(ArgumentError, match="twice"):
        tad.grad(product, argnums=argnums)(2.0, 3.0)


@pytest.mark.parametrize("argnums", [True, 1.0, "a", (0, "b")])
def test_argnums_of_another_kind(argnums: Any) -> None:
    with pytest.raises(ArgumentError, match="argnums"):
        tad.grad(product, argnums=argnums)(2.0, 3.0)


def test_what_is_differentiated_is_a_function() -> None:
    with pytest.raises(ArgumentError, match="grad: f is a float"):
        tad.grad(3.0)


# --- value, has_aux and their order -------------------------------------------------------------
def test_value_puts_the_gradient_first() -> None:
    gradient, value = tad.grad(mean_square, value=True)(X)
    np.testing.assert_array_equal(gradient, X)
    assert float(value) == 0.845


def test_value_and_grad_puts_the_value_first() -> None:
    value, gradient = tad.value_and_grad(mean_square)(X)
    assert float(value) == 0.845
    np.testing.assert_array_equal(gradient, X)


def with_aux(x: Any) -> Any:
    return mean_square(x), {"twice": 2.0 * x, "label": "kept", "none": None}


def check_aux(aux: Any) -> None:
    assert (aux["label"], aux["none"]) == ("kept", None)
    np.testing.assert_array_equal(aux["twice"], 2.0 * X)
    aux["twice"] + 1.0  # a value of the level outside: it lives on


def test_has_aux_orders() -> None:
    gradient, aux = tad.grad(with_aux, has_aux=True)(X)
    np.testing.assert_array_equal(gradient, X)
    check_aux(aux)
    gradient, (value, aux) = tad.grad(with_aux, value=True, has_aux=True)(X)
    np.testing.assert_array_equal(gradient, X)
    assert float(value) == 0.845
    check_aux(aux)
    (value, aux), gradient = tad.value_and_grad(with_aux, has_aux=True)(X)
    np.testing.assert_array_equal(gradient, X)
    assert float(value) == 0.845
    check_aux(aux)


def test_aux_of_an_inner_gradient_is_differentiated_outside() -> None:
    def outer(x: Any) -> Any:
        _, aux = tad.grad(lambda y: (y * x, y * x * x), has_aux=True)(3.0)
        return aux  # 3 x**2

    assert float(tad.grad(outer)(2.0)) == 12.0


@pytest.mark.parametrize("transform", [tad.grad, tad.value_and_grad])
@pytest.mark.parametrize("result", ["number", "three", "list"])
def test_has_aux_asks_for_a_pair(transform: Any, result: str) -> None:
    makers = {"number": lambda y: y, "three": lambda y: (y, y, y), "list": lambda y: [y, y]}
    with pytest.raises(ArgumentError, match="has_aux=True f returns a pair"):
        transform(lambda x: makers[result](mean_square(x)), has_aux=True)(X)


# --- dtypes and shapes ----------------------------------------------------------------------------
FLOATS = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("b_dtype", FLOATS)
@pytest.mark.parametrize("a_dtype", FLOATS)
def test_a_gradient_has_its_inputs_dtype(a_dtype: Any, b_dtype: Any) -> None:
    a, b = np.array([1.0, 2.0, 4.0], a_dtype), np.array(0.5, b_dtype)
    value, (da, db) = tad.value_and_grad(lambda a, b: tad.sum(a * a * b), (0, 1))(a, b)
    assert value.dtype == np.result_type(a, b)
    assert (da.dtype, da.shape, db.dtype, db.shape) == (a_dtype, (3,), b_dtype, ())
    np.testing.assert_array_equal(da, a)
    assert float(db) == 21.0


def test_a_python_number_gives_way_to_the_dtype_it_meets() -> None:
    x = np.array([1.0, 2.0], np.float32)
    dx, ds = tad.grad(lambda x, s: tad.sum(x * s), (0, 1))(x, 3.0)
    assert dx.dtype == np.float32
    assert (ds.dtype, ds.weak, ds.shape) == (np.float64, True, ())
    assert (ds * x).dtype == np.float32


def test_a_python_int_differentiated_is_a_weak_float() -> None:
    value, gradient = tad.value_and_grad(lambda x: x**3)(2)
    assert (float(value), float(gradient)) == (8.0, 12.0)
    assert gradient.weak and gradient.dtype == np.float64
    assert float(tad.grad(lambda x: 1 / x)(2)) == -0.25


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2, 0, 3), (2, 1, 2)])
def test_a_gradient_has_its_inputs_shape(shape: tuple[int, ...]) -> None:
    x = np.full(shape, 3.0)
    gradient = tad.grad(lambda x: tad.sum(x * x))(x)
    assert gradient.shape == shape
    np.testing.assert_array_equal(gradient, 2.0 * x)


def test_an_unused_input_has_zeros_of_its_own() -> None:
    b = np.ones((2, 0, 3), np.float32)
    c = np.ones((2, 3), np.float16)
    _, db, dc = tad.grad(lambda a, b, c: tad.sum(a), (0, 1, 2))(X, b, c)
    assert (db.shape, db.dtype, dc.shape, dc.dtype) == ((2, 0, 3), np.float32, (2, 3), np.float16)
    np.testing.assert_array_equal(dc, np.zeros((2, 3)))
    g = tad.grad(lambda x: 3.0)(X)
    np.testing.assert_array_equal(g, [0.0, 0.0])


def test_an_argument_used_twice_and_a_result_that_is_an_input() -> None:
    assert float(tad.grad(lambda a, b: a)(2.0, 3.0)) == 1.0
    assert float(tad.grad(lambda a, b: a, argnums=1)(2.0, 3.0)) == 0.0
    x = tad.asarray(X)
    da, db = tad.grad(lambda a, b: tad.sum(a * b), (0, 1))(x, x)
    np.testing.assert_array_equal(da, X)
    np.testing.assert_array_equal(db, X)


# --- refusals -------------------------------------------------------------------------------------
@pytest.mark.parametrize("argument", [np.arange(3), [True], True, np.array(2, np.uint8)])
def test_integers_and_truth_values_carry_no_derivative(argument: Any) -> None:
    with pytest.raises(DTypeError, match="grad: argument 0 .*only real numbers"):
        tad.grad(lambda x: tad.sum(x[0] if isinstance(x, list) else x))(argument)


@pytest.mark.parametrize("transform", [tad.grad, tad.value_and_grad])
def test_an_integer_result_has_no_gradient(transform: Any) -> None:
    with pytest.raises(DTypeError, match=rf"{transform.__name__}: f returned dtype int64"):
        transform(lambda x: tad.argmax(x))(X)


@pytest.mark.parametrize("transform", [tad.grad, tad.value_and_grad])
def test_a_result_that_is_no_scalar_names_its_shape(transform: Any) -> None:
    with pytest.raises(ShapeError, match=rf"{transform.__name__}: .*scalar.*\[\].*shape \[2\]"):
        transform(lambda x: x**2)(X)


@pytest.mark.parametrize("result", [lambda y: (y, y), lambda y: [y], lambda y: None])
def test_a_tree_is_no_scalar(result: Any) -> None:
    with pytest.raises(ArgumentError, match="grad: f must return one real number"):
        tad.grad(lambda x: result(mean_square(x)))(X)


# --- a gradient is a value ------------------------------------------------------------------------
def test_the_same_query_twice_gives_the_same_answer() -> None:
    gradient = tad.grad(mean_square)
    np.testing.assert_array_equal(gradient(X), X)
    np.testing.assert_array_equal(gradient(X), X)


def test_no_input_changes_and_no_memory_is_shared() -> None:
    x = np.array([1.0, 2.0])
    gradient = tad.grad(lambda x: tad.sum(x * x) / 2)(x)
    assert not np.shares_memory(np.asarray(gradient), x)
    np.testing.assert_array_equal(x, [1.0, 2.0])
    x[:] = -1.0
    np.testing.assert_array_equal(gradient, [1.0, 2.0])


@pytest.mark.parametrize("order", [1, 2, 3, 4, 5])
def test_gradients_of_gradients(order: int) -> None:
    f = lambda x: x**5
    falling = 1.0
    for k in range(order):
        f = tad.grad(f)
        falling *= 5 - k
    assert float(f(2.0)) == falling * 2.0 ** (5 - order)


def test_names_and_documentation_follow_the_function() -> None:
    def loss(x: Any) -> Any:
        """What is minimised."""
        return x

    assert tad.grad(loss).__name__ == "grad(loss)"
    assert tad.grad(loss).__doc__ == "What is minimised."


# --- tape=True: the path that ran -----------------------------------------------------------------
def pieces(x: Any) -> Any:
    if x > 1.0:
        return x * x
    return -x if x < 0.0 else 3.0 * x


def until_hundred(x: Any) -> Any:
    y = x
    while y < 100.0:
        y = y * x
    return y


@pytest.mark.parametrize(
    ("x", "expected"), [(2.0, 4.0), (-1.0, -1.0), (0.5, 3.0), (1.0, 3.0), (0.0, 3.0)]
)
def test_tape_follows_an_if(x: float, expected: float) -> None:
    assert float(tad.grad(pieces, tape=True)(x)) == expected
    value, gradient = tad.value_and_grad(pieces, tape=True)(x)
    assert float(gradient) == expected
    assert float(value) == float(pieces(tad.asarray(x)))


def test_tape_follows_a_while() -> None:
    # 3**5 is the first power of 3 past 100
    assert float(tad.grad(until_hundred, tape=True)(3.0)) == 5 * 3.0**4
    assert float(tad.grad(until_hundred, tape=True)(10.0)) == 2 * 10.0  # 100 < 100 is false


def test_tape_at_every_order() -> None:
    twice = tad.grad(tad.grad(until_hundred, tape=True), tape=True)
    assert float(twice(3.0)) == 20 * 3.0**3
    thrice = tad.grad(twice, tape=True)
    assert float(thrice(3.0)) == 60 * 3.0**2


def test_tape_sees_values_that_other_arguments_and_constants_have() -> None:
    def f(x: Any, n: Any) -> Any:
        y = x
        for _ in range(int(n)):
            y = y * x
        return y if float(y) > 0.0 and n.item() > 0 else -y

    assert float(tad.grad(f, tape=True)(2.0, tad.asarray(3))) == 4 * 2.0**3


def test_without_tape_a_value_cannot_be_looked_at() -> None:
    for transform in (tad.grad, tad.value_and_grad, tad.jacfwd, tad.jacrev, tad.hessian):
        with pytest.raises(ConcretizationError, match=r"tad\.where.*tape=True"):
            transform(until_hundred)(3.0)
    # Where an outer level may not look, the inner one's tape does not help.
    with pytest.raises(ConcretizationError):
        tad.grad(tad.grad(until_hundred, tape=True))(3.0)
    with pytest.raises(ConcretizationError):
        tad.jit(tad.grad(until_hundred, tape=True))(3.0)
    with pytest.raises(ConcretizationError):
        tad.vmap(tad.grad(until_hundred, tape=True))(X)


def test_an_error_in_the_program_leaves_nothing_behind() -> None:
    def broken(x: Any) -> Any:
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        tad.grad(broken)(1.0)
    assert float(tad.grad(lambda x: x * x)(3.0)) == 6.0
