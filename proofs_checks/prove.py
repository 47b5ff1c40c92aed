"""prove: every primitive's derivative rules, proved or checked, law by law.

Adjointness, <push(d), g> == <d, pull(g)>: as an identity at generic points (proofs_checks/generic.py),
or in ball arithmetic. The derivative law, that push is the derivative of the value: over complete
bases, with truncated polynomials, or against rigorous differences that use no rule.
"""

from collections.abc import Callable, Iterator
from typing import Final

from taglessad.errors import ArgumentError
from taglessad.kernels import balls
from taglessad.primitive import PRIMITIVES, SEVERAL, Prim, PrimN
from taglessad.proofs_checks import prove_balls, prove_exact, prove_loops, rooted
from taglessad.proofs_checks.cases import Case, Random
from taglessad.proofs_checks.domains import CONSTANT, DOMAINS, cases
from taglessad.proofs_checks.domains_matrices import SEVERAL_RESULTS
from taglessad.proofs_checks.prove_report import Report, Verdict, merged

CASES: Final = 6
BALL_CASES: Final = 4


def prove(op: str | None = None) -> Report:
    """Both laws of one primitive, or of all: what was proved, what was checked, and to what bound.

    op: a primitive's name. Raises ArgumentError for a name that there is not; MissingExtra without
    python-flint.
    """
    return Report(tuple(found(op)))


def found(op: str | None = None) -> Iterator[Verdict]:
    """The verdicts of `prove`, each as soon as it is known."""
    balls.require("prove")
    known = [*PRIMITIVES, *SEVERAL]
    if op is not None and op not in known:
        raise ArgumentError(
            f"prove: there is no primitive {op!r}; there are {', '.join(sorted(known))}"
        )
    for name in known if op is None else [op]:
        yield from verdicts(name)


def verdicts(name: str) -> Iterator[Verdict]:
    """The laws of one primitive. A rule that raises breaks the law under which it did."""
    if name in SEVERAL:
        yield from _several(SEVERAL[name])
        return
    prim = PRIMITIVES[name]
    if name not in DOMAINS:
        # Declared by a user: check_adjoint and check_derivative hold it to its laws.
        return
    points = list(cases(name, CASES))
    if any(rooted.active(prim, c) for c in points):
        yield _guarded(prim.name, "adjointness", lambda: _adjointness(prim, points))
    yield _guarded(prim.name, "derivative", lambda: _derivative(prim, points))


def _guarded(name: str, law: str, check: Callable[[], Verdict]) -> Verdict:
    try:
        return check()
    except Exception as error:
        return Verdict(name, law, "FAILED", "running the rule", f"{type(error).__name__}: {error}")


def _adjointness(prim: Prim, points: list[Case]) -> Verdict:
    found = prove_exact.adjointness(prim, points)
    return prove_balls.adjointness(prim, points) if found is None else found


def _derivative(prim: Prim, points: list[Case]) -> Verdict:
    if prim.name in CONSTANT:
        if any(rooted.active(prim, c) for c in points):
            return Verdict(prim.name, "derivative", "FAILED", "definition", "there are slots")
        return Verdict(prim.name, "derivative", "PROVED", "definition", "constant, and no slots")
    none = prove_exact.none(prim, points)
    if none is not None:
        return none
    linear = prove_exact.basis(prim, points)
    exact = prove_exact.jets(prim, points)
    if exact is not None:
        return exact if linear is None else merged([linear, exact])
    if prim.kind == "elementwise":
        return prove_balls.derivative(prim, prove_balls.wide(prim.name, DOMAINS[prim.name]))
    return prove_balls.derivative(prim, points[:BALL_CASES])


def _several(prim: PrimN) -> Iterator[Verdict]:
    if prim.name in SEVERAL_RESULTS:
        domains = SEVERAL_RESULTS[prim.name]
        points = [d.plan(Random(seed)).case(seed) for d in domains for seed in range(CASES)]
        full = [c for c in points if all(x.size for x in c.operands)]
        yield _guarded(prim.name, "adjointness", lambda: prove_balls.adjointness(prim, full))
        yield _guarded(prim.name, "derivative", lambda: prove_balls.derivative(prim, full))
    elif prim.name in prove_loops.SAMPLES:
        laws = prove_loops.laws
        yield _guarded(prim.name, "adjointness", lambda: laws(prim)[0])
        yield _guarded(prim.name, "derivative", lambda: laws(prim)[1])
