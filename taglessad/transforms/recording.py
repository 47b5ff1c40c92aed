"""Recording a program into a graph: what trace, jit and control flow share."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from taglessad.convert import as_handle
from taglessad.dtypes import DType, float64, resolve
from taglessad.errors import EscapeError
from taglessad.graph import Graph
from taglessad.interpreter import BODIES
from taglessad.interpreters.record import Record
from taglessad.levels import Under, ambient
from taglessad.ops import Ops
from taglessad.primitive import Aval
from taglessad.shapes import Shape, normalize_shape, show
from taglessad.tensor import AnyTensor, handle
from taglessad.transforms.arguments import call_leaves
from taglessad.transforms.lists import called
from taglessad.transforms.naming import check_function
from taglessad.trees import TreeDef, flatten, unflatten


class Spec:
    """Shape and dtype of an argument that is not there: what `trace` and `Shape` run on.

    Sizes may be ints or symbols (`tad.symbols`).
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Sequence[Any], dtype: Any = float64) -> None:
        # Any: sizes are ints or symbols; a dtype is whatever numpy.dtype takes.
        self.shape: Shape = normalize_shape(shape, "Spec")
        self.dtype: DType = resolve(dtype, "Spec")

    def __repr__(self) -> str:
        return f"Spec({show(self.shape)}, {self.dtype})"


class Recorded(NamedTuple):
    """A graph, the outer values that it takes as first inputs, and its results' structure.

    Any: captured payloads are those of the interpreter that was under way.
    """

    graph: Graph
    captures: list[Any]
    treedef: TreeDef
    dtypes: list[DType]
    weak: list[bool]


def record(
    what: str,
    f: Callable[..., Any],
    treedef: TreeDef,
    leaves: Sequence[tuple[Aval, bool] | Any],
    base: Ops[Any],
    *,
    body: bool = False,
) -> Recorded:
    """Record f(*args, **kwargs) over `base`.

    treedef: the structure of (args, kwargs). leaves: (aval, weak) for what becomes an input;
    anything else is passed as it is. body: it may run never, or again and again: what it computes
    from values of transforms outside is a part of it too.
    """
    recorder = Record(base)
    if body:
        BODIES.append(recorder)
    inputs: list[Any] = []
    for leaf in leaves:
        if isinstance(leaf, tuple) and len(leaf) == 2 and isinstance(leaf[0], Aval):
            aval, weak = leaf
            inputs.append(handle(recorder, recorder.input(aval), aval.dtype, weak))
        else:
            inputs.append(leaf)
    try:
        with Under(recorder):
            args, kwargs = unflatten(treedef, inputs)
            results, result_def = flatten(called(what, f, args, kwargs))
            handles = [as_handle(r, what, "the result of f") for r in results]
            outputs = [recorder.lift(h.ops, h.payload) for h in handles]
            kinds = [(h.dtype, h.weak) for h in handles]
        graph, captures = recorder.finish(outputs)
    except BaseException:
        recorder.close()
        raise
    finally:
        if body:
            BODIES.remove(recorder)
    return Recorded(graph, captures, result_def, [k[0] for k in kinds], [k[1] for k in kinds])


def argument_spec(leaf: Any, what: str, name: str = "an argument") -> tuple[Aval, bool]:
    """Shape, dtype and weakness of an argument, a handle, an array-like or a Spec."""
    if isinstance(leaf, Spec):
        return Aval(leaf.shape, leaf.dtype), False
    x: AnyTensor = as_handle(leaf, what, name)
    return Aval(x.shape, x.dtype), x.weak


def trace(f: Callable[..., Any]) -> Callable[..., Graph]:
    """The graph of a program: trace(f)(*args) -> Graph.

    Arguments are arrays, handles, numbers, `Spec`s, or trees of them; only shapes and dtypes count.
    Raises EscapeError where f closes over a value of a transform that is under way.
    """

    check_function("trace", f)

    def graph_of(*args: Any, **kwargs: Any) -> Graph:
        specs, treedef = call_leaves("trace", args, kwargs, argument_spec)
        recorded = record("trace", f, treedef, specs, ambient())
        if recorded.captures:
            raise EscapeError(
                "trace: f closes over a value of a transform that is under way; pass it as an "
                "argument"
            )
        return recorded.graph

    return graph_of
