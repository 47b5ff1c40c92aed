"""Holding user rules to the law <push(d), g> == <d, pull(g)> and to linearity, where values are known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from taglessad.control.derived import only
from taglessad.custom.rules import Rules
from taglessad.dtypes import is_bfloat16
from taglessad.errors import AdjointError, ArgumentError
from taglessad.kernels.quiet import Quiet
from taglessad.levels import default_root
from taglessad.ops import Ops

Array = NDArray[Any]  # Any: the dtype is data


def check_rules(rules: Rules, base: Ops[Any], values: Sequence[Any]) -> bool:
    """Check the rules at the values of one call; False where those are not known, or of bfloat16.

    Raises ArgumentError for a rule that is not linear, AdjointError for two that are no adjoints.
    """
    root = default_root()
    found = [known(base, x) for x in values]
    if any(x is None or is_bfloat16(x.dtype) for x in found):
        return False
    xs = [np.asarray(x) for x in found]
    random = np.random.default_rng(0)
    k = rules.constants
    real, smooth = rules.real, rules.smooth
    tangents = [random.standard_normal(x.shape).astype(x.dtype) for x in only(xs[k:], real)]
    n = len(rules.value.outputs)
    with Quiet():
        ys = rules.value.run(root, xs)
        cotangents = [
            random.standard_normal(np.shape(y)).astype(np.asarray(y).dtype)
            for y in only(ys, smooth)
        ]
        pushed: list[Array] | None = None
        pulled: list[Array] | None = None
        if rules.push is not None:
            graph = rules.pushed()
            pushed = [np.asarray(t) for t in graph.run(root, [*xs, *tangents])[n:]]
            twice = graph.run(root, [*xs, *(2 * t for t in tangents)])[n:]
            _linear(rules, "the tangent", pushed, twice)
        if rules.pull is not None:
            rule = rules.pulled()
            residuals = rule.fwd.run(root, xs)[n:]
            back = rule.bwd
            pulled = [np.asarray(c) for c in back.run(root, [*xs[:k], *residuals, *cotangents])]
            twice = back.run(root, [*xs[:k], *residuals, *(2 * c for c in cotangents)])
            _linear(rules, "the cotangent", pulled, twice)
    if pushed is not None and pulled is not None:
        _adjoint(rules, _inner(pushed, cotangents), _inner(tangents, pulled), xs)
    return True


def known(base: Ops[Any], x: Any) -> Array | None:
    """The number behind a payload, through the transformers whose values are known; of a batch its
    first member."""
    value = base.literal(x)
    if value is not None or base.base is None:
        return value
    inner = getattr(x, "value", getattr(x, "primal", None))
    found = None if inner is None else known(base.base, inner)
    if found is None or not getattr(x, "mapped", False):
        return found
    return np.asarray(found[0]) if len(found) else None


def _tolerance(dtype: Any) -> float:
    return float(1e3 * np.finfo(dtype).eps)


def _linear(rules: Rules, what: str, once: Sequence[Array], twice: Sequence[Any]) -> None:
    for a, b in zip(once, twice, strict=True):
        finite = np.isfinite(a) & np.isfinite(b)
        scale = np.max(np.abs(a[finite]), initial=0.0)
        if np.any(np.abs(b - 2 * a)[finite] > _tolerance(a.dtype) * scale):
            raise ArgumentError(
                f"{rules.name}: {what} that its rule gives is not linear: twice the argument does "
                "not give twice the result. A derivative is a linear map (check=False to go on "
                "without this check)"
            )


def _inner(a: Sequence[Array], b: Sequence[Array]) -> float:
    return float(sum(np.sum(x * y) for x, y in zip(a, b, strict=True)))


def _adjoint(rules: Rules, left: float, right: float, xs: Sequence[Array]) -> None:
    if not (np.isfinite(left) and np.isfinite(right)):
        return
    eps = max((_tolerance(x.dtype) for x in xs if x.dtype.kind == "f"), default=1e-12)
    if abs(left - right) > 10 * eps * max(abs(left), abs(right), 1.0):
        raise AdjointError(
            f"{rules.name}: its two rules are not adjoint: <jvp(d), g> = {left!r}, "
            f"<d, vjp(g)> = {right!r}"
        )
