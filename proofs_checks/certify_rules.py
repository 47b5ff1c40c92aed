"""A gradient enclosed by the derivative rules: the program and its reverse pass on balls."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import DomainError
from taglessad.interpreters.real import Real
from taglessad.kernels import balls
from taglessad.kernels.enclosure import Enclosure
from taglessad.kernels.events import Event, Undecided
from taglessad.kernels.payloads import Numbers
from taglessad.levels import Under
from taglessad.tensor import handle
from taglessad.transforms.arguments import Chosen
from taglessad.transforms.engine import one, reverse, scalar_output

Array = NDArray[Any]  # Any: the dtype is data


@dataclass(frozen=True)
class Enclosed:
    """Value and gradient as the rules give them.

    value, leaves: enclosures; the gradient leaf by leaf. prec: the bits that it took. primal: what
    happened while the value was computed; later: and while the rules ran. Without `value` nothing
    is known, and `reason` says why.
    """

    value: Enclosure | None
    leaves: list[Enclosure]
    prec: int
    primal: tuple[Event, ...]
    later: tuple[Event, ...]
    reason: str = ""


def real_leaves(real: Real, points: Sequence[Array], weak: Sequence[bool]) -> list[Any]:
    """Handles of arguments that derivatives are taken in. Any: their kind is Tensor's."""
    made: list[Any] = []
    for x, w in zip(points, weak, strict=True):
        payload = real.entered(real.const(np.asarray(x)))
        made.append(handle(real, payload, x.dtype, w))
    return made


def run_rules(real: Real, chosen: Chosen) -> tuple[list[Enclosure], int]:
    """One reverse pass; [value, *gradient] and how many events the value had. Under `precision`."""
    with Under(real):
        evaluated = reverse("certify", chosen)
        output = scalar_output("certify", evaluated)
        primal = len(real.events)
        value = output.value
        assert isinstance(value, Numbers)
        found = evaluated.pull(real, [one(real, value.dtype)], consume=True)
        payloads = [value, *(h.payload for h in evaluated.gradients(real, found))]
    return [Enclosure(p.values, p.dtype) for p in payloads], primal


def enclosed(
    chosen: Chosen, points: Sequence[Array], weak: Sequence[bool], prec: int, max_prec: int
) -> Enclosed:
    """Value and gradient at rising precision, until they are known or nothing helps."""
    real = Real(prec, "hull", max_prec=max_prec)
    primal = 0

    def attempt() -> list[Enclosure]:
        nonlocal primal
        moved = chosen._replace(leaves=real_leaves(real, points, weak))
        found, primal = run_rules(real, moved)
        return found

    try:
        value, *leaves = real.complete(attempt, judge=False)
    except DomainError as error:
        return Enclosed(None, [], real.used, tuple(real.events), (), error.message)
    events = real.events
    return Enclosed(value, leaves, real.used, tuple(events[:primal]), tuple(events[primal:]))


def propagated(
    chosen: Chosen, points: Sequence[Array], weak: Sequence[bool], prec: int
) -> list[Array] | None:
    """The radii of the gradient when computed with so many bits; None where nothing is known.

    What rounding may do to a run at that precision, in this order of operations.
    """
    real = Real(prec, "hull", max_prec=prec)
    try:
        with balls.precision(prec):
            real.start(prec)
            moved = chosen._replace(leaves=real_leaves(real, points, weak))
            found, _ = run_rules(real, moved)
    except (Undecided, DomainError):
        return None
    return [e.rad for e in found[1:]]
