"""Certificate: what `certify` found, to be read, asserted on, and held against float results."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from taglessad.dtypes import DType, resolve
from taglessad.errors import ArgumentError
from taglessad.kernels.enclosure import Enclosure
from taglessad.kernels.events import Event
from taglessad.proofs_checks.certify_differences import RuleFree
from taglessad.proofs_checks.certify_floats import (
    FloatReport,
    as_floats,
    compared,
    precision_of,
)
from taglessad.proofs_checks.certify_overflow import because
from taglessad.proofs_checks.certify_text import to_html, to_json, to_text
from taglessad.trees import flatten

Array = NDArray[Any]  # Any: the dtype is data
Status: TypeAlias = Literal["CERTIFIED", "ENCLOSED", "NOT_CERTIFIED", "REFUTED"]


@dataclass(frozen=True)
class Certificate:
    """A value and its gradient, enclosed.

    status: CERTIFIED, every entry known and confirmed by a computation without derivative rules;
    ENCLOSED, proved from the rules alone, or a hull at a kink; NOT_CERTIFIED, something stayed
    unknown; REFUTED, the float result or the rules are contradicted. `reason` says why.
    value: an Enclosure, None where nothing is known. grads: one entry per differentiated argument,
    an Enclosure or a tree of them. prec: the bits that it took. rule_free: the second computation.
    events: kinks, open questions and edges of domains met on the way. modulo: what the statement
    rests on: values held fixed by `detach`, with their lines.
    against: the report of the float result that was handed in, if one was. own: what `tad.grad`
    gives, leaf by leaf. overflow: the operation that left the floats' range, where that is asked: the
    float gradient is not finite, or rounding does not explain it.
    """

    status: Status
    reason: str
    value: Enclosure | None
    grads: list[Any]  # Any: Enclosures, or trees of them
    prec: int
    rule_free: RuleFree
    events: tuple[Event, ...] = ()
    modulo: tuple[str, ...] = ()
    against: FloatReport | None = None
    name: str = "f"
    own: tuple[Array, ...] = field(default=(), repr=False)
    radii: dict[int, list[Array]] = field(default_factory=dict, repr=False)
    overflow: str = ""

    @property
    def leaves(self) -> list[Enclosure]:
        """The enclosures of the gradient, leaf by leaf."""
        return [x for x in flatten(self.grads)[0] if isinstance(x, Enclosure)]

    def compare(self, got: Any, dtype: object = None) -> FloatReport:
        """A float gradient, of any library, held against the enclosures.

        got: the gradient, shaped as `grads`; with one differentiated argument its gradient alone.
        dtype: the precision it was computed in; that of its arrays by default. Raises ShapeError
        for another shape, ArgumentError where nothing is enclosed.
        """
        if not self.leaves:
            raise ArgumentError(f"compare: there is no enclosure to compare with: {self.reason}")
        return self._report(parts_of(got), dtype)

    def _report(self, parts: Sequence[Any], dtype: object) -> FloatReport:
        arrays = as_floats(parts, self.leaves)
        kind = dtype_of(arrays, dtype)
        report = compared(arrays, self.leaves, self.radii.get(precision_of(kind)), kind)
        return because(report, self.overflow)

    def assert_within(
        self, got: Any = None, *, ulp: float | None = None, normwise: float | None = None
    ) -> None:
        """Raise AssertionError unless a float gradient is as close as asked for.

        got: a float gradient; by default what `certify` was given as `against`, and without that
        what `tad.grad` gives. Without bounds the status must be CERTIFIED.
        """
        if self.status == "NOT_CERTIFIED" or (
            ulp is None and normwise is None and self.status != "CERTIFIED"
        ):
            raise AssertionError(str(self))
        report = self.compare(got) if got is not None else self.against
        if report is None:
            report = self._report(self.own, None)
        if ulp is not None and not report.ulp <= ulp:
            raise AssertionError(f"more than {ulp:g} ulp off. {report}\n{self}")
        if normwise is not None and not (report.normwise <= normwise and not report.nonfinite):
            raise AssertionError(f"more than {normwise:g} epsilons off, normwise. {report}\n{self}")

    def __str__(self) -> str:
        return to_text(self)

    def to_json(self) -> str:
        """The certificate as JSON."""
        return to_json(self)

    def to_html(self) -> str:
        """The certificate as a self-contained page."""
        return to_html(self)

    def _repr_html_(self) -> str:
        return to_html(self)


def parts_of(got: Any) -> list[Any]:
    """The arrays of a float gradient: one, or the leaves of a tree of them."""
    return [got] if hasattr(got, "shape") else list(flatten(got)[0])


def dtype_of(arrays: Sequence[Array], dtype: object) -> DType:
    """The precision of a float result. Raises DTypeError for what is no real dtype."""
    if dtype is not None:
        return resolve(dtype, "compare")
    real = [a.dtype for a in arrays if a.dtype.kind == "f"]
    return max(real, key=lambda t: t.itemsize) if real else np.dtype(np.float64)
