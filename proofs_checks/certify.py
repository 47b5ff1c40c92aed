"""certify: a program's value and gradient, proved."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.errors import ArgumentError, ConcretizationError
from taglessad.interpreters.real import COMPARISONS
from taglessad.interpreters.real import known as known_to_float64
from taglessad.kernels import balls
from taglessad.kernels.enclosure import Enclosure
from taglessad.kernels.events import Event
from taglessad.proofs_checks.certificate import Certificate, Status, dtype_of, parts_of
from taglessad.proofs_checks.certify_differences import RuleFree, rule_free
from taglessad.proofs_checks.certify_floats import (
    FloatReport,
    as_array,
    as_floats,
    compared,
    precision_of,
)
from taglessad.proofs_checks.certify_overflow import because, overflowed
from taglessad.proofs_checks.certify_rules import Enclosed, enclosed, propagated
from taglessad.transforms.arguments import Chosen, choose
from taglessad.transforms.engine import one, reverse, scalar_output
from taglessad.transforms.naming import check_function
from taglessad.trees import flatten

Array = NDArray[Any]  # Any: the dtype is data


def certify(
    f: Callable[..., Any],  # Any: a program of any signature with one real result
    *args: Any,
    wrt: str | Sequence[str] | int | Sequence[int] | None = None,
    against: Any = None,
    dtype: object = None,
    prec: int = 128,
    max_prec: int = 4096,
    ulp: float = 2.0**26,
    directions: int | None = None,
    seed: int = 0,
) -> Certificate:
    """f's value and gradient in rigorous enclosures, and what they prove.

    The gradient is computed by the derivative rules on intervals, at rising precision, and then
    again without any rule: by differences whose error is bounded with Cauchy's estimate. Only what
    both agree on is CERTIFIED. Arguments and float literals mean exactly the numbers they are.

    wrt: parameter names or paths, or positions; by default every argument that is or holds real
    numbers. against: a float result for the gradient, of any library, shaped as the gradient:
    REFUTED if an entry lies more than `ulp` units in the last place of `dtype` (by default its own)
    from the enclosure, however the error arose. prec, max_prec: bits to begin with, and at most.
    directions: how many random directions the second computation takes; by default the coordinates
    where they are few, else one; 0 leaves it out. seed: of those directions.

    Raises MissingExtra without python-flint; ArgumentError, ShapeError, DTypeError as `grad` does.
    """
    check_function("certify", f)
    balls.require("certify")
    chosen = _chosen(f, args, wrt)
    points = [_point(x) for x in chosen.leaves]
    weak = [x.weak for x in chosen.leaves]
    found = enclosed(chosen, points, weak, prec, max_prec)
    if found.value is None or not _bounded([found.value, *found.leaves]):
        second = RuleFree(None, "there is no enclosure to compare with")
    else:
        used = max(found.prec, prec)
        second = rule_free(chosen, points, weak, found.leaves, used, directions, seed)
    status, reason = _judge(found, second)
    radii: dict[int, list[Array]] = {}
    for bits in sorted({53, 24, *_own_bits(against, dtype)}):
        spread = propagated(chosen, points, weak, bits)
        if spread is not None:
            radii[bits] = spread
    report = None
    if against is not None and found.leaves:
        parts = as_floats(parts_of(against), found.leaves)
        kind = dtype_of(parts, dtype)
        report = compared(parts, found.leaves, radii.get(precision_of(kind)), kind)
    own = _own(chosen)
    finite = all(np.isfinite(g).all() for g in own)
    overflow = "" if finite and (report is None or report.explained) else overflowed(f, args)
    if report is not None:
        report = because(report, overflow)
        if status != "NOT_CERTIFIED" and not report.ulp <= ulp:
            status, reason = "REFUTED", _gap(report)
    modulo = tuple(f"values behind detach are held fixed, at {s}" for s in second.fences)
    grads = _structured(chosen, found.leaves, wrt) if found.leaves else []
    name = getattr(f, "__name__", type(f).__name__)
    return Certificate(
        status,
        reason,
        found.value,
        grads,
        found.prec,
        second,
        (*found.primal, *found.later),
        modulo,
        report,
        name,
        own,
        radii,
        overflow,
    )


def _chosen(f: Callable[..., Any], args: Sequence[Any], wrt: Any) -> Chosen:
    """The arguments to differentiate in."""
    if isinstance(wrt, (str, list, tuple)) and (
        isinstance(wrt, str) or any(isinstance(w, str) for w in wrt)
    ):
        return choose("certify", f, args, {}, None, wrt)
    if wrt is not None:
        return choose("certify", f, args, {}, (wrt,) if isinstance(wrt, int) else tuple(wrt), None)
    real = tuple(i for i, a in enumerate(args) if any(map(_is_real, flatten(a)[0])))
    if not real:
        raise ArgumentError(
            "certify: no argument holds a real number, so there is nothing to differentiate in; "
            "Python ints count as constants, write 2.0 for 2"
        )
    return choose("certify", f, args, {}, real, None)


def _own(chosen: Chosen) -> tuple[Array, ...]:
    """The gradient in the arguments' own floats."""
    run = reverse("certify", chosen)
    seed = one(run.base, run.base.dtype(scalar_output("certify", run).value))
    found = run.pull(run.base, [seed], consume=True)
    return tuple(np.array(g) for g in run.gradients(run.base, found))


def _is_real(leaf: Any) -> bool:
    if isinstance(leaf, float):
        return True
    dtype = getattr(leaf, "dtype", None)
    return isinstance(dtype, np.dtype) and dtype.kind == "f"


def _point(x: Any) -> Array:
    try:
        return np.array(x)
    except ConcretizationError:
        raise ArgumentError(
            "certify: an argument has no value here: call certify outside grad, jit and vmap"
        ) from None


def _structured(chosen: Chosen, leaves: Sequence[Enclosure], wrt: Any) -> list[Any]:
    """The gradient's enclosures, one structure for each differentiated argument."""
    whole = chosen.restore(leaves)
    if isinstance(wrt, str):
        return [whole]
    return list(whole.values()) if isinstance(whole, dict) else list(whole)


def _own_bits(against: Any, dtype: object) -> list[int]:
    if against is None:
        return []
    return [precision_of(dtype_of([np.asarray(0.0)] if dtype else _arrays(against), dtype))]


def _arrays(against: Any) -> list[Array]:
    return [as_array(x) for x in parts_of(against)]


def _bounded(enclosures: Sequence[Enclosure]) -> bool:
    return all(b.is_finite() for e in enclosures for b in e.balls.ravel())


def _judge(found: Enclosed, second: RuleFree) -> tuple[Status, str]:
    """The status, and why it is no better."""
    if found.value is None:
        return "NOT_CERTIFIED", found.reason
    everything = [found.value, *found.leaves]
    if not _bounded(everything):
        return "NOT_CERTIFIED", _unbounded(found)
    if second.agreed is False:
        return "REFUTED", f"the derivative rules are contradicted: {second}"
    with balls.precision(128):
        known = all(known_to_float64(b) for e in everything for b in e.balls.ravel())
    if known and second.agreed:
        return "CERTIFIED", ""
    jump = next((e for e in found.primal if _jumps(e)), None)
    if jump is not None and not second.agreed:
        return "NOT_CERTIFIED", f"f may jump, or its branch change, right here: {jump}"
    if known:
        return "ENCLOSED", f"by the derivative rules alone; the second computation: {second}"
    kink = next((e for e in found.primal if not _jumps(e)), None)
    if kink is not None:
        return "ENCLOSED", f"every derivative between the one-sided ones at a kink: {kink}"
    return "NOT_CERTIFIED", f"the digits are not known at {found.prec} bits"


def _jumps(e: Event) -> bool:
    return e.nature == "jump" or (e.nature == "undecided" and e.op in COMPARISONS)


def _unbounded(found: Enclosed) -> str:
    events = (*found.primal, *found.later)
    edge: Event | None = next((e for e in events if e.nature == "outside"), None)
    said = f"nothing is known of some entry at {found.prec} bits"
    return said if edge is None else f"{said}: {edge}"


def _gap(report: FloatReport) -> str:
    assert report.index is not None
    part, entry = report.index
    where = f"gradient {part}" + (f", entry {list(entry)}" if entry else "")
    verdict = report.verdict.replace("by rounding", "by rounding in this order of operations")
    return (
        f"the float result is {report.ulp:.3g} ulp off in {where}: it has {report.got!r}, the true "
        f"value is {report.true[0]!r}; {verdict}"
    )
