"""Corrections at kinks: what `tad.with_kinks` chose is added where an operand sits on one.

A correction is zero in value, and its slope is the chosen one less the library's own, at the kink
alone: a selection, so nothing of it is left elsewhere. It is a program, and so holds in every mode
and under every interpreter.
"""

from typing import Any

from taglessad import policies
from taglessad.dispatch import lift_all
from taglessad.dtypes import is_real
from taglessad.ops import Ops
from taglessad.tensor import AnyTensor, handle

# Any: payloads of whichever interpreter meets here.


def _added(ops: Ops[Any], y: Any, where: Any, parts: list[tuple[float, Any]]) -> Any:
    total: Any = None
    for slope, x in parts:
        if slope != 0.0:
            nothing = ops.sub(x, ops.detach(x))
            part = ops.mul(nothing, ops.scalar(slope, x))
            total = part if total is None else ops.add(total, part)
    if total is None:
        return y
    return ops.add(y, ops.where(where, total, ops.scalar(0, y)))


def at_zero(name: str, result: AnyTensor, x: Any) -> Any:
    """abs or relu with the chosen slope at 0."""
    policy = policies.current()
    if policy is None or not is_real(result.dtype):
        return result
    ops, (y, t) = lift_all(name, (result, x))
    slope = getattr(policy, name) - getattr(policies.DEFAULT, name)
    zero = ops.equal(t.payload, ops.scalar(0, t.payload))
    return _like(ops, result, _added(ops, y.payload, zero, [(slope, t.payload)]))


def at_tie(result: AnyTensor, a: Any, b: Any) -> Any:
    """maximum or minimum with the chosen shares at a tie."""
    policy = policies.current()
    if policy is None or not is_real(result.dtype):
        return result
    ops, (y, s, t) = lift_all("maximum", (result, a, b))
    p, q = (ops.cast(x.payload, result.dtype) for x in (s, t))
    equal = ops.logical_and(ops.equal(p, q), ops.isfinite(p))
    shares = zip(policy.maximum, policies.DEFAULT.maximum, strict=True)
    slopes = [chosen - own for chosen, own in shares]
    return _like(ops, result, _added(ops, y.payload, equal, list(zip(slopes, (p, q), strict=True))))


def at_bounds(result: AnyTensor, x: Any, low: Any, high: Any) -> Any:
    """clip with the chosen slope at its bounds, payloads of the result's interpreter."""
    policy = policies.current()
    if policy is None or not is_real(result.dtype):
        return result
    ops = result.ops
    met = ops.logical_or(ops.equal(x, low), ops.equal(x, high))
    met = ops.logical_and(met, ops.isfinite(x))
    slope = policy.clip - policies.DEFAULT.clip
    return _like(ops, result, _added(ops, result.payload, met, [(slope, x)]))


def _like(ops: Ops[Any], result: AnyTensor, payload: Any) -> Any:
    return handle(ops, payload, result.dtype, result.weak)
