"""Contraction: one bilinear primitive whose rules rewrite its specification. Legend in primitive.py.

A specification is "ij,jk->ik": each letter at most once in each operand and in the result, and each
letter of an operand in the other operand or in the result. General einsum (repeated letters,
letters summed alone, several operands) is a program that reduces to this.
"""

from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from taglessad.errors import ShapeError
from taglessad.interpreter import Interpreter
from taglessad.primitive import Aval, Flow, declare, linear
from taglessad.rules.infer import common
from taglessad.rules.structural import Mapped
from taglessad.shapes import UNKNOWN, Extent, Shape, differ, show

if TYPE_CHECKING:
    from taglessad.ops import Ops

R = TypeVar("R")
LETTERS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


class Spec(NamedTuple):
    """A parsed specification."""

    left: str
    right: str
    out: str


@lru_cache(maxsize=1024)
def parse(spec: str) -> Spec:
    """The three groups of letters of a specification."""
    operands, out = spec.split("->")
    left, right = operands.split(",")
    return Spec(left, right, out)


@lru_cache(maxsize=1024)
def _rewritten(spec: str) -> tuple[str, str]:
    left, right, out = parse(spec)
    return f"{out},{right}->{left}", f"{left},{out}->{right}"


def _infer(a: Aval, b: Aval, spec: str) -> Aval:
    left, right, out = parse(spec)
    sizes: dict[str, Extent] = dict(zip(left, a.shape, strict=True))
    for letter, n in zip(right, b.shape, strict=True):
        known = sizes.setdefault(letter, n)
        why = differ(known, n)
        if why is not None:
            raise ShapeError(
                f"contract: {show(a.shape)} and {show(b.shape)} under {spec!r}: "
                f"axis {letter!r} differs ({why})"
            )
        if known is UNKNOWN:
            sizes[letter] = n
    scalar = common(Aval((), a.dtype), Aval((), b.dtype))
    return Aval(tuple(sizes[letter] for letter in out), scalar.dtype)


def _left_push(ops: "Ops[R]", d: R, y: R, a: R, b: R, spec: str) -> R:
    return ops.contract(d, b, spec)


def _left_pull(ops: "Ops[R]", d: R, y: R, a: R, b: R, spec: str) -> R:
    return ops.contract(d, b, _rewritten(spec)[0])


def _right_push(ops: "Ops[R]", d: R, y: R, a: R, b: R, spec: str) -> R:
    return ops.contract(a, d, spec)


def _right_pull(ops: "Ops[R]", d: R, y: R, a: R, b: R, spec: str) -> R:
    return ops.contract(a, d, _rewritten(spec)[1])


def _batch(ops: "Ops[R]", size: int, mapped: Mapped, a: R, b: R, spec: str) -> R:
    left, right, out = parse(spec)
    new = next(letter for letter in LETTERS if letter not in spec)
    left, right = (new + left if mapped[0] else left), (new + right if mapped[1] else right)
    return ops.contract(a, b, f"{left},{right}->{new}{out}")


def _meets(
    ops: "Ops[R]", alive: R, source: int, target: int, shapes: tuple[Shape, ...], spec: str
) -> R:
    """A letter that the target lacks is met if any of its entries is; one that it alone has, always."""
    letters = parse(spec)
    of, to = letters[source], letters[target]
    gone = tuple(i for i, c in enumerate(of) if c not in to)
    found = ops.any(alive, gone) if gone else alive
    kept = [c for c in of if c in to]
    order = tuple(kept.index(c) for c in to if c in kept)
    if order != tuple(range(len(order))):
        found = ops.permute(found, order)
    sizes = iter(ops.shape(found))
    return ops.reshape(found, tuple(next(sizes) if c in kept else 1 for c in to))


CONTRACT: Final = declare(
    "contract",
    _infer,
    (
        linear(_left_push, _left_pull, push_flow=Flow.MIX, pull_flow=Flow.MIX),
        linear(_right_push, _right_pull, push_flow=Flow.MIX, pull_flow=Flow.MIX),
    ),
    "bilinear",
    _batch,
    _meets,
)


class Contraction(Interpreter[R]):
    """The method of this family."""

    def contract(self, a: R, b: R, spec: str, /) -> R:
        """The sum of products over the letters that the result lacks: "ij,jk->ik" is a @ b."""
        return self.apply(CONTRACT, (a, b), (spec,))
