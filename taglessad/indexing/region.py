"""The part of an index that is known beforehand: a box of slices, with axes dropped and made."""

from typing import Any, NamedTuple

import numpy as np

from taglessad.ops import Ops
from taglessad.shapes import Extent, Shape, Slice


class Region(NamedTuple):
    """What slices, positions and new axes choose of an array.

    parts: one for each axis, a position being a slice of length 1. box: the shape of what is
    read, without the axes of positions, with the new ones. Any below: payloads of the interpreter
    at hand.
    """

    shape: Shape
    parts: tuple[Slice, ...]
    box: Shape

    def read(self, ops: Ops[Any], x: Any) -> Any:
        """The region of x."""
        starts = tuple([p.start for p in self.parts])
        stops = tuple([p.stop for p in self.parts])
        steps = tuple([p.step for p in self.parts])
        if not self._whole():
            x = ops.slice(x, starts, stops, steps)
        flipped = self._flipped()
        if flipped:
            x = ops.flip(x, flipped)
        return x if ops.shape(x) == self.box else ops.reshape(x, self.box)

    def write(self, ops: Ops[Any], x: Any, new: Any) -> Any:
        """x with the region replaced."""
        if self._whole():
            return self._placed(ops, new)
        inside = ops.broadcast(ops.const(np.asarray(True)), self.box)
        return ops.where(self._placed(ops, inside), self._placed(ops, new), x)

    def _placed(self, ops: Ops[Any], new: Any) -> Any:
        """What was read, back in its place among zeros."""
        counts = tuple([_count(p) for p in self.parts])
        if ops.shape(new) != counts:
            new = ops.reshape(new, counts)
        flipped = self._flipped()
        if flipped:
            new = ops.flip(new, flipped)
        if self._whole():
            return new
        before = tuple([p.start for p in self.parts])
        after: list[Extent] = []
        for n, count, part in zip(self.shape, counts, self.parts, strict=True):
            last = part.start + (count - 1) * part.step + 1 if count != 0 else part.start
            after.append(n - last)
        return ops.pad(new, before, tuple(after), tuple([p.step - 1 for p in self.parts]))

    def _whole(self) -> bool:
        return all(
            p.start == 0 and p.step == 1 and p.stop == n
            for p, n in zip(self.parts, self.shape, strict=True)
        )

    def _flipped(self) -> tuple[int, ...]:
        return tuple([axis for axis, p in enumerate(self.parts) if p.reverse])


def _count(part: Slice) -> Extent:
    span = part.stop - part.start
    return span if part.step == 1 else (span + (part.step - 1)) // part.step
