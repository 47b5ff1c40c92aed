"""write_views, and where it finds arguments."""

import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError
from taglessad.view.files import example, sample, write_views

ALL = {
    *("graph.txt", "graph.dot", "graph.svg", "graph.html", "reverse.txt", "reverse.html"),
    *("reverse-tape.svg", "reverse-gradients.svg", "reverse-trace.svg"),
}
GRAPH = {"graph.txt", "graph.dot", "graph.svg", "graph.html"}


def energy(w: tad.Tensor, x: tad.Tensor) -> tad.Tensor:
    return tad.sum(w * x)


def counted(labels: tad.IntTensor) -> tad.IntTensor:
    return labels + labels


def outer(x: tad.Tensor) -> dict[str, Any]:
    return {"twice": x * 2.0, "above": x > 0}


EXAMPLES = {"energy": (np.ones((2, 3)), np.arange(3.0)), "counted": lambda: np.array([1, 2])}


def test_all_views_are_written(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    files = write_views(energy, [sample("2,3"), sample("3")], folder)
    assert {file.name for file in files} == ALL
    assert {file for file in folder.iterdir()} == set(files)
    for file in files:
        if file.suffix == ".svg":
            ElementTree.fromstring(file.read_text(encoding="utf-8"))
    assert (folder / "graph.txt").read_text(encoding="utf-8").endswith("return %3\n")
    text = (folder / "reverse.txt").read_text(encoding="utf-8")
    assert "gradient of w (%0)" in text and "gradient of x (%1)" in text
    assert (folder / "graph.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_writing_twice_gives_the_same_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_views(energy, None, tmp_path / name)
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()


def test_without_real_arguments_only_the_graph_is_written(tmp_path: Path) -> None:
    assert {file.name for file in write_views(counted, None, tmp_path)} == GRAPH
    assert {f.name for f in write_views(lambda x: x > 0.0, [sample("3")], tmp_path)} == GRAPH


def test_results_that_are_no_scalars_start_with_ones(tmp_path: Path) -> None:
    write_views(outer, [sample("2")], tmp_path)
    text = (tmp_path / "reverse.txt").read_text(encoding="utf-8")
    assert ": [1, 1]" in text and "gradient of x (%0): [2, 2]" in text


def test_the_functions_own_example_comes_first() -> None:
    def mine(x: tad.Tensor) -> tad.Tensor:
        return x

    mine.example = lambda: (1.0,)  # type: ignore[attr-defined]
    assert example(mine) == (1.0,)
    mine.example = lambda: 2.0  # type: ignore[attr-defined]
    assert example(mine) == (2.0,)


def test_examples_of_the_module() -> None:
    assert example(energy) is EXAMPLES["energy"]
    (labels,) = example(counted)
    assert labels.tolist() == [1, 2]


def test_a_missing_example_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bare", ModuleType("bare"))

    def lonely(x: tad.Tensor) -> tad.Tensor:
        return x

    lonely.__module__ = "bare"
    with pytest.raises(ArgumentError, match="view: lonely has no example arguments: give shapes"):
        example(lonely)
    with pytest.raises(ArgumentError, match="no example"):
        write_views(lonely, None, "unused")


@pytest.mark.parametrize(
    ("spec", "shape", "dtype"),
    [
        ("3,2", (3, 2), "float64"),
        ("4", (4,), "float64"),
        ("()", (), "float64"),
        ("(2, 3)", (2, 3), "float64"),
        ("5,:float32", (5,), "float32"),
        ("0,2", (0, 2), "float64"),
        ("6:int64", (6,), "int64"),
        ("3:bool", (3,), "bool"),
    ],
)
def test_samples(spec: str, shape: tuple[int, ...], dtype: str) -> None:
    array = sample(spec)
    assert array.shape == shape and array.dtype == np.dtype(dtype)
    np.testing.assert_array_equal(array, sample(spec))


def test_real_samples_differ_and_lie_inside_the_unit_interval() -> None:
    values = sample("8,8")
    assert np.unique(values).size == 64
    assert np.abs(values).max() < 1 and values.min() < -0.5 and values.max() > 0.5


def test_other_samples_alternate() -> None:
    assert sample("4:int32").tolist() == [0, 1, 0, 1]
    assert sample("3:bool").tolist() == [False, True, False]


@pytest.mark.parametrize("spec", ["", "x", "3,-1", "2x3", "1.5"])
def test_what_is_no_shape_is_an_error(spec: str) -> None:
    with pytest.raises(ArgumentError, match="is no shape"):
        sample(spec)


def test_an_unknown_dtype_is_an_error() -> None:
    with pytest.raises((ArgumentError, DTypeError)):
        sample("3:float99")
