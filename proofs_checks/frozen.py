"""Frozen: Eager, in which fenced values stay what they were when they were first computed.

A derivative takes what is behind `detach` and `no_grad` for constant. A difference of values would
see it move, so while the values around a point are computed it is held at what it is at the point.
"""

from taglessad.interpreters.eager import Kernels
from taglessad.proofs_checks.cases import Array


class Frozen(Kernels):
    """The first run after `thaw` remembers its fenced values in order; later runs repeat them."""

    precedence = 1  # it takes Eager's values in

    def __init__(self) -> None:
        super().__init__()
        self._fenced: list[Array] = []
        self._next: int | None = None

    def thaw(self) -> None:
        """Forget the fenced values: the next run remembers its own."""
        self._fenced, self._next = [], None

    def repeat(self) -> None:
        """From here on the remembered values, from the first."""
        self._next = 0

    def detach(self, x: Array, /) -> Array:
        """x, or what stood here in the run that was remembered."""
        if self._next is None:
            self._fenced.append(x)
            return x
        if self._next >= len(self._fenced):
            return x  # the program took another path here
        self._next += 1
        return self._fenced[self._next - 1]
