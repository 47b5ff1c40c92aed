"""The text form of graphs, and of the arrays and parameters in it."""

import os
import subprocess
import sys
from enum import Enum

import numpy as np
import pytest

import taglessad as tad
import taglessad.view  # registers how graphs show themselves
from taglessad.graph import Graph
from taglessad.primitive import Aval, Prim
from taglessad.shapes import symbols
from taglessad.transforms.recording import Spec, trace
from taglessad.view.text import parameter_text
from taglessad.view.values import literal, norm, value_lines, value_text


def affine_loss(w: tad.Tensor, x: tad.Tensor) -> tad.Tensor:
    d = tad.sum(w * x, axis=1) - tad.asarray([0.7, 0.1, -0.5])
    return tad.sum(d * d) / 3.0


GOLDEN = """\
%0: float64[3, 2] = input
%1: float64[2] = input
%2: float64[3, 2] = mul %0 %1
%3: float64[3] = sum %2 axes=(1,)
%5: float64[3] = sub %3 [0.7, 0.1, -0.5]
%6: float64[3] = mul %5 %5
%7: float64[] = sum %6 axes=(0,)
%9: float64[] = div %7 3.0
return %9"""


def test_a_graph_prints_one_line_a_node() -> None:
    graph = trace(affine_loss)(Spec((3, 2)), Spec((2,)))
    assert str(graph) == GOLDEN


def test_the_text_is_the_same_in_another_process() -> None:
    program = (
        "import taglessad as tad, taglessad.view\n"
        "from taglessad.transforms.recording import Spec, trace\n"
        "def f(w, x):\n"
        "    d = tad.sum(w * x, axis=1) - tad.asarray([0.7, 0.1, -0.5])\n"
        "    return tad.sum(d * d) / 3.0\n"
        "print(trace(f)(Spec((3, 2)), Spec((2,))))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        check=True,
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "7"},
        cwd=os.path.dirname(os.path.dirname(os.path.dirname(__file__))),
    )
    assert run.stdout.rstrip("\n") == GOLDEN


def test_large_constants_stand_on_their_own_line_abbreviated() -> None:
    table = np.arange(20.0).reshape(4, 5)
    text = str(trace(lambda x: x + tad.asarray(table))(Spec((4, 5))))
    expected = f"%1: float64[4, 5] = constant [4, 5] norm {np.linalg.norm(table):.6g}"
    assert expected in text.splitlines()


def test_symbolic_sizes_and_several_outputs() -> None:
    (n,) = symbols("n")
    graph = trace(lambda x, y: (y, x * 2.0, 1.0))(Spec((n, 3)), Spec((), tad.float32))
    assert str(graph).splitlines() == [
        "%0: float64[n, 3] = input",
        "%1: float32[] = input",
        "%3: float64[n, 3] = mul %0 2.0",
        "%4: float64[] = constant 1",
        "return %1, %3, %4",
    ]


def test_a_graph_without_outputs() -> None:
    assert str(trace(lambda x: None)(1.0)) == "%0: float64[] = input\nreturn"


def test_a_graph_among_the_parameters_follows_its_node() -> None:
    body = trace(lambda x: tad.exp(x))(Spec(()))
    graph = Graph()
    x = graph.add_input(Aval((), np.dtype(np.float64)))
    loop = Prim("loop", lambda x, *_: x, (None,), "general")
    y = graph.add_node((loop, (x,), (3, body)), graph.avals[x], None)
    graph.finish([y], [])
    assert str(graph).splitlines() == [
        "%0: float64[] = input",
        "%1: float64[] = loop %0 3 <graph, 1 operations>",
        "    body:",
        "        %0: float64[] = input",
        "        %1: float64[] = exp %0",
        "        return %1",
        "return %1",
    ]


class Side(Enum):
    LEFT = "left"


class Opaque:
    pass


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ((), "()"),
        ((1,), "(1,)"),
        ((True, None, 2.5), "(True, None, 2.5)"),
        ("ij,jk->ik", "'ij,jk->ik'"),
        (np.dtype(np.float32), "float32"),
        (np.float64(0.5), "0.5"),
        (Side.LEFT, "LEFT"),
        (affine_loss, "<affine_loss>"),
        (Opaque(), "<Opaque>"),  # and no address
    ],
)
def test_parameters(value: object, text: str) -> None:
    assert parameter_text(value) == text


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.float64(1 / 3), "0.333333"),
        (np.array([0.5, -1.2]), "[0.5, -1.2]"),
        (np.array([[1, 2], [3, 4]]), "[[1, 2], [3, 4]]"),
        (np.array([True, False]), "[True, False]"),
        (np.array([-0.0, np.nan, -np.inf]), "[-0, nan, -inf]"),
        (np.zeros((0, 3)), "[0, 3] empty"),
        (np.full((3, 4), 2.0), "[3, 4] norm 6.9282"),
        (np.ones((2, 2, 2)), "[2, 2, 2] norm 2.82843"),
        (np.arange(10), "[10] 0 to 9"),
        (np.arange(10) > 6, "[10] 3 of 10 true"),
    ],
)
def test_arrays(array: np.ndarray, text: str) -> None:
    assert value_text(np.asarray(array)) == text


def test_a_matrix_has_a_line_for_each_row() -> None:
    assert value_lines(np.eye(2)) == ("[[1, 0],", " [0, 1]]")


def test_lines_that_are_too_wide_are_summed_up() -> None:
    array = np.array([1 / 3, 2 / 3, 4 / 3])
    assert value_lines(array, 40) == ("[0.333333, 0.666667, 1.33333]",)
    assert value_lines(array, 20) == ("[3] norm 1.52753",)


def test_the_norm_neither_overflows_nor_underflows() -> None:
    assert norm(np.full(4, 1e300)) == 2e300
    assert norm(np.full(4, 1e-300)) == 2e-300
    assert norm(np.full(4, 30000.0, np.float16)) == 60000.0
    assert norm(np.array([1.0, np.inf])) == np.inf
    assert np.isnan(norm(np.array([1.0, np.nan])))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_literals_read_back_as_the_same_numbers(dtype: str) -> None:
    values = np.array([0.1, 1 / 3, -2.0], dtype)
    read = [np.dtype(dtype).type(part) for part in literal(values).strip("[]").split(", ")]
    assert read == list(values)


def test_the_module_is_registered() -> None:
    assert taglessad.view.forms.to_text(trace(affine_loss)(Spec((3, 2)), Spec((2,)))) == GOLDEN
