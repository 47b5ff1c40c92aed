"""Random programs: all interpreters against each other, and JAX and PyTorch. `make fuzz`.

A failure shows the smallest program found that fails; it becomes a test in `test_found`.
"""

from functools import partial
from typing import Any

import pytest

import taglessad as tad
from taglessad.graph import Graph
from taglessad.interpreters import Kinks
from taglessad.primitive import PRIMITIVES, SEVERAL
from tests.fuzz import roots
from tests.fuzz.backends import Ours
from tests.fuzz.checks import each_interpreter
from tests.fuzz.generator import FAMILIES, INPUTS, Program, Step, point, reading
from tests.fuzz.hold import INSTALLED, OTHERS, hold, search, search_rational
from tests.fuzz.long_run import BATCHES, PROGRAMS, RATIONAL
from tests.fuzz.registry import OPS
from tests.fuzz.roots import against_real


def test_a_sample() -> None:
    search(30, [], 0)


@pytest.mark.parametrize("other", OTHERS)
def test_a_sample_against(other: str) -> None:
    if other not in INSTALLED:
        pytest.skip(f"{other} is not installed")
    search({"jax": 3, "torch": 7}[other], [other], 1)


def test_a_sample_of_rational_programs() -> None:
    assert search_rational(30, 0)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_many(batch: int) -> None:
    search(PROGRAMS, INSTALLED, batch)
    search_rational(RATIONAL, batch)


def test_every_family_is_drawn() -> None:
    assert FAMILIES == [
        "contraction",
        "control",
        "convolution",
        "cumulative",
        "custom",
        "detach",
        "elementwise",
        "fft",
        "indexing",
        "linalg",
        "neural",
        "pooling",
        "random",
        "reduction",
        "scatter",
        "segment",
        "selection",
        "sort",
        "special",
        "structure",
        "transform",
        "tree",
    ]


def test_every_primitive_is_reached() -> None:
    """By some operation, its gradient or the gradient's tangent."""
    seen: set[str] = set()
    walked: list[Graph] = []  # kept, since graphs are told apart by identity

    def walk(value: Any) -> None:
        if isinstance(value, Graph) and not any(value is g for g in walked):
            walked.append(value)
            for prim, _, params, _ in value.steps():
                seen.add(prim.name)
                walk(params)
        elif isinstance(value, tuple):
            for part in value:
                walk(part)

    for name, op in OPS.items():
        bodies = tuple(reading(*types) for types in op.bodies)
        step = Step(name, tuple(INPUTS.index(t) for t in op.takes), 1, bodies)
        f = partial(Program((step,), INPUTS + op.gives).loss, Ours())
        x = point(3)
        for program in (f, tad.grad(f), lambda x, f=f: tad.hvp(f)(x, x)):
            walk(tad.trace(program)(x))
    # nextafter has no derivative, and no use where numbers are compared to rounding
    assert {*PRIMITIVES, *SEVERAL} - seen == {"nextafter"}


# The first two entries of the maximum are tied, and share the derivative.
TIED = Program((Step("max pool:m>m", (0,), 0), Step("min rows:mm>m", (0, 3), 0)), INPUTS + "mm")


def test_a_tie_is_inside_what_real_encloses() -> None:
    pytest.importorskip("flint")
    ours = each_interpreter(TIED, 0)
    against_real(TIED, 0, ours)
    wrong = [leaf + 0.1 for leaf in ours[1]]
    with pytest.raises(AssertionError, match="Real, gradient"):
        against_real(TIED, 0, (ours[0], wrong, ours[2]))


def test_nothing_but_a_tie_excuses_a_wide_enclosure(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    ours = each_interpreter(TIED, 0)
    monkeypatch.setattr(roots, "Kinks", lambda distance: Blind())
    with pytest.raises(AssertionError, match="Real: a wide enclosure"):
        against_real(TIED, 0, ours)


class Blind(Kinks):
    """Names nothing."""

    def _note(self, op: str, far: Any) -> None:
        pass


def test_a_wrong_derivative_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net has no hole: with one rule broken, the search fails."""

    @tad.custom_jvp
    def wrong(x: Any) -> Any:
        return tad.special.erf(x)

    wrong.defjvp(lambda xs, ds: (wrong(xs[0]), 1.1 * tad.exp(-(xs[0] ** 2)) * ds[0]))
    monkeypatch.setattr(Ours, "erf", staticmethod(wrong))
    if "torch" not in INSTALLED:
        pytest.skip("PyTorch is the oracle here")
    program = Program((Step("erf:v>v", (1,), 0),), INPUTS + "v")
    with pytest.raises(AssertionError, match="PyTorch, gradient"):
        hold(program, 0, ["torch"])
