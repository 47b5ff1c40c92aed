"""A case: a derivative that some library was reported to get wrong, and its right value."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import taglessad as tad

Program = Callable[..., Any]
Mode = Callable[..., Program]

# One set of modes for each derivative that is taken. A gradient is also a Jacobian.
ANY: tuple[Mode, ...] = (tad.grad, tad.jacrev, tad.jacfwd)
JACOBIAN: tuple[Mode, ...] = (tad.jacrev, tad.jacfwd)


@dataclass(frozen=True)
class Case:
    """`derivative(*modes)` is the differentiated function; at `point` it must give `expected`.

    modes: one set for each derivative taken, outermost first; every combination is run.
    report: the public report, repository and thread. `fails`: why the case is known to fail.
    """

    id: str
    report: str
    derivative: Callable[..., Program]
    point: tuple[Any, ...]
    expected: Any
    modes: tuple[tuple[Mode, ...], ...] = (ANY,)
    rtol: float = 1e-13
    fails: str = ""

    def arguments(self) -> list[Any]:
        """The point: lists as arrays, numbers as they are."""
        return [np.asarray(x) if isinstance(x, list) else x for x in self.point]


def first(f: Program, argnums: Any = 0) -> Callable[[Mode], Program]:
    """The first derivative."""
    return lambda d: d(f, argnums)


def second(f: Program) -> Callable[[Mode, Mode], Program]:
    """The second derivative."""
    return lambda d, e: d(e(f))


def check(got: Any, want: Any, rtol: float) -> None:
    """Equal, entry by entry: same structure and shape, inf and NaN where they are expected.

    Entries are held to `rtol` of the largest finite expected one, so a result that is expected to
    be all zeros must be so exactly.
    """
    if isinstance(want, tuple):
        assert isinstance(got, (tuple, list)) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            check(g, w, rtol)
        return
    expected = np.asarray(want, dtype=np.float64)
    assert np.shape(got) == expected.shape
    scale = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    np.testing.assert_allclose(np.asarray(got), expected, rtol=rtol, atol=rtol * scale)
