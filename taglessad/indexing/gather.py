"""The part of an index that arrays make: slices of some axes merged into one, taken by position."""

from typing import Any, NamedTuple

from taglessad.ops import Ops
from taglessad.rules.structural import inverse
from taglessad.shapes import Shape, size


class Gather(NamedTuple):
    """Slices of a box, chosen by arrays of positions on some of its axes.

    axes: those axes, in the order of their arrays. place: where the axes of the arrays stand in
    the result. index: the positions on those axes merged. Any: payloads of the interpreter at hand.
    """

    box: Shape
    axes: tuple[int, ...]
    place: int
    index: Any

    def read(self, ops: Ops[Any], x: Any) -> Any:
        """The slices."""
        return ops.take(self._merged(ops, x), self.index, self.place)

    def read_or_fill(self, ops: Ops[Any], x: Any, fill: Any) -> Any:
        """The slices; `fill` where the position is the merged size."""
        n = size(tuple(self.box[axis] for axis in self.axes))
        if n == 0:
            return ops.broadcast(fill, self.result(ops))
        # Of a symbolic size only shapes are computed.
        end = ops.scalar(n if isinstance(n, int) else 1, self.index)
        wrong = ops.less_equal(end, self.index)
        safe = ops.where(wrong, ops.scalar(0, self.index), self.index)
        y = ops.take(self._merged(ops, x), safe, self.place)
        behind = len(self.box) - len(self.axes) - self.place
        return ops.where(ops.reshape(wrong, (*ops.shape(wrong), *(1,) * behind)), fill, y)

    def update(self, ops: Ops[Any], x: Any, new: Any, method: str, drop: bool) -> Any:
        """x with the slices updated by a primitive of the scatter family.

        With `drop`, updates whose position is the merged size are left out.
        """
        merged = self._merged(ops, x)
        shape = ops.shape(merged)
        if drop:  # into one slice more, which is then cut off
            rest = (0,) * len(shape)
            more = tuple(1 if i == self.place else 0 for i in range(len(shape)))
            merged = ops.pad(merged, rest, more, rest)
        y = getattr(ops, method)(merged, self.index, new, self.place)
        if drop:
            y = ops.slice(y, (0,) * len(shape), shape, (1,) * len(shape))
        order = self._order()
        split = tuple(self.box[axis] for axis in order)
        y = y if split == shape else ops.reshape(y, split)
        return y if order == tuple(range(len(order))) else ops.permute(y, inverse(order))

    def result(self, ops: Ops[Any]) -> Shape:
        """The shape of what is read."""
        kept = self._kept()
        arrays = ops.shape(self.index)
        sizes = tuple(self.box[axis] for axis in kept)
        return (*sizes[: self.place], *arrays, *sizes[self.place :])

    def _kept(self) -> tuple[int, ...]:
        return tuple(i for i in range(len(self.box)) if i not in self.axes)

    def _order(self) -> tuple[int, ...]:
        kept = self._kept()
        return (*kept[: self.place], *self.axes, *kept[self.place :])

    def _merged(self, ops: Ops[Any], x: Any) -> Any:
        order = self._order()
        if order != tuple(range(len(order))):
            x = ops.permute(x, order)
        if len(self.axes) == 1:
            return x
        shape = ops.shape(x)
        first, last = self.place, self.place + len(self.axes)
        return ops.reshape(x, (*shape[:first], size(shape[first:last]), *shape[last:]))
