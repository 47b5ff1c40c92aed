"""The laws notice every fault that is planted, and the mutation command says so."""

import pytest

from taglessad.primitive import PRIMITIVES
from taglessad.proofs_checks import holds
from taglessad.proofs_checks.faults import Fault, faults
from taglessad.proofs_checks.holds import broken
from taglessad.proofs_checks.mutants import Outcome, main, mutate, planted, table

# At least one primitive of each kind, and every kind of fault.
SAMPLE = [
    *("sub", "div", "pow", "sqrt", "tanh", "atan2", "floor", "remainder", "equal"),
    *("where", "maximum", "clip", "relu", "cast", "detach"),
    *("sum", "max", "prod", "cumulative_max", "any", "argsort"),
    *("reshape", "slice", "pad", "concat", "tril", "take", "set_at", "max_at", "contract"),
]
KINDS = {
    "push scaled",
    "pull scaled",
    "shared partial scaled",
    "sign flipped",
    "operands swapped",
    "keep negated",
    "keep dropped",
    "tame mislabelled",
    "push flow mislabelled",
    "pull flow mislabelled",
    "slot missing",
    "slot invented",
    "constant to the next order",
    "shape rule: an axis more",
    "shape rule: another dtype",
    "batch rule: members in reverse",
}


@pytest.mark.parametrize("name", SAMPLE)
def test_every_fault_is_caught(name: str) -> None:
    outcomes = list(mutate(PRIMITIVES[name]))
    assert [str(o.fault) for o in outcomes if o.caught is None and not o.harmless] == []
    assert any(o.caught is not None for o in outcomes)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PRIMITIVES.keys() - set(SAMPLE)))
def test_every_fault_of_the_others_is_caught(name: str) -> None:
    missed = [o.fault for o in mutate(PRIMITIVES[name]) if o.caught is None and not o.harmless]
    assert [str(fault) for fault in missed] == []


def test_the_sample_has_every_kind_of_fault() -> None:
    assert {fault.kind for name in SAMPLE for fault in faults(PRIMITIVES[name])} == KINDS


def test_a_planted_fault_is_taken_out_again() -> None:
    prim = PRIMITIVES["exp"]
    sound = prim.slots
    for fault in faults(prim):
        with planted(prim, fault):
            assert any(getattr(prim, name) is wrong for name, wrong in fault.fields.items())
    assert prim.slots is sound
    assert list(broken(prim)) == []


@pytest.mark.parametrize("name", ["add", "maximum", "hypot"])
def test_exchanged_operands_are_a_fault_only_where_they_matter(name: str) -> None:
    harmless = {
        (o.fault.operand, o.harmless)
        for o in mutate(PRIMITIVES[name])
        if o.fault.kind == "operands swapped"
    }
    assert harmless == {(0, name != "hypot"), (1, name != "hypot")}


# --- the command ---------------------------------------------------------------------------------
def test_the_command_prints_a_table_and_succeeds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["relu", "mul"]) == 0
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split()[:4] == ["fault", "planted", "caught", "missed"]
    assert any(row.startswith("keep negated") for row in rows)
    planted_, caught, missed, harmless = (int(n) for n in rows[-1].split()[1:])
    assert (planted_, missed) == (caught + harmless, 0)


def test_the_command_fails_where_a_fault_is_missed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holds, "CASE_LAWS", ())
    monkeypatch.setattr(holds, "DEEP_CASES", 0)
    assert main(["exp"]) == 1
    out = capsys.readouterr().out
    assert "missed: exp: push scaled, operand 0" in out
    assert "missed: exp: tame mislabelled" not in out


def test_the_command_fails_where_a_primitive_is_unsound_before_any_fault(
    capsys: pytest.CaptureFixture[str],
) -> None:
    prim = PRIMITIVES["exp"]
    fault = next(f for f in faults(prim) if f.kind == "shared partial scaled")
    with planted(prim, fault):
        assert main(["exp"]) == 1
    assert "before any fault: exp breaks differences" in capsys.readouterr().out


def test_the_table_counts_each_kind() -> None:
    fault = Fault("sign flipped", 0, {})
    found = holds.Broken("exp", "differences", "...")
    rows = table(
        [Outcome("exp", fault, False, found), Outcome("sin", fault, False, None)]
    ).splitlines()
    assert rows[1].split() == "sign flipped 2 1 1 0 differences 1".split()
    assert rows[2].split() == "all 2 1 1 0".split()
