"""Three-valued logic on arrays: what is open stays open unless the rest decides it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from taglessad.kernels.payloads import Truth


def negation(x: Truth) -> Truth:
    """not x."""
    certain = np.logical_not(x.possible)
    return Truth(certain, None if x.possible is x.certain else np.logical_not(x.certain))


def both(a: Truth, b: Truth) -> Truth:
    """a and b."""
    certain = np.logical_and(a.certain, b.certain)
    if a.possible is a.certain and b.possible is b.certain:
        return Truth(certain)
    return Truth(certain, np.logical_and(a.possible, b.possible))


def either(a: Truth, b: Truth) -> Truth:
    """a or b."""
    certain = np.logical_or(a.certain, b.certain)
    if a.possible is a.certain and b.possible is b.certain:
        return Truth(certain)
    return Truth(certain, np.logical_or(a.possible, b.possible))


def differing(a: Truth, b: Truth) -> Truth:
    """a or b, and not both."""
    return either(both(a, negation(b)), both(negation(a), b))


def _less(a: Truth, b: Truth) -> Truth:
    return both(negation(a), b)


def _less_equal(a: Truth, b: Truth) -> Truth:
    return either(negation(a), b)


def _equal(a: Truth, b: Truth) -> Truth:
    return negation(differing(a, b))


# Any: truth values in, a truth value out.
LOGIC: dict[str, Callable[..., Any]] = {
    "bitwise_and": both,
    "bitwise_invert": negation,
    "bitwise_or": either,
    "bitwise_xor": differing,
    "equal": _equal,
    "less": _less,
    "less_equal": _less_equal,
    "logical_and": both,
    "logical_not": negation,
    "logical_or": either,
    "logical_xor": differing,
    "maximum": either,
    "minimum": both,
    "not_equal": differing,
}
