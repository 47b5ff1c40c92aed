"""What is no array of numbers: texts, None, complex, objects, ragged lists, masks, odd dtypes."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError
from tests.misuse.misuse import Misuse, check, each, misuse, misuse_with

V = tad.asarray([1.0, 2.0, 3.0])
MASKED = np.ma.array([1.0, 2.0, 3.0], mask=[True, False, False])

# name: (what is handed in, its error, what the message says of it)
THINGS: dict[str, tuple[Any, type[tad.TaglessError], str]] = {
    "text": ("abc", ArgumentError, "a str"),
    "bytes": (b"abc", ArgumentError, "a bytes"),
    "None": (None, ArgumentError, "None"),
    "dict": ({"a": 1.0}, ArgumentError, "a dict"),
    "set": ({1.0}, ArgumentError, "a set"),
    "function": (len, ArgumentError, "a builtin_function_or_method"),
    "ragged list": ([1.0, [2.0, 3.0]], ArgumentError, "ragged"),
    "ragged rows": ([[1.0], [2.0, 3.0]], ArgumentError, "ragged"),
    "masked array": (MASKED, ArgumentError, "masked array"),
    "complex": (1 + 2j, DTypeError, "complex"),
    "complex list": ([1j], DTypeError, "complex"),
    "complex array": (np.ones(2, complex), DTypeError, "complex"),
    "object array": (np.array([1.0, "a"], dtype=object), DTypeError, "object array"),
    "list with None": ([1.0, None], DTypeError, "object array"),
    "object": (object(), DTypeError, "object array"),
    "list of texts": (["a"], DTypeError, "<U1"),
    "dates": (np.array(["2020-01-01"], "M8[D]"), DTypeError, "datetime64"),
    "records": (np.zeros(2, [("a", float)]), DTypeError, "('a', '<f8')"),
}
# public function: (its call with one argument, how messages name that argument)
FUNCTIONS: dict[str, tuple[Any, str]] = {
    "asarray": (lambda x: tad.asarray(x), "asarray: obj"),
    "sin": (lambda x: tad.sin(x), "sin: x"),
    "add": (lambda x: tad.add(V, x), "add: x2"),
    "where": (lambda x: tad.where(True, V, x), "where: x2"),
    "sum": (lambda x: tad.sum(x), "sum: x"),
    "matmul": (lambda x: tad.matmul(V, x), "matmul: x2"),
    "concat": (lambda x: tad.concat([V, x]), "concat: array 1"),
    "einsum": (lambda x: tad.einsum("i,i->", V, x), "einsum: operand 1"),
    "softmax": (lambda x: tad.special.softmax(x), "softmax: x"),
}


NO_ARRAYS = {
    f"{name} of {thing}": misuse_with(call, value, error, says, described)
    for name, (call, says) in FUNCTIONS.items()
    for thing, (value, error, described) in THINGS.items()
}
TRANSFORMS = {
    f"{name} at {thing}": misuse_with(
        run, THINGS[thing][0], THINGS[thing][1], f"{name}: argument", THINGS[thing][2]
    )
    for name, run in {
        "grad": lambda x: tad.grad(lambda y: y)(x),
        "jacfwd": lambda x: tad.jacfwd(lambda y: y)(x),
        "jvp": lambda x: tad.jvp(lambda y: y, (x,), (x,)),
        "vjp": lambda x: tad.vjp(lambda y: y, x),
        "vmap": lambda x: tad.vmap(lambda y: y)(x),
        "jit": lambda x: tad.jit(lambda y: y)(x),
        "trace": lambda x: tad.trace(lambda y: y)(x),
    }.items()
    for thing in ("complex", "complex array", "object array", "masked array", "object")
}
NUMBERS = {
    "int that fits nothing": misuse(
        lambda: tad.asarray(10**30), DTypeError, "asarray", "10000", "int64"
    ),
    "int that does not fit int8": misuse(
        lambda: tad.asarray(300, dtype=tad.int8), DTypeError, "asarray", "300", "int8"
    ),
    "list that does not fit int8": misuse(
        lambda: tad.asarray([300], dtype=tad.int8), DTypeError, "asarray: obj", "int8"
    ),
    "int that does not fit the operand": misuse(
        lambda: tad.add(tad.asarray([1], dtype=tad.int8), 300), DTypeError, "add", "300", "int8"
    ),
    "complex operand": misuse(lambda: V + 1j, DTypeError, "add: x2 is complex", "two arrays"),
    "complex left operand": misuse(lambda: 1j * V, DTypeError, "multiply: x1 is complex"),
    "object operand": misuse(
        lambda: V + np.array([None] * 3), DTypeError, "add: x2", "object array"
    ),
    "complex array operand": misuse(
        lambda: np.ones(3, complex) * V, DTypeError, "multiply: x1", "complex"
    ),
    "masked operand": misuse(lambda: V * MASKED, ArgumentError, "multiply: x2 is a masked array"),
    "generator": misuse(
        lambda: tad.asarray(x for x in [1.0]), DTypeError, "asarray: obj", "a generator"
    ),
    "Spec as a number": misuse(lambda: tad.sin(tad.Spec(())), DTypeError, "sin: x is a Spec"),
    "what exports nothing": misuse(
        lambda: tad.from_dlpack(3), ArgumentError, "from_dlpack: x is an int", "tad.asarray"
    ),
}  # fmt: skip
DTYPES = {
    "unknown name": misuse(
        lambda: tad.asarray(1.0, dtype="float99"), DTypeError, "asarray: 'float99'", "float64"
    ),
    "unknown name of astype": misuse(
        lambda: V.astype("int99"), DTypeError, "astype: 'int99' is not a dtype", "int64"
    ),
    "unknown name of zeros": misuse(
        lambda: tad.zeros(3, dtype="real"), DTypeError, "zeros: 'real' is not a dtype"
    ),
    "number": misuse(lambda: tad.asarray(1.0, dtype=3), DTypeError, "asarray: 3 is not a dtype"),
    "None of astype": misuse(lambda: tad.astype(V, None), DTypeError, "astype: dtype is None"),
    "complex": misuse(
        lambda: V.astype(complex),
        DTypeError, "astype: complex numbers (complex128)",
    ),
    "complex name": misuse(
        lambda: V.astype("complex64"), DTypeError, "astype: complex numbers (complex64)"
    ),
    "complex of ones": misuse(
        lambda: tad.ones(3, dtype="complex128"), DTypeError, "ones: complex numbers"
    ),
    "complex of sum": misuse(
        lambda: tad.sum(V, dtype="complex64"), DTypeError, "sum: complex numbers"
    ),
    "object": misuse(lambda: tad.asarray(1.0, dtype=object), DTypeError, "asarray", "object array"),
    "text": misuse(lambda: tad.asarray(1.0, dtype=str), DTypeError, "asarray: dtype <U0"),
    "longdouble": misuse(
        lambda: tad.asarray(1.0, dtype=np.longdouble), DTypeError, "asarray: dtype", "not supported"
    ),
    "complex of Spec": misuse(
        lambda: tad.Spec((2,), "complex64"), DTypeError, "Spec: complex numbers"
    ),
    "complex of Eager": misuse(
        lambda: tad.interpreters.Eager(dtype="complex64"), DTypeError, "Eager: complex numbers"
    ),
    "integer of Eager": misuse(
        lambda: tad.interpreters.Eager(dtype=int), DTypeError, "Eager: dtype int64", "real"
    ),
    "integer of finfo": misuse(lambda: tad.finfo(tad.int32), DTypeError, "finfo: int32", "iinfo"),
    "real of iinfo": misuse(lambda: tad.iinfo(tad.float32), DTypeError, "iinfo: float32", "finfo"),
    "unknown kind": misuse(
        lambda: tad.isdtype(tad.float32, "flaot"),
        ArgumentError, "isdtype: 'flaot'", "real floating",
    ),
    "nothing to promote": misuse(
        lambda: tad.result_type(),
        ArgumentError, "result_type", "at least",
    ),
}  # fmt: skip
LOSSES = {
    "real labels": misuse(
        lambda: tad.nn.functional.cross_entropy([[1.0, 2.0]], [0.5]),
        DTypeError, "cross_entropy: labels", "float64", "integers",
    ),
    "a label that is no class": misuse(
        lambda: tad.nn.functional.cross_entropy([[1.0, 2.0]], [2]),
        IndexOutOfRange, "cross_entropy: label 2", "2 classes", "0 to 1",
    ),
    "a negative label": misuse(
        lambda: tad.nn.functional.cross_entropy([[1.0, 2.0]], [-1]),
        IndexOutOfRange, "cross_entropy: label -1", "2 classes",
    ),
    "too many labels": misuse(
        lambda: tad.nn.functional.cross_entropy([[1.0, 2.0]], [0, 1]),
        ShapeError, "cross_entropy: logits [1, 2] and labels [2]",
    ),
    "mse of two shapes": misuse(
        lambda: tad.nn.functional.mse(V, [1.0]), ShapeError, "mse: prediction [3] and target [1]"
    ),
    "a negative number of classes": misuse(
        lambda: tad.nn.functional.one_hot([0], -1), ArgumentError, "one_hot: num_classes is -1"
    ),
}  # fmt: skip


@each({f"dtype: {k}": v for k, v in DTYPES.items()} | NUMBERS | LOSSES | NO_ARRAYS | TRANSFORMS)
def test_misuse(row: Misuse) -> None:
    check(row)


def test_operators_follow_pythons_protocol_with_what_is_no_number() -> None:
    for operation in (lambda: V + "a", lambda: "a" + V, lambda: V @ None, lambda: V < "a"):
        with pytest.raises(TypeError):
            operation()
    assert (V == "a") is False and (V != None) is True  # noqa: E711


def test_a_masked_logit_of_another_class_costs_nothing() -> None:
    loss = lambda z: tad.sum(tad.nn.functional.cross_entropy(z, [1, 1]))
    z = np.array([[-np.inf, 2.0], [0.0, 0.0]])
    assert float(loss(z)) == pytest.approx(np.log(2.0), rel=1e-15)
    np.testing.assert_allclose(tad.grad(loss)(z), [[0.0, 0.0], [0.5, -0.5]], rtol=1e-15)
