"""What a primitive is: its shape rule, its derivative rules, how it batches. Declared once each.

Legend of the rules files: `ops` the interpreter, `x` (or `a`, `b`) operands, `y` the result,
`d` what the rule maps: a tangent of the operand in `push`, a cotangent of the result in `pull`.
Every rule is a program over `Ops[R]`: it never looks at a value, so it differentiates again.

Law of a slot: <push(d), g> == <d, pull(g)> for every d, g. proofs_checks holds every slot to it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeAlias, get_args, overload

import numpy as np

from taglessad.dtypes import DType
from taglessad.shapes import Shape

# Any in the four aliases below: arity and payload type differ from primitive to primitive. Each
# rule is a `def` generic in R, so that mypy checks its body against the vocabulary.
Rule: TypeAlias = Callable[..., Any]
Partial: TypeAlias = Callable[..., Any]
Keep: TypeAlias = Callable[..., Any]
BatchRule: TypeAlias = Callable[..., Any]
Params: TypeAlias = tuple[Any, ...]  # Any: static parameters, hashable, as the primitive declares

Kind: TypeAlias = Literal["elementwise", "linear", "bilinear", "reduction", "matrix", "general"]
"""matrix: the first operand is a matrix in its last two axes; the axes before are a batch, alike in
all operands and the result, of which each member is computed alone."""


class Aval(NamedTuple):
    """An abstract value: what is known of an array before it is computed."""

    shape: Shape
    dtype: DType


class Flow(Enum):
    """How a linear rule moves entries: what the engine needs to carry structural zeros along."""

    MOVE = "each result entry is one entry of the operand"
    PAD = "each result entry is one entry of the operand, or a zero"
    MIX = "result entries combine entries of the operand"
    SPREAD = "result entries combine entries of the operand, or are zeros"


RESULT: Final = -1
"""The position of the result, where operands have theirs (`Prim.meets`)."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The derivative in one operand.

    push: (ops, d, y, *operands, *params) -> the result's tangent.
    pull: (ops, d, y, *operands, *params) -> the operand's cotangent, before the engine sums it
        back over broadcast axes.
    keep: None, or (ops, y, *operands, *params) -> (condition, holds): the entries of the operand
        that the primitive selected are those where `condition` is `holds`; all others contribute
        nothing, whatever number a rule behind would make of them.
    tame: the rules multiply by constants only, so they make a zero of a zero.
    """

    push: Rule
    pull: Rule
    keep: Keep | None = None
    tame: bool = False
    push_flow: Flow = Flow.MIX
    pull_flow: Flow = Flow.MIX


def diagonal(partial: Partial, keep: Keep | None = None) -> Slot:
    """An elementwise slot from its partial derivative, which serves both directions.

    partial: (ops, y, *operands, *params) -> dy/dx, entry by entry.
    """

    # Any: R is the payload of whichever interpreter runs the rule. The rules of one and of two
    # operands are written out, since they are most of what a reverse pass calls.
    def unary(ops: Any, d: Any, y: Any, x: Any, /) -> Any:
        return ops.mul(d, partial(ops, y, x))

    def binary(ops: Any, d: Any, y: Any, a: Any, b: Any, /) -> Any:
        return ops.mul(d, partial(ops, y, a, b))

    def general(ops: Any, d: Any, y: Any, /, *rest: Any) -> Any:
        return ops.mul(d, partial(ops, y, *rest))

    written: dict[int, Rule] = {1: unary, 2: binary}
    rule = written.get(partial.__code__.co_argcount - 2, general)
    return Slot(rule, rule, keep)


def selfadjoint(rule: Rule, keep: Keep | None = None, *, tame: bool = False) -> Slot:
    """An elementwise slot whose one rule serves both directions (a division, a negation)."""
    return Slot(rule, rule, keep, tame)


def linear(push: Rule, pull: Rule, *, push_flow: Flow, pull_flow: Flow) -> Slot:
    """A structurally linear slot: the primitive itself, and its transpose."""
    return Slot(push, pull, push_flow=push_flow, pull_flow=pull_flow)


def pair(push: Rule, pull: Rule, keep: Keep | None = None) -> Slot:
    """Two rules written out, held to the law by proofs_checks."""
    return Slot(push, pull, keep)


@dataclass(frozen=True, slots=True, eq=False)
class Prim:
    """One primitive of the vocabulary.

    infer: (*operand avals, *params) -> Aval, the shape and dtype rule.
    slots: one per operand; None where the result does not depend smoothly on it. A primitive of
        any number of operands (concat) has an `EachOperand`.
    batch: None for elementwise primitives, which the engine batches by their kind; else
        (ops, size, mapped, *operands, *params) -> the result, every mapped axis leading.
    meets: None, or of a bilinear primitive (ops, alive, source, target, shapes, *params) -> which
        entries of `target` some live entry of `source` meets, as truth values that broadcast to it;
        either is an operand's position or RESULT; shapes are the operands' and the result's.
        Without it the engine finds out by the rules themselves.
    inner: the same primitive as a step inside a smooth function, such as the choice between two of
        its formulas: `Kinks` passes over it.
    """

    name: str
    infer: Callable[..., Aval]
    slots: Sequence[Slot | None]
    kind: Kind
    batch: BatchRule | None = None
    meets: Rule | None = None
    selects: bool = False  # some slot has `keep`, or pads: set by `declare`
    variadic: bool = False  # its method takes the operands as one tuple: set by `declare`
    inner: bool = False  # set by `inner`

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple[Any, ...]:  # Any: pickle's own protocol
        return inner if self.inner else _named, (self.name,)


class EachOperand(Sequence[Slot]):
    """The slots of a primitive with any number of operands: `make(position)`, made when asked."""

    def __init__(self, make: Callable[[int], Slot]) -> None:
        self._make = make
        self._made: list[Slot] = []

    @overload
    def __getitem__(self, index: int) -> Slot: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Slot]: ...
    def __getitem__(self, index: int | slice) -> Slot | Sequence[Slot]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        while index >= len(self._made):
            self._made.append(self._make(len(self._made)))
        return self._made[index]

    def __len__(self) -> int:
        """How many slots were asked for so far: the primitive itself has no fixed number."""
        return len(self._made)


class Local:
    """A memory that is of use only under the interpreter that made it."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:  # Any: the primitive's own affair
        self.value = value


@dataclass(frozen=True, slots=True, eq=False)
class PrimN:
    """A primitive with several results: a decomposition, a loop.

    infer: (*operand avals, *params) -> one Aval per result; one tuple of avals where `variadic`.
    push: (ops, ds, ys, xs, params) -> one tangent per result, None for none; ds has one tangent
        per operand, None where there is none.
    pull: (ops, gs, ys, xs, params, wanted) -> one cotangent per operand, None for none; gs has one
        cotangent per result, None where there is none; `wanted` says which operands are asked for.
    batch: (ops, size, mapped, xs, params) -> the results, the batch axis leading in every one.
    joint: None, or (ops, xs, ds, params) -> (ys, tangents): values and tangents from one run, where
        that is cheaper than `push` after the fact.
    series: None, or (ops, xs, cs, params, order) -> (ys, coefficients): likewise for power series;
        cs has for each operand its coefficients of t, t**2 and so on, `order` of them, or None.
    remember: None, or (ops, xs, params, wanted) -> (ys, memory): values, and what `recall` needs:
        payloads, or one `Local` object, or None for no memory.
    recall: `pull` with the memory instead: (ops, gs, memory, ys, xs, params, wanted).
    fused: None, or (params, params of another) -> None or a pair of NumPy functions: where this
        primitive's operands begin with all those of another, and end with one of its results, the
        other may be computed by the first of the pair, which gives a log as one more result, and
        this one by the second, which takes the log as one more, first operand.
    evaluate: None, or (ops, xs, params) -> ys: the meaning under any root whose truth values can be
        looked at (`Interpreter.decide`), for a root without a method of this name.
    lower: None, or (*params) -> the parameters that a root with an operation of its own takes.
    matrices: as the kind "matrix" of primitives with one result.
    """

    name: str
    infer: Callable[..., tuple[Aval, ...]]
    push: Rule
    pull: Rule
    batch: BatchRule
    joint: Rule | None = None
    series: Rule | None = None
    remember: Rule | None = None
    recall: Rule | None = None
    fused: Rule | None = None
    evaluate: Rule | None = None
    variadic: bool = False
    matrices: bool = False
    lower: Rule | None = None
    kind: Literal["several"] = "several"

    def __repr__(self) -> str:
        return self.name

    def __reduce__(self) -> str | tuple[Any, ...]:  # Any: pickle's own protocol
        return _named_several, (self.name,)

    def avals(self, operands: Sequence[Aval], params: Params) -> tuple[Aval, ...]:
        """Shape and dtype of each result."""
        if self.variadic:
            return self.infer(tuple(operands), *params)
        return self.infer(*operands, *params)


PRIMITIVES: dict[str, Prim] = {}
"""Every primitive by name, filled while the rules files are imported and never after."""

FOREIGN: dict[str, Prim] = {}
"""Those that users declare (`tad.primitive`), by name."""

SEVERAL: dict[str, PrimN] = {}
"""Every primitive with several results by name, filled likewise."""


def _named(name: str) -> Prim:
    if name == PART.name:
        return PART
    return PRIMITIVES[name] if name in PRIMITIVES else FOREIGN[name]


def _named_several(name: str) -> PrimN:
    return SEVERAL[name]


PART: Final = Prim(
    "part",
    # Never asked: the avals of the parts are those of the primitive that has them.
    infer=lambda *_: Aval((), np.dtype(object)),
    slots=(None,),
    kind="general",
)
"""One result of a primitive with several, in a graph: its parameter is the result's position."""


def _selects(slot: Slot) -> bool:
    padding = (Flow.PAD, Flow.SPREAD)
    return slot.keep is not None or slot.push_flow in padding or slot.pull_flow in padding


def declare(
    name: str,
    infer: Callable[..., Aval],
    slots: Sequence[Slot | None],
    kind: Kind = "general",
    batch: BatchRule | None = None,
    meets: Rule | None = None,
    *,
    registry: dict[str, Prim] = PRIMITIVES,
) -> Prim:
    """Declare a primitive; its name is the name of the method of `Ops` that applies it."""
    if kind not in get_args(Kind):
        raise ValueError(f"primitive {name!r}: kind {kind!r} is none of {get_args(Kind)}")
    if name in PRIMITIVES or name in registry:
        raise ValueError(f"primitive {name!r} is declared twice")
    variadic = isinstance(slots, EachOperand)
    first = [slots[0]] if variadic else slots
    selects = any(s is not None and _selects(s) for s in first)
    prim = Prim(name, infer, slots, kind, batch, meets, selects, variadic)
    registry[name] = prim
    return prim


_INNER: Final[dict[str, Prim]] = {}


def inner(name: str) -> Prim:
    """An elementwise primitive or a reduction as a step inside a smooth function.

    Its meaning, its derivative and its name are the primitive's; `Interpreter.run` applies it.
    """
    made = _INNER.get(name)
    if made is None:
        prim = PRIMITIVES[name]
        assert prim.kind in ("elementwise", "reduction")  # whose batches are steps of the same kind
        batch = None if prim.batch is None else partial(_reduced_inside, name)
        made = _INNER.setdefault(name, replace(prim, inner=True, batch=batch))
    return made


def _reduced_inside(
    name: str, ops: Any, size: int, mapped: tuple[bool, ...], x: Any, axes: tuple[int, ...]
) -> Any:  # Any: payloads of whichever interpreter
    return ops.run(inner(name), (x,), (tuple([axis + 1 for axis in axes]),))


# Any: payloads of whichever interpreter.
def _first(series: Any, ops: Any, xs: Any, ds: Any, params: Params) -> Any:
    """`series` to first order."""
    ys, found = series(ops, xs, [None if d is None else [d] for d in ds], params, 1)
    return ys, [None if cs is None else cs[0] for cs in found]


def _pushed(joint: Any, ops: Any, ds: Any, ys: Any, xs: Any, params: Params) -> Any:
    """The tangents of `joint` alone."""
    return joint(ops, xs, ds, params)[1]


def _pulled(
    remember: Any, recall: Any, ops: Any, gs: Any, ys: Any, xs: Any, params: Params, wanted: Any
) -> Any:
    """`recall` right after `remember`."""
    _, memory = remember(ops, xs, params, wanted)
    return recall(ops, gs, memory, ys, xs, params, wanted)


def declare_several(
    name: str,
    infer: Callable[..., tuple[Aval, ...]],
    push: Rule | None,
    pull: Rule | None,
    batch: BatchRule,
    *,
    joint: Rule | None = None,
    series: Rule | None = None,
    remember: Rule | None = None,
    recall: Rule | None = None,
    fused: Rule | None = None,
    evaluate: Rule | None = None,
    variadic: bool = False,
    matrices: bool = False,
    lower: Rule | None = None,
) -> PrimN:
    """Declare a primitive with several results; its method of `Ops` gives a tuple.

    push: None to have it from `joint`, which comes from `series` where it is not given. pull: None
    to have it from `remember` and `recall`.
    """
    if name in PRIMITIVES or name in SEVERAL:
        raise ValueError(f"primitive {name!r} is declared twice")
    if joint is None and series is not None:
        joint = partial(_first, series)
    if push is None and joint is None:
        raise ValueError(f"primitive {name!r}: none of push, joint and series")
    if pull is None and (remember is None or recall is None):
        raise ValueError(f"primitive {name!r}: neither pull nor remember with recall")
    prim = PrimN(
        name,
        infer,
        push or partial(_pushed, joint),
        pull or partial(_pulled, remember, recall),
        batch,
        joint,
        series,
        remember,
        recall,
        fused,
        evaluate,
        variadic,
        matrices,
        lower,
    )
    SEVERAL[name] = prim
    return prim
