"""Where the body of a loop writes: never into what is still read, or held by somebody else."""

from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.compiled.analysis import is_ufunc, last_uses, owned, slopes
from taglessad.compiled.buffers import Writes, reused, writes
from taglessad.graph import Graph
from tests.compiled.test_registers import PROGRAMS, X


def plan(graph: Graph, rows: dict[Any, str] | None = None) -> Writes:
    last, own = last_uses(graph), owned(graph, slopes(graph))
    fresh = {
        i
        for i, (prim, _, _, result) in enumerate(graph.steps())
        if is_ufunc(prim) and graph.avals[result].shape != ()
    }
    return writes(graph, last, own, fresh, rows or {}, "v")


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_array_is_written_to_when_nobody_reads_it(name: str) -> None:
    graph = tad.trace(PROGRAMS[name])(X)
    found, last = plan(graph), last_uses(graph)
    holder: dict[str, Any] = {}  # by array: the register it holds
    place: dict[Any, str] = {}
    for i, (_, operands, _, result) in enumerate(graph.steps()):
        for x in operands:
            assert x not in place or holder[place[x]] == x
        array = place.get(found.into[i]) if i in found.into else found.to.get(i)
        if array is None:
            continue
        assert result not in graph.outputs
        before = holder.get(array)
        if before is not None and i not in found.into:
            assert last[before] < i
        holder[array], place[result] = result, array
    assert set(found.kept) == set(found.to.values())


def test_registers_share_an_array_when_they_do_not_live_at_once() -> None:
    def program(x: Any) -> Any:
        total = tad.sum(tad.cos(tad.sin(x)))  # its operand is dead afterwards
        return tad.sum(tad.exp(x * total)) + tad.sum(x)

    found = plan(tad.trace(program)(X))
    assert found.kept == ["bv0"]
    assert list(found.to.values()) == ["bv0", "bv0"]


def test_an_output_is_written_to_its_row() -> None:
    graph = tad.trace(lambda x: (tad.sin(x), tad.cos(x) * 2.0, x))(X)
    first, second, third = graph.outputs
    found = plan(graph, {first: "r0", second: "r1", third: "r2"})
    names = {prim.name: found.to.get(i) for i, (prim, *_) in enumerate(graph.steps())}
    assert names["sin"] == "r0"
    assert names["cos"] == "r1"  # the product is written over it
    assert "r2" not in found.to.values()
    assert not found.kept


def test_only_what_dies_is_overwritten() -> None:
    graph = tad.trace(lambda x: tad.sin(x) + tad.cos(tad.sin(x)))(X)
    into = reused(graph, last_uses(graph), owned(graph, {}))
    prims = [prim.name for prim, *_ in graph.steps()]
    assert prims == ["sin", "cos", "add"]
    assert list(into) == [2]
    assert np.all([ref not in graph.inputs for ref in into.values()])
