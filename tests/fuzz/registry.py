"""What an operation of random programs is, and the table of all of them.

Types: s a number, v a vector of 3, m a 3 by 3 matrix. An operation is written once, over a library L
of `backends`, a small number k (0 to 4) that chooses axes and the like, and its operands. Every value
that comes in is of order 1 (`generator` sees to it), and stays away from kinks and singularities:
those have their own tests, and other libraries other conventions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

OTHERS: Final = ("jax", "torch")
APART: Final = {
    "s": np.asarray(0.137),
    "v": np.asarray([0.113, -0.291, 0.423]),
    "m": np.asarray([[0.117, -0.253, 0.391], [-0.477, 0.571, -0.139], [0.291, -0.633, 0.719]]),
}


@dataclass(frozen=True)
class Op:
    """`call(L, k, *operands, *bodies)`: operands and result by type, bodies as (in, out) types.

    others: the libraries that can say what is right: they have the operation, or a formula for it,
    and can differentiate it twice.
    """

    family: str
    takes: str
    gives: str
    call: Callable[..., Any]
    bodies: tuple[tuple[str, str], ...] = ()
    others: Sequence[str] = OTHERS


OPS: Final[dict[str, Op]] = {}


def add(
    family: str,
    signature: str,
    name: str,
    call: Callable[..., Any],
    *bodies: tuple[str, str],
    others: Sequence[str] = OTHERS,
) -> None:
    """One operation: its name, what it takes and gives ("vm>v"), its meaning."""
    takes, gives = signature.split(">")
    assert f"{name}:{signature}" not in OPS, f"two operations are called {name}:{signature}"
    OPS[f"{name}:{signature}"] = Op(family, takes, gives, call, bodies, others)


def apart(L: Any, x: Any) -> Any:
    """Entries moved apart, so that equal ones and zeros are no more."""
    return x + L.array(APART["svm"[len(x.shape)]])


def axis(k: int, x: Any) -> int:
    """An axis of x."""
    return k % len(x.shape)
