"""Variants of the well-shaped lines, most of them ill-shaped, each with what it comes to at run time.

Each axis of each operand is made one longer, made 1, and left out; each operand gets an axis more.
Some variants are well-shaped again: which, and of what shape, NumPy says by running them.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import taglessad as tad
from taglessad.errors import ArgumentError, DTypeError, IndexOutOfRange, ShapeError, TaglessError
from taglessad.tensor import AnyTensor
from tests.mypy_plugin.unlisted import made_lines
from tests.mypy_plugin.well_shaped import Line, lines

PRELUDE = """
from typing import Any, Literal as L
import taglessad as tad
from taglessad import AnyTensor, BoolTensor, IntTensor, Tensor

@tad.program
def scalar(w: Tensor[L[2], L[3]]) -> Tensor[()]:
    return (w * w).sum()

@tad.program
def step(c: Tensor[L[3]], x: Tensor[L[2]]) -> tuple[Tensor[L[3]], Tensor[()]]:
    return c + x.sum(), c.sum()

@tad.program
def double(c: Tensor[L[3]]) -> Tensor[L[3]]:
    return c * 2.0

@tad.program
def doubled(i: IntTensor[()], c: Tensor[L[3]]) -> Tensor[L[3]]:
    return c * 2.0

@tad.program
def small(c: Tensor[L[3]]) -> BoolTensor[()]:
    return c.sum() < 100.0

@tad.program
def rows(w: Tensor[L[2], L[3]]) -> Tensor[L[2]]:
    return w.sum(axis=1)
"""
REFUSED = (ShapeError, IndexOutOfRange, ArgumentError, DTypeError)
_CLASSES = {"f": "Tensor", "s": "Tensor", "i": "IntTensor", "b": "BoolTensor"}


class Operand(NamedTuple):
    """An operand of a line: its kind and its shape."""

    kind: str
    shape: tuple[int, ...]

    def annotation(self) -> str:
        """Its type."""
        return annotation(_CLASSES[self.kind], self.shape)

    def value(self) -> Any:  # Any: one of three kinds of handle
        """Its value: a square matrix is regular."""
        if self.kind == "s" and len(self.shape) == 2:
            return tad.asarray(np.eye(*self.shape) + 0.5)
        dtype = {"i": np.int64, "b": np.bool_}.get(self.kind, np.float64)
        return tad.asarray((np.zeros if self.kind == "i" else np.ones)(self.shape, dtype))


class Variant(NamedTuple):
    """A line with certain operands. `error`: what run time says; else the type of its result."""

    name: str
    expression: str
    operands: tuple[Operand, ...]
    original: bool
    error: str | None
    result: str | None

    def source(self, i: int, result: str | None = None) -> str:
        """The line as a function of its operands."""
        names = "abc"[: len(self.operands)]
        formals = ", ".join(
            f"{n}: {o.annotation()}" for n, o in zip(names, self.operands, strict=True)
        )
        expected = f": {result}" if result is not None else ""
        return (
            f"def case_{i}({formals}) -> None:\n"
            f"    r{expected} = {self.expression.format(*names)}\n"
        )


def annotation(cls: str, shape: tuple[int, ...]) -> str:
    """A tensor type as it is written."""
    return f"{cls}[{', '.join(f'L[{n}]' for n in shape) or '()'}]"


def type_text(value: Any) -> str | None:  # Any: whatever a public function gives
    """The type of a result as it is written; None for what is no tensor, and no tuple of them."""
    if isinstance(value, AnyTensor):
        return annotation(type(value).__name__, value.shape)  # type: ignore[arg-type]  # numbers
    if isinstance(value, tuple | list) and value and not hasattr(value, "_fields"):
        items = [type_text(v) for v in value]
        if any(i is None for i in items):
            return None
        if isinstance(value, tuple):
            return f"tuple[{', '.join(map(str, items))}]"
        return f"list[{items[0]}]" if len(set(items)) == 1 else None
    return None


def _operand(text: str) -> Operand:
    kind, colon, sizes = text.rpartition(":")
    return Operand(kind if colon else "f", tuple(map(int, sizes.split())))


def _perturbed(operands: tuple[Operand, ...]) -> Iterator[tuple[Operand, ...]]:
    yield operands
    for i, operand in enumerate(operands):
        shape = operand.shape
        new = [(*shape[:k], n + 1, *shape[k + 1 :]) for k, n in enumerate(shape)]
        new += [(*shape[:k], 1, *shape[k + 1 :]) for k, n in enumerate(shape) if n != 1]
        new += [(*shape[:k], *shape[k + 1 :]) for k in range(len(shape))]
        new += [(3, *shape), (*shape, 3)]
        for other in dict.fromkeys(new):
            yield (*operands[:i], operand._replace(shape=other), *operands[i + 1 :])


def variants() -> list[Variant]:
    """All of them, run."""
    names: dict[str, Any] = {}
    exec(PRELUDE, names)
    found: dict[tuple[str, tuple[Operand, ...]], Variant] = {}
    for line in lines():
        for made in _of_line(line, names):
            found.setdefault((made.expression, made.operands), made)
    for line in made_lines():
        for i, made in enumerate(_of_line(line, names)):
            if i < 6 or i % 2:
                found.setdefault((made.expression, made.operands), made)
    return list(found.values())


def _of_line(line: Line, names: dict[str, Any]) -> Iterator[Variant]:
    first = tuple(map(_operand, line.operands))
    for i, operands in enumerate(_perturbed(first)):
        # The first expression in every variant; the others, mostly its axes moved, in a few.
        for expression in line.expressions if i % 4 == 0 else line.expressions[:1]:
            error, result = _run(expression, operands, names)
            yield Variant(line.name, expression, operands, operands == first, error, result)


def _run(
    expression: str, operands: tuple[Operand, ...], names: dict[str, Any]
) -> tuple[str | None, str | None]:
    local = dict(zip("abc", (o.value() for o in operands), strict=False))
    try:
        return None, type_text(eval(expression.format(*"abc"), {**names, **local}))
    except REFUSED as error:
        return error.message, None
    except TaglessError as error:
        return f"not of shapes: {error.message}", None
