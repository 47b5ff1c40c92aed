"""repr and str of handles."""

import numpy as np
import pytest

import taglessad as tad
from taglessad.interpreters import Eager, Record, Shape
from taglessad.primitive import Aval
from taglessad.tensor import AnyTensor, handle


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        (tad.asarray([1.0, 2.0]), "Tensor([1., 2.], shape=[2], float64, Eager)"),
        (tad.asarray(2.5), "Tensor(2.5, shape=[], float64, Eager)"),
        (tad.asarray([1, 2]), "IntTensor([1, 2], shape=[2], int64, Eager)"),
        (tad.asarray(True), "BoolTensor(True, shape=[], bool, Eager)"),
        (tad.zeros((0, 3)), "Tensor([], shape=[0, 3], float64, Eager)"),
        (
            tad.asarray([[1.0, 2.0], [3.0, 4.5]], dtype=tad.float32),
            "Tensor([[1. , 2. ],\n        [3. , 4.5]], shape=[2, 2], float32, Eager)",
        ),
    ],
)
def test_repr_of_values(x: AnyTensor, expected: str) -> None:
    assert repr(x) == expected


def test_str_is_numpys_text() -> None:
    for value in (np.array([[1.0, 2.5]]), np.array(2.0), np.array([True]), np.arange(3)):
        assert str(tad.asarray(value)) == str(value)
        assert f"{tad.asarray(value)}" == str(value)
    assert f"{tad.asarray(2.0):.3f}" == "2.000"


def test_long_arrays_are_shortened_as_numpys() -> None:
    assert "..." in repr(tad.zeros(10_000))
    with np.printoptions(precision=2):
        assert repr(tad.asarray([1.23456])).startswith("Tensor([1.23]")


def test_the_interpreter_is_told() -> None:
    ops = Eager(np.dtype("float32"))
    x = handle(ops, ops.const(np.array([1.0])), np.dtype("float32"))
    assert repr(x) == "Tensor([1.], shape=[1], float32, Eager(float32))"


def test_traced_handles_print_without_values() -> None:
    seen: list[str] = []

    def f(x: tad.Tensor) -> tad.Tensor:
        y = x * 2.0
        seen.extend([repr(y), str(y), f"{y}", repr(y < 1.0)])
        return tad.sum(y)

    tad.grad(f)(np.ones(2))
    text = "Tensor(<Tape(Eager)>, shape=[2], float64)"
    assert seen == [text, text, text, "BoolTensor(<Tape(Eager)>, shape=[2], bool)"]
    seen.clear()
    tad.vmap(tad.grad(f))(np.ones((3, 2)))
    assert seen[0] == "Tensor(<Tape(Batch(Eager))>, shape=[2], float64)"


def test_shapes_print_their_symbols() -> None:
    x = handle(Shape(), Aval((2, 3), np.dtype("float32")), np.dtype("float32"))
    assert repr(x) == "Tensor(<Shape>, shape=[2, 3], float32)"


def test_printing_records_nothing() -> None:
    record = Record(tad.zeros(1).ops)
    x = handle(record, record.input(Aval((2,), np.dtype("float64"))), np.dtype("float64"))
    assert repr(x) == "Tensor(<Record(Eager)>, shape=[2], float64)"
    assert str(x) == repr(x)
    graph, _ = record.finish([x.payload])
    assert len(graph) == 0


def test_a_dead_handle_prints() -> None:
    kept: list[tad.Tensor] = []

    def f(x: tad.Tensor) -> tad.Tensor:
        kept.append(x)
        return x * x

    tad.grad(f)(2.0)
    assert repr(kept[0]) == "Tensor(<Tape(Eager), which has ended>)"
    assert str(kept[0]) == repr(kept[0])
