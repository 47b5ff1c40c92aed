"""tad.primitive: an operation of the user's own, declared as the library's are."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from taglessad.custom.checks import known
from taglessad.dispatch import lift_all
from taglessad.dtypes import is_real
from taglessad.errors import AdjointError, ArgumentError, DTypeError, ShapeError
from taglessad.interpreters.eager import add_kernel
from taglessad.kernels.quiet import Quiet
from taglessad.levels import Under, default_root
from taglessad.ops import Ops
from taglessad.primitive import FOREIGN, PRIMITIVES, Aval, Kind, Prim, Slot, declare
from taglessad.shapes import broadcast, show
from taglessad.tensor import AnyTensor, handle

# Any: arrays, handles and parameters of whatever the operation takes.
Rule = Callable[..., Any]


def primitive(
    name: str,
    forward: Callable[..., Any],
    *,
    partials: Sequence[Rule | None] | None = None,
    push: Sequence[Rule | None] | None = None,
    pull: Sequence[Rule | None] | None = None,
    shape: Callable[..., Any] | None = None,
    dtype: Callable[..., Any] | None = None,
    batch: Rule | None = None,
    check: bool = True,
) -> Callable[..., Any]:
    """A new primitive; gives the function (*operands, *parameters) -> result that applies it.

    forward: the NumPy function, of arrays and parameters. Elementwise operations give `partials`,
    one (y, *operands, *parameters) -> dy/dx for each operand; all others `push` and `pull`, one
    each for each operand: push(d, y, *operands, *parameters) is the tangent of the result, pull(g,
    y, ...) the cotangent of the operand. None stands for an operand that carries no derivative.
    Rules are programs: functions of handles, differentiated again for higher orders.
    shape: (*operand shapes, *parameters) -> the result's shape; elementwise ones broadcast.
    dtype: (*operand dtypes, *parameters) -> the result's dtype; the first operand's by default.
    batch: (size, mapped, *operands, *parameters) -> the result, every mapped axis leading; by
    default an operation that is not elementwise is done member by member.
    check: at its first use on known values hold the result to `shape` and `dtype`, and the rules to
    linearity and to <push(d), g> == <d, pull(g)>.

    Raises ArgumentError for rules that do not go together, or a name that is taken.
    """
    if not name.isidentifier():
        raise ArgumentError(f"primitive: the name {name!r} is no Python identifier")
    if name in PRIMITIVES or name in FOREIGN or hasattr(Ops, name):
        raise ArgumentError(f"primitive: the name {name!r} is taken; choose another")
    if not callable(forward):
        raise ArgumentError(f"primitive: forward of {name} is a NumPy function, not {forward!r}")
    elementwise = partials is not None
    if elementwise == (push is not None or pull is not None):
        raise ArgumentError(
            "primitive: give partials (of an elementwise operation), or push and pull; not both"
        )
    if partials is not None:
        slots = [None if p is None else _diagonal(p, len(partials)) for p in partials]
    else:
        if push is None or pull is None or len(push) != len(pull):
            raise ArgumentError("primitive: push and pull come together, one each for each operand")
        if any((a is None) != (b is None) for a, b in zip(push, pull, strict=True)):
            raise ArgumentError("primitive: an operand has both push and pull, or neither")
        slots = [
            None if a is None or b is None else Slot(_over(a, len(push)), _over(b, len(push)))
            for a, b in zip(push, pull, strict=True)
        ]
        if shape is None:
            raise ArgumentError(f"primitive: {name} is not elementwise: give its shape rule")
    n = len(slots)
    if not n:
        raise ArgumentError(f"primitive: {name} has no operands: give one rule, or None, for each")
    kind: Kind = "elementwise" if elementwise else "general"

    def infer(*args: Any) -> Aval:
        avals, params = args[:n], args[n:]
        if shape is None:
            found = avals[0].shape
            for a in avals[1:]:
                found = broadcast(found, a.shape, what=name)
        else:
            found = tuple(shape(*[a.shape for a in avals], *params))
        of = avals[0].dtype if dtype is None else dtype(*[a.dtype for a in avals], *params)
        return Aval(found, np.dtype(of))

    def by_member(ops: Any, size: int, mapped: Sequence[bool], *args: Any) -> Any:
        operands, params = args[:n], args[n:]
        rows: list[Any] = []
        for i in range(size):
            own = [_member(ops, x, i) if m else x for x, m in zip(operands, mapped, strict=True)]
            y = ops.run(prim, tuple(own), params)
            rows.append(ops.reshape(y, (1, *ops.shape(y))))
        if not rows:
            raise ShapeError(f"{name}: a batch of size 0 needs a batch rule (batch=...)")
        return ops.concat(tuple(rows), 0)

    def batched(ops: Any, size: int, mapped: Sequence[bool], *args: Any) -> Any:
        assert batch is not None
        return _run(ops, batch, (size, tuple(mapped)), args[:n], args[n:])

    rule = None if elementwise else by_member if batch is None else batched
    prim = declare(name, infer, slots, kind, rule, registry=FOREIGN)
    add_kernel(prim, forward)
    checked = [not check]

    def apply(*args: Any) -> Any:
        if len(args) < n:
            raise ArgumentError(f"{name} takes {n} operands, but was given {len(args)}")
        operands, params = args[:n], args[n:]
        ops, handles = lift_all(name, operands)
        payloads = tuple([x.payload for x in handles])
        if not checked[0]:
            checked[0] = True  # rules may call the operation themselves
            good = False
            try:
                good = _check(name, prim, ops, payloads, params)
            finally:
                checked[0] = good  # what failed fails again
        y = ops.run(prim, payloads, params)
        weak = all(x.weak for x in handles)
        return handle(ops, y, ops.dtype(y), weak)

    apply.__name__ = apply.__qualname__ = name
    apply.__doc__ = forward.__doc__
    return apply


def _member(ops: Any, x: Any, i: int) -> Any:
    shape = ops.shape(x)
    zeros, ones = (0,) * (len(shape) - 1), (1,) * len(shape)
    return ops.reshape(ops.slice(x, (i, *zeros), (i + 1, *shape[1:]), ones), shape[1:])


def _run(
    ops: Any, rule: Rule, first: tuple[Any, ...], xs: Sequence[Any], params: Sequence[Any]
) -> Any:
    """A rule over handles as one over payloads: it runs with their interpreter under way."""
    with Under(ops):
        handles = [handle(ops, x, ops.dtype(x)) for x in xs]
        y: object = rule(*first, *handles, *params)
        if not isinstance(y, AnyTensor):
            return ops.const(np.asarray(y, ops.dtype(xs[0])))
        return ops.lift(y.ops, y.payload)


def _over(rule: Rule, n: int) -> Rule:
    """A rule of n operands over handles as one over payloads."""

    def over(ops: Any, d: Any, y: Any, *rest: Any) -> Any:
        return _run(ops, rule, (), (d, y, *rest[:n]), rest[n:])

    return over


def _diagonal(partial: Rule, n: int) -> Slot:
    """The slot of a partial derivative over handles, which serves both directions."""

    def rule(ops: Any, d: Any, y: Any, *rest: Any) -> Any:
        return ops.mul(d, _run(ops, partial, (), (y, *rest[:n]), rest[n:]))

    return Slot(rule, rule)


def _check(
    name: str, prim: Prim, ops: Ops[Any], payloads: Sequence[Any], params: Sequence[Any]
) -> bool:
    """Hold a primitive to its own declaration at the values of one call; False if not known."""
    found = [known(ops, x) for x in payloads]
    if any(x is None for x in found):
        return False
    xs = [np.asarray(x) for x in found]
    root = default_root()
    random = np.random.default_rng(0)
    with Quiet():
        y = np.asarray(root.run(prim, tuple(xs), tuple(params)))
        aval = prim.infer(*[Aval(x.shape, x.dtype) for x in xs], *params)
        if y.shape != aval.shape:
            raise ShapeError(
                f"{name}: forward gives shape {show(y.shape)}, but its shape rule says "
                f"{show(aval.shape)}"
            )
        if y.dtype != aval.dtype:
            raise DTypeError(f"{name}: forward gives dtype {y.dtype}, but declared is {aval.dtype}")
        if not is_real(y.dtype):
            return True
        for i, slot in enumerate(prim.slots):
            if slot is None or not is_real(xs[i].dtype):
                continue
            d = random.standard_normal(xs[i].shape).astype(xs[i].dtype)
            g = random.standard_normal(y.shape).astype(y.dtype)
            t = np.broadcast_to(slot.push(root, d, y, *xs, *params), y.shape)
            c = np.asarray(slot.pull(root, g, y, *xs, *params))
            eps = 1e4 * float(np.finfo(y.dtype).eps)
            _linear(name, i, t, slot.push(root, 2 * d, y, *xs, *params), eps)
            wide = np.broadcast_to(d, c.shape) if prim.kind == "elementwise" else d
            if c.shape != wide.shape:
                raise ShapeError(
                    f"{name}: pull of operand {i} gives shape {show(c.shape)}, but the operand has "
                    f"{show(xs[i].shape)}"
                )
            left, right = float(np.sum(t * g)), float(np.sum(wide * c))
            if not abs(left - right) <= eps * max(abs(left), abs(right), 1.0) and np.isfinite(left):
                raise AdjointError(
                    f"{name}: push and pull of operand {i} are not adjoint: <push(d), g> = "
                    f"{left!r}, <d, pull(g)> = {right!r}"
                )
    return True


def _linear(name: str, i: int, once: Any, twice: Any, eps: float) -> None:
    gap = np.max(np.abs(twice - 2 * once), initial=0.0)
    if gap > eps * max(np.max(np.abs(once), initial=0.0), 1.0):
        raise ArgumentError(f"{name}: push of operand {i} is not linear in the tangent")
