"""Laws, oracles and checks: what every rule is held to; users run it on rules of their own."""

from importlib import import_module

from taglessad.other_names import not_there as _not_there
from taglessad.proofs_checks.adjoint import check_adjoint as check_adjoint
from taglessad.proofs_checks.certificate import Certificate as Certificate
from taglessad.proofs_checks.certify import certify as certify
from taglessad.proofs_checks.certify_floats import FloatReport as FloatReport
from taglessad.proofs_checks.derivative import check_derivative as check_derivative
from taglessad.proofs_checks.opspec import OpSpec as OpSpec
from taglessad.proofs_checks.opspec import compose as compose
from taglessad.proofs_checks.prove import prove as prove
from taglessad.proofs_checks.prove_report import Report as Report
from taglessad.proofs_checks.prove_report import Verdict as Verdict


def __getattr__(name: str) -> object:
    """`strategies`, imported when asked for: hypothesis need not be installed."""
    if name == "strategies":
        return import_module("taglessad.proofs_checks.strategies")
    raise _not_there(__name__, name)
