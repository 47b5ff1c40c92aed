"""One random program under the interpreters that compute something else than floats on NumPy.

Real encloses value and gradient; Exact computes them without error; Jax compiles them, or runs them
operation by operation; Reach and Sparsity say what may depend on what; Cost and Kinks look on.
"""

from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

import taglessad as tad
from taglessad.interpreters import Cost, Kinks, Reach
from taglessad.interpreters.kinks import JUMPS
from tests.fuzz.agreement import Found, Leaves, agree, dot, leaves, shapes
from tests.fuzz.backends import Ours
from tests.fuzz.generator import Program, point

ENTRIES: Final = 13
WITHOUT_HULL: Final = JUMPS | {"argsort", "argtop", "cumulative_max"}


def against_real(program: Program, seed: int, ours: Found) -> None:
    """Value and gradient are those of arithmetic with proved bounds.

    Real knows them to more digits than floats have, but for the gradient at an exact tie: there it
    has all between the one-sided ones, which the interpreter on NumPy chooses from.
    """
    if find_spec("flint") is None:
        return
    from taglessad.interpreters.real import Real

    f = partial(program.loss, Ours())
    value, gradient = tad.interpret(tad.value_and_grad(f), Real())(point(seed))
    tied = partial(_tied, f, point(seed))
    agree("Real, value", ours[0], _chosen(ours[0], value, lambda: False))
    agree("Real, gradient", ours[1], _chosen(ours[1], gradient, tied))


def _tied(f: Any, x: Any) -> bool:
    """Whether entries are tied, or as good as tied, at a kink of which Real has a hull."""
    return any(kink.op not in WITHOUT_HULL for kink in tad.interpret(f, Kinks(1e-9))(x))


def _chosen(found: Leaves, enclosed: Any, tied: Callable[[], bool]) -> Leaves:
    """What an enclosure says should have been found: its middle, or at a tie what is inside it.

    A result that depends on nothing is a handle.
    """
    want = []
    for x, e in zip(found, tad.trees.leaves(enclosed), strict=True):
        if isinstance(e, tad.Tensor):
            want.append(np.asarray(e))
            continue
        wide = np.asarray(e.rad > 1e-13 * np.maximum(1.0, np.abs(e.mid)))
        assert not np.any(wide) or tied(), f"Real: a wide enclosure, {e}"
        want.append(np.where(wide, np.clip(x, e.lo, e.hi), e.mid))
    return want


def against_our_jax(program: Program, seed: int, ours: Found, compiled: bool, second: bool) -> None:
    """Value and gradient, and with `second` the Hessian times a direction, computed by XLA."""
    if find_spec("jax") is None:
        return
    from taglessad.interpreters.jax import Jax

    f = partial(program.loss, Ours())
    x, v = point(seed), point(seed + 1)

    def together(x: Any) -> Any:
        product = tad.grad(lambda x: dot(tad.grad(f)(x), v))(x) if second else ()
        return *tad.value_and_grad(f)(x), product

    run = tad.jit(together, Jax()) if compiled else tad.interpret(together, Jax())
    value, gradient, product = run(x)
    agree("Jax, value", leaves(value), ours[0])
    agree("Jax, gradient", leaves(gradient), ours[1])
    if second:
        agree("Jax, product", leaves(product), ours[2], 1e-8)


def observed(program: Program, seed: int, ours: Found) -> None:
    """What Reach, Cost and Kinks say is so, as far as that can be seen.

    What is not reached has no derivative; Cost counts the graph that is recorded; a kink that the
    point is on is among those that it is near.
    """
    f = partial(program.loss, Ours())
    x = point(seed)
    reached = tad.interpret(f, Reach())(shapes(x))
    for i, parts in enumerate(zip(ours[1], ours[2], strict=True)):
        assert i in reached or not np.any(parts), f"Reach: input {i} is not in {set(reached)}"
    assert tad.interpret(f, Cost())(shapes(x)) == Cost().of_graph(tad.trace(f)(x)), "Cost"
    near = tad.interpret(f, Kinks(0.05))(x)
    assert all(0.0 <= d <= 0.05 for kink in near for d in kink.distances), "Kinks: a distance"
    on = {(k.op, place) for k in tad.interpret(f, Kinks())(x) for place in k.places}
    assert on <= {(k.op, place) for k in near for place in k.places}, "Kinks: on one, but not near"


def against_sparsity(program: Program, seed: int, ours: Found) -> None:
    """A column of the Hessian has entries only where the pattern of the gradient has some."""
    if find_spec("scipy") is None:
        return
    from taglessad.interpreters.sparsity import Sparsity

    f = partial(program.loss, Ours())
    x = point(seed)
    pattern = tad.interpret(f, Sparsity())(shapes(x)).toarray()[0]
    _within("gradient", ours[1], pattern)
    rows = tad.trees.leaves(tad.interpret(tad.grad(f), Sparsity())(shapes(x)))
    square = np.concatenate([row.toarray() for row in rows])
    j = seed % ENTRIES
    unit = np.zeros(ENTRIES)
    unit[j] = 1.0
    v = {"m": unit[:9].reshape(3, 3), "inner": (unit[9:12], unit[12])}
    _within(f"column {j}", leaves(tad.hvp(f)(x, v)), square[:, j])


def _within(what: str, found: Leaves, pattern: Any) -> None:
    entries = np.concatenate([leaf.ravel() for leaf in found])
    assert not np.any(entries[~np.asarray(pattern, bool)]), f"Sparsity: {what}"
