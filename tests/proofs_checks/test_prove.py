"""prove: what it establishes, and that it refutes what is slightly wrong."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.cli import main as cli
from taglessad.errors import AdjointError, ArgumentError
from taglessad.primitive import PRIMITIVES, SEVERAL
from taglessad.proofs_checks import prove_mutants
from taglessad.proofs_checks.generic_numbers import Jet, Sample, near
from taglessad.proofs_checks.mutants import planted
from taglessad.proofs_checks.opspec import OpSpec, compose, of_primitive
from taglessad.proofs_checks.prove import prove
from taglessad.proofs_checks.prove_report import Report, Verdict, merged
from taglessad.proofs_checks.prove_table import rows

flint = pytest.importorskip("flint")

PAGE = Path(__file__).parents[2] / "docs" / "proofs.md"

# Each method, each kind of primitive, and the primitives with several results.
SAMPLE = [
    *("mul", "div", "sqrt", "abs", "exp", "erfinv", "polygamma", "floor", "detach", "less"),
    *("sum", "max", "cumulative_prod", "take", "concat", "set_at", "where", "contract"),
    *("solve", "cholesky", "det", "qr", "slogdet", "rfft", "while_loop", "scan", "branch"),
]
MUTATED = ["sub", "exp", "maximum", "prod", "concat", "inv", "slogdet", "branch"]


@pytest.mark.parametrize("name", SAMPLE)
def test_the_page_says_what_is_found(name: str) -> None:
    report = prove(name)
    assert report.good, str(report)
    assert report.table().splitlines()[2:] == [rows(PAGE.read_text(encoding="utf-8"))[name]]


def test_the_page_has_every_primitive_with_both_laws() -> None:
    table = rows(PAGE.read_text(encoding="utf-8"))
    library = {n for n in (*PRIMITIVES, *SEVERAL) if not re.match("(test|page|documented)_", n)}
    assert table.keys() <= {*PRIMITIVES, *SEVERAL}
    assert library - table.keys() == set()
    for name, row in table.items():
        _, _, adjointness, derivative, _ = (cell.strip() for cell in row.split("|"))
        assert derivative.startswith(("proved", "checked"))
        slots = name in SEVERAL or any(s is not None for s in PRIMITIVES[name].slots)
        if slots or PRIMITIVES[name].variadic:
            assert adjointness.startswith(("proved", "checked")), name


@pytest.mark.slow
def test_every_primitive() -> None:
    report = prove()
    assert report.good, "\n".join(map(str, report.failures))


@pytest.mark.parametrize("name", MUTATED)
def test_every_slight_fault_is_refuted(name: str) -> None:
    outcomes = list(prove_mutants.mutate(name))
    missed = [str(o.fault) for o in outcomes if o.refuted is None and not o.harmless]
    assert missed == [] and sum(o.refuted is not None for o in outcomes) >= 6
    assert prove(name).good  # and taken out again


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*PRIMITIVES, *SEVERAL} - set(MUTATED)))
def test_every_slight_fault_of_the_others_is_refuted(name: str) -> None:
    outcomes = prove_mutants.mutate(name)
    assert [str(o.fault) for o in outcomes if o.refuted is None and not o.harmless] == []


def test_a_refutation_has_a_witness() -> None:
    prim = PRIMITIVES["tanh"]
    fault = next(prove_mutants.faults(prim))
    assert str(fault) == "push and pull times 1 + 1e-9, operand 0"
    with planted(prim, fault):
        report = prove("tanh")
    assert not report.good
    (failure,) = report.failures
    assert failure.law == "derivative" and failure.status == "FAILED"
    found, wanted = map(float, re.findall(r"0\.\d+", failure.detail))
    assert 0.5e-9 < abs(found / wanted - 1) < 2e-9


def test_a_rule_that_raises_is_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(prim: Any, points: Any) -> Any:
        raise ZeroDivisionError("in the rule")

    monkeypatch.setattr("taglessad.proofs_checks.prove_exact.adjointness", broken)
    (failure,) = prove("exp").failures
    assert failure.detail == "ZeroDivisionError: in the rule"


def test_unknown_names() -> None:
    with pytest.raises(ArgumentError, match="there is no primitive 'sine'"):
        prove("sine")


# --- reports -------------------------------------------------------------------------------------
def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli(["prove", "square"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^PROVED +square +derivative +exact jets", out, re.MULTILINE)
    assert cli(["prove", "square", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["good"] and [v["law"] for v in found["verdicts"]] == ["adjointness", "derivative"]
    assert cli(["prove", "nothing"]) == 2
    with planted(PRIMITIVES["square"], next(prove_mutants.faults(PRIMITIVES["square"]))):
        assert cli(["prove", "square"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_the_mutation_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove_mutants.main(["neg"]) == 0
    assert re.search(r"^push sign flipped +1 +1 +0 +0$", capsys.readouterr().out, re.MULTILINE)


def test_one_bad_verdict_makes_a_bad_report() -> None:
    good = Verdict("f", "derivative", "PROVED", "a", "x")
    checked = Verdict("f", "derivative", "CHECKED", "b", "y", 1e-30)
    bad = Verdict("f", "derivative", "OPEN", "c", "z")
    assert Report((good, checked)).good and not Report((good, bad)).good
    both = merged([good, checked])
    assert (both.status, both.method, both.bound) == ("CHECKED", "a and b", 1e-30)
    assert merged([good, bad]) is bad


# --- numbers at a generic point ------------------------------------------------------------------
def test_degrees_bound_those_of_the_function() -> None:
    rng = np.random.default_rng(0)
    x, y = near(0.5, rng), near(1.5, rng)
    assert [x.top, x.bottom] == [1, 0] and near(0.0, rng).top == 0
    f = (x * y + 1) / (x - y) - x**3  # (xy + 1 - x**3 (x - y)) / (x - y)
    assert f.top >= 4 and f.bottom >= 1
    assert (x - y) + (y - x) == 0 and x != y and x < y


def test_jets_are_truncated_polynomials() -> None:
    x = Jet(Sample(flint.fmpq(2)), Sample(flint.fmpq(1)))
    y = 3 / (x * x + 1) - x**3
    assert y.start == flint.fmpq(3, 5) - 8
    assert y.slope == flint.fmpq(-12, 25) - 12
    assert x == 2 and x > 1.5 and not x < 2


# --- bundles -------------------------------------------------------------------------------------
def a_quadratic_map(rng: np.random.Generator, n: int, m: int) -> OpSpec:
    """x -> A (x * x) + B x, from n to m numbers, lawful by construction."""
    a, b = (rng.integers(-5, 6, (m, n)).astype(object) for _ in range(2))
    return OpSpec(
        lambda x: a @ (x * x) + b @ x,
        lambda x, d: a @ (2 * x * d) + b @ d,
        lambda x, g: 2 * x * (a.T @ g) + b.T @ g,
    )


@pytest.mark.parametrize("seed", range(8))
def test_the_composition_of_lawful_bundles_is_lawful(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 5, 4)
    x = rng.integers(-5, 6, sizes[0])
    parts = [a_quadratic_map(rng, n, m) for n, m in zip(sizes, sizes[1:], strict=False)]
    for part, size in zip(parts, sizes, strict=False):
        part.check(rng.integers(-5, 6, size), exact=True)
    left = compose(compose(parts[0], parts[1]), parts[2])
    right = compose(parts[0], compose(parts[1], parts[2]))
    for whole in (left, right):
        whole.check(x, exact=True)
    np.testing.assert_array_equal(left.push(x, x), right.push(x, x))


def test_linearising_in_the_wrong_place_is_adjoint_and_no_derivative() -> None:
    rng = np.random.default_rng(1)
    a, b = a_quadratic_map(rng, 3, 3), a_quadratic_map(rng, 3, 3)
    wrong = OpSpec(
        compose(a, b).forward,
        lambda x, d: b.push(x, a.push(x, d)),
        lambda x, g: a.pull(x, b.pull(x, g)),
    )
    with pytest.raises(AdjointError, match="push is not the derivative of forward"):
        wrong.check([1, 2, -3], exact=True)


def test_bundles_of_primitives_compose() -> None:
    x = np.random.default_rng(2).normal(size=(3, 2))
    whole = compose(compose(of_primitive("tanh"), of_primitive("exp")), of_primitive("sum", (0,)))
    whole.check(x)
    np.testing.assert_allclose(
        whole.pull(x, np.ones(2)), tad.grad(lambda x: tad.sum(tad.exp(tad.tanh(x))))(x)
    )
    wrong = OpSpec(whole.forward, whole.push, lambda x, g: 1.00001 * whole.pull(x, g))
    with pytest.raises(AdjointError, match="push and pull are not adjoint"):
        wrong.check(x)
    slow = OpSpec(
        whole.forward, lambda x, d: 1.001 * whole.push(x, d), lambda x, g: 1.001 * whole.pull(x, g)
    )
    with pytest.raises(AdjointError, match="push is not the derivative"):
        slow.check(x)
