"""einsum: sums of products of any number of arrays, as contractions of two at a time."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from taglessad import shapes
from taglessad.convert import article
from taglessad.dispatch import as_number, meet
from taglessad.errors import ArgumentError
from taglessad.ops import Ops
from taglessad.shapes import Extent
from taglessad.tensor import Tensor, TensorLike, handle


class Operand(NamedTuple):
    """A payload, and one letter for each of its axes. Any: the interpreter's at hand."""

    payload: Any
    letters: str


def einsum(subscripts: str, /, *operands: TensorLike) -> Tensor:
    """The operands multiplied and summed over the letters that are not in the output.

    "ij,jk->ik" is a matrix product, "ii" a trace, "...ij->...ji" a transpose. Without "->" the
    output has the axes under an ellipsis, then the letters that occur once, in alphabetical order.
    An axis of size 1 is repeated to the size of its letter. The operands come to their common
    dtype, bools to int64. Letters of one operand alone are summed first; then the two operands
    whose product costs least are contracted, again and again.

    Raises ArgumentError for a specification that cannot be read, ShapeError for shapes that it
    does not fit.
    """
    if not isinstance(subscripts, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # at run time
        raise ArgumentError(
            f"einsum: subscripts is {article(subscripts)}, where a text such as 'ij,jk->ik' is "
            "expected"
        )
    if not operands:
        raise ArgumentError(f"einsum: {subscripts!r} comes with no operands")
    met = as_number(meet("einsum", operands, [f"operand {i}" for i in range(len(operands))]))
    ops = met.ops
    read = shapes.einsum(subscripts, *[ops.shape(p) for p in met.payloads])
    parts = [
        _diagonals(ops, Operand(p, letters))
        for p, letters in zip(met.payloads, read.operands, strict=True)
    ]
    while len(parts) > 1:
        i, j = _cheapest(parts, read.output, read.sizes)
        right, left = parts.pop(j), parts.pop(i)
        needed = read.output + "".join(p.letters for p in parts)
        parts.append(contracted(ops, left, right, needed))
    last = _summed(ops, parts[0], read.output)
    y = last.payload
    if last.letters != read.output:
        y = ops.permute(y, tuple(last.letters.index(c) for c in read.output))
    result: Tensor = handle(ops, y, met.dtype, met.weak)
    return result


def contracted(ops: Ops[Any], a: Operand, b: Operand, needed: str) -> Operand:
    """The product of two operands, summed over the letters that are not needed any more.

    Its axes are in the order in which they are needed.
    """
    a, b = _without_ones(ops, a, b), _without_ones(ops, b, a)
    out = "".join(c for c in dict.fromkeys(needed) if c in a.letters or c in b.letters)
    a, b = _summed(ops, a, b.letters + out), _summed(ops, b, a.letters + out)
    return Operand(ops.contract(a.payload, b.payload, f"{a.letters},{b.letters}->{out}"), out)


def _diagonals(ops: Ops[Any], x: Operand) -> Operand:
    """Letters that repeat within an operand, once each: the diagonal of their axes."""
    payload, letters = x
    while len(set(letters)) < len(letters):
        letter = next(c for c in letters if letters.count(c) > 1)
        i = letters.index(letter)
        j = letters.index(letter, i + 1)
        rest = tuple(axis for axis in range(len(letters)) if axis not in (i, j))
        payload = ops.diagonal(ops.permute(payload, (*rest, i, j)), 0)
        letters = "".join(letters[axis] for axis in rest) + letter
    return Operand(payload, letters)


def _summed(ops: Ops[Any], x: Operand, needed: str) -> Operand:
    """Without the letters that nothing else has."""
    axes = tuple(axis for axis, c in enumerate(x.letters) if c not in needed)
    if not axes:
        return x
    return Operand(ops.sum(x.payload, axes), "".join(c for c in x.letters if c in needed))


def _without_ones(ops: Ops[Any], x: Operand, other: Operand) -> Operand:
    """Without the axes of size 1 that the other operand has in another size.

    They are repeated along it by being left out of the contraction: nothing is copied.
    """
    shape = ops.shape(x.payload)
    wide = dict(zip(other.letters, ops.shape(other.payload), strict=True))
    kept = [axis for axis, c in enumerate(x.letters) if shape[axis] != 1 or wide.get(c, 1) == 1]
    if len(kept) == len(shape):
        return x
    narrow = ops.reshape(x.payload, tuple(shape[axis] for axis in kept))
    return Operand(narrow, "".join(x.letters[axis] for axis in kept))


def _cheapest(
    parts: Sequence[Operand], output: str, sizes: Mapping[str, Extent]
) -> tuple[int, int]:
    """The pair whose contraction takes the fewest products; of equal ones the smallest result."""
    best: tuple[int, int, int, int] | None = None
    for j in range(1, len(parts)):
        for i in range(j):
            others = output + "".join(p.letters for k, p in enumerate(parts) if k not in (i, j))
            letters = set(parts[i].letters + parts[j].letters)
            work = _volume(letters, sizes)
            left = _volume({c for c in letters if c in others}, sizes)
            if best is None or (work, left) < best[:2]:
                best = (work, left, i, j)
    assert best is not None
    return best[2], best[3]


def _volume(letters: set[str], sizes: Mapping[str, Extent]) -> int:
    """The product of sizes; a symbol counts as 1."""
    total = 1
    for c in letters:
        n = sizes[c]
        total *= n if isinstance(n, int) else 1
    return total
