"""The reverse pass over a graph whose values are known, kept in all its parts for a reader.

The arithmetic is the tape's: slots' pull rules, and `taglessad.masks` for structural zeros, sums
and broadcast axes. This loop forgets nothing, and it follows the flow up to where it ends: what
stands behind a detach gets its cotangent too, which the tape, for whom it is a constant, saves.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from taglessad.dtypes import is_real
from taglessad.graph import Graph, Ref
from taglessad.interpreters.eager import EAGER
from taglessad.kernels.quiet import Quiet
from taglessad.masks import fit, settle, through, total
from taglessad.primitive import PART, PrimN
from taglessad.view.values import Array

DETACH: Final = "detach"


class Contribution(NamedTuple):
    """What the pull rule of register `source` gave to the operand in one position."""

    source: Ref
    position: int
    target: Ref
    value: Array


class Visit(NamedTuple):
    """One step of the reverse pass: the cotangent that had arrived, and what it was pulled to."""

    ref: Ref
    cotangent: Array
    contributions: tuple[Contribution, ...]


class Cut(NamedTuple):
    """A real operand of `source` that depends on the inputs and gets nothing: `prim` has no rule."""

    source: Ref
    position: int
    target: Ref
    prim: str


class Backward(NamedTuple):
    """A reverse pass. Registers absent from `cotangents` got none.

    arrived: by register, the contributions to it in the order in which they came.
    dependent: registers whose value depends on the differentiated inputs in any way.
    """

    seeds: Mapping[Ref, Array]
    visits: Sequence[Visit]
    cotangents: Mapping[Ref, Array]
    arrived: Mapping[Ref, Sequence[Contribution]]
    cuts: Sequence[Cut]
    dependent: frozenset[Ref]

    def parts(self, ref: Ref) -> int:
        """How many cotangents were added up in a register: contributions, and the seed if any."""
        return len(self.arrived.get(ref, ())) + (ref in self.seeds)

    def silence(self, ref: Ref) -> str:
        """Why a register got no cotangent; "" where it got one."""
        if ref in self.cotangents:
            return ""
        return "no path from the result" if ref in self.dependent else "constant"


class Pass(NamedTuple):
    """A function's run at a point and its reverse pass.

    values: by register. names: of inputs. wanted: the inputs that are differentiated.
    """

    function: str
    graph: Graph
    values: Sequence[Array]
    names: Mapping[Ref, str]
    wanted: Sequence[Ref]
    back: Backward

    def gradient(self, ref: Ref) -> Array:
        """The gradient of an input: zeros where no cotangent arrived."""
        arrived = self.back.cotangents.get(ref)
        return np.zeros_like(self.values[ref]) if arrived is None else arrived


def backward(
    graph: Graph, values: Sequence[Array], inputs: Sequence[Ref], seeds: Sequence[tuple[Ref, Array]]
) -> Backward:
    """Pull cotangents of the outputs back to `inputs`; a register given two seeds gets their sum."""
    dependent, cuts = _flow(graph, inputs)
    kernels = EAGER.trusted()
    # Any: arrays, some of them Masked.
    cotangents: dict[Ref, Any] = {}

    def arrive(ref: Ref, d: Any) -> None:
        before = cotangents.get(ref)
        cotangents[ref] = d if before is None else total(kernels, before, d)

    visits: list[Visit] = []
    with Quiet():
        for ref, seed in seeds:
            if ref in dependent:
                arrive(ref, seed)
        given = {ref: np.array(d) for ref, d in cotangents.items()}
        for prim, operands, params, result in reversed(list(graph.steps())):
            g = cotangents.get(result)
            if g is None:
                continue
            xs = tuple([values[x] for x in operands])
            pulled: list[Contribution] = []
            if prim is PART:
                several = cotangents.setdefault(operands[0], [None] * len(values[operands[0]]))
                several[params[0]] = settle(kernels, g)
                continue
            if isinstance(prim, PrimN):
                wanted = tuple(x in dependent and is_real(graph.avals[x].dtype) for x in operands)
                found = prim.pull(kernels, g, values[result], xs, params, wanted)
                for k, (x, d) in enumerate(zip(operands, found, strict=True)):
                    if wanted[k] and d is not None:
                        arrive(x, d)
                        pulled.append(Contribution(result, k, x, np.array(d)))
                del cotangents[result]
                visits.append(Visit(result, np.array(0.0), tuple(pulled)))
                continue
            for k, x in enumerate(operands):
                if x in dependent and prim.slots[k] is not None and is_real(values[x].dtype):
                    d = through(kernels, prim, k, False, g, values[result], xs, params)
                    d = fit(kernels, d, values[x].shape)
                    arrive(x, d)
                    pulled.append(Contribution(result, k, x, np.array(settle(kernels, d))))
            visits.append(Visit(result, np.array(settle(kernels, g)), tuple(pulled)))
        totals = {ref: np.array(settle(kernels, d)) for ref, d in cotangents.items()}
    arrived: dict[Ref, list[Contribution]] = {}
    for c in (c for visit in visits for c in visit.contributions):
        arrived.setdefault(c.target, []).append(c)
    return Backward(given, visits, totals, arrived, cuts, dependent)


def _flow(graph: Graph, inputs: Sequence[Ref]) -> tuple[frozenset[Ref], list[Cut]]:
    dependent, cuts = set(inputs), list[Cut]()
    for prim, operands, _, result in graph.steps():
        for k, x in enumerate(operands):
            if x in dependent:
                dependent.add(result)
                if prim is PART or isinstance(prim, PrimN):
                    continue
                if prim.slots[k] is None and is_real(graph.avals[x].dtype):
                    cuts.append(Cut(result, k, x, prim.name))
    return frozenset(dependent), cuts
