"""The classifier's gradient, checked by two laws that know none of its rules.

Adjointness: <J d, c> = <d, J' c>, forward mode against reverse mode, for the logits' Jacobian J.
Differences: <gradient, d> = (L(m + h d) - L(m - h d)) / 2h, for the loss L. Each in a random
direction d for every block of parameters, and for all of them together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

import numpy as np

import taglessad as tad
from taglessad.demo.classifier import Classifier, Images, Targets, logits, loss
from taglessad.demo.formats import columns
from taglessad.trees import leaves
from taglessad.trees import map as each

STEP: Final = float(np.finfo(np.float64).eps) ** (1 / 3)
"""Where truncation, h^2, and rounding, eps / h, are of one size."""
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
        """The row as it is printed."""
        return (
            self.block,
            self.shape,
            f"{self.forward:.12f}",
            f"{self.reverse:.12f}",
            f"{self.adjoint_gap:.1e}",
            f"{self.gradient:.9f}",
            f"{self.difference:.9f}",
            f"{self.difference_gap:.1e}",
        )


def check(model: Classifier, x: Images, labels: Targets, seed: int) -> list[Row]:
    """A row for each block of parameters, and one for all together."""
    rng = np.random.default_rng(seed)
    cotangent = tad.tensor(rng.normal(size=(len(labels), 10)))
    gradient: Classifier = tad.grad(loss)(model, x, labels)
    pulled: Classifier = tad.vjp(logits)(model, x, cotangent)
    rows: list[Row] = []
    for block, shape, direction in _directions(model, rng):
        pushed: tad.Tensor = tad.jvp(logits)(model, x, direction)
        here, there = _inner(pushed, cotangent), _inner(direction, pulled)
        slope = _inner(gradient, direction)
        ahead, behind = (loss(_moved(model, h, direction), x, labels) for h in (STEP, -STEP))
        quotient = float(ahead - behind) / (2.0 * STEP)
        rows.append(
            Row(
                block,
                shape,
                here.total,
                there.total,
                _gap(here.total, there.total, here.size + there.size),
                slope.total,
                quotient,
                _gap(slope.total, quotient, slope.size),
            )
        )
    return rows


def _directions(
    model: Classifier, rng: np.random.Generator
) -> Iterator[tuple[str, str, Classifier]]:
    """Random directions: one in each block alone, then their sum."""
    names = [field.name for field in fields(model)]

    def drawn(block: tad.Tensor) -> tad.Tensor:
        direction: tad.Tensor = tad.tensor(rng.normal(size=np.shape(block)))
        return direction

    whole: Classifier = each(drawn, model)
    nowhere: Classifier = each(tad.zeros_like, model)
    for name in names:
        part: tad.Tensor = getattr(whole, name)
        changed: dict[str, Any] = {name: part}  # Any: replace takes fields by name
        yield name, str(list(part.shape)), replace(nowhere, **changed)
    yield "all", "", whole


def _moved(model: Classifier, step: float, direction: Classifier) -> Classifier:
    def moved(p: tad.Tensor, d: tad.Tensor) -> tad.Tensor:
        return p + step * d

    ahead: Classifier = each(moved, model, direction)
    return ahead


class _Inner(NamedTuple):
    """An inner product, and the same of absolute values."""

    total: float
    size: float


def _inner(a: Any, b: Any) -> _Inner:  # Any: trees of handles
    pairs = zip(leaves(a), leaves(b), strict=True)
    products = np.concatenate([(np.asarray(x) * np.asarray(y)).ravel() for x, y in pairs])
    return _Inner(float(products.sum()), float(np.abs(products).sum()))


def _gap(a: float, b: float, size: float) -> float:
    return abs(a - b) / size if size > 0.0 else float("nan")


def table(rows: Sequence[Row]) -> list[str]:
    """The rows as lines of text."""
    verdicts = ["ok" if row.good else "WRONG" for row in rows]
    cells = [(*row.cells, verdict) for row, verdict in zip(rows, verdicts, strict=True)]
    return columns([(*HEADINGS, ""), *cells])
