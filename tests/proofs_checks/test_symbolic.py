"""Derivative rules as formulas: a rule's own text against SymPy's derivative."""

from typing import Any

import pytest

from taglessad.errors import DomainError
from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks import prove_mutants, symbolic
from taglessad.proofs_checks.mutants import planted

sympy = pytest.importorskip("sympy")

QUICK = ["mul", "div", "pow", "sqrt", "log1p", "softplus", "atan2", "erf", "gamma", "rel_entr"]
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "integer_pow": (3,),
    "polygamma": (1,),
    "polygamma_difference": (1,),
}
POINTS = {"acosh": (1.7,)}
KNOWN = sorted(symbolic._table())


def left(name: str) -> list[Any]:
    return symbolic.partials(name, PARAMETERS.get(name, ()), POINTS.get(name, ()))


@pytest.mark.parametrize("name", QUICK)
def test_the_rule_is_the_derivative(name: str) -> None:
    assert left(name) == [0] * len(PRIMITIVES[name].slots)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(set(KNOWN) - set(QUICK)))
def test_the_rules_of_the_others(name: str) -> None:
    assert left(name) == [0] * len(PRIMITIVES[name].slots)


@pytest.mark.parametrize("name", ["mul", "log1p"])
def test_wrong_rules_leave_something(name: str) -> None:
    prim = PRIMITIVES[name]
    for fault in prove_mutants.faults(prim):
        if fault.kind.startswith("push"):
            with planted(prim, fault):
                assert any(gap != 0 for gap in left(name)), str(fault)


def test_every_branch_of_a_rule_at_a_point_of_its_own() -> None:
    # (y - x) / y or 1 - x / y, by which of the two does not cancel.
    for point in ((0.7, 0.3), (0.7, 0.69)):
        assert symbolic.partials("kl_div", (), point) == [0, 0]


def test_what_sympy_is_not_told_of() -> None:
    with pytest.raises(DomainError, match="SymPy is not told what gammainc is"):
        symbolic.partials("gammainc", (0,))
