"""An operation of ours as one of JAX's: what its transforms make of it, by our own rules.

JAX has no reverse mode through a loop of unknown length, and none of its transforms knows what runs
on the host, or a rule that a user gave. Under JAX's tracers such an operation becomes one equation,
with the graph that says what it means; tangents, transposes and batches are made of the graph, so
they are such equations again, to any order.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from taglessad.errors import ArgumentError
from taglessad.graph import Derivations, Graph
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.xla.varying import alike
from taglessad.xla.width import wide

# Any: arrays and tracers; JAX leaves the types of its own parts open.
Which = tuple[bool, ...]


class Linear(NamedTuple):
    """A derivative of a graph, as a linear map of what follows the graph's inputs.

    Forward, of tangents of the `given` inputs to those of the `wanted` outputs; back, of cotangents
    of the `given` outputs to those of the `wanted` inputs.
    """

    graph: Graph
    given: Which
    wanted: Which
    back: bool

    def apply(self, ops: Ops[Any], *xs: Any) -> list[Any]:
        """The map at the values of the inputs, which come first."""
        derived, graph = Derivations.made, self.graph
        n = len(graph.inputs)
        if self.back:
            _, found = derived.pull(ops, graph, xs[:n], xs[n:], self.given, self.wanted)
        else:
            found = derived.pushed(graph, self.given, self.wanted).run(ops, xs)
            found = found[len(graph.outputs) :]
        results: list[Any] = found
        return results

    def whole(self) -> Graph:
        """The map and its place as one graph, to be differentiated again."""
        derived, graph = Derivations.made, self.graph
        if self.back:
            made: Graph = derived.pulled(graph, self.given, self.wanted)
            return made
        tangents: Graph = derived.tangents(graph, self.given, self.wanted)
        return tangents

    def avals(self) -> list[Aval]:
        """Of all operands: the graph's inputs, then tangents or cotangents."""
        derived, graph = Derivations.made, self.graph
        inputs: list[Aval] = derived.inputs(graph)
        sides = derived.outputs(graph) if self.back else inputs
        return [*inputs, *derived.only(sides, self.given)]

    def results(self) -> list[Aval]:
        """Of all results."""
        derived, graph = Derivations.made, self.graph
        sides = derived.inputs(graph) if self.back else derived.outputs(graph)
        own: list[Aval] = derived.only(sides, self.wanted)
        return own

    def members(self, mapped: Which) -> Which:
        """Which operands have the batch axis when these have: every tangent and cotangent, and the
        inputs that those belong to."""
        n = len(self.graph.inputs)
        sides = self.wanted if self.back else self.given
        own = tuple(m or s for m, s in zip(mapped[:n], sides, strict=True))
        return (*own, *(True,) * len(mapped[n:]))

    def transposed(self, known: Which, alive: Which) -> "Linear":
        """The transpose, for the operands that are not `known` and the results that are `alive`."""
        placed = Derivations.made.placed
        free = placed(tuple(not k for k in known), self.given)
        return Linear(self.graph, placed(alive, self.wanted), free, not self.back)


class Operation(NamedTuple):
    """What one equation does.

    source: the meaning of the first operands to the first results, of which derivatives are taken;
    other operands follow from those (states that a loop has left). direct: the same on arrays, as
    it is run. leaves: there are other results, which follow from the operands too.
    """

    ops: Ops[Any]
    source: Graph | Linear
    direct: Callable[..., Sequence[Any]]
    leaves: bool = False

    @property
    def graph(self) -> Graph:
        """The meaning as a graph."""
        return self.source.whole() if isinstance(self.source, Linear) else self.source

    def results(self) -> list[Aval]:
        """Of the results that the meaning has."""
        if isinstance(self.source, Linear):
            return self.source.results()
        outputs: list[Aval] = Derivations.made.outputs(self.source)
        return outputs

    def avals(self) -> list[Aval]:
        """Of the operands that the meaning is of."""
        if isinstance(self.source, Linear):
            return self.source.avals()
        inputs: list[Aval] = Derivations.made.inputs(self.source)
        return inputs

    def batched(self, size: int, mapped: Which) -> tuple["Operation", Which]:
        """The meaning on a batch, and which operands it takes with the batch axis."""
        linear = self.source if isinstance(self.source, Linear) else None
        own = mapped if linear is None else linear.members(mapped)
        graph = self.source if isinstance(self.source, Graph) else self.source.graph
        results = (True,) * len(graph.outputs)
        many, _ = Derivations.made.batched(graph, size, own[: len(graph.inputs)], results)
        source = many if linear is None else linear._replace(graph=many)
        return operation_of(self.ops, source), own


def operation_of(ops: Ops[Any], source: Graph | Linear) -> Operation:
    """A meaning that is run as it is written."""
    if isinstance(source, Linear):
        return Operation(ops, source, lambda *xs: source.apply(ops, *xs))
    return Operation(ops, source, lambda *xs: source.run(ops, xs))


# Any: JAX leaves these untyped.
EQUATION: Final[Any] = Primitive("taglessad")
_spec: Any = jax.ShapeDtypeStruct
_zeros_for: Any = ad.instantiate_zeros
_is_unknown: Any = ad.is_undefined_primal

EQUATION.multiple_results = True


def bind(operation: Operation, operands: Sequence[Any]) -> list[Any]:
    """The results; one equation where an operand is traced."""
    found: list[Any] = EQUATION.bind(*alike(_arrays(operation, operands)), operation=operation)
    return found


def _arrays(operation: Operation, operands: Sequence[Any]) -> list[Any]:
    """JAX hands numbers on as they were written; the meaning knows their dtype."""
    avals = operation.avals()
    own = [
        x if hasattr(x, "shape") else np.asarray(x, a.dtype)
        for x, a in zip(operands, avals, strict=False)
    ]
    return [*own, *operands[len(avals) :]]


@wide
def _run(*xs: Any, operation: Operation) -> list[Any]:
    return [jnp.asarray(y) for y in operation.direct(*xs)]


@wide
def _infer(*avals: Any, operation: Operation) -> Any:
    def results(*xs: Any) -> list[Any]:
        if operation.leaves:
            return _run(*xs, operation=operation)
        return alike([jnp.zeros(a.shape, a.dtype) for a in operation.results()], *xs)

    return jax.make_jaxpr(results)(*avals).out_avals


def _nothing(y: Any) -> Any:
    return ad.Zero(jax.typeof(y).to_tangent_aval())


@wide
def _jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, operation: Operation
) -> tuple[list[Any], list[Any]]:
    derived, (ops, source, _, _) = Derivations.made, operation
    ys = bind(operation, primals)
    n = len(operation.avals())
    given = tuple(_moves(t) for t in tangents[:n])
    if isinstance(source, Linear) and not any(given[: len(source.graph.inputs)]):
        fixed = len(source.graph.inputs)
        return ys, bind(operation, [*primals[:fixed], *map(_zeros_for, tangents[fixed:])])
    graph = operation.graph
    real = derived.real(derived.outputs(graph))
    pushed = operation_of(ops, Linear(graph, given, real, back=False))
    found = bind(pushed, [*primals[:n], *derived.only(tangents[:n], given)])
    own = [
        _nothing(y) if t is None else t
        for y, t in zip(ys, derived.spread(found, real), strict=False)
    ]
    return ys, [*own, *map(_nothing, ys[len(own) :])]


def _moves(tangent: Any) -> bool:
    return type(tangent) is not ad.Zero and jax.typeof(tangent).dtype != jax.dtypes.float0


@wide
def _transpose(cotangents: Sequence[Any], *operands: Any, operation: Operation) -> list[Any]:
    ops, linear, _, _ = operation
    if not isinstance(linear, Linear):
        raise ArgumentError(
            "jax.linear_transpose of a function of this library: whether it is linear is not "
            "known; take its derivative, jax.vjp or tad.vjp, which for a linear one is the transpose"
        )
    n = len(linear.graph.inputs)
    known = tuple(not _is_unknown(x) for x in operands[n:])
    alive = tuple(type(c) is not ad.Zero for c in cotangents)
    back = operation_of(ops, linear.transposed(known, alive))
    found = iter(bind(back, [*operands[:n], *Derivations.made.only(cotangents, alive)]))
    return [*[None] * n, *(None if k else next(found) for k in known)]


@wide
def _batch(
    operands: Sequence[Any], axes: Sequence[int | None], *, operation: Operation
) -> tuple[list[Any], list[int | None]]:
    operands = _arrays(operation, operands)
    size = next(x.shape[a] for x, a in zip(operands, axes, strict=True) if a is not None)
    mapped = tuple(a is not None for a in axes[: len(operation.avals())])
    many, own = operation.batched(size, mapped)
    xs = [_leading(x, a, size, m) for x, a, m in zip(operands, axes, own, strict=False)]
    found = bind(many, xs)
    rest: list[Any] = []
    if operation.leaves:  # of no use: what takes them is mapped too, and derived from its meaning
        members = _members(operands, axes)
        avals = jax.eval_shape(lambda *xs: _run(*xs, operation=operation), *members)
        rest = [jnp.zeros(a.shape, a.dtype) for a in avals[len(found) :]]
    return [*found, *rest], [*[0] * len(found), *[None] * len(rest)]


def _leading(x: Any, axis: int | None, size: int, whole: bool) -> Any:
    """With the batch axis in front, if it has one or is to have one."""
    if axis is not None:
        return jnp.moveaxis(x, axis, 0)
    return jnp.broadcast_to(x, (size, *x.shape)) if whole else x


def _members(operands: Sequence[Any], axes: Sequence[int | None]) -> list[Any]:
    """Shapes and dtypes of one member's operands."""
    shapes = [
        x.shape if a is None else (*x.shape[:a], *x.shape[a + 1 :])
        for x, a in zip(operands, axes, strict=True)
    ]
    return [_spec(s, x.dtype) for s, x in zip(shapes, operands, strict=True)]


ad.primitive_jvps[EQUATION] = _jvp
ad.primitive_transposes[EQUATION] = _transpose
batching.primitive_batchers[EQUATION] = _batch
EQUATION.def_impl(_run)
EQUATION.def_abstract_eval(_infer)
mlir.register_lowering(EQUATION, mlir.lower_fun(_run, multiple_results=True))
