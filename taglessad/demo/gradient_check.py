"""The classifier's gradient, checked by two laws that know none of its rules.

Adjointness: <J d, c> = <d, J' c>, forward mode against reverse mode, for the logits' Jacobian J.
Differences: <gradient, d> = (L(m + h d) - L(m - h d)) / 2h, for the loss L. Each in a random
direction d for every block of parameters, and for all of them together.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

import taglessad as tad
from taglessad.demo.classifier import Classifier, Images, Targets, logits, loss
from taglessad.demo.formats import columns
from taglessad.proofs_checks.adjoint import check_adjoint
from taglessad.proofs_checks.derivative import check_derivative
from taglessad.proofs_checks.differences import central
from taglessad.trees import flatten, leaves, unflatten
from taglessad.trees import map as each

ADJOINT_GAP: Final = 1e-12
DIFFERENCE_GAP: Final = 1e-6
HEADINGS: Final = (
    "block",
    "shape",
    "<J d, c>",
    "<d, J' c>",
    "gap",
    "<grad, d>",
    "difference",
    "gap",
)


class Row(NamedTuple):
    """One block. Gaps are relative to the sum of the absolute products that a number is made of."""

    block: str
    shape: str
    forward: float
    reverse: float
    adjoint_gap: float
    gradient: float
    difference: float
    difference_gap: float

    @property
    def good(self) -> bool:
        """Whether both laws hold; where all products are zero, a gap is NaN, and they do not."""
        return self.adjoint_gap <= ADJOINT_GAP and self.difference_gap <= DIFFERENCE_GAP

    @property
    def cells(self) -> tuple[str, ...]:
        """The row as it is printed, with its verdict."""
        return (
            self.block,
            self.shape,
            f"{self.forward:.12f}",
            f"{self.reverse:.12f}",
            f"{self.adjoint_gap:.1e}",
            f"{self.gradient:.9f}",
            f"{self.difference:.9f}",
            f"{self.difference_gap:.1e}",
            "ok" if self.good else "WRONG",
        )


class Verdict(NamedTuple):
    """One of the library's own checks, and what it found; "" is nothing."""

    check: str
    finding: str

    @property
    def text(self) -> str:
        """One line."""
        return f"{self.check}: {self.finding or 'holds'}"


class Check(NamedTuple):
    """The gradient check: the numbers, and the verdicts of the library's own checks."""

    rows: list[Row]
    verdicts: list[Verdict]

    @property
    def good(self) -> bool:
        """Whether nothing was found."""
        return all(row.good for row in self.rows) and not any(v.finding for v in self.verdicts)


def check(model: Classifier, x: Images, labels: Targets, seed: int) -> Check:
    """A row for each block of parameters, one for all together, and the library's verdicts."""

    def logits_of(m: Classifier) -> tad.Tensor:
        return logits(m, x)

    def loss_of(m: Classifier) -> tad.Tensor:
        return loss(m, x, labels)

    return Check(
        list(_rows(model, logits_of, loss_of, np.random.default_rng(seed))),
        [
            _verdict("check_adjoint(logits)", lambda: check_adjoint(logits_of, model, seed=seed)),
            _verdict("check_derivative(loss)", lambda: check_derivative(loss_of, model, seed=seed)),
        ],
    )


def _rows(
    model: Classifier,
    logits_of: Callable[[Classifier], tad.Tensor],
    loss_of: Callable[[Classifier], tad.Tensor],
    rng: np.random.Generator,
) -> Iterator[Row]:
    outputs, pullback = tad.vjp(logits_of, model)
    cotangent = tad.tensor(rng.normal(size=outputs.shape))
    (pulled,) = pullback(cotangent)
    gradient: Classifier = tad.grad(loss_of)(model)
    points, structure = flatten(model)

    def value(parameters: Sequence[Any]) -> NDArray[np.float64]:
        return np.asarray(loss_of(unflatten(structure, list(parameters))))

    for block, shape, direction in _directions(model, rng):
        pushed = tad.jvp(logits_of)(model, direction)
        here, there = _inner(pushed, cotangent), _inner(direction, pulled)
        quotient = central(value, _arrays(points), _arrays(leaves(direction)))
        slope = _inner(gradient, unflatten(structure, quotient.directions))
        yield Row(
            block,
            shape,
            here.total,
            there.total,
            _gap(here.total, there.total, here.size + there.size),
            slope.total,
            float(quotient.value),
            _gap(slope.total, float(quotient.value), slope.size),
        )


def _directions(
    model: Classifier, rng: np.random.Generator
) -> Iterator[tuple[str, str, Classifier]]:
    """Random directions: one in each block alone, then their sum."""

    def drawn(block: tad.Tensor) -> tad.Tensor:
        direction: tad.Tensor = tad.tensor(rng.normal(size=np.shape(block)))
        return direction

    whole: Classifier = each(drawn, model)
    nowhere: Classifier = each(tad.zeros_like, model)
    for field in fields(model):
        part: tad.Tensor = getattr(whole, field.name)
        changed: dict[str, Any] = {field.name: part}  # Any: replace takes fields by name
        yield field.name, str(list(part.shape)), replace(nowhere, **changed)
    yield "all", "", whole


def _arrays(tensors: Sequence[Any]) -> list[NDArray[Any]]:  # Any: handles, the leaves of a tree
    return [np.asarray(t) for t in tensors]


class _Inner(NamedTuple):
    """An inner product, and the same of absolute values."""

    total: float
    size: float


def _inner(a: Any, b: Any) -> _Inner:  # Any: trees of handles
    pairs = zip(_arrays(leaves(a)), _arrays(leaves(b)), strict=True)
    products = np.concatenate([(x * y).ravel() for x, y in pairs])
    return _Inner(float(products.sum()), float(np.abs(products).sum()))


def _gap(a: float, b: float, size: float) -> float:
    return abs(a - b) / size if size > 0.0 else float("nan")


def _verdict(name: str, run: Callable[[], None]) -> Verdict:
    try:
        run()
    except tad.AdjointError as error:
        return Verdict(name, error.message)
    return Verdict(name, "")


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as lines of text."""
    return columns([(*HEADINGS, ""), *[row.cells for row in rows]])
