"""Laws, oracles and checks: what every rule is held to; users run it on rules of their own."""

from taglessad.proofs_checks.adjoint import check_adjoint as check_adjoint
from taglessad.proofs_checks.certificate import Certificate as Certificate
from taglessad.proofs_checks.certify import certify as certify
from taglessad.proofs_checks.certify_floats import FloatReport as FloatReport
from taglessad.proofs_checks.derivative import check_derivative as check_derivative
