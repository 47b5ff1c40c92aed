"""Gradients and Hessians against differences: of the documentation's examples, and of your functions.

    python -m taglessad.proofs_checks.differential [MODULE:FUNCTION ...] [--docs FOLDER] [--self-test]

With no name, every call of `tad.grad`, `value_and_grad`, `hessian`, `jacfwd`, `jacrev` and
`derivative` with numbers in the Python blocks of the Markdown files of a folder (docs/) is a case: the
function, at those arguments. A named function's arguments are its attribute `example`, a tuple or a
function that makes one. Differences are of the path that was executed, fenced values held. A case
whose gradient is all zero proves nothing and is refused. The self-test shifts every expectation: then
every case must fail. Exit status: 0 where all agree, else 1.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import numpy as np

from taglessad.errors import ArgumentError, ConcretizationError, TaglessError
from taglessad.proofs_checks.cases import Array
from taglessad.proofs_checks.differential_docs import Example, examples
from taglessad.proofs_checks.differential_paths import executed
from taglessad.proofs_checks.inputs import reals
from taglessad.transforms.gradient import grad
from taglessad.transforms.products import hvp

# Any throughout: programs of any signature.

Verdict = Literal["agrees", "differs", "refused", "not checked"]

GRADIENT_STEP: Final = 2.0**-17
HESSIAN_STEP: Final = 2.0**-11
TOLERANCE: Final = 1e-6
HESSIAN_TOLERANCE: Final = 1e-4
COORDINATES: Final = 16
PAIRS: Final = 6


class Outcome(NamedTuple):
    """What was found of one case."""

    name: str
    verdict: Verdict
    detail: str

    def __str__(self) -> str:
        return f"{self.verdict:12} {self.name}: {self.detail}"


class _Scalar(NamedTuple):
    """A case as one real function of real arrays: results are summed with fixed weights."""

    program: Callable[..., Any]
    values: Callable[[Sequence[Array]], float]
    points: list[Array]


def examine(name: str, f: Callable[..., Any], args: Sequence[Any], shift: float = 0.0) -> Outcome:
    """Compare a function's gradient and Hessian at its arguments with differences of its values.

    shift: added to every expectation, relative to 1 + its size.
    """
    try:
        case = _scalar(f, args)
        return _compared(name, case, shift)
    except ConcretizationError:
        return Outcome(name, "not checked", "it looks at values, and cannot be recorded")
    except (
        TaglessError,
        TypeError,
    ) as error:  # it cannot be called as it stands, or run on float64
        return Outcome(name, "not checked", f"{type(error).__name__}: {error}".splitlines()[0])


def _scalar(f: Callable[..., Any], args: Sequence[Any]) -> _Scalar:
    program, given = reals("differential", f, args)
    points = [x.astype(np.float64) for x in given]
    path = executed(program, points)
    rng = np.random.default_rng(0)
    results = path(points)
    single = len(results) == 1 and results[0].shape == ()
    weights = [np.ones(()) if single else rng.uniform(0.5, 1.5, r.shape) for r in results]

    def values(xs: Sequence[Array]) -> float:
        return float(sum(np.sum(w * r) for w, r in zip(weights, path(xs), strict=True)))

    def summed(*xs: Any) -> Any:
        total: Any = None
        for w, r in zip(weights, program(*xs), strict=True):
            part = _sum(r * w)
            total = part if total is None else total + part
        return total

    return _Scalar(summed, values, points)


def _sum(x: Any) -> Any:
    return x.sum() if x.shape else x


def _compared(name: str, case: _Scalar, shift: float) -> Outcome:
    places = _places(case.points)
    every = tuple(range(len(case.points)))
    gradient = [np.asarray(g) for g in grad(case.program, every)(*case.points)]
    expected = {p: _first(case, p) for p in places}
    finite = all(np.isfinite(v) for v in expected.values())
    if not finite:
        return Outcome(name, "not checked", "a difference is not finite here")
    size = 1 + max(map(abs, expected.values()), default=0.0)
    noise = TOLERANCE * size + 1e-10 * abs(case.values(case.points))
    if all(abs(v) <= noise for v in expected.values()):
        return Outcome(
            name, "refused", "its gradient is all zero, so that nothing would be compared"
        )
    for (leaf, k), slope in expected.items():
        got = float(gradient[leaf].flat[k])
        wanted = slope + shift * size
        if not abs(got - wanted) <= noise:
            where = f"argument leaf {leaf}, entry {k}"
            return Outcome(
                name, "differs", f"gradient at {where}: {got:.9g}, difference {wanted:.9g}"
            )
    worst = _hessian(case, places[:PAIRS], shift)
    if worst is not None:
        return Outcome(name, "differs", worst)
    return Outcome(
        name, "agrees", f"{len(places)} of {sum(x.size for x in case.points)} coordinates"
    )


def _places(points: Sequence[Array]) -> list[tuple[int, int]]:
    every = [(leaf, k) for leaf, x in enumerate(points) for k in range(x.size)]
    if len(every) <= COORDINATES:
        return every
    rng = np.random.default_rng(1)
    return [every[i] for i in sorted(rng.choice(len(every), COORDINATES, replace=False))]


def _moved(case: _Scalar, moves: Sequence[tuple[tuple[int, int], float]]) -> float:
    points = [x.copy() for x in case.points]
    for (leaf, k), step in moves:
        points[leaf].flat[k] += step
    return case.values(points)


def _step(case: _Scalar, place: tuple[int, int], step: float) -> float:
    leaf, k = place
    return step * float(2.0 ** np.ceil(np.log2(max(abs(float(case.points[leaf].flat[k])), 1.0))))


def _first(case: _Scalar, place: tuple[int, int]) -> float:
    """The derivative by two central differences, extrapolated."""
    h = _step(case, place, GRADIENT_STEP * 32)
    wide, narrow = (
        (_moved(case, [(place, s)]) - _moved(case, [(place, -s)])) / (2 * s) for s in (h, h / 2)
    )
    return (4 * narrow - wide) / 3


def _second(case: _Scalar, a: tuple[int, int], b: tuple[int, int]) -> float:
    def at(scale: float) -> float:
        h, k = _step(case, a, scale), _step(case, b, scale)
        corners = (_moved(case, [(a, p * h), (b, q * k)]) * p * q for p in (1, -1) for q in (1, -1))
        return sum(corners) / (4 * h * k)

    return (4 * at(HESSIAN_STEP) - at(2 * HESSIAN_STEP)) / 3


def _hessian(case: _Scalar, places: Sequence[tuple[int, int]], shift: float) -> str | None:
    """The first entry of the Hessian that differs."""
    every = tuple(range(len(case.points)))
    size = 1 + abs(case.values(case.points))
    for a in places:
        units = [np.zeros_like(x) for x in case.points]
        units[a[0]].flat[a[1]] = 1.0
        row = (
            hvp(case.program, argnums=every)(*case.points, tuple(units))
            if len(every) > 1
            else (hvp(case.program)(case.points[0], units[0]),)
        )
        for b in places:
            expected = _second(case, a, b)
            got = float(np.asarray(row[b[0]]).flat[b[1]])
            wanted = expected + shift * (size + abs(expected))
            if not abs(got - wanted) <= HESSIAN_TOLERANCE * (size + abs(expected)):
                return f"Hessian at {a}, {b}: {got:.9g}, difference {wanted:.9g}"
    return None


# --- the command ---------------------------------------------------------------------------------
def named(text: str) -> Example:
    """The case that MODULE:FUNCTION names. Raises ArgumentError where there is no example."""
    module, _, name = text.partition(":")
    folder = str(Path.cwd())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    function = getattr(import_module(module), name, None)
    if not callable(function):
        raise ArgumentError(f"differential: {text!r} names no function")
    example: Any = getattr(function, "example", None)
    if example is None:
        raise ArgumentError(f"differential: {name} has no example: set {name}.example = (x, ...)")
    made: Any = example() if callable(example) else example
    return Example(text, function, tuple(made))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command: its exit status."""
    parser = argparse.ArgumentParser(prog="python -m taglessad.proofs_checks.differential")
    parser.add_argument("names", nargs="*", metavar="MODULE:FUNCTION")
    parser.add_argument("--docs", type=Path, default=Path("docs"), metavar="FOLDER")
    parser.add_argument("--self-test", action="store_true", help="shift every expectation")
    chosen = parser.parse_args(arguments)
    cases = [named(n) for n in chosen.names] if chosen.names else list(examples(chosen.docs))
    shift = 1e-2 if chosen.self_test else 0.0
    outcomes = [examine(c.name, c.function, c.arguments, shift) for c in cases]
    for outcome in outcomes:
        print(outcome)
    count = {v: sum(o.verdict == v for o in outcomes) for v in ("agrees", "differs", "refused")}
    left = len(outcomes) - sum(count.values())
    print(
        f"{len(outcomes)} cases: {count['agrees']} agree, {count['differs']} differ, "
        f"{count['refused']} refused, {left} not checked"
    )
    if not count["agrees"] + count["differs"]:
        return 1
    if chosen.self_test:
        return 1 if count["agrees"] else 0
    return 1 if count["differs"] or (chosen.names and count["refused"]) else 0


if __name__ == "__main__":
    sys.exit(main())
