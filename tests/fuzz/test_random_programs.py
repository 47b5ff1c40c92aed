"""Random programs: all interpreters against each other, and JAX and PyTorch. `make fuzz`.

A failure shows the smallest program found that fails; it becomes a test in `test_found`.
"""

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

import taglessad as tad
from tests.fuzz.backends import Ours
from tests.fuzz.checks import against_jax, against_torch, each_interpreter
from tests.fuzz.generator import INPUTS, Program, Step, programs
from tests.fuzz.vocabulary import FAMILIES

# The long run: so many tests, each of so many programs.
RUNS, PROGRAMS = 100, 100

OTHERS: dict[str, Callable[..., None]] = {"jax": against_jax, "torch": against_torch}
INSTALLED = [name for name in OTHERS if find_spec(name) is not None]


def hold(program: Program, seed: int, others: list[str]) -> None:
    ours = each_interpreter(program, seed)
    for name in others:
        OTHERS[name](program, seed, ours)


def search(count: int, others: list[str], run: int) -> None:
    """Hold so many programs; the same ones every time."""

    @hypothesis.seed(run)
    @hypothesis.settings(
        deadline=None,
        database=None,
        max_examples=count,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(programs(), st.integers(0, 2**30))
    def holds(program: Program, seed: int) -> None:
        hold(program, seed, others)

    holds()


def test_a_sample() -> None:
    search(30, [], 0)


@pytest.mark.parametrize("other", OTHERS)
def test_a_sample_against(other: str) -> None:
    if other not in INSTALLED:
        pytest.skip(f"{other} is not installed")
    search({"jax": 3, "torch": 7}[other], [other], 1)


@pytest.mark.slow
@pytest.mark.parametrize("run", range(RUNS))
def test_many(run: int) -> None:
    search(PROGRAMS, INSTALLED, run)


def test_every_family_is_drawn() -> None:
    assert FAMILIES == [
        "contraction",
        "control",
        "cumulative",
        "custom",
        "detach",
        "elementwise",
        "indexing",
        "linalg",
        "reduction",
        "selection",
        "sort",
        "structure",
    ]


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
