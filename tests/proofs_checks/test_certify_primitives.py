"""Every primitive's derivative rule, in exact constants, confirmed by differences of its values."""

import numpy as np
import pytest

from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks import certify
from taglessad.proofs_checks.domains import DOMAINS, cases
from taglessad.proofs_checks.runs import active, as_program, value, weighted

pytest.importorskip("flint")

# Their derivatives in a parameter, which are parameters themselves, have no complex values.
OF_ORDERS = {"beta_density", "betainc", "gamma_density", "gammainc", "zeta"}
CONSTANT = {"sign", "floor", "ceil", "trunc", "round", "detach", "nextafter"}
SMOOTH = sorted(
    name
    for name in PRIMITIVES.keys() & DOMAINS.keys() - CONSTANT
    if any(active(PRIMITIVES[name], c) for c in cases(name, 1))
)


@pytest.mark.parametrize("name", SMOOTH)
def test_the_rule_is_confirmed_to_all_digits(name: str) -> None:
    prim = PRIMITIVES[name]
    for case in cases(name, 1):
        positions = active(prim, case)
        y = value(prim, case.operands, case.params)
        weights = np.random.default_rng(case.seed).uniform(-1, 1, y.shape)
        points = [case.operands[i] for i in positions]
        if not y.size or not any(x.size for x in points):
            continue
        program = weighted(as_program(prim, case, positions), weights)
        c = certify(program, *points, directions=1)
        if name in OF_ORDERS and any(case.params):
            assert c.status == "ENCLOSED" and c.rule_free.agreed is None
        else:
            assert c.status == "CERTIFIED", str(c)
