"""Laws of primitives in exact arithmetic: at generic points, and over complete bases.

A law gives a Verdict, or None where the primitive's values are not rational functions.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from taglessad.dtypes import is_real
from taglessad.errors import DomainError
from taglessad.interpreters.exact import Exact
from taglessad.kernels.payloads import Numbers, Objects, Payload, boxed, each, filled, gathered
from taglessad.kernels.rationals import Undefined, make
from taglessad.primitive import Prim
from taglessad.proofs_checks import rooted
from taglessad.proofs_checks.cases import Case
from taglessad.proofs_checks.generic import Generic, Jets
from taglessad.proofs_checks.generic_numbers import GRAIN, Jet, Sample, drawn, jet, near, plain
from taglessad.proofs_checks.prove_report import Verdict

# Any: an entry is a rational number, a Sample or a Jet.


def generic_point(case: Case, rng: np.random.Generator) -> dict[int, Objects]:
    """Indeterminate entries, close to those of the case, for its operands of real numbers."""
    return {
        i: gathered(
            (near(v, rng) for v in case.operands[i].ravel().tolist()), case.operands[i].shape
        )
        for i in rooted.reals(case)
    }


def direction(shape: tuple[int, ...], rng: np.random.Generator) -> Objects:
    """Indeterminates."""
    return gathered((drawn(rng) for _ in range(int(np.prod(shape)))), shape)


def odds(x: Any) -> float:
    """How probable it is that a number which is 0 at a random point is not 0 everywhere."""
    return x.top / 2.0**GRAIN if isinstance(x, Sample) else 0.0


def _shapes(points: Sequence[Case]) -> str:
    count = len({tuple(x.shape for x in c.operands) for c in points})
    return f"{len(points)} points, {count} shapes"


# --- adjointness ---------------------------------------------------------------------------------
def adjointness(prim: Prim, points: Sequence[Case]) -> Verdict | None:
    """<push(d), g> == <d, pull(g)>, operand by operand and for all at once."""
    worst = 0.0
    tried: list[Case] = []
    for case in points:
        rng = np.random.default_rng(case.seed + 7)
        root = Generic(rng)
        active = rooted.active(prim, case)
        if not active:
            continue
        try:
            found = _adjoint_gap(root, prim, case, active, rng)
        except DomainError:
            return None
        for which, gap in found:
            if not isinstance(gap, Undefined) and plain(gap) != 0:
                shapes = ", ".join(str(list(x.shape)) for x in case.operands)
                why = f"operand {which}: <push(d), g> - <d, pull(g)> = {float(plain(gap)):.3g}"
                return Verdict(
                    prim.name, "adjointness", "FAILED", "generic points", f"{why} at {shapes}"
                )
            if isinstance(gap, Undefined):
                return None
            worst = max(worst, odds(gap))
        tried.append(case)
    if not tried:
        return None
    return Verdict(
        prim.name, "adjointness", "PROVED", "generic points", _shapes(tried), worst or None
    )


def _adjoint_gap(
    root: Generic, prim: Prim, case: Case, active: list[int], rng: np.random.Generator
) -> list[tuple[str, Any]]:
    xs = rooted.payloads(root, case, generic_point(case, rng))
    (y,) = rooted.values(root, prim, xs, case.params)
    g = direction(rooted.numbers(y).shape, rng)
    seed = Numbers(g, root.dtype(y))
    ds = {i: direction(case.operands[i].shape, rng) for i in active}
    gaps: list[tuple[str, Any]] = []
    chosen = [[i] for i in active] + ([active] if len(active) > 1 else [])
    for some in chosen:
        tangents = [
            Numbers(ds[i], case.operands[i].dtype) if i in some else None
            for i in range(len(case.operands))
        ]
        (push,) = rooted.pushed(root, prim, xs, tangents, case.params)
        pull = rooted.pulled(root, prim, xs, [seed], case.params, some)
        gap = rooted.inner(push, g, root.zero)
        for i, c in zip(some, pull, strict=True):
            if c is not None:
                if c.shape != ds[i].shape:
                    return [(str(i), root.one)]
                gap = gap - rooted.inner(ds[i], c, root.zero)
        gaps.append((" and ".join(map(str, some)), gap))
    return gaps


# --- the derivative law --------------------------------------------------------------------------
def jets(prim: Prim, points: Sequence[Case]) -> Verdict | None:
    """push(d) is the slope of the value at x + t d, by the arithmetic of truncated polynomials."""
    worst = 0.0
    tried: list[Case] = []
    for case in points:
        try:
            found = _slopes(prim, case)
        except (DomainError, ZeroDivisionError):
            return None
        for i, gaps in found:
            for gap in gaps:
                if isinstance(gap, Undefined):
                    return None
                if plain(gap) != 0:
                    why = f"operand {i}: push(d) - f'(x) d = {float(plain(gap)):.3g}"
                    return Verdict(prim.name, "derivative", "FAILED", "exact jets", why)
                worst = max(worst, odds(gap))
        tried.append(case)
    if not tried:
        return None
    return Verdict(prim.name, "derivative", "PROVED", "exact jets", _shapes(tried), worst or None)


def _slopes(prim: Prim, case: Case) -> list[tuple[int, list[Any]]]:
    """For each operand of reals the entries of push(d) minus the slope along d."""
    rng = np.random.default_rng(case.seed + 8)
    root, moving = Generic(rng), Jets()
    at = generic_point(case, rng)
    xs = rooted.payloads(root, case, at)
    active = rooted.active(prim, case)
    found: list[tuple[int, list[Any]]] = []
    for i in at:
        x = case.operands[i]
        d = direction(x.shape, rng)
        entries = {k: each(_still, v) for k, v in at.items()}
        entries[i] = each(Jet, at[i], d)
        (y,) = rooted.values(moving, prim, rooted.payloads(moving, case, entries), case.params)
        if not isinstance(y, Numbers):
            continue
        slope = each(lambda v: jet(v).slope, y.values)
        push = filled(slope.shape, root.zero)
        if i in active:
            tangents = [Numbers(d, x.dtype) if k == i else None for k in range(len(xs))]
            (push,) = rooted.pushed(root, prim, xs, tangents, case.params)
        if push.shape != slope.shape:
            return [(i, [root.one])]
        found.append((i, boxed(push - slope).ravel().tolist() if slope.size else []))
    return found


def _still(x: Any) -> Jet:
    return Jet(x, make(0))


# --- linear primitives ---------------------------------------------------------------------------
def basis(prim: Prim, points: Sequence[Case]) -> Verdict | None:
    """f(x + e) - f(x) == push(e) for every unit vector e, and pull is the transpose, entry by entry.

    A proof at these shapes of what is linear, or linear in each operand.
    """
    if prim.kind not in ("linear", "bilinear"):
        return None
    tried: list[Case] = []
    for case in points:
        why = _basis_gap(Exact(), prim, case)
        if why is not None:
            return Verdict(prim.name, "derivative", "FAILED", "complete basis", why)
        tried.append(case)
    return Verdict(prim.name, "derivative", "PROVED", "complete basis", _shapes(tried))


def _basis_gap(root: Exact, prim: Prim, case: Case) -> str | None:
    xs = [root.const(np.asarray(x)) for x in case.operands]
    (before,) = rooted.values(root, prim, xs, case.params)
    size, shape = rooted.numbers(before).size, rooted.numbers(before).shape
    for i in rooted.active(prim, case):
        x = case.operands[i]
        rows: list[list[Any]] = []
        for k in range(x.size):
            e = _unit(root, x.shape, k, x.dtype)
            moved = list(xs)
            moved[i] = Numbers(rooted.numbers(xs[i]) + e.values, x.dtype)
            (after,) = rooted.values(root, prim, moved, case.params)
            tangents: list[Payload | None] = [None] * len(xs)
            tangents[i] = e
            (push,) = rooted.pushed(root, prim, xs, tangents, case.params)
            expected = rooted.numbers(after) - rooted.numbers(before) if size else push
            if push.shape != shape or bool(np.any(push != expected)):
                return f"operand {i}: push of unit vector {k} is not f(x + e) - f(x)"
            rows.append(push.ravel().tolist())
        for j in range(size):
            g = _unit(root, shape, j, root.dtype(before))
            (c,) = rooted.pulled(root, prim, xs, [g], case.params, [i])
            column = [root.zero] * x.size if c is None else c.ravel().tolist()
            if column != [row[j] for row in rows]:
                return f"operand {i}: pull of unit vector {j} is not a column of push"
    return None


def _unit(root: Exact, shape: tuple[int, ...], k: int, dtype: Any) -> Numbers:
    entries: list[Any] = [root.zero] * int(np.prod(shape))
    entries[k] = root.one
    return Numbers(gathered(entries, shape), dtype)


# --- no derivative -------------------------------------------------------------------------------
def none(prim: Prim, points: Sequence[Case]) -> Verdict | None:
    """Results that are no real numbers have no derivative, and no slots."""
    root = Exact()
    for case in points:
        avals = [root.aval(root.const(np.asarray(x))) for x in case.operands]
        if is_real(prim.infer(*avals, *case.params).dtype):
            return None
        if rooted.active(prim, case):
            why = "there are slots, and the result is no real number"
            return Verdict(prim.name, "derivative", "FAILED", "result dtype", why)
    return Verdict(
        prim.name, "derivative", "PROVED", "result dtype", "no real number, no derivative"
    )
