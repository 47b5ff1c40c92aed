"""The gradient check passes a right gradient and fails a wrong one."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import taglessad as tad
from taglessad.demo import gradient_check
from taglessad.demo.classifier import Classifier, initial, logits, loss
from taglessad.demo.gradient_check import Row, check, table

BLOCKS = ["w1", "b1", "w2", "b2", "all"]


def point() -> tuple[Classifier, Any, Any]:
    rng = np.random.default_rng(2)
    return initial(2), tad.tensor(rng.normal(size=(8, 64))), tad.tensor(rng.integers(0, 10, 8))


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_is_right(seed: int) -> None:
    rows, verdicts = check(*point(), seed)
    assert [verdict.finding for verdict in verdicts] == ["", ""]
    assert [row.block for row in rows] == BLOCKS
    assert all(row.good for row in rows)
    assert all(abs(row.forward) > 1e-3 and abs(row.gradient) > 1e-9 for row in rows)
    whole, parts = rows[-1], rows[:-1]
    assert whole.forward == pytest.approx(sum(row.forward for row in parts), rel=1e-9)
    assert whole.gradient == pytest.approx(sum(row.gradient for row in parts), rel=1e-9)


def test_a_gradient_with_a_block_missing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_w2(model: Classifier, x: Any, labels: Any) -> Any:
        return loss(replace(model, w2=tad.detach(model.w2)), x, labels)

    monkeypatch.setattr(gradient_check, "loss", without_w2)
    checked = check(*point(), 0)
    assert [row.block for row in checked.rows if not row.good] == ["w2", "all"]
    assert not checked.good


def test_a_direction_that_nothing_depends_on_is_no_success(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def without_b1(model: Classifier, x: Any) -> Any:
        return logits(replace(model, b1=tad.zeros(32)), x)

    monkeypatch.setattr(gradient_check, "logits", without_b1)
    assert [row.block for row in check(*point(), 0).rows if not row.good] == ["b1"]


def test_a_finding_of_the_librarys_check_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def finds(*_: Any, seed: int) -> None:
        raise tad.AdjointError("check_adjoint: not adjoint")

    monkeypatch.setattr(gradient_check, "check_adjoint", finds)
    checked = check(*point(), 0)
    assert not checked.good
    assert [verdict.text for verdict in checked.verdicts] == [
        "check_adjoint(logits): check_adjoint: not adjoint",
        "check_derivative(loss): holds",
    ]


def test_a_gap_is_told_in_the_table() -> None:
    good = Row("w", "[2]", 1.0, 1.0, 0.0, 2.0, 2.0, 0.0)
    rows = [good, good._replace(adjoint_gap=1e-9), good._replace(difference_gap=1e-3)]
    assert [line.split()[-1] for line in table(rows)] == ["gap", "ok", "WRONG", "WRONG"]
